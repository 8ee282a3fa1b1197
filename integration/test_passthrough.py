"""What asks for no GPU, and every verb but create and run, goes through as if
Gantry were not there: with a recording runtime, and with runc and crun."""

import json
import os
import shutil
import tempfile

from lib import machine, process, product, rootfs
from lib.bare import Runtime
from lib.bundle import Bundle, make_config
from lib.case import CGROUP, ContainerTest
from lib.recording import RecordingRuntime

VERBS = ("start", "state", "kill", "delete", "exec", "list", "ps", "events", "pause", "resume",
         "update", "checkpoint", "spec", "features", "some-later-verb")


class RecordedTest(ContainerTest):
    """The shim in front of a runtime that keeps what reaches it."""

    def setUp(self):
        super().setUp()
        self.recorder = RecordingRuntime(self.work / "bin", "runc")
        config = product.configure(self.work / "config.toml", runtimes=[self.recorder.path],
                                   probe="off")
        self.env = product.environment_for(config)

    def shim(self, *words, **options):
        return process.run([product.shim(), *words], env=self.env, **options)

    def test_every_verb_arrives_unchanged(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                self.recorder.forget()
                words = ["--root", "/run/r oot", "--debug", verb, "--opt=ä\n", "", "-x", "id1"]
                self.assert_succeeded(self.shim(*words))
                self.assertEqual(self.recorder.only_call().words, words)

    def test_without_a_verb(self):
        for words in ([], ["--version"], ["-v"], ["--help"], ["--root"], ["--", "state"]):
            with self.subTest(words=words):
                self.recorder.forget()
                self.assert_succeeded(self.shim(*words))
                self.assertEqual(self.recorder.only_call().words, words)

    def test_arguments_that_are_no_utf8(self):
        self.assert_succeeded(self.shim("state", os.fsdecode(b"\xff\xfe")))
        self.assertEqual(self.recorder.only_call().argv[1:], [b"state", b"\xff\xfe"])

    def test_environment_is_unchanged(self):
        self.env["ODD"] = "a=b c\nd"
        self.env["LD_PRELOAD"] = ""
        self.shim("state", "id1")
        given = sorted(os.fsencode(f"{name}={value}") for name, value in self.env.items())
        self.assertEqual(sorted(self.recorder.only_call().environ), given)

    def test_works_without_path_and_home(self):
        """podman calls kill and delete with XDG_RUNTIME_DIR alone."""
        product.configure(runtimes=[self.recorder.path], probe="off")
        self.env = {"XDG_RUNTIME_DIR": ""}
        self.assert_succeeded(self.shim("kill", "id1", "9"))
        self.assertEqual(self.recorder.only_call().environ, [b"XDG_RUNTIME_DIR="])

    def test_descriptors_and_folder_are_unchanged(self):
        with tempfile.TemporaryFile(dir="/run") as kept:
            for verb in ("state", "create"):
                self.recorder.forget()
                number = os.dup2(kept.fileno(), 17)
                self.assert_succeeded(self.shim(verb, "id1", pass_fds=(number,), cwd="/usr"))
                os.close(number)
                call = self.recorder.only_call()
                self.assertEqual(sorted(call.fds), [0, 1, 2, 17], verb)
                self.assertEqual(call.cwd, "/usr")

    def test_stdin_is_left_for_the_runtime(self):
        text = b'{"memory":{"limit":1}}' * 1000
        for words in (["update", "--resources", "-", "id1"], ["create", "id1"]):
            self.recorder.forget()
            self.shim(*words, stdin=text)
            self.assertEqual(self.recorder.only_call().stdin, text)

    def test_answer_comes_back(self):
        self.recorder.answer(status=37, out="out\n", err="err\n")
        for words in (["features"], ["state", "id1"], ["create", "id1"], ["run", "id1"]):
            ended = self.shim(*words)
            self.assertEqual((ended.status, ended.out, ended.err), (37, b"out\n", b"err\n"))

    def test_create_without_request_keeps_every_byte(self):
        odd = ('{ "process" : {"env":["A=1","AMD_VISIBLE_DEVICES_X=all","amd_visible_devices=0"]},'
               '\t"n":1.10, "n":-0, "u":18446744073709551615, "e":1e400 }\n\n')
        for text in (odd, "{}", "not json", "", '{"process":null}', '{"process":{"env":null}}'):
            with self.subTest(text=text):
                self.recorder.forget()
                bundle = Bundle(self.work / "b", text)
                before = self.snapshot(bundle.path)
                ended = self.shim("create", "--bundle", os.fspath(bundle.path), "id1")
                self.assert_succeeded(ended)
                self.assertEqual((ended.out, ended.err), (b"", b""))
                self.assertEqual(self.recorder.only_call().config, text)
                self.assert_nothing_left(before)

    def test_broken_configuration_stops_no_other_verb(self):
        """Nor a container that asks for no GPU. The runtime is then one of the
        machine's own, in the folders where distributions put them."""
        machine.need_program("runc")
        (self.work / "config.toml").write_text("this is [not TOML\n")
        ended = self.shim("--version")
        self.assert_succeeded(ended)
        self.assertRegex(ended.out, rb"^(runc|crun) version ")
        bundle = Bundle(self.work / "b", '{"process": {}}')
        ended = self.shim("create", "--bundle", os.fspath(bundle.path), "id1")
        self.assertNotEqual(ended.status, 0, "no runtime can make a container of that")
        self.assertNotIn(b"GTY-", ended.err)


class RealRuntimeTest:
    """The same calls to the low-level runtime itself and through the shim."""

    program = ""

    def setUp(self):
        super().setUp()
        self.real = machine.need_program(self.program)
        config = product.configure(self.work / "config.toml", runtimes=[self.real])
        self.env = product.environment_for(config)
        self.root = rootfs.make_tiny(self.work / "rootfs")

    def sides(self):
        for name, program in (("plain", self.real), ("shim", product.shim())):
            folder = self.work / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            yield Runtime(program, folder, env=self.env)

    def bundle(self, runtime, *args):
        config = make_config(rootfs=self.root, args=args, cgroup=f"{CGROUP}/c")
        return Bundle(runtime.work / "bundle", config)

    def assert_same(self, steps):
        """steps(runtime) gives a list of what is to be compared."""
        plain, shim = [steps(runtime) for runtime in self.sides()]
        self.assertEqual(shim, plain)
        return plain

    def outcome(self, runtime, ended):
        """Without the folder, the process numbers and the times. The program's
        name stands in usage texts; it may be that of either."""
        def plain(text):
            text = text.decode(errors="replace").replace(str(runtime.work), "WORK")
            return text.replace(os.path.basename(product.shim()), self.program)
        out = plain(ended.out)
        try:
            value = json.loads(out)
        except ValueError:
            return ended.status, out, len(ended.err) > 0
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                entry.pop("pid", None)
                entry.pop("created", None)
        return ended.status, value, len(ended.err) > 0

    def test_lifecycle(self):
        before = self.snapshot(self.root)

        def steps(runtime):
            bundle = self.bundle(runtime, "/bin/gantry-answer", "--wait")
            found = []

            def call(ended):
                found.append(self.outcome(runtime, ended))
            call(runtime.create(bundle, "c1"))
            call(runtime.call("state", "c1"))
            call(runtime.call("start", "c1"))
            runtime.wait_status("c1", "running")
            call(runtime.call("list", "--format", "json"))
            call(runtime.call("exec", "c1", "/bin/sh", "-c", "echo $0 out; echo err >&2; exit 9"))
            call(runtime.call("exec", "c1", "/bin/cat", stdin=b"through"))
            call(runtime.call("kill", "c1", "KILL"))
            runtime.wait_status("c1", "stopped")
            call(runtime.call("kill", "c1", "KILL"))
            call(runtime.call("delete", "c1"))
            call(runtime.call("delete", "c1"))
            call(runtime.call("state", "c1"))
            self.assertEqual(bundle.bytes(), bundle.original)
            answer = json.loads(runtime.output("c1"))
            return found, answer["env"], answer["nodes"], answer["status"], answer["descriptors"]
        found = self.assert_same(steps)[0]
        self.assertEqual(found[0][0], 0, found)
        self.assertEqual(found[4][0], 9, found)
        shutil.rmtree(self.work / "plain")
        self.assert_nothing_left(before)

    def test_run_in_the_foreground(self):
        def steps(runtime):
            bundle = self.bundle(runtime, "/bin/sh", "-c", "cat; echo to stderr >&2; exit 7")
            ended = runtime.call("run", "--bundle", bundle.path, "r1", stdin=b"to stdin")
            self.assertEqual(bundle.bytes(), bundle.original)
            return self.outcome(runtime, ended)
        self.assertEqual(self.assert_same(steps), (7, "to stdin", True))

    def test_questions(self):
        for words in (["--version"], ["--help"], ["features"], ["list"], ["state", "none"],
                      ["no-such-verb"]):
            def steps(runtime, words=words):
                return self.outcome(runtime, process.run([runtime.program, *words], env=self.env))
            with self.subTest(words=words):
                self.assert_same(steps)

    def test_failing_create_is_the_runtimes_own(self):
        def steps(runtime):
            bundle = self.bundle(runtime, "/no/such/program")
            ended = runtime.create(bundle, "c1")
            runtime.call("delete", "--force", "c1")
            return self.outcome(runtime, ended), [line["level"] for line in runtime.log_lines()]
        self.assertNotEqual(self.assert_same(steps)[0][0], 0)


class RuncTest(RealRuntimeTest, ContainerTest):
    program = "runc"


class CrunTest(RealRuntimeTest, ContainerTest):
    program = "crun"


class ChoiceTest(ContainerTest):
    def test_called_by_name(self):
        """gantry-runc and gantry-crun, with both runtimes in the list."""
        both = [RecordingRuntime(self.work / name, name) for name in ("runc", "crun")]
        config = product.configure(self.work / "config.toml", probe="off",
                                   runtimes=[runtime.path for runtime in both])
        for wanted in both:
            name = f"gantry-{wanted.path.name}"
            for runtime in both:
                runtime.forget()
            process.check([product.shim(name), "features"],
                          env=product.environment_for(config))
            self.assertEqual([len(runtime.calls()) for runtime in both],
                             [int(runtime is wanted) for runtime in both], name)
