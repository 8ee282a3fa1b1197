"""The check computes as the container itself will run: every field of its process's
context, as a library sees it at cuInit, is that of the container's first process."""

import json
import os
import shutil
import subprocess

from lib import environment, process
from lib.bundle import CAPABILITIES
from lib.gemm_case import GemmTest

NEEDS_DEBIAN_ROOTFS = True

OUT = "/context"
# Meant to differ: the working folder, the cgroup, that it dumps no core, and the
# environment, which is cleaned of what would put foreign code into the process.
BY_DESIGN = ("folder", "cgroup", "core")
REMOVED = ("LD_PRELOAD", "CUDA_INJECTION64_PATH")
ADDED = ["CUDA_CACHE_DISABLE=1"]
SECCOMP = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
           "syscalls": [{"names": ["swapon", "add_key"], "action": "SCMP_ACT_ERRNO",
                         "errnoRet": 99}]}
LIMITS = [{"type": "RLIMIT_NOFILE", "hard": 777, "soft": 555},
          {"type": "RLIMIT_STACK", "hard": 16 << 20, "soft": 16 << 20},
          {"type": "RLIMIT_CORE", "hard": 0, "soft": 0}]


def fields(path):
    found = {}
    for line in path.read_text().splitlines():
        name, _, value = line.partition(": ")
        if value.startswith("Max core file size"):
            name = "core"
        if value.startswith("NSpid:"):  # one number for each nested namespace
            value = f"NSpid: {len(value.split()) - 1}"
        found.setdefault(name, []).append(value)
    return found


class Cases:
    seconds = 60

    def setUp(self):
        super().setUp()
        self.need_debian()
        self.out = self.work / "out"
        self.out.mkdir(mode=0o777)
        self.out.chmod(0o777)
        shutil.copy(environment.tool("gantry-context"), self.root / "bin")
        self.cuda(f"act=context,path={OUT}/check")
        own = self.root / "opt/own"
        own.mkdir(parents=True)
        shutil.copy(environment.tool("hostile/libcuda.so.1"), own)

    def compare(self, change=lambda config: None, **settings):
        env = [*self.NVIDIA, "LD_LIBRARY_PATH=/opt/own", "TERM=xterm", "LANG=C.UTF-8",
               "CUDA_INJECTION64_PATH=/nowhere.so", "EMPTY="]
        bundle = self.bundle(OUT + "/container", program="/bin/gantry-context", env=env, **settings)
        config = json.loads(bundle.original)
        config["mounts"].append({"destination": OUT, "type": "bind", "source": str(self.out),
                                 "options": ["rbind", "rw"]})
        change(config)
        bundle.config.write_text(json.dumps(config))
        self.create_once(bundle)
        self.assert_computed()
        check, container = fields(self.out / "check"), fields(self.out / "container")
        for name in (*BY_DESIGN, "env"):
            self.assertIn(name, check)
        for name in sorted(set(check) | set(container) - {"env"}):
            if name.startswith("namespace-"):
                self.compare_namespace(name, check[name], container[name])
            elif name not in (*BY_DESIGN, "env"):
                self.assertEqual(check.get(name), container.get(name), name)
        kept = [entry for entry in container["env"] if entry.partition("=")[0] not in REMOVED]
        self.assertEqual(sorted(check["env"]), sorted(kept + ADDED))
        self.assertEqual(check["folder"], ["/"])
        self.assertEqual(check["core"][0].split()[-3:-1], ["0", "0"])
        return check, container

    def compare_namespace(self, name, check, container):
        """Both have their own, or both have the same one."""
        host = [os.readlink("/proc/self/ns/" + name.partition("-")[2])]
        self.assertEqual(check == host, container == host, name)
        if name in self.joined:
            self.assertEqual(check, container, name)

    joined = ()

    def test_root(self):
        check, _ = self.compare(capabilities=CAPABILITIES)
        self.assertIn("1:1 open errno 1", check["stranger"])  # made, and not opened
        self.assertIn("195:7 open errno 1", check["stranger"])

    def test_user(self):
        def change(config):
            process = config["process"]
            process["rlimits"] = LIMITS
            process["oomScoreAdj"] = 321
            process["cwd"] = "/home"
            process["user"].update(umask=0o027, additionalGids=[7, 4242])
            sets = process["capabilities"]
            for name in ("bounding", "permitted", "effective", "inheritable", "ambient"):
                sets[name] = ["CAP_NET_RAW", "CAP_SYS_NICE"]
            config["linux"]["seccomp"] = SECCOMP
            config["linux"]["sysctl"] = {"net.ipv4.ping_group_range": "0 4242"}
            config["linux"]["maskedPaths"] = ["/proc/kcore", "/sys/firmware"]
            config["linux"]["readonlyPaths"] = ["/proc/sys", "/proc/irq"]
        check, container = self.compare(change, uid=1000, gid=1001)
        status = dict(entry.split(":\t", 1) for entry in check["status"] if ":\t" in entry)
        # It is not that both lack it.
        self.assertEqual(status["Uid"].split(), ["1000"] * 4)
        self.assertLessEqual({"7", "4242"}, set(status["Groups"].split()))
        self.assertEqual(status["Umask"].strip(), "0027")
        self.assertEqual({status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd",
                                                    "CapAmb")}, {"0000000000802000"})
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertIn("add_key -1 errno 99", check["call"])
        self.assertIn("321", check["oom_score_adj"])
        self.assertTrue(any(limit.split()[-3:-1] == ["555", "777"] for limit in check["limit"]))
        self.assertEqual(container["folder"], ["/home"])

    def test_namespaces_of_the_host_and_of_another(self):
        """Those that the container shares are shared, those that it joins are joined."""
        other = subprocess.Popen(["unshare", "--net", "--ipc", "sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        theirs = f"/proc/{other.pid}/ns/"
        process.wait_until(lambda: os.readlink(theirs + "ipc") != os.readlink("/proc/self/ns/ipc"),
                           "the other namespaces")

        def change(config):
            namespaces = config["linux"]["namespaces"]
            namespaces[:] = [entry for entry in namespaces if entry["type"] not in ("pid", "uts")]
            for entry in namespaces:
                if entry["type"] in ("network", "ipc"):
                    entry["path"] = theirs + entry["type"][:3]
            namespaces.append({"type": "cgroup"})
            del config["hostname"]
        self.joined = ("namespace-net", "namespace-ipc", "namespace-pid", "namespace-uts")
        self.compare(change, uid=1000)


class RuncTest(Cases, GemmTest):
    program = "runc"


class CrunTest(Cases, GemmTest):
    program = "crun"
