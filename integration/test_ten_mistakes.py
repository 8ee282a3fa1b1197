"""What a person reads of real mistakes: from `docker run`, `podman run` and `ctr`,
in the system's log, and from `gantryctl why`. One row, one mistake; each row is
tried with every engine."""

import dataclasses
import re
import struct

import test_ctr
import test_docker
import test_podman
from lib import process, product, simhost
from lib.journal import Journal, private_dev

NEEDS_DEBIAN_ROOTFS = True
AMD, NVIDIA = "amd", "nvidia"
ENGINES = (test_docker, test_podman, test_ctr)
journal = None


@dataclasses.dataclass
class Mistake:
    name: str
    code: str
    head: tuple           # in the first 120 bytes: which GPU or variable, what, what to do
    words: tuple = ()     # anywhere in the line
    host: str = AMD
    image: str = "tiny"
    env: tuple = ()
    options: tuple = ()
    change: object = None  # of the simulated host
    starts: bool = False   # the container runs; only the log tells
    user: bool = False     # as one to whom modes apply


def node_for_root_alone(host):
    host.change_node("/dev/dri/renderD128", mode="0600")


def without_uvm_node(host):
    host.remove_node("/dev/nvidia-uvm")


def driver_updated_without_reload(host):
    file = host.root / "proc/driver/nvidia/version"
    file.write_text(file.read_text().replace("535.161.08", "550.54.14"))


def fake_cuda(host):
    host.put_fake_cuda()


def cuda_for_a_newer_glibc(host):
    """The library asks for a version of glibc that no image has."""
    host.put_fake_cuda()

    def number(name):  # of a symbol version in an ELF file (System V ABI, "hash")
        value = 0
        for byte in name:
            value = (value << 4) + byte
            high = value & 0xf0000000
            value = (value ^ high >> 24) & ~high if high else value
        return struct.pack("<I", value & 0xffffffff)
    old, new = b"GLIBC_2.2.5", b"GLIBC_9.9.9"
    for file in host.root.rglob("libcuda.so.*"):
        if not file.is_symlink():
            file.write_bytes(file.read_bytes().replace(old, new).replace(number(old), number(new)))


COMPUTE = ("NVIDIA_DRIVER_CAPABILITIES=compute,utility",)
MISTAKES = (
    Mistake("unknown index", "GTY-202", ('AMD GPU "7"', "not on this host", "Use one of"),
            ("0 (RX 6700 XT", "1 ("), env=("AMD_VISIBLE_DEVICES=7",)),
    Mistake("malformed selector", "GTY-201", ("AMD_VISIBLE_DEVICES",), ("0,1",),
            env=("AMD_VISIBLE_DEVICES=0 1",)),
    Mistake("quotes in the value", "GTY-201", ("AMD_VISIBLE_DEVICES",), ("quot",),
            env=('AMD_VISIBLE_DEVICES="0"',)),
    Mistake("no GPU of that vendor", "GTY-203", ("NVIDIA",), ("NVIDIA_VISIBLE_DEVICES=void",),
            env=("NVIDIA_VISIBLE_DEVICES=all",)),
    Mistake("kfd without its render node", "GTY-204", ("/dev/kfd", "render"),
            ("/dev/dri/renderD",), options=("--device", "/dev/kfd")),
    Mistake("override that is no version", "GTY-206", ("HSA_OVERRIDE_GFX_VERSION", "gfx1030"),
            ("10.3.0",), env=("AMD_VISIBLE_DEVICES=0", "HSA_OVERRIDE_GFX_VERSION=gfx1030")),
    Mistake("empty override", "", ("the empty HSA_OVERRIDE_GFX_VERSION was removed",),
            env=("AMD_VISIBLE_DEVICES=0", "HSA_OVERRIDE_GFX_VERSION="), starts=True),
    Mistake("node for root alone", "GTY-401",
            ("GPU check failed", "AMD GPU 0", "renderD128", "chmod 0660"), ("mode 0600",),
            env=("AMD_VISIBLE_DEVICES=0",), user=True, change=node_for_root_alone),
    Mistake("library that fails", "GTY-403",
            ("GPU check failed", "AMD GPU 0", "hsa_init said 0x1008"),
            ("HSA_OVERRIDE_GFX_VERSION",), image="broken-rocm", env=("AMD_VISIBLE_DEVICES=0",)),
    Mistake("image without ROCm", "GTY-402",
            ("GPU check incomplete", "libhsa-runtime64.so.1", "use a ROCm image"), image="debian",
            env=("AMD_VISIBLE_DEVICES=0",), starts=True),
    Mistake("image without glibc", "GTY-417", ("GPU check incomplete", "no glibc loader"),
            env=("AMD_VISIBLE_DEVICES=0",), starts=True),
    Mistake("missing uvm node", "", ("/dev/nvidia-uvm", "nvidia-modprobe"), host=NVIDIA,
            image="debian", env=("NVIDIA_VISIBLE_DEVICES=0", *COMPUTE), change=without_uvm_node,
            starts=True),
    Mistake("driver updated, not reloaded", "GTY-303", ("libcuda", "550.54.14"), host=NVIDIA,
            image="debian", env=("NVIDIA_VISIBLE_DEVICES=0", *COMPUTE),
            change=driver_updated_without_reload),
    Mistake("driver and library differ", "GTY-403",
            ("GPU check failed", "NVIDIA GPU 0", "cuInit said 803", "reload the driver"),
            ("differ in version",), host=NVIDIA, image="debian",
            env=("NVIDIA_VISIBLE_DEVICES=0", *COMPUTE, "GANTRY_FAKE_GPU=cuInit=803"),
            change=fake_cuda),
    Mistake("glibc too old", "GTY-4", ("GPU check failed", "NVIDIA GPU 0", "libcuda.so.1"),
            ("GLIBC_9.9.9", "not found"), host=NVIDIA, image="debian",
            env=("NVIDIA_VISIBLE_DEVICES=0", *COMPUTE), change=cuda_for_a_newer_glibc),
)


