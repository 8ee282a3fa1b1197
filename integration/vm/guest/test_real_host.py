"""The machine as it is: a driver, and no GPU that it drives."""

from engine_case import EngineCase
from engines import PROGRAMS, Docker, Podman


class RealHostCases:
    with_device = with_variable = ()

    def test_kfd_without_a_gpu_is_refused(self):
        for self.engine in self.with_device:
            self.assert_tells("--device", "/dev/kfd", "--device", "/dev/dri", says=(
                "GTY-204", "No AMD GPU stands behind /dev/kfd"))

    def test_variable_without_a_gpu_is_refused(self):
        for self.engine in self.with_variable:
            self.assert_tells("--env", "AMD_VISIBLE_DEVICES=0",
                              says=("GTY-203", "No usable AMD GPU"))

    def assert_tells(self, *options, says):
        ended = self.run_container("tiny", "/bin/true", options=["--rm", *options])
        self.assert_refused(ended, *says)


class DockerTest(RealHostCases, EngineCase):
    with_device = [Docker(program) for program in PROGRAMS]
    with_variable = with_device[:1]
    engine = with_device[0]


class PodmanTest(RealHostCases, EngineCase):
    """Rootless Podman hands --device on as a bind mount."""

    with_device = [Podman(program, rootless=rootless) for program in PROGRAMS
                   for rootless in (False, True)]
    with_variable = [Podman(program, rootless=True) for program in PROGRAMS]
    engine = with_device[0]
