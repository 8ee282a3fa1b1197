"""Bundles, roots and configurations by ways with links and "..": the shim goes where
the low-level runtime goes, which is not the same for both and for each option."""

import json
import os
import pathlib

from lib import environment, grants, process, product
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config
from lib.case import CGROUP

AMD = ["AMD_VISIBLE_DEVICES=0"]
RECORDS = pathlib.Path(product.STATE, "containers")


def records():
    found = RECORDS.glob("*.json") if RECORDS.is_dir() else []
    return [json.loads(file.read_text().splitlines()[0]) for file in found]


class Cases:
    def setUp(self):
        super().setUp()
        self.cwd = self.work / "cwd"
        self.cwd.mkdir()
        (self.work / "deep" / "dir").mkdir(parents=True)
        (self.cwd / "link").symlink_to("../deep/dir")

    def call(self, root, verb, *words, pwd=None):
        env = {key: value for key, value in self.runtime.env.items() if key != "PWD"}
        if pwd:
            env["PWD"] = os.fspath(pwd)
        self.runtime._globals = ["--root", os.fspath(root)]
        return self.runtime.call(verb, *words, cwd=self.cwd, env=env)

    def bundle_in(self, folder, *words, env=AMD, file="config.json"):
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer", *words], uid=1000,
                             env=env, cgroup=f"{CGROUP}/paths")
        return Bundle(folder, config, file)

    def test_bundle_behind_a_link(self):
        """runc and crun go into the bundle; the text of the path leads elsewhere."""
        host = self.amd_host()
        beside = self.bundle_in(self.cwd / "b")
        meant = self.bundle_in(self.work / "deep" / "b")
        for path in ("link/../b", self.cwd / "link/.././/b", self.cwd / "link/../dir/../b/"):
            with self.subTest(path=str(path)):
                ended = self.call(self.work / "root", "run", "--bundle", path, "c1")
                self.assert_succeeded(ended)
                grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
                self.assertEqual(beside.bytes(), beside.original)
                self.assertNotEqual(meant.bytes(), meant.original)
                meant.config.write_bytes(meant.original)

    def test_refused_behind_a_link(self):
        self.amd_host()
        self.bundle_in(self.cwd / "b", env=[])
        self.bundle_in(self.work / "deep" / "b", env=["AMD_VISIBLE_DEVICES=7"])
        ended = self.call(self.work / "root", "run", "--bundle", "link/../b", "c1")
        self.assertEqual(ended.status, 1, str(ended))
        self.assertIn(b"GTY-202", ended.err)

    def test_bundle_and_exec_by_a_link(self):
        """Its record is of the folder, whatever the runtime's own state calls it."""
        host = self.amd_host()
        bundle = self.bundle_in(self.work / "deep" / "dir", "--wait")
        root = self.work / "root"
        for options in ({}, {"pwd": self.cwd}):
            self.assert_succeeded(self.call(root, "create", "--bundle", "link", "c1", **options))
            joined = dict(json.loads(bundle.original)["process"], args=["/bin/gantry-answer"])
            (self.work / "process.json").write_text(json.dumps(joined))
            ended = self.call(root, "exec", "--process", self.work / "process.json", "c1")
            self.assert_succeeded(ended)
            grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
            self.assert_succeeded(self.call(root, "delete", "--force", "c1"))
            self.assertEqual(records(), [])

    def roots(self):
        """Spelling, the folder that the runtime makes of it, another spelling of the same."""
        real = self.work / ("cwd" if self.program == "runc" else "deep") / "r"
        yield "by a link", self.cwd / "link/../r", real, real
        (self.work / "by-link").symlink_to(real)
        yield "a link itself", self.work / "by-link", real, self.cwd / "link/../r"
        yield "slashes", f"{self.work}//cwd/./r2/", self.work / "cwd" / "r2", self.cwd / "r2"

    def test_roots(self):
        """Two spellings of one root are one: kill and delete find the record."""
        self.amd_host()
        self.bundle_in(self.cwd / "b", "--wait")
        for name, root, folder, other in self.roots():
            with self.subTest(name):
                self.assert_succeeded(self.call(root, "create", "--bundle", "b", "c1"))
                self.assertTrue((folder / "c1").is_dir(), list(self.work.rglob("c1")))
                self.assertEqual([record["root"] for record in records()], [str(folder)])
                again = self.call(other, "create", "--bundle", "b", "c1")
                self.assertIn(b"GTY-112", again.err, str(again))
                self.assert_succeeded(self.call(other, "delete", "--force", "c1"))
                self.assertEqual(records(), [])
                self.assertEqual(list(folder.iterdir()), [])

    def test_relative_roots(self):
        """runc's begins where $PWD says, links and all; crun uses it from within the
        bundle once it creates, so that only there its own later verbs find it."""
        self.amd_host()
        bundle = self.bundle_in(self.work / "deep" / "dir", "--wait")
        self.cwd = self.cwd / "link"
        there = bundle.path.parent / "r" if self.program == "crun" else self.work / "cwd" / "r"
        self.assert_succeeded(self.call("../r", "create", "--bundle", ".", "c1", pwd=self.cwd))
        self.assertEqual([record["root"] for record in records()], [str(there)])
        self.assertTrue((there / "c1").is_dir())
        self.assert_succeeded(self.call("../r", "delete", "--force", "c1", pwd=self.cwd))
        self.assertEqual(records(), [])
        if self.program == "runc":
            there = self.work / "deep" / "r"
            self.assert_succeeded(self.call("../r", "create", "--bundle", ".", "c2"))
            self.assertEqual([record["root"] for record in records()], [str(there)])
            self.assert_succeeded(self.call(there, "delete", "--force", "c2"))
            self.assertEqual(records(), [])

    def test_relative_rootfs(self):
        """runc takes ".." in it as text, crun has the kernel walk it; the twin must
        have the container's own."""
        host = self.amd_host()
        bundle = self.bundle_in(self.work / "deep" / "b")
        (bundle.path / "link").symlink_to("../../cwd/b")
        (self.cwd / "b").mkdir()
        place = bundle.path if self.program == "runc" else self.cwd
        os.rename(self.root, place / "rootfs")
        config = json.loads(bundle.original)
        config["root"]["path"] = "link/../rootfs"
        bundle.config.write_text(json.dumps(config))
        ended = self.call(self.work / "root", "run", "--bundle", bundle.path, "c1")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)

    def test_host_behind_a_link(self):
        """gantryctl's option."""
        host = self.amd_host()
        os.rename(host.root, self.work / "deep" / "host")
        listed = process.run([environment.product("gantryctl"), "list", "--json", "--host-root",
                              "link/../host"], cwd=self.cwd)
        self.assertEqual(listed.status, 0, str(listed))
        self.assertEqual(len(json.loads(listed.out)["gpus"]), 2)


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"

    def test_config_option(self):
        """Another file, from the caller's folder and through its links."""
        host = self.amd_host()
        self.bundle_in(self.cwd, env=[], file="other.json")
        self.bundle_in(self.cwd / "b", env=[])
        meant = self.bundle_in(self.work / "deep", file="other.json")
        ended = self.call(self.work / "root", "run", "--bundle", "b", "--config",
                          "link/../other.json", "c1")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        self.assertNotEqual(meant.bytes(), meant.original)