def setUpModule():
    global journal
    private_dev("/run/ten-dev", simhost.make_amd_host("/run/ten-host"))
    journal = Journal()
    for engine in ENGINES:
        engine.setUpModule()


def tearDownModule():
    for engine in ENGINES:
        getattr(engine, "tearDownModule", lambda: None)()
    journal.close()


class Cases:
    program = "runc"
    seconds = 300

    def test_mistakes(self):
        for mistake in MISTAKES:
            with self.subTest(mistake.name):
                self.make(mistake)

    def make(self, mistake):
        if mistake.user and not self.user:
            return print(f"not tried, all containers run as root here: {mistake.name}")
        folder = self.work / re.sub(r"\W", "-", mistake.name)
        make_host = simhost.make_amd_host if mistake.host == AMD else simhost.make_nvidia_host
        host = make_host(folder)
        if mistake.change:
            mistake.change(host)
        self.use_host(host)
        self.run_container(mistake.image, "/bin/true")  # whatever a first run of an image does
        journal.lines()
        ended = self.run_container(mistake.image, "/bin/true", env=mistake.env,
                                   uid=self.user if mistake.user else 0, options=mistake.options)
        lines = journal.lines()
        if mistake.starts:
            self.assert_succeeded(ended)
            wanted = [line for line in lines if mistake.head[0] in line[2]]
            self.assertEqual(len(wanted), 1, lines)
            level, _, text = wanted[0]
            self.assertEqual(level, "warning" if mistake.code else "info", wanted)
            self.assertIn("GPU 0", text)
        else:
            text = self.refused(mistake, ended, lines)
        line = text[text.index(mistake.code):] if mistake.code else text
        for word in mistake.head:
            self.assertIn(word.lower(), line[:120].lower() if mistake.code else line.lower())
        for word in mistake.words:
            self.assertIn(word.lower(), line.lower())
        self.assertLessEqual(len(line.encode()), 500)
        self.assertNotIn("probe failed", line.lower())

    def refused(self, mistake, ended, lines):
        """The same line from the engine, in the log and from why."""
        self.assert_engine_says(ended, mistake.code, *mistake.words)
        said = ended.err.decode(errors="replace")
        errors = [line for line in lines if line[0] == "error"]
        self.assertEqual(len(errors), 1, lines)
        _, container, text = errors[0]
        self.assertRegex(container, self.id_pattern)
        line = text[text.index("GTY-"):]
        # Engines put the text in quotes of their own, with backslashes.
        self.assertIn(line.replace('"', ""), said.replace('\\"', "").replace('"', ""))
        why = process.run([product.shim("gantryctl"), "why"])
        self.assert_succeeded(why)
        told = why.out.decode()
        self.assertIn(f"container {container}", told)
        self.assertIn(f"refused ({line[:7]})", told)
        self.assertIn(line[:40], told)
        self.assertIn("ended here", told)
        explained = process.run([product.shim("gantryctl"), "explain", said])
        self.assert_succeeded(explained)
        self.assertTrue(explained.out.startswith(line[:7].encode()), explained)
        return line


class DockerMistakes(Cases, test_docker.DockerTest):
    id_pattern = r"^[0-9a-f]{64}$"


class PodmanMistakes(Cases, test_podman.PodmanTest):
    id_pattern = r"^[0-9a-f]{64}$"


class CtrMistakes(Cases, test_ctr.CtrTest):
    id_pattern = r"^c\d+$"
