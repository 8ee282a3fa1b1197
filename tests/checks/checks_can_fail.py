#!/usr/bin/env python3
"""The checks in scripts/ say so where a rule is broken: each one is, once, in a
copy of the tree."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LONG = "int f();\n" * 450 + "int g();"

# Check, file, what is added to it (or from, to), what the check has to say.
BROKEN = [
    ("layers", "lib/base/text.cpp", '#include "app/settings.hpp"',
     "gantry_base may not use app/settings.hpp"),
    ("layers", "lib/plan/plan.cpp", '#include "sys/file.hpp"', "may not use sys/file.hpp"),
    ("layers", "lib/probe/verdict.cpp", '#include "probe/launcher.hpp"',
     "gantry_verdict may not use probe/launcher.hpp"),
    ("layers", "lib/inventory/inventory.cpp", '#include "host/host_root.hpp"',
     "gantry_inventory may not use host/host_root.hpp"),
    ("layers", "oci-spec/json_edit.cpp", "#include <nlohmann/json.hpp>", "needs dep_json"),
    ("layers", "lib/request/request.cpp", "#include <unistd.h>", "which is pure"),
    ("layers", "lib/app/log.cpp", "#include <iostream>", "<iostream>"),
    ("layers", "lib/app/log.cpp", 'void f() { ::unlink("x"); }', "unlink() changes the machine"),
    ("layers", "lib/host/folder.cpp", "auto f = SYS_mount;", "mount() changes the machine"),
    ("layers", "lib/app/log.cpp", "auto f() { return fork (); }", "fork() changes the machine"),
    ("layers", "lib/app/log.cpp", 'void f() { std::filesystem::remove("x"); }', "remove()"),
    ("layers", "lib/probe/inside/static/environment.cpp", "void f() { ::kill(1, 9); }", "kill()"),
    ("layers", "hook/gantryctl.cpp", '#include "probe/verdict.hpp"', "hook may not use"),
    ("layers", "lib/probe/inside/dynamic/hsa.cpp", '#include "probe/report.hpp"',
     "dynamic may not use probe/report.hpp"),
    ("layers", "lib/probe/orphan.cpp", "int f();", "lists it, so it is not built"),
    ("layers", "lib/extra/extra.cpp", "int f();", "no gantry_library() has this folder"),
    ("layers", "lib/base/text.cpp", '#include "base/nothing.hpp"', "no file of this project"),
    ("layers", "CMakeLists.txt", ("LINK gantry_inventory gantry_oci)", "LINK gantry_oci)"),
     "gantry_request may not use inventory/"),
    ("layers", "hook/gantry_probe.cpp", ("::setrlimit(", "setrlimit_of_libc("),
     "needs its allowance no more"),
    ("sources", "extra/file", "", "not in the layout"),
    ("sources", "LICENSE", None, "LICENSE: missing"),
    ("sources", ".clang-format", None, ".clang-format: missing"),
    ("sources", "lib/base/string_utils.cpp", "int f();", "a name that says nothing"),
    ("sources", "lib/common/a.cpp", "int f();", "a name that says nothing"),
    ("sources", "lib/base/long.cpp", LONG, "lib/base/long.cpp: 451 lines"),
    ("sources", "lib/base/text.cpp", "// TO" "DO: later", "finish it or file it"),
    ("sources", "scripts/build", "rm -rf $preset/*", "[SC2086]"),
    ("sources", "tests/new.sh", "#!/bin/sh\necho $1", "tests/new.sh:2"),
]
# What must not be taken for a fault.
FINE = [
    ("layers", "lib/app/log.cpp", '// as ::unlink(2) does\nconst char* f = "::mount(";'),
    ("layers", "lib/app/log.cpp", "struct S { void remove(); void link(int); };"),
    ("sources", "lib/plan/driver_file_table.cpp", LONG),
    ("sources", "build/anything_util/x.cpp", LONG),
]


def check(name, tree, path=None):
    environment = dict(os.environ, **({"PATH": path} if path else {}))
    ended = subprocess.run([sys.executable, SOURCE / "scripts" / f"check-{name}", tree],
                           capture_output=True, text=True, check=False, env=environment,
                           timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def change(file, what):
    """Gives back what undoes it."""
    before = file.read_text() if file.exists() else None
    made = []
    for folder in file.parents:
        if not folder.exists():
            made.append(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    if what is None:
        file.unlink()
    elif isinstance(what, tuple):
        if what[0] not in before:
            raise AssertionError(f"{file} no longer has {what[0]}")
        file.write_text(before.replace(*what))
    else:
        file.write_text(f"{before}\n{what}\n" if before is not None else what + "\n")

    def undo():
        if before is not None:
            file.write_text(before)
        else:
            file.unlink()
        for folder in made:
            folder.rmdir()
    return undo


def left_out(folder, names):
    """Data, and at the top what is no part of the tree."""
    others = {"build", ".git", ".cache"} if pathlib.Path(folder) == SOURCE else set()
    return {name for name in names if name in others or name in ("fixtures", "golden")}


def programs_of_another_make(folder):
    for name in ("gantry-runtime", "gantryctl", "gantry-hook", "gantry-probe"):
        shutil.copy("/bin/true", folder / name)
    ended = subprocess.run([SOURCE / "scripts" / "check-programs", folder], capture_output=True,
                           text=True, check=False, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def kernels(tree):
    ended = subprocess.run([sys.executable, tree / "scripts" / "gen-kernels", "--sources"],
                           capture_output=True, text=True, check=False, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def main():
    faults = []

    def expect(what, result, status, words=""):
        if result[0] != status or words not in result[1]:
            faults.append(f"{what}: expected status {status} and \"{words}\", got {result[0]}:\n"
                          f"{result[1]}")

    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        shutil.copytree(SOURCE, tree, symlinks=True, ignore=left_out)
        for name in ("layers", "sources"):
            expect(f"{name}, the tree as it is", check(name, tree), 0)
        for name, path, what, words in BROKEN:
            undo = change(tree / path, what)
            expect(f"{name}, {path}, {str(what)[:60]!r}", check(name, tree), 1, words)
            undo()
        for name, path, what in FINE:
            undo = change(tree / path, what)
            expect(f"{name}, {path}, {what[:60]!r}", check(name, tree), 0)
            undo()
        expect("kernels, the tree as it is", kernels(tree), 0)
        for name in ("kernels.c", "port.h", "targets.inc", "artifacts/kernels.ptx",
                     "artifacts/more.hsaco"):
            undo = change(tree / "lib/probe/kernels" / name, "// another line")
            expect(f"kernels, {name}", kernels(tree), 1, "names other sources or files")
            undo()
        expect("sources without shellcheck", check("sources", tree, path="/nowhere"), 1,
               "install the package shellcheck")
        expect("programs", programs_of_another_make(pathlib.Path(folder)), 1, "asks for a loader")
    print("\n".join(faults) or f"{len(BROKEN) + 7} broken rules found, {len(FINE) + 3} fine ones "
          "left alone")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
