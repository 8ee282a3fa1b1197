"""Podman with gantry-runc and gantry-crun on the simulated host, as root and as
a user. Nobody can give a user's container a group that its user namespace does
not map: either the nodes are open to all, as AMD's own udev rule makes them, or
the engine keeps the user's groups."""

from engine_case import EngineCase, LifeCases
from engines import Podman


class RootfulCases(LifeCases):
    def test_a_group_kill_does_not_reach_the_container_from_the_check(self):
        """memory.oom.group: one that is killed takes its whole cgroup along."""
        ended = self.run_container("rocm", "/bin/true", options=[
            "--env", "AMD_VISIBLE_DEVICES=0", "--memory", "64m",
            "--cgroup-conf", "memory.oom.group=1"])
        self.assertEqual(ended.status, 0, str(ended))
        ended = self.must("inspect", "--format", "{{.State.OOMKilled}}", self.engine.name)
        self.assertEqual(ended.out, b"false\n")


class PodmanRuncTest(RootfulCases, EngineCase):
    engine = Podman("runc")


class PodmanCrunTest(RootfulCases, EngineCase):
    engine = Podman("crun")


class RootlessRuncTest(LifeCases, EngineCase):
    engine = Podman("runc", rootless=True)


class RootlessCrunTest(LifeCases, EngineCase):
    engine = Podman("crun", rootless=True)


class KeptGroupsTest(EngineCase):
    """Rootless, where only a group may open the nodes."""

    engine = RootlessCrunTest.engine

    def test_crun_keeps_the_users_groups(self):
        self.start_waiting("--group-add", "keep-groups")
        self.assert_has_gpu("with the user's own groups")

    def test_without_them_the_reason_is_told(self):
        self.engine = RootlessRuncTest.engine
        ended = self.run_container("tiny", "/bin/true", options=[
            "--rm", "--user", "1000", "--env", "AMD_VISIBLE_DEVICES=0"])
        self.assert_refused(ended, "GTY-401", "group not mapped", "keep-groups")
