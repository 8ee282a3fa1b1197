"""What becomes of config.json, in odd cases that people reported of other GPU
runtimes. A recording runtime keeps what it would have been given."""

import copy
import json
import re
import shutil

from lib import process, product, simhost
from lib.bundle import Bundle, make_config
from lib.case import ContainerTest
from lib.grants import OVERRIDE
from lib.recording import RecordingRuntime
from lib.simhost import GFX1031

KFD = "/dev/kfd"
NUMBER = re.compile(r"-?\d[0-9.eE+-]*")


class EditTest(ContainerTest):
    def setUp(self):
        super().setUp()
        self.recorder = RecordingRuntime(self.work / "bin", "runc")

    def amd_host(self):
        host = simhost.make_amd_host(self.work / "host")
        self.render, self.card = host.amd_nodes(GFX1031)
        return host

    def create(self, host, config, name="config.toml"):
        """The runtime's exit status is not ours: it is never reached where the
        shim refuses."""
        shutil.rmtree(self.work / "bundle", ignore_errors=True)
        shutil.rmtree(product.STATE, ignore_errors=True)
        self.recorder.forget()
        self.bundle = Bundle(self.work / "bundle", config)
        settings = product.configure(self.work / name, host_root=host.root, probe="off",
                                     runtimes=[self.recorder.path])
        return process.run([product.shim(), "create", "--bundle", str(self.bundle.path), "id1"],
                           env=product.environment_for(settings))

    def edited(self, host, config):
        ended = self.create(host, config)
        self.assert_succeeded(ended)
        self.assertEqual(ended.out, b"")
        return self.recorder.only_call().spec()

    @staticmethod
    def paths(spec):
        return [device["path"] for device in spec["linux"].get("devices") or []]

    def gpu_paths(self):
        """Of GPU 0: what must be there, and that with what may be."""
        required = {KFD, self.render}
        return required, required | ({self.card} if self.card else set())

    def assert_first_gpu(self, paths):
        required, most = self.gpu_paths()
        self.assertEqual(len(paths), len(set(paths)), paths)
        self.assertTrue(required <= set(paths) <= most, paths)


class EnvironmentTest(EditTest):
    def test_last_entry_of_a_name_counts(self):
        """The image says all, the engine appended less."""
        host = simhost.make_nvidia_host(self.work / "host")
        env = ["NVIDIA_REQUIRE_CUDA=cuda>=11.7 brand=tesla,driver>=450,driver<451",
               "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
               "AMD_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=1", "AMD_VISIBLE_DEVICES=none",
               "NVIDIA_VISIBLE_DEVICES_NOTE=0", "X=a=b=c", "NOVALUE", "=odd",
               "NVIDIA_VISIBLE_DEVICES", "nvidia_visible_devices=0"]
        config = make_config(rootfs="/nowhere", args=["true"], env=env)
        spec = self.edited(host, config)
        numbered = [path for path in self.paths(spec) if re.fullmatch(r"/dev/nvidia\d+", path)]
        self.assertEqual(numbered, ["/dev/nvidia1"])
        self.assertFalse([path for path in self.paths(spec) if path.startswith("/dev/dri")])
        self.assertEqual([entry for entry in spec["process"]["env"] if entry in env],
                         env, "order and content of what was there")

    def test_empty_override_never_reaches_rocm(self):
        host = self.amd_host()
        host.set_gfx_target_version(GFX1031, 120001)  # needs no override
        env = ["AMD_VISIBLE_DEVICES=0", f"{OVERRIDE}=", f"{OVERRIDE}_1=", "OTHER="]
        spec = self.edited(host, make_config(rootfs="/nowhere", args=["true"], env=env))
        found = spec["process"]["env"]
        self.assertFalse([entry for entry in found if entry.startswith(OVERRIDE)], found)
        self.assertIn("OTHER=", found)

    def test_empty_override_is_replaced_where_one_is_needed(self):
        env = ["AMD_VISIBLE_DEVICES=0", f"{OVERRIDE}=", "OTHER="]
        spec = self.edited(self.amd_host(), make_config(rootfs="/", args=["true"], env=env))
        found = [entry for entry in spec["process"]["env"] if entry.startswith(OVERRIDE)]
        self.assertEqual(found, [f"{OVERRIDE}=10.3.0"])


class GroupTest(EditTest):
    """Numbers come from the nodes; names in any /etc/group play no part."""

    def groups(self, host, groups):
        config = make_config(rootfs="/nowhere", args=["true"], uid=1000, groups=groups,
                             env=["AMD_VISIBLE_DEVICES=all"])
        return self.edited(host, config)["process"]["user"].get("additionalGids", [])

    def odd_host(self):
        host = self.amd_host()
        (host.root / "etc").mkdir(exist_ok=True)
        (host.root / "etc" / "group").write_text("root:x:0:\nvideo:x:44:\nrender:x:110:a\n"
                                                 "+::::\nbad line\n")
        for path, node in host.nodes().items():
            if path.startswith("/dev/dri/card"):
                host.change_node(path, mode="0660", gid=485)
            elif node["path"] == KFD:
                host.change_node(path, mode="0660", gid=488)
        host.change_node(self.render, mode="0666", gid=488)
        # The other GPU's node belongs to root alone.
        host.change_node(host.amd_nodes(100306)[0], mode="0660", gid=0)
        return host

    def test_groups(self):
        host = self.odd_host()
        with_card = [485] if any("card" in path for path in self.paths(self.edited(
            host, make_config(rootfs="/", args=["true"], env=["AMD_VISIBLE_DEVICES=0"])))) else []
        self.assertEqual(self.groups(host, [27, 488]), [27, 488] + with_card)
        self.assertCountEqual(self.groups(host, None), [488] + with_card)
        host.change_node(KFD, mode="0666")
        self.assertEqual(self.groups(host, None), with_card)


