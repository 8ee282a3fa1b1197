"""A dockerd with --userns-remap: containers in a user namespace, whose root is an
ordinary user of the host."""

import json

from lib import answers, grants, machine, private_dev, product
from lib.engine_cases import EngineTest, Images
from lib.engine_docker import Docker

FIRST = 200000

docker = images = None


def setUpModule():
    global docker, images
    runc = machine.need_program("dockerd", "docker", "containerd", "runc")[-1]
    for name in ("/etc/subuid", "/etc/subgid"):  # the tests' own copies
        with open(name, "a", encoding="ascii") as file:
            file.write(f"nobody:{FIRST}:65536\n")
    private_dev.mount("/run/dev")  # before the daemon, which goes on in this view
    docker = Docker("/run/docker-test", {"gantry": product.shim(), "plain-runc": runc},
                    ["--userns-remap", "nobody:nogroup"])
    images = Images("/run/docker-test/images")


def tearDownModule():
    docker.stop()
    private_dev.unmount("/run/dev")


class RemapTest(EngineTest):
    program = "runc"

    @classmethod
    def run_container(cls, image, *words, runtime=None, options=()):
        docker.need_image(images.path(image), image)
        return docker.run("plain-runc" if runtime else "gantry", image, *words, options=options)

    def test_gpu_as_root_of_the_container(self):
        """The node is the host's own, bound: its group is not mapped, and a node that
        is open to all opens."""
        host = self.amd_host()
        for path in ("/dev/kfd", host.amd_nodes(100301)[0]):
            host.change_node(path, mode="0666")
        host.make_nodes("/dev")
        ended = self.run_container("tiny", "/bin/gantry-answer",
                                   options=["--env", "AMD_VISIBLE_DEVICES=0"])
        self.assert_succeeded(ended)
        answer = json.loads(ended.out)
        found = answers.gpu_nodes(answer)
        self.assertEqual(sorted(found), ["/dev/dri/renderD128", "/dev/kfd"])
        for path, node in found.items():
            self.assertIn(node["open"]["name"], grants.CAME_THROUGH, path)

    def test_no_request(self):
        self.amd_host()
        ended = self.run_container("tiny", "/bin/gantry-answer")
        self.assert_succeeded(ended)
        grants.assert_no_gpu(self, json.loads(ended.out))
