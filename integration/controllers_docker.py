"""Docker with what needs cgroup controllers on the unified hierarchy: crun under
Docker, and the limits of a container.

No file of the normal run: a machine whose controllers belong to v1 hierarchies
cannot do it (crun asks for io and cpu). By hand, where they are there:

    sudo integration/run.py controllers_docker.py
"""

import test_docker
from lib import grants, machine

NEEDS_DEBIAN_ROOTFS = True

setUpModule = test_docker.setUpModule
tearDownModule = test_docker.tearDownModule


class DockerCrunTest(test_docker.DockerCases, test_docker.DockerTest):
    program = "crun"


class LimitsTest(test_docker.DockerTest):
    program = "runc"

    def test_limits_of_the_container_do_not_choke_the_check(self):
        if not machine.has_controllers("memory", "pids"):
            self.skipTest("no memory and pids controllers for containers on this machine")
        host = self.amd_host()
        answer = self.answer(image="rocm", env=["AMD_VISIBLE_DEVICES=0"],
                             options=["--memory", "64m", "--pids-limit", "16"])
        grants.assert_first_amd_gpu(self, answer, host)
