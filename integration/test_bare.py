"""GPUs in containers that runc and crun make from bare bundles, on simulated
hosts: what the answering binary really finds in there."""

import concurrent.futures
import json
import os
import shutil

from lib import answers, grants, machine, process, product, simhost
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config

NEEDS_DEBIAN_ROOTFS = True


class Cases:
    """For runc and for crun."""

    def test_first_amd_gpu_as_user(self):
        host = self.amd_host()
        bundle = self.bundle(uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
        before = self.snapshot(self.root)
        answer = self.runtime.answer(bundle, "c1")
        self.assertEqual((answer["uid"], answer["descriptors"]), (1000, []))
        grants.assert_first_amd_gpu(self, answer, host)
        self.assertEqual(int(answer["status"]["CapEff"], 16), 0)
        self.assertEqual(self.runtime.log_lines(), [], "engines read a log as an error")
        self.assert_nothing_left(before)

    def test_what_was_not_granted_cannot_be_opened(self):
        host = self.amd_host()
        other = grants.other_amd_node(host)
        bundle = self.bundle("--mknod", other, env=["AMD_VISIBLE_DEVICES=0"])
        answer = self.runtime.answer(bundle, "c1")
        grants.assert_first_amd_gpu(self, answer, host)
        grants.assert_refused_by_filter(self, answer)

    def test_all_amd_gpus(self):
        host = self.amd_host()
        answer = self.runtime.answer(self.bundle(uid=1000, env=["AMD_VISIBLE_DEVICES=all"]), "c1")
        pairs = [host.amd_nodes(version) for version in (simhost.GFX1031, 100306)]
        required = ["/dev/kfd"] + [render for render, _ in pairs]
        grants.assert_nodes(self, answer, host, required, [card for _, card in pairs if card])
        grants.assert_groups(self, answer, host, required)

    def test_device_options_are_a_request(self):
        """docker run --device /dev/kfd --device /dev/dri/renderD128"""
        host = self.amd_host()
        render, _ = host.amd_nodes(simhost.GFX1031)
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], uid=1000)
        for path in ("/dev/kfd", render):
            node = host.nodes()[path]
            numbers = {key: node[key] for key in ("type", "major", "minor")}
            config["linux"].setdefault("devices", []).append(dict(
                numbers, path=path, fileMode=int(node["mode"], 8), uid=0, gid=node["gid"]))
            config["linux"]["resources"]["devices"].append(dict(numbers, allow=True, access="rwm"))
        answer = self.runtime.answer(Bundle(self.work / "bundle", config), "c1")
        grants.assert_nodes(self, answer, host, ["/dev/kfd", render])
        grants.assert_groups(self, answer, host, ["/dev/kfd", render])
        self.assertEqual(answers.env(answer).get(grants.OVERRIDE), "10.3.0")

    def test_no_request_no_touch(self):
        self.amd_host()
        bundle = self.bundle(uid=1000)
        before = self.snapshot(self.root, bundle.path)
        answer = self.runtime.answer(bundle, "c1")
        grants.assert_no_gpu(self, answer)
        self.assertEqual(bundle.bytes(), bundle.original)
        self.assert_nothing_left(before)

    def test_second_create_on_the_same_bundle(self):
        host = self.amd_host()
        bundle = self.bundle(uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
        self.runtime.answer(bundle, "c1")
        first = bundle.bytes()
        answer = self.runtime.answer(bundle, "c2")
        self.assertEqual(bundle.bytes(), first)
        grants.assert_first_amd_gpu(self, answer, host)

    def test_run_verb(self):
        host = self.amd_host()
        bundle = self.bundle("--exit", "7", uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
        ended = self.runtime.call("run", "--bundle", bundle.path, "r1")
        self.assertEqual(ended.status, 7, str(ended))
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)

    def test_exec_gets_what_the_main_process_got(self):
        """docker exec brings a process of its own, without our groups."""
        host = self.amd_host()
        bundle = self.bundle("--wait", uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
        self.assert_succeeded(self.runtime.create(bundle, "c1"))
        self.assert_succeeded(self.runtime.call("start", "c1"))
        process_file = self.work / "process.json"
        original = json.loads(bundle.original)["process"]
        process_file.write_text(json.dumps(dict(original, args=["/bin/gantry-answer"])))
        ended = self.runtime.call("exec", "--process", process_file, "c1")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def test_update_with_a_device_list_keeps_the_gpu(self):
        """An engine that updates limits sends a list that does not know of the GPU;
        crun puts it in the place of the container's."""
        host = self.amd_host()
        bundle = self.bundle("--wait", uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
        self.assert_succeeded(self.runtime.create(bundle, "c1"))
        self.assert_succeeded(self.runtime.call("start", "c1"))
        resources = {"devices": [{"allow": False, "access": "rwm"},
                                 {"allow": True, "type": "c", "major": 1, "minor": 3,
                                  "access": "rwm"}]}
        self.assert_succeeded(self.runtime.call("update", "--resources", "-", "c1",
                                                stdin=json.dumps(resources).encode()))
        process_file = self.work / "process.json"
        process_file.write_text(json.dumps(dict(json.loads(bundle.original)["process"],
                                                args=["/bin/gantry-answer"])))
        ended = self.runtime.call("exec", "--process", process_file, "c1")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def running(self, name, *gpus):
        bundle = self.bundle("--wait", uid=1000, env=[f"AMD_VISIBLE_DEVICES={','.join(gpus)}"])
        self.assert_succeeded(self.runtime.create(bundle, name))
        self.assert_succeeded(self.runtime.call("start", name))
        return bundle

    def exec_answer(self, bundle, name):
        process_file = self.work / "process.json"
        process_file.write_text(json.dumps(dict(json.loads(bundle.original)["process"],
                                                args=["/bin/gantry-answer"])))
        ended = self.runtime.call("exec", "--process", process_file, name)
        self.assert_succeeded(ended)
        return json.loads(ended.out)

    def test_create_of_an_id_in_use_leaves_its_owner_alone(self):
        host = self.amd_host()
        bundle = self.running("c1", "0")
        other = self.bundle("--wait", name="other", uid=1000, env=["AMD_VISIBLE_DEVICES=1"])
        refused = self.runtime.create(other, "c1")
        self.assertNotEqual(refused.status, 0)
        self.assertIn(b"exists already", refused.err)
        grants.assert_first_amd_gpu(self, self.exec_answer(bundle, "c1"), host)
        self.assert_succeeded(self.runtime.call("kill", "c1", "KILL"))
        self.runtime.wait_status("c1", "stopped")
        self.assert_succeeded(self.runtime.call("delete", "c1"))

    def test_delete_that_is_refused_keeps_the_record(self):
        host = self.amd_host()
        bundle = self.running("c1", "0")
        self.assertNotEqual(self.runtime.call("delete", "c1").status, 0)
        grants.assert_first_amd_gpu(self, self.exec_answer(bundle, "c1"), host)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def test_many_creates_at_once(self):
        self.amd_host()
        names = [f"m{number}" for number in range(24)]
        bundles = [self.bundle(name=name, uid=1000, env=["AMD_VISIBLE_DEVICES=0"])
                   for name in names]
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            ended = list(pool.map(self.runtime.create, bundles, names))
        for each in ended:
            self.assert_succeeded(each)
        for name in names:
            self.assert_succeeded(self.runtime.call("delete", "--force", name))

    def test_unknown_gpu_is_refused(self):
        self.amd_host()
        self.assert_refused(self.bundle(uid=1000, env=["AMD_VISIBLE_DEVICES=7"]),
                            "GTY-202", '"7"', "AMD_VISIBLE_DEVICES")

    def test_malformed_selector_is_refused(self):
        self.amd_host()
        self.assert_refused(self.bundle(env=["AMD_VISIBLE_DEVICES=gpu zero"]), "GTY-20")

    def test_host_hooks_run_once(self):
        """Docker's libnetwork-setkey and the like act on the outside world: they
        run for the container, never for the check before it."""
        self.amd_host()
        marker = self.work / "marker"
        stages = ("prestart", "createRuntime", "createContainer", "poststart", "poststop")
        hooks = {stage: [{"path": "/bin/sh", "env": ["PATH=/bin:/usr/bin"],
                          "args": ["sh", "-c", f"cat >/dev/null; echo {stage} >> {marker}"]}]
                 for stage in stages}
        bundle = self.bundle(uid=1000, env=["AMD_VISIBLE_DEVICES=0"], hooks=hooks)
        self.runtime.answer(bundle, "c1")
        self.assertEqual(sorted(marker.read_text().split()), sorted(stages))

    def test_nvidia_all_in_debian(self):
        self.need_debian()
        host = self.nvidia_host()
        env = ["NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]
        answer = self.runtime.answer(self.bundle(uid=1000, env=env), "c1")
        grants.assert_nodes(self, answer, host, grants.nvidia_nodes(host, range(8)),
                            grants.optional_nvidia_nodes(host))
        for library in ("libcuda.so.1", "libnvidia-ml.so.1"):
            bundle = self.bundle(library, name=library, program="/bin/loader-answer", uid=1000,
                                 env=env)
            found = self.runtime.answer(bundle, "l1")
            self.assertTrue(found["ok"], found)
            self.assertEqual(os.path.basename(found["path"]), library)

    def test_one_nvidia_gpu(self):
        self.need_debian()
        host = self.nvidia_host()
        bundle = self.bundle("--mknod", "195:3", env=["NVIDIA_VISIBLE_DEVICES=2"])
        answer = self.runtime.answer(bundle, "c1")
        grants.assert_nodes(self, answer, host, grants.nvidia_nodes(host, [2]),
                            grants.optional_nvidia_nodes(host))
        grants.assert_refused_by_filter(self, answer)

    def test_runtime_is_the_one_that_made_it(self):
        """The configuration changes between create and kill."""
        other = machine.need_program("crun" if self.program == "runc" else "runc")
        for env in ([], ["AMD_VISIBLE_DEVICES=0"]):
            with self.subTest(env=env):
                shutil.rmtree(self.work / "host", ignore_errors=True)
                self.amd_host()
                bundle = self.bundle("--wait", env=env)
                self.assert_succeeded(self.runtime.create(bundle, "c1"))
                self.assert_succeeded(self.runtime.call("start", "c1"))
                pid = self.runtime.state("c1")["pid"]
                product.configure(self.work / "config.toml", runtimes=[other],
                                  host_root=self.work / "host")
                self.assert_succeeded(self.runtime.call("kill", "c1", "KILL"))
                process.wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"),
                                   "the container's process to end")
                self.assert_succeeded(self.runtime.call("delete", "c1"))
                self.assertEqual(list(self.runtime.root.iterdir()), [])

    def test_runtime_that_was_moved(self):
        """The package that made the container is gone; another of its kind is there."""
        host = self.amd_host()
        own = self.work / "own"
        own.mkdir()
        real = self.real
        for env in ([], ["AMD_VISIBLE_DEVICES=0"]):
            with self.subTest(env=env):
                moved = own / self.program
                shutil.copy(real, moved)
                self.use_host(host, runtimes=[moved])
                bundle = self.bundle("--wait", env=env)
                self.assert_succeeded(self.runtime.create(bundle, "c1"))
                self.assert_succeeded(self.runtime.call("start", "c1"))
                moved.unlink()
                # Another kind that is named first is not the one.
                self.use_host(host, runtimes=[machine.need_program(
                    "crun" if self.program == "runc" else "runc"), real])
                self.assertEqual(self.runtime.state("c1")["status"], "running")
                self.assert_succeeded(self.runtime.call("kill", "c1", "KILL"))
                self.runtime.wait_status("c1", "stopped")
                self.assert_succeeded(self.runtime.call("delete", "c1"))
                self.assertEqual(list(self.runtime.root.iterdir()), [])

    def test_delete_that_fails_keeps_the_record(self):
        """Even where it is forced: the next one must still find the runtime."""
        host = self.amd_host()
        own = self.work / "own"
        own.mkdir()
        moved = own / self.program
        shutil.copy(self.real, moved)
        self.use_host(host, runtimes=[moved])
        self.assert_succeeded(self.runtime.create(self.bundle("--wait", env=["AMD_VISIBLE_DEVICES=0"]),
                                                  "c1"))
        kept = moved.read_bytes()
        moved.unlink()
        moved.write_text("#!/bin/sh\nexit 5\n")
        moved.chmod(0o755)
        ended = self.runtime.call("delete", "--force", "c1")
        self.assertEqual(ended.status, 5, str(ended))
        moved.write_text("#!/bin/sh\nkill -TERM $$\n")
        self.assertEqual(self.runtime.call("delete", "--force", "c1").status, -15)
        self.assertEqual(len(os.listdir("/run/gantry/containers")), 1)
        moved.write_bytes(kept)
        self.use_host(host, runtimes=[machine.need_program(
            "crun" if self.program == "runc" else "runc")])
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))
        self.assertEqual(os.listdir("/run/gantry/containers"), [])
        self.assertEqual(list(self.runtime.root.iterdir()), [])


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
