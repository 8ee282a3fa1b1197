"""inject = false: GPUs that others brought into the container are checked, and no
byte of it is changed. Node tools of a trusted namespace start whatever is found."""

import json
import os
import re

from lib import grants, simhost
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config

NEEDS_DEBIAN_ROOTFS = True
CRI = {"io.kubernetes.cri.container-type": "container"}
NAMESPACE = "io.kubernetes.cri.sandbox-namespace"

# What NVIDIA's hook does with the device nodes: makes them in the container's own
# mount namespace, before its root is changed.
HOOK = """#!/bin/sh
state=$(cat)
pid=$(echo "$state" | sed 's/.*"pid": *\\([0-9]*\\).*/\\1/')
for node in {nodes}; do
    set -- $(echo $node | tr : ' ')
    nsenter --target $pid --mount mknod -m 666 {root}$1 c $2 $3
done
echo ran >> {log}
"""


class Cases:
    """For runc and for crun."""

    def check_only(self, host):
        config = self.work / "config.toml"
        text = config.read_text()
        config.write_text("inject = false\n" + text)
        return host

    def log_text(self):
        return (self.work / "gantry.log").read_text()

    def amd(self, **settings):
        return self.amd_host(log=self.work / "gantry.log", **settings)

    def with_devices(self, host, paths, **settings):
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], **settings)
        config["linux"]["devices"] = []
        for path in paths:
            node = host.nodes()[path]
            numbers = {key: node[key] for key in ("type", "major", "minor")}
            config["linux"]["devices"].append(dict(numbers, path=path, uid=0, gid=node["gid"],
                                                   fileMode=int(node["mode"], 8)))
            config["linux"]["resources"]["devices"].append(dict(numbers, allow=True, access="rwm"))
        return Bundle(self.work / "bundle", config)

    def test_injected_by_others(self):
        host = self.check_only(self.amd())
        render, _ = host.amd_nodes(simhost.GFX1031)
        bundle = self.with_devices(host, ["/dev/kfd", render])
        before = self.snapshot(self.root, bundle.path)
        answer = self.runtime.answer(bundle, "c1")
        grants.assert_nodes(self, answer, host, ["/dev/kfd", render])
        self.assertNotIn(grants.OVERRIDE, json.dumps(answer["env"]))
        self.assertEqual(bundle.bytes(), bundle.original)
        self.assertRegex(self.log_text(), r"info c1 [A-Z_]+: AMD GPU 0 ")
        self.assertNotIn("group", self.log_text(), "root needs none")
        self.assertIn("HSA_OVERRIDE_GFX_VERSION=10.3.0 is missing", self.log_text())
        self.assert_nothing_left(before)

    def test_nobody_acts_on_the_variable(self):
        self.check_only(self.amd())
        bundle = self.bundle(env=["AMD_VISIBLE_DEVICES=0", "NVIDIA_VISIBLE_DEVICES=all"])
        grants.assert_no_gpu(self, self.runtime.answer(bundle, "c1"))
        self.assertEqual(bundle.bytes(), bundle.original)

    def test_what_is_broken_is_refused(self):
        self.need_debian()
        simhost.put_fake_hsa(self.root, "hsa_init=0x1008")
        host = self.check_only(self.amd())
        render, _ = host.amd_nodes(simhost.GFX1031)
        self.assert_refused(self.with_devices(host, ["/dev/kfd", render]), "GTY-403", "0x1008")

    def test_a_node_without_its_rule_is_refused(self):
        host = self.check_only(self.amd())
        render, _ = host.amd_nodes(simhost.GFX1031)
        bundle = self.with_devices(host, ["/dev/kfd", render])
        config = json.loads(bundle.original)
        config["linux"]["resources"]["devices"].pop()
        self.assert_refused(Bundle(self.work / "without", config), "GTY-4", render)

    def test_behind_nvidias_hook(self):
        """The spec has the hook and the variable; the nodes come by the hook, to the
        container and to the twin."""
        host = self.check_only(self.nvidia_host(log=self.work / "gantry.log"))
        paths = ["/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia1"]
        nodes = {path: host.nodes()[path] for path in paths}
        hook = self.work / "nvidia-container-runtime-hook"
        hook.write_text(HOOK.format(
            nodes=" ".join(f"{path}:{node['major']}:{node['minor']}"
                           for path, node in nodes.items()),
            root=self.root, log=self.work / "hook.log"))
        hook.chmod(0o755)
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"],
                             env=["NVIDIA_VISIBLE_DEVICES=1"],
                             hooks={"prestart": [{"path": str(hook), "env": [
                                 "PATH=" + os.environ["PATH"]]}]})
        for node in nodes.values():
            config["linux"]["resources"]["devices"].append(
                {"allow": True, "type": "c", "major": node["major"], "minor": node["minor"],
                 "access": "rwm"})
        bundle = Bundle(self.work / "bundle", config)
        answer = self.runtime.answer(bundle, "c1")
        self.assertLessEqual(set(paths), {node["path"] for node in answer["nodes"]})
        self.assertEqual(bundle.bytes(), bundle.original)
        self.assertEqual((self.work / "hook.log").read_text(), "ran\nran\n")
        self.assertRegex(self.log_text(), r"info c1 [A-Z_]+: NVIDIA GPU 1 ")
        # A hook that forgets a node is found out.
        hook.write_text(hook.read_text().replace("/dev/nvidia1:", "/dev/nvidia7:"))
        self.assert_refused(Bundle(self.work / "less", config), "GTY-4", "/dev/nvidia1", name="c2")

    def node_tool(self, name_space, name):
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"],
                             env=["AMD_VISIBLE_DEVICES=all"])
        config["annotations"].update(CRI, **{NAMESPACE: name_space})
        return Bundle(self.work / name, config)

    def test_node_tool_starts_with_a_broken_gpu(self):
        self.need_debian()
        simhost.put_fake_hsa(self.root, "hsa_init=0x1008")
        host = self.amd(environment="auto")
        # Nobody can open the node: ACCESS, at most a warning for it.
        answer = self.runtime.answer(self.node_tool("kube-system", "tool"), "c1")
        self.assertIn("/dev/kfd", [node["path"] for node in answer["nodes"]])
        self.assertNotIn("GTY-403", self.log_text())
        # Of another namespace the variable does not count, so there is no GPU.
        answer = self.runtime.answer(self.node_tool("default", "other"), "c2")
        grants.assert_no_gpu(self, answer)
        self.assertIn("is not followed", self.log_text())
        self.assertTrue(host)

    def test_node_tool_starts_where_a_node_cannot_be_opened(self):
        host = self.amd(environment="auto")
        render, _ = host.amd_nodes(simhost.GFX1031)
        bundle = self.node_tool("kube-system", "tool")
        config = json.loads(bundle.original)
        # Another device at the GPU's place, hidden below a bind mount.
        config["mounts"].append({"destination": render, "type": "bind", "source": "/dev/null",
                                 "options": ["bind"]})
        answer = self.runtime.answer(Bundle(self.work / "hidden", config), "c1")
        self.assertTrue(answer)
        self.assertRegex(self.log_text(), r"GTY-4\d\d")

    def test_limits_are_warned_of_once(self):
        self.amd()
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"],
                             env=["AMD_VISIBLE_DEVICES= 0"])
        config["mounts"].append({"destination": "/dev/shm", "type": "tmpfs", "source": "shm",
                                 "options": ["nosuid", "size=65536k"]})
        config["process"]["rlimits"] = [{"type": "RLIMIT_MEMLOCK", "hard": 65536, "soft": 65536}]
        self.assertTrue(self.runtime.answer(Bundle(self.work / "bundle", config), "c1"))
        for words in ("--shm-size=8g", "--ulimit memlock=-1", "blanks around"):
            self.assertEqual(len(re.findall(re.escape(words), self.log_text())), 1, words)


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
