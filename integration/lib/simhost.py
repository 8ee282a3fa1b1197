"""A simulated host: a copy of a fixture tree, which a test may change.

What the tests expect of it is read from the tree here, by other code than the
product's own."""

import json
import os
import pathlib
import re
import shutil

from lib import environment, machine, rootfs

AMD_HOST = "rx-6700-xt-raphael"  # GPU 0: the card, gfx1031; GPU 1: the CPU's own, gfx1036
NVIDIA_HOST = "h100-8"
GFX1031 = 100301

_TOPOLOGY = "sys/class/kfd/kfd/topology/nodes"


class SimulatedHost:
    def __init__(self, fixture, target):
        self.root = pathlib.Path(target)
        shutil.copytree(environment.FIXTURES / fixture, self.root, symlinks=True)

    def _listed(self):
        return json.loads((self.root / "nodes.json").read_text())

    def nodes(self):
        """path: {"path", "type", "major", "minor", "mode" (text), "uid", "gid"}"""
        return {node["path"]: node for node in self._listed()}

    def change_node(self, path, **members):
        listed = self._listed()
        next(node for node in listed if node["path"] == path).update(members)
        (self.root / "nodes.json").write_text(json.dumps(listed))

    def remove_node(self, path):
        listed = [node for node in self._listed() if node["path"] != path]
        (self.root / "nodes.json").write_text(json.dumps(listed))

    def make_nodes(self, folder):
        """Real ones, where a runtime must find them (user namespaces)."""
        for path, node in self.nodes().items():
            target = f"{folder}/{os.path.relpath(path, '/dev')}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.mknod(target, 0o020000, os.makedev(node["major"], node["minor"]))
            os.chmod(target, int(node["mode"], 8))
            os.chown(target, node["uid"], node["gid"])

    def amd_nodes(self, gfx_target_version):
        """(render node, card node or None) of the GPU of that kind."""
        for file in (self.root / _TOPOLOGY).glob("*/properties"):
            values = dict(line.split() for line in file.read_text().splitlines() if line.strip())
            if int(values.get("gfx_target_version", "0")) == gfx_target_version:
                render = f"renderD{values['drm_render_minor']}"
                return f"/dev/dri/{render}", self._card_beside(render)
        raise LookupError(f"no GPU of gfx_target_version {gfx_target_version}")

    def put_fake_cuda(self, library=None):
        """In the place of the driver's library, from where it gets into containers."""
        library = library or machine.need_fake("libcuda.so.1")
        for file in self.root.rglob("libcuda.so.*"):
            if not file.is_symlink():
                shutil.copy(library, file)

    def _card_beside(self, render):
        def device(name):
            return os.path.basename(os.readlink(drm / name / "device"))
        drm = self.root / "sys/class/drm"
        for entry in sorted(os.listdir(drm)):
            if re.fullmatch(r"card\d+", entry) and device(entry) == device(render):
                return f"/dev/dri/{entry}"
        return None

    def set_gfx_target_version(self, old, new):
        changed = 0
        for file in (self.root / _TOPOLOGY).glob("*/properties"):
            text, count = re.subn(rf"(?m)^gfx_target_version {old}$", f"gfx_target_version {new}",
                                  file.read_text())
            if count:
                file.write_text(text)
                changed += 1
        assert changed == 1, f"{changed} GPUs of gfx_target_version {old}"

    def make_libraries_real(self):
        """Fixture libraries are plain text; these can be loaded. Their number."""
        stub = environment.tool("gpu_stub.so")
        count = 0
        for file in self.root.rglob("lib*.so.*"):
            if file.is_file() and not file.is_symlink():
                shutil.copy(stub, file)
                count += 1
        return count


def make_amd_host(target):
    return SimulatedHost(AMD_HOST, target)


def make_nvidia_host(target):
    host = SimulatedHost(NVIDIA_HOST, target)
    host.make_libraries_real()
    return host


def put_fake_hsa(root, orders=""):
    """The fake vendor library in the image, and what it is told to do."""
    library = machine.need_fake("libhsa-runtime64.so.1")
    shutil.copy(library, rootfs.library_folder(root) / library.name)
    put_orders(root, orders)


def put_orders(root, orders):
    (pathlib.Path(root) / "etc" / "gantry-fake-gpu").write_text(orders + "\n")
