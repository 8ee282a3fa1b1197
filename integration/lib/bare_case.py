"""The base of tests on bare bundles: shim, low-level runtime, simulated host."""

from lib import machine, product, rootfs, simhost
from lib.bare import Runtime
from lib.bundle import Bundle, make_config
from lib.case import CGROUP, ContainerTest

RFC3339 = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"


class BareTest(ContainerTest):
    program = ""

    def setUp(self):
        super().setUp()
        self.real = machine.need_program(self.program)
        self.runtime = Runtime(product.shim(), self.work)
        self.root = rootfs.make_tiny(self.work / "rootfs")

    def need_debian(self):
        if reason := rootfs.why_no_debian:
            self.skipTest(reason)
        self.root = rootfs.make_debian(self.work / "debian")

    def amd_host(self, **settings):
        return self.use_host(simhost.make_amd_host(self.work / "host"), **settings)

    def nvidia_host(self, **settings):
        return self.use_host(simhost.make_nvidia_host(self.work / "host"), **settings)

    def use_host(self, host, runtimes=None, **settings):
        config = product.configure(self.work / "config.toml", host_root=host.root,
                                   runtimes=runtimes or [self.real], **settings)
        self.runtime.env = product.environment_for(config)
        return host

    def bundle(self, *words, name="bundle", program="/bin/gantry-answer", **settings):
        config = make_config(rootfs=self.root, args=[program, *words],
                             cgroup=f"{CGROUP}/{name}", **settings)
        return Bundle(self.work / name, config)

    def assert_refused(self, bundle, *words, name="c1"):
        """No container, one sentence for the engine and for the person, and no trace."""
        before = self.snapshot(bundle.path, self.root)
        ended = self.runtime.create(bundle, name)
        self.assertNotEqual(ended.status, 0, str(ended))
        self.assertEqual(ended.out, b"")
        self.assertEqual(self.runtime.output(name), b"")
        self.assertEqual(bundle.bytes(), bundle.original)
        lines = self.runtime.log_lines()
        self.assertEqual([line["level"] for line in lines], ["error"], lines)
        self.assertRegex(lines[0]["time"], RFC3339)
        self.assertIn(lines[0]["msg"], ended.err.decode())
        self.assertIsNone(self.runtime.state(name))
        self.assert_nothing_left(before)
        self.assert_one_sentence(lines[0]["msg"], *words)
