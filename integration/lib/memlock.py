"""crun on machines without CAP_SYS_RESOURCE (see answer/memlock_allowed.c)."""

import os
import shutil

from lib import environment, syscalls

FOLDER = "/run/gantry-test-crun"  # also in ../CMakeLists.txt
CAP_SYS_RESOURCE = 24


def _has_capability(number):
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("CapEff:"):
                return bool(int(line.split()[1], 16) >> number & 1)
    return False


def allow_crun():
    """Binds a launcher over crun, in this mount namespace, where one is needed."""
    crun = shutil.which("crun")
    if not crun or _has_capability(CAP_SYS_RESOURCE):
        return
    os.makedirs(FOLDER)
    open(f"{FOLDER}/real-crun", "w", encoding="ascii").close()
    syscalls.bind(os.path.realpath(crun), f"{FOLDER}/real-crun")
    shutil.copy(environment.tool("memlock_allowed.so"), FOLDER)
    syscalls.bind(environment.tool("crun-launcher"), os.path.realpath(crun))
