"""Records of containers, from two creates of one id to a delete that takes the mount
points of driver files away; and files and ids that want to mislead."""

import concurrent.futures
import json
import os
import pathlib
import shutil

from lib import grants, process, product
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config

NEEDS_DEBIAN_ROOTFS = True
AMD = ["AMD_VISIBLE_DEVICES=0"]
NVIDIA = ["NVIDIA_VISIBLE_DEVICES=2"]
RECORDS = pathlib.Path(product.STATE, "containers")


def records():
    found = sorted(RECORDS.glob("*.json")) if RECORDS.is_dir() else []
    return [json.loads(file.read_text().splitlines()[0]) for file in found]


class Creates:
    def test_creates_of_one_id_at_once(self):
        """One container, its own record, and the others are told."""
        self.amd_host()
        before = self.snapshot(self.root)
        bundles = [self.bundle("--wait", name=f"b{number}", env=AMD) for number in range(6)]

        def create(bundle):
            return self.runtime.call("create", "--bundle", bundle.path, "--pid-file",
                                     bundle.path / "pid", "same", out=bundle.path / "out")

        with concurrent.futures.ThreadPoolExecutor(len(bundles)) as pool:
            ended = list(pool.map(create, bundles))
        made = [bundle for bundle, one in zip(bundles, ended) if one.status == 0]
        self.assertEqual(len(made), 1, "\n".join(map(str, ended)))
        self.assertEqual([record["bundle"] for record in records()], [str(made[0].path)])
        for bundle, one in zip(bundles, ended):
            if one.status != 0:
                self.assertIn("GTY-112", one.err.decode(), str(one))
                self.assertEqual(bundle.bytes(), bundle.original)
        self.assertEqual(self.runtime.state("same")["bundle"], str(made[0].path))
        self.assert_succeeded(self.runtime.call("delete", "--force", "same"))
        self.assertEqual(records(), [])
        for bundle in bundles:
            shutil.rmtree(bundle.path)
        self.assert_nothing_left(before)

    def test_create_that_fails_behind_gantry(self):
        """The low-level runtime refuses after a good verdict: the next create of the
        bundle, the id or neither is not misled."""
        host = self.amd_host()
        missing = self.work / "missing"
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], env=AMD, uid=1000)
        config["mounts"].append({"destination": "/tmp", "type": "bind", "source": str(missing),
                                 "options": ["bind"]})
        bundle = Bundle(self.work / "bundle", config)
        settings = pathlib.Path(self.runtime.env["GANTRY_CONFIG"])
        text = settings.read_text()
        # Without the check, whose twin would meet the missing source first.
        settings.write_text(text.replace('policy = "fail"', 'policy = "off"'))
        self.assertNotEqual(self.runtime.create(bundle, "c1").status, 0)
        settings.write_text(text)
        self.assertIsNone(self.runtime.state("c1"))
        missing.mkdir()
        grants.assert_first_amd_gpu(self, self.runtime.answer(bundle, "c1"), host)
        edited = bundle.bytes()
        # What the engine writes anew counts, not what was there.
        bundle.config.write_bytes(bundle.original.replace(b"AMD_VISIBLE_DEVICES=0", b"A=1"))
        grants.assert_no_gpu(self, self.runtime.answer(bundle, "c1"))
        bundle.config.write_bytes(bundle.original)
        grants.assert_first_amd_gpu(self, self.runtime.answer(bundle, "c1"), host)
        self.assertEqual(bundle.bytes(), edited)
        self.assertEqual(records(), [])

    def test_record_of_a_failed_create_is_swept_by_the_next(self):
        self.amd_host(probe="off")
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], env=AMD)
        config["mounts"].append({"destination": "/tmp", "type": "bind", "source": "/nowhere",
                                 "options": ["bind"]})
        self.assertNotEqual(self.runtime.create(Bundle(self.work / "bad", config), "bad").status, 0)
        self.assertEqual([record["id"] for record in records()], ["bad"])
        self.assert_succeeded(self.runtime.create(self.bundle("--wait", env=AMD), "good"))
        self.assertEqual([record["id"] for record in records()], ["good"])
        self.assert_succeeded(self.runtime.call("delete", "--force", "good"))


