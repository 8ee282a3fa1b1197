"""/proc/self/mountinfo as values."""

import re
from typing import List, NamedTuple


class Mount(NamedTuple):
    root: str    # the folder of the file system that is mounted
    point: str
    kind: str    # file system type
    source: str


def _plain(field):
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


def read_mounts() -> List[Mount]:
    mounts = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        for line in table:
            before, _, after = line.rstrip("\n").partition(" - ")
            fields, rest = before.split(" "), after.split(" ")
            mounts.append(Mount(_plain(fields[3]), _plain(fields[4]), rest[0], _plain(rest[1])))
    return mounts
