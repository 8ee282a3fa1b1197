"""Where the things under test and the test's own things are."""

import os
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
_build = SOURCE / "build" / "release"

BIN = pathlib.Path(os.environ.get("GANTRY_BIN", _build / "bin")).absolute()
TOOLS = pathlib.Path(os.environ.get("GANTRY_TEST_TOOLS",
                                    _build / "integration" / "tools")).absolute()
FAKES = pathlib.Path(os.environ.get("GANTRY_TEST_FAKES", _build / "fakes")).absolute()
FIXTURES = pathlib.Path(os.environ.get("GANTRY_TEST_HOSTS",
                                       SOURCE / "tests" / "fixtures" / "hosts")).absolute()
CACHE = pathlib.Path(os.environ.get("GANTRY_TEST_CACHE", "/var/cache/gantry-tests")).absolute()

# CI sets it: there a test that could not run is a failure.
MUST_WORK = os.environ.get("MUST_WORK", "") not in ("", "0")

FOLDERS = (SOURCE, BIN, TOOLS, FAKES, FIXTURES, CACHE)


def tool(name):
    path = TOOLS / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: build the target integration-tools")
    return os.fspath(path)


def product(name):
    path = BIN / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built")
    return os.fspath(path)