class DeviceTest(EditTest):
    """The engine already passed devices: --device together with the GPU runtime."""

    def config(self, host, render_minor=None):
        listed = host.nodes()
        rules, devices = [{"allow": False, "access": "rwm"}], []
        for path in filter(None, (self.card, self.render, KFD)):
            node = listed[path]
            minor = render_minor if render_minor and path == self.render else node["minor"]
            devices.append({"path": "/dev//kfd" if path == KFD else path, "type": "c",
                            "major": node["major"], "minor": minor,
                            "fileMode": 384 if path == self.render else 432,
                            "uid": 1000 if path == self.render else 0,
                            "gid": 1000 if path == self.render else 44})
            rules.append({"allow": True, "type": "c", "major": node["major"],
                          "minor": node["minor"], "access": "rwm"})
        config = make_config(rootfs="/nowhere", args=["true"], uid=1000, groups=[1000, 27, 44],
                             env=["AMD_VISIBLE_DEVICES=0"])
        config["linux"]["devices"] = devices
        config["linux"]["resources"]["devices"] = rules
        return config

    def test_nothing_is_doubled(self):
        host = self.amd_host()
        before = self.config(host)
        spec = self.edited(host, copy.deepcopy(before))
        self.assertEqual(spec["linux"]["devices"], before["linux"]["devices"])
        self.assertEqual(spec["linux"]["resources"], before["linux"]["resources"])
        groups = spec["process"]["user"]["additionalGids"]
        # Of the nodes that the container sees, the host's group once at most.
        host_gid = host.nodes()[KFD]["gid"]
        self.assertIn(groups, ([1000, 27, 44], [1000, 27, 44, host_gid]))

    def test_another_device_at_a_gpus_path_is_refused(self):
        host = self.amd_host()
        ended = self.create(host, self.config(host, render_minor=199))
        self.assertNotEqual(ended.status, 0)
        self.assertEqual(self.recorder.calls(), [])
        self.assert_one_sentence(ended.err.decode(), "GTY-205", self.render, "226:199")
        self.assertEqual(self.bundle.bytes(), self.bundle.original)


class SectionTest(EditTest):
    def test_absent_and_null_sections(self):
        host = self.amd_host()
        full = make_config(rootfs="/nowhere", args=["true"], env=["AMD_VISIBLE_DEVICES=0"])
        variants = {
            "no linux": {key: value for key, value in full.items() if key != "linux"},
            "linux null": dict(full, linux=None),
            "no mounts": {key: value for key, value in full.items() if key != "mounts"},
            "nulls": dict(full, mounts=None, hooks=None, annotations=None, linux={
                "resources": None, "devices": None, "namespaces": [{"type": "mount"}]}),
        }
        for name, config in variants.items():
            with self.subTest(name):
                spec = self.edited(host, copy.deepcopy(config))
                self.assert_first_gpu(self.paths(spec))
                allowed = [rule for rule in spec["linux"]["resources"]["devices"]
                           if rule["allow"]]
                self.assertEqual(len(allowed), len(self.paths(spec)))
                self.assertFalse(spec.get("mounts") and not config.get("mounts"))
                for section in ("hooks", "annotations"):
                    self.assertEqual(spec.get(section), config.get(section))

    def test_every_digit_survives(self):
        host = self.amd_host()
        config = make_config(rootfs="/nowhere", args=["true"], env=["AMD_VISIBLE_DEVICES=0"])
        config["process"]["rlimits"] = [
            {"type": "RLIMIT_MEMLOCK", "hard": 18446744073709551615, "soft": 18446744073709551615},
            {"type": "RLIMIT_CORE", "hard": 9007199254740993, "soft": 0}]
        config["linux"]["resources"].update(memory={"limit": 268435456000, "swap": -1},
                                            cpu={"shares": 1024, "quota": -1})
        text = json.dumps(config)
        odd = ('"x-odd": [9223372036854775807, -9223372036854775808, 1234567890123456789012345,'
               ' 1.10, -0, 1e400, 0.1000], ')
        text = text[0] + odd + text[1:]
        self.assert_succeeded(self.create(host, text))
        given = self.recorder.only_call().config
        self.assertIn(odd.rstrip(", "), given)
        kept = NUMBER.findall(self._without_strings(given))
        for number in NUMBER.findall(self._without_strings(text)):
            self.assertIn(number, kept)
            kept.remove(number)
        added = [number for number in kept if not number.isdigit()]
        self.assertEqual(added, [], "numbers of ours are plain integers")

    @staticmethod
    def _without_strings(text):
        return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)

    def test_second_create_comes_to_the_same(self):
        host = self.amd_host()
        config = make_config(rootfs="/nowhere", args=["true"], env=["AMD_VISIBLE_DEVICES=0"])
        self.edited(host, config)
        first = self.bundle.bytes()
        settings = self.work / "config.toml"
        process.check([product.shim(), "create", "--bundle", str(self.bundle.path), "id2"],
                      env=product.environment_for(settings))
        self.assertEqual(self.bundle.bytes(), first)
        self.assertNotEqual(first, self.bundle.original)
        # The original is kept beside it, and nothing else.
        others = [file for file in self.bundle.path.iterdir() if file != self.bundle.config]
        self.assertEqual([file.read_bytes() for file in others], [self.bundle.original])
