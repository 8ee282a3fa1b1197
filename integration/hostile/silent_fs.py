"""A FUSE file system with one file, whose open() never returns: who opens it is
in the kernel until this daemon dies, and no signal ends that.

    silent_fs.py MOUNTPOINT

A stand-in for a driver that has lost its GPU. Numbers and layouts are those of
include/uapi/linux/fuse.h, protocol 7.31."""

import ctypes
import errno
import os
import struct
import sys

FILE = "silent"
_FILE_NODE, _ROOT_NODE = 2, 1
_LOOKUP, _FORGET, _GETATTR, _OPEN, _INIT, _INTERRUPT, _BATCH_FORGET = 1, 2, 3, 14, 26, 36, 42
_UNANSWERED = (_FORGET, _BATCH_FORGET, _INTERRUPT)
_IN_HEADER = struct.Struct("<IIQQIIIHH")
_LONG = 3600  # seconds that the kernel may remember an answer


def _attributes(node):
    mode, links = (0o040755, 2) if node == _ROOT_NODE else (0o100755, 1)
    return struct.pack("<6Q10I", node, 4096, 8, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)


def _answer(opcode, node, body):
    """(errno, payload)"""
    if opcode == _INIT:
        return 0, struct.pack("<4I2H2I36x", 7, 31, 4096, 0, 8, 8, 4096, 1)
    if opcode == _LOOKUP:
        if body.rstrip(b"\0") != FILE.encode():
            return errno.ENOENT, b""
        return 0, struct.pack("<4Q2I", _FILE_NODE, 0, _LONG, _LONG, 0, 0) + _attributes(_FILE_NODE)
    if opcode == _GETATTR:
        return 0, struct.pack("<Q2I", _LONG, 0, 0) + _attributes(node)
    return errno.ENOSYS, b""


def serve(mountpoint):
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"silent", mountpoint.encode(), b"fuse", ctypes.c_ulong(0),
                  options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mount fuse on {mountpoint}")
    while True:
        try:
            request = os.read(device, 1 << 17)
        except InterruptedError:
            continue
        except OSError as problem:
            if problem.errno == errno.ENODEV:  # unmounted
                return
            raise
        _, opcode, unique, node, *_ = _IN_HEADER.unpack_from(request)
        if opcode in _UNANSWERED or opcode == _OPEN:
            continue
        number, payload = _answer(opcode, node, request[_IN_HEADER.size:])
        os.write(device, struct.pack("<IiQ", 16 + len(payload), -number, unique) + payload)


if __name__ == "__main__":
    serve(sys.argv[1])
