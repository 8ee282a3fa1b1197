"""The machine as a host of containers: its real nodes, and the simulated host
whose nodes have their numbers."""

import os
import pathlib
import shutil

from lib import process, product, rootfs, simhost

KFD, RENDER = "/dev/kfd", "/dev/dri/renderD128"
# A node that no container is granted. The other GPU's numbers; open to all, so
# that only the device filter can refuse it.
NOT_GRANTED = "/dev/gantry-test-not-granted"
CHECK_SECONDS = 60  # of the check; emulated, it takes several
IMAGES = pathlib.Path("/srv/images")


def numbers(path):
    node = os.stat(path).st_rdev
    return os.major(node), os.minor(node)


class RealNodesHost(simhost.SimulatedHost):
    """The RX 6700 XT's host. Behind /dev/kfd is the real driver, behind the
    render node vgem; the GPU itself is simulated."""

    def __init__(self, target):
        super().__init__(simhost.AMD_HOST, target)
        old = self.nodes()[KFD]["major"]
        for path in (KFD, RENDER):
            node = os.stat(path)
            major, minor = numbers(path)
            self.change_node(path, major=major, minor=minor, mode=f"{node.st_mode & 0o7777:04o}",
                             uid=node.st_uid, gid=node.st_gid)
        major, minor = numbers(KFD)
        (self.root / "sys/devices/virtual/kfd/kfd/dev").write_text(f"{major}:{minor}\n")
        devices = self.root / "proc/devices"
        devices.write_text(devices.read_text().replace(f"{old} kfd", f"{major} kfd"))


def set_up():
    """vgem: a render node that is nobody's GPU."""
    process.check(["modprobe", "--all", "amdgpu", "vgem"])
    process.check(["udevadm", "settle"])
    os.mknod(NOT_GRANTED, 0o020666, os.makedev(*_other_gpu()))
    os.chmod(NOT_GRANTED, 0o666)


def _other_gpu():
    fixture = simhost.SimulatedHost(simhost.AMD_HOST, "/run/fixture")
    node = fixture.nodes()[fixture.amd_nodes(simhost.GFX1031 + 5)[0]]
    return node["major"], node["minor"]


def use_simulated(mode):
    """`mode`: of the real nodes too."""
    for path in (KFD, RENDER):
        os.chmod(path, mode)
    shutil.rmtree("/srv/host", ignore_errors=True)
    product.configure(host_root=RealNodesHost("/srv/host").root, timeout=CHECK_SECONDS)


def use_real():
    product.configure(host_root="/", timeout=CHECK_SECONDS)


LOADER = ("lib64/ld-linux-x86-64.so.2", *(f"usr/lib/x86_64-linux-gnu/{name}" for name in (
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1")))


def make_images():
    """tiny: busybox and gantry-answer. rocm: with glibc and the fake HSA library,
    so that the check loads it. hung: where that never returns. user: tiny, for a
    rootless engine, which makes mount points in it."""
    for name in ("tiny", "rocm", "hung", "user"):
        path = rootfs.make_tiny(IMAGES / name)
        if name in ("rocm", "hung"):
            for file in LOADER:
                (path / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(f"/{file}", path / file)
            simhost.put_fake_hsa(path, "hang=hsa_init" if name == "hung" else "")
        if name == "user":
            process.check(["chown", "--recursive", "--no-dereference", "1000:1000", path])
