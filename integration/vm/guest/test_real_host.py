"""The machine as it is: a driver, and no GPU that it drives."""

from engine_case import EngineCase
from engines import Docker, Podman

ENGINES = {False: [Docker("runc"), Docker("crun")],
           True: [Podman(program, rootless) for program in ("runc", "crun")
                  for rootless in (False, True)]}


class RealHostCases:
    podman = False

    def test_kfd_without_a_gpu_is_refused(self):
        for self.engine in ENGINES[self.podman]:
            self.assert_tells("--device", "/dev/kfd", "--device", "/dev/dri", says=(
                "GTY-204", "No AMD GPU stands behind /dev/kfd"))

    def test_variable_without_a_gpu_is_refused(self):
        self.engine = ENGINES[self.podman][0]
        self.assert_tells("--env", "AMD_VISIBLE_DEVICES=0", says=("GTY-203", "No usable AMD GPU"))

    def assert_tells(self, *options, says):
        ended = self.run_container("tiny", "/bin/true", options=["--rm", *options])
        self.assert_refused(ended, *says)


class DockerTest(RealHostCases, EngineCase):
    engine = ENGINES[False][0]


class PodmanTest(RealHostCases, EngineCase):
    engine = ENGINES[True][0]
    podman = True
