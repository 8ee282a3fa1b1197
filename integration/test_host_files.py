"""Files of the host that cannot be read: nobody is given another GPU than the one that
was asked for, or fewer."""

import json

from lib import answers, environment, grants, process, simhost
from lib.bare_case import BareTest

NEEDS_DEBIAN_ROOTFS = True


class Cases:
    def gpus(self, host):
        ended = process.check([environment.product("gantryctl"), "list", "--json",
                               "--host-root", host.root])
        return json.loads(ended.out)

    def test_properties_of_an_amd_gpu(self):
        for name, damage in (("empty", lambda file: file.write_bytes(b"")),
                             ("folder", lambda file: (file.unlink(), file.mkdir())),
                             ("gone", lambda file: file.unlink())):
            with self.subTest(name):
                host = simhost.SimulatedHost(simhost.AMD_HOST, self.work / f"host-{name}")
                card, other = self.gpus(host)["gpus"]
                damage(host.root / f"sys/class/kfd/kfd/topology/nodes/{card['kfd_node']}/properties")
                self.use_host(host)
                listed = self.gpus(host)
                self.assertEqual([gpu["pci"] for gpu in listed["gpus"]],
                                 [card["pci"], other["pci"]])
                self.assertEqual([gpu["usable"] for gpu in listed["gpus"]], [False, True])
                self.assertIn("/properties", listed["gpus"][0]["unusable"])
                for number, value in enumerate(("0", "1", "all", card["pci"], "0,1")):
                    bundle = self.bundle(name=f"{name}-{number}", env=[f"AMD_VISIBLE_DEVICES={value}"])
                    ended = self.runtime.call("create", "--bundle", bundle.path, "c1")
                    self.assertEqual(ended.status, 1, str(ended))
                    self.assert_one_sentence(ended.err.decode(), "GTY-301", "/properties")
                    self.assertEqual(bundle.bytes(), bundle.original)
                bundle = self.bundle(name=f"{name}-whole", env=[f"AMD_VISIBLE_DEVICES={other['pci']}"])
                answer = self.runtime.answer(bundle, "c1")
                self.assertEqual([path for path in answers.gpu_nodes(answer) if "render" in path],
                                 [node["path"] for node in other["nodes"]
                                  if "render" in node["path"]])

    def test_information_of_an_nvidia_gpu(self):
        self.need_debian()
        host = self.nvidia_host()
        gpu = self.gpus(host)["gpus"][2]
        (host.root / f"proc/driver/nvidia/gpus/{gpu['pci']}/information").write_bytes(b"")
        for number, value in enumerate(("all", "2", gpu["unique_id"], gpu["pci"])):
            bundle = self.bundle(name=f"b{number}", env=[f"NVIDIA_VISIBLE_DEVICES={value}"])
            ended = self.runtime.call("create", "--bundle", bundle.path, "c1")
            self.assertEqual(ended.status, 1, str(ended))
            self.assert_one_sentence(ended.err.decode(), "GTY-301", "/information")
        answer = self.runtime.answer(self.bundle(env=["NVIDIA_VISIBLE_DEVICES=3"]), "c1")
        grants.assert_nodes(self, answer, host, grants.nvidia_nodes(host, [3]),
                            grants.optional_nvidia_nodes(host))


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