class MountPoints:
    def files(self):
        return {path for path in pathlib.Path(self.root).rglob("*")}

    def start(self, name):
        bundle = self.bundle("--wait", name=name, env=NVIDIA)
        self.assert_succeeded(self.runtime.create(bundle, name))
        self.assert_succeeded(self.runtime.call("start", name))

    def end(self, name):
        self.runtime.call("kill", name, "KILL")
        self.runtime.wait_status(name, "stopped")
        self.assert_succeeded(self.runtime.call("delete", name))

    def test_delete_takes_mount_points_away(self):
        self.need_debian()
        self.nvidia_host()
        before = self.files()
        self.start("c1")
        made = self.files() - before
        self.assertTrue([path for path in made if path.name == "libcuda.so.1"], made)
        self.end("c1")
        self.assertEqual(self.files() - before, set())

    def test_not_from_below_another_container(self):
        self.need_debian()
        self.nvidia_host()
        before = self.files()
        self.start("c1")
        made = self.files() - before
        self.start("c2")
        self.end("c1")
        self.assertEqual(self.files() - before, made)
        root = pathlib.Path("/proc", str(self.runtime.state("c2")["pid"]), "root")
        for path in made:
            inside = root / path.relative_to(self.root)
            if path.is_file():
                self.assertGreater(inside.stat().st_size, 0, inside)
        self.end("c2")

    def test_what_the_container_wrote_stays(self):
        self.need_debian()
        self.nvidia_host()
        before = self.files()
        self.start("c1")
        made = sorted(path for path in self.files() - before if path.is_file())
        made[0].write_text("own")
        self.end("c1")
        self.assertEqual(self.files() - before, {made[0]})


class Hostile:
    def started(self):
        host = self.amd_host()
        bundle = self.bundle("--wait", uid=1000, env=AMD)
        self.assert_succeeded(self.runtime.create(bundle, "c1"))
        self.assert_succeeded(self.runtime.call("start", "c1"))
        self.process = dict(json.loads(bundle.original)["process"], args=["/bin/gantry-answer"])
        return host

    def exec_file(self, path):
        return self.runtime.call("exec", "--process", path, "c1", timeout=30)

    def test_process_files(self):
        self.started()
        folder = self.work / "files"
        folder.mkdir()
        outside = self.work / "outside.json"
        outside.write_text(json.dumps(self.process))
        text = json.dumps(self.process)
        files = {
            "link": lambda path: path.symlink_to(outside),
            "device": lambda path: os.mknod(path, 0o020600, os.makedev(1, 5)),
            "fifo": os.mkfifo,
            "folder": lambda path: path.mkdir(),
            "large": lambda path: path.write_text('{"x":"' + "x" * (20 << 20) + '"}'),
            "deep": lambda path: path.write_text('{"x":' + "[" * 9999 + "]" * 9999 + "}"),
            # These the low-level runtime refuses itself.
            "truncated": lambda path: path.write_text(text[:-9]),
            "no-json": lambda path: path.write_text("not JSON"),
            "missing": lambda path: None,
        }
        own = {"truncated", "no-json", "missing"}
        for name, make in files.items():
            with self.subTest(name):
                make(folder / name)
                before = self.snapshot(folder, self.work / "outside.json")
                ended = self.exec_file(folder / name)
                self.assertNotEqual(ended.status, 0, str(ended))
                self.assertEqual(ended.out, b"")
                self.assertEqual(b"GTY-" in ended.err, name not in own, str(ended))
                self.assert_nothing_left(before)
        self.assertEqual(outside.read_text(), text)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def test_folder_of_the_process_file(self):
        host = self.started()
        folder = self.work / "files"
        folder.mkdir()
        (folder / "process.json").write_text(json.dumps(self.process))
        link = self.work / "link"
        link.symlink_to("files")
        os.lchown(link, 1234, 1234)
        before = self.snapshot(folder)
        ended = self.exec_file(link / "process.json")
        self.assertIn(b"GTY-", ended.err, str(ended))
        self.assert_nothing_left(before)
        # Root's own link is as good as the folder: /var/run leads to /run.
        os.lchown(link, 0, 0)
        ended = self.exec_file(link / "process.json")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def test_record_of_another_root(self):
        """It holds for its own root and id alone."""
        self.started()
        (file,) = RECORDS.glob("*.json")
        head, _, story = file.read_text().partition("\n")
        forged = dict(json.loads(head), root="/elsewhere", runtime="/bin/false")
        file.write_text(json.dumps(forged) + "\n" + story)
        ended = self.runtime.call("state", "c1")
        self.assert_succeeded(ended)
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))

    def test_ids_that_are_paths(self):
        self.amd_host()
        for name in ("../c1", "a/b", "/c1", "..", "."):
            with self.subTest(name):
                bundle = self.bundle(name="bundle", env=AMD)
                before = self.snapshot(bundle.path, self.root)
                ended = self.runtime.call("create", "--bundle", bundle.path, name)
                self.assertEqual(ended.status, 1, str(ended))
                self.assert_one_sentence(ended.err.decode(), "is a path")
                self.assertEqual(bundle.bytes(), bundle.original)
                self.assertEqual(records(), [])
                self.assert_nothing_left(before)
                # Without a request it is the low-level runtime's to say.
                plain = self.bundle(name="plain")
                ended = self.runtime.call("create", "--bundle", plain.path, "..")
                self.assertNotIn(b"GTY-", ended.err)


class RuncTest(Creates, MountPoints, Hostile, BareTest):
    program = "runc"


class CrunTest(Creates, MountPoints, Hostile, BareTest):
    program = "crun"
