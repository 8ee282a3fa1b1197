"""What is measured on: configurations, hosts and bundles, all below a private /run."""

import json
import os
import pathlib
import shutil

from lib import environment

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path("/run/bench")
FIXTURES = environment.SOURCE / "tests" / "fixtures"
CONFIG = pathlib.Path("/etc/gantry/config.toml")

WARM_UPS = 3  # kWarmUps of run_timed.c


def tool(name):
    return os.path.join(os.environ["GANTRY_BENCH_TOOLS"], name)


def shim():
    return environment.product("gantry-runtime")


def configure(runtime, host):
    """The file as it is shipped, comments and all, with no check of the GPUs."""
    text = (environment.SOURCE / "config" / "config.toml").read_text()
    changes = {'host-root = "/"': f'host-root = "{host}"',
               'paths = ["/usr/sbin/runc", "/usr/bin/runc", "/usr/bin/crun"]':
                   f'paths = ["{runtime}"]',
               '\npolicy = "fail"\n': '\npolicy = "off"\n'}
    for old, new in changes.items():
        if text.count(old) != 1:
            raise AssertionError(f"config.toml no longer has {old}")
        text = text.replace(old, new)
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(text)


def h100_host():
    """Eight GPUs, 41 libraries of the driver."""
    host = FIXTURES / "hosts" / "h100-8"
    libraries = list(host.glob("usr/lib/x86_64-linux-gnu/*.so.535.161.08"))
    if len([path for path in libraries if not path.is_symlink()]) != 41:
        raise AssertionError("h100-8 no longer has the 41 driver files of the budget")
    return host


def partitioned_host(partitions):
    """MI300X cards, each split into eight GPUs; the nodes are all listed already."""
    host = WORK / f"host-{partitions}"
    if host.exists():
        return host
    shutil.copytree(FIXTURES / "hosts" / "mi300x-8-spx", host, symlinks=True)
    nodes = host / "sys/devices/virtual/kfd/kfd/topology/nodes"
    whole = nodes / "2"
    for index in range(partitions):
        folder = nodes / str(2 + index)
        if index >= 8:
            shutil.copytree(whole, folder)
        properties = dict(line.split() for line in
                          (whole / "properties").read_text().splitlines())
        card, part = divmod(index, 8)
        bus = (0x05, 0x27, 0x47, 0x65, 0x85, 0xA7, 0xC7, 0xE5)[card]
        properties.update(drm_render_minor=128 + index, location_id=bus << 8 | part,
                          unique_id=int(properties["unique_id"]) + card)
        (folder / "properties").write_text(
            "".join(f"{key} {value}\n" for key, value in properties.items()))
        (folder / "gpu_id").write_text(f"{20000 + index}\n")
    return host


def _services():
    """Variables as Kubernetes makes them, the bulk of many a real spec."""
    number = 0
    while True:
        name, address = f"TEAM_SERVICE_{number:04}", f"10.96.{number // 250}.{number % 250}"
        yield from (f"{name}_SERVICE_HOST={address}", f"{name}_SERVICE_PORT=8080",
                    f"{name}_PORT=tcp://{address}:8080",
                    f"{name}_PORT_8080_TCP=tcp://{address}:8080",
                    f"{name}_PORT_8080_TCP_PROTO=tcp", f"{name}_PORT_8080_TCP_PORT=8080",
                    f"{name}_PORT_8080_TCP_ADDR={address}")
        number += 1


def docker_spec(size, rootfs, *variables):
    """A spec of Docker's, seccomp profile and all, grown to about `size` bytes."""
    spec = json.loads((FIXTURES / "specs" / "docker.json").read_text())
    spec["root"]["path"] = str(rootfs)
    env = [entry for entry in spec["process"]["env"] if not entry.startswith("NVIDIA_")]
    length = len(json.dumps(spec, separators=(",", ":")))
    for entry in _services():
        if length >= size:
            break
        env.append(entry)
        length += len(entry) + 3
    spec["process"]["env"] = [*env, *variables]
    return spec


def make_rootfs():
    root = WORK / "rootfs"
    for folder in ("bin", "dev", "etc", "proc", "sys", "tmp", "usr/bin",
                   "usr/lib/x86_64-linux-gnu"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(tool("stub-runtime"), root / "bin" / "true")
    return root


def make_bundles(name, spec, rounds):
    """One for each round, since a create edits it: NAME0, NAME1, …; the pattern."""
    text = json.dumps(spec, separators=(",", ":"))
    for number in range(WARM_UPS + rounds):
        bundle = WORK / f"{name}{number}"
        shutil.rmtree(bundle, ignore_errors=True)
        bundle.mkdir(parents=True)
        (bundle / "config.json").write_text(text)
    return str(WORK / name) + "{}"
