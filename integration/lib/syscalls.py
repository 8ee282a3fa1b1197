"""The few system calls that Python's standard library lacks before 3.12."""

import ctypes
import os
import signal

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags):
    _check(_libc.unshare(flags), "unshare")


def mount(source, target, kind="", flags=0, data=""):
    _check(_libc.mount(source.encode(), os.fsencode(target), kind.encode(),
                       ctypes.c_ulong(flags), data.encode()), f"mount {kind} on {target}")


def bind(source, target):
    mount(os.fspath(source), target, "", MS_BIND | MS_REC)


def unmount(target, flags=0):
    _check(_libc.umount2(os.fsencode(target), flags), f"unmount {target}")


def die_with_parent():
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
