"""The base of tests on what the computing check comes to, on bare bundles."""

import shutil

from lib import simhost
from lib.bare_case import BareTest


class GemmTest(BareTest):
    NVIDIA = ["NVIDIA_VISIBLE_DEVICES=2", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]
    # A verdict of what must not be believed on a real host.
    PROVEN = "SIMULATED: "

    def host_again(self, make, **settings):
        """A host in the place of an earlier one, and an empty log."""
        shutil.rmtree(self.work / "host", ignore_errors=True)
        (self.work / "gantry.log").unlink(missing_ok=True)
        return self.use_host(make(self.work / "host"), log=self.work / "gantry.log", **settings)

    def cuda(self, orders="", **settings):
        """A host whose driver library is the fake one, under these orders."""
        simhost.put_orders(self.root, orders)
        host = self.host_again(simhost.make_nvidia_host, **settings)
        host.put_fake_cuda()
        return host

    def create_once(self, bundle, name="c1"):
        """The container is made, started and ends by itself."""
        self.runtime.lifecycle(bundle, name)

    def assert_refused(self, bundle, *words, name="c1"):
        """Of several in one test each has a log of its own."""
        self.runtime.log.unlink(missing_ok=True)
        super().assert_refused(bundle, *words, name=name)

    def logged(self):
        return (self.work / "gantry.log").read_text()

    def assert_computed(self):
        self.assertIn(self.PROVEN, self.logged())
        self.assertRegex(self.logged(), r"computed right at [1-9][0-9.]* [GT]FLOP/s")
