"""Root file systems for the containers.

    tiny     a static busybox, the answering binary and nothing else: no loader
    debian   Debian's or Ubuntu's C library, loader and loader cache of this
             machine's own release, made once by mmdebstrap and kept

A file of tests names further ones in NEEDS_ROOTS, by their keys in OTHER_ROOTS;
see prepare_other().
"""

import os
import pathlib
import shutil
import subprocess

from lib import environment

FOLDERS = ("bin", "dev", "etc", "proc", "sys", "tmp", "run", "root", "home")
PASSWD = "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home:/bin/sh\n"
# Numbers that no fixture host uses for its nodes: names must not matter.
GROUP = "root:x:0:\nuser:x:1000:\nvideo:x:7044:\nrender:x:7109:\n"
APPLETS = ("sh", "true", "false", "cat", "ls", "sleep", "touch")
DEBIAN_PACKAGES = "base-files,libc-bin,libc6,libgcc-s1,libstdc++6"
# What they hold: release of Debian, packages.
OTHER_ROOTS = {
    "glibc-2.31": ("bullseye", "base-files,libc-bin,libc6"),
    "glibc-2.36": ("bookworm", "base-files,libc-bin,libc6"),
    "glibc-2.41": ("trixie", "base-files,libc-bin,libc6"),
    "musl": ("bookworm", "musl"),
}
why_no_debian = ""  # set by run.py
why_no_other = {}   # likewise, by key
CACHE_VERSION = "2"  # to be raised with any change of what is in the cached one


def make_tiny(target):
    target = pathlib.Path(target)
    for folder in FOLDERS:
        (target / folder).mkdir(parents=True)
    (target / "tmp").chmod(0o1777)
    _add_programs(target)
    return target


def _add_programs(target):
    busybox = shutil.which("busybox")
    if not busybox:
        raise FileNotFoundError("busybox is not installed (package busybox-static)")
    shutil.copy(busybox, target / "bin" / "busybox")
    for applet in APPLETS:
        if not os.path.lexists(target / "bin" / applet):
            (target / "bin" / applet).symlink_to("busybox")
    for name in ("gantry-answer", "loader-answer"):
        shutil.copy(environment.tool(name), target / "bin" / name)
    (target / "etc" / "passwd").write_text(PASSWD)
    (target / "etc" / "group").write_text(GROUP)


def _release():
    with open("/etc/os-release", encoding="utf-8") as file:
        pairs = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    return pairs.get("ID", "").strip('"'), pairs.get("VERSION_CODENAME", "").strip('"')


def prepare_debian():
    """Makes the cached root; on the host's own view, since it needs the network.
    Returns why there is none, or "" where there is."""
    system, codename = _release()
    if system not in ("debian", "ubuntu"):
        return f"no root file system is made on {system or 'this system'}"
    return _prepare(f"{system}-{codename}", codename, DEBIAN_PACKAGES)


def prepare_other(key):
    """Likewise a root of OTHER_ROOTS, of Debian's archive whatever this machine is."""
    if _is_own(key):
        return prepare_debian()
    codename, packages = OTHER_ROOTS[key]
    return _prepare(key, codename, packages, "http://deb.debian.org/debian")


def _is_own(key):
    """Is it what make_debian() makes anyway?"""
    codename, packages = OTHER_ROOTS[key]
    return ("debian", codename) == _release() and "libc6" in packages.split(",")


def _prepare(name, codename, packages, *mirror):
    cached = environment.CACHE / f"{name}-v{CACHE_VERSION}"
    if cached.is_dir():
        return ""
    if not shutil.which("mmdebstrap"):
        return "mmdebstrap is not installed"
    print(f"making {cached} with mmdebstrap", flush=True)
    environment.CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = environment.CACHE / f"{cached.name}.{os.getpid()}"
    # Extracted, not configured: no maintainer script runs, it takes seconds.
    argv = ["mmdebstrap", "--quiet", "--variant=extract", "--format=directory",
            f"--include={packages}", codename, os.fspath(unfinished), *mirror]
    try:
        made = subprocess.run(argv, capture_output=True, text=True, timeout=400, check=False,
                              stdin=subprocess.DEVNULL, start_new_session=True)
        if made.returncode != 0:
            return "mmdebstrap failed: " + " ".join(made.stderr.split())[-300:]
        shutil.rmtree(unfinished / "dev", ignore_errors=True)  # runtimes make their own
        if "libc-bin" in packages.split(","):
            subprocess.run(["ldconfig", "-r", unfinished], check=True, timeout=60)
        unfinished.rename(cached)
    except subprocess.TimeoutExpired:
        return "mmdebstrap was not finished after 400 s"
    except OSError:
        if not cached.is_dir():  # else another test file was faster
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return ""


def make_debian(target):
    """A copy of the cached root, with the tests' programs."""
    return _copy("-".join(_release()), target)


def make_other(key, target):
    return make_debian(target) if _is_own(key) else _copy(key, target)


def _copy(name, target):
    cached = environment.CACHE / f"{name}-v{CACHE_VERSION}"
    target = pathlib.Path(target)
    subprocess.run(["cp", "--archive", cached, target], check=True, timeout=60)
    for folder in FOLDERS:
        (target / folder).mkdir(exist_ok=True)
    _add_programs(target)
    return target


def library_folder(root):
    """Where the distribution keeps its libraries in there."""
    for folder in sorted(pathlib.Path(root, "usr/lib").glob("*-linux-gnu*")):
        return folder
    raise FileNotFoundError(f"{root}/usr/lib/*-linux-gnu")
