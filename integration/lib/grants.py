"""What a container that was granted GPUs must see; the same for every engine."""

from lib import answers
from lib.simhost import GFX1031

# An open() that came through the device filter and the file's mode: without a
# driver behind the number the kernel answers ENXIO or ENODEV.
CAME_THROUGH = ("ENXIO", "ENODEV", "ok")
OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


def _as_listed(node):
    return {key: node[key] for key in ("path", "type", "major", "minor", "mode", "gid")}


def _is_open_to_all(node):
    return int(node["mode"], 8) & 0o006 == 0o006


def assert_nodes(test, answer, host, required, allowed=()):
    """Exactly these GPU nodes, as on the host, and each can be opened."""
    found, listed = answers.gpu_nodes(answer), host.nodes()
    test.assertEqual(sorted(set(found) | set(allowed)), sorted(set(required) | set(allowed)))
    test.assertEqual(answers.unexpected_nodes(answer), [])
    for path, node in found.items():
        test.assertEqual(_as_listed(node), _as_listed(listed[path]))
        if path in required:
            test.assertIn(node["open"]["name"], CAME_THROUGH, path)


def assert_groups(test, answer, host, required):
    for path in required:
        node = host.nodes()[path]
        if not _is_open_to_all(node) and node["gid"] != 0:
            test.assertIn(node["gid"], answer["groups"], path)


def assert_first_amd_gpu(test, answer, host):
    """AMD_VISIBLE_DEVICES=0 on AMD_HOST. The card node may come along (older
    ROCm wants it); nothing of the other GPU does."""
    render, card = host.amd_nodes(GFX1031)
    required = ("/dev/kfd", render)
    assert_nodes(test, answer, host, required, (card,) if card else ())
    assert_groups(test, answer, host, required)
    overrides = {name: value for name, value in answers.env(answer).items()
                 if name.startswith(OVERRIDE)}
    test.assertEqual(overrides, {OVERRIDE: "10.3.0"})


def assert_no_gpu(test, answer):
    test.assertEqual(answers.gpu_nodes(answer), {})
    test.assertNotIn(OVERRIDE, answers.env(answer))


def other_amd_node(host):
    """MAJOR:MINOR of the GPU that was not granted."""
    node = host.nodes()[host.amd_nodes(100306)[0]]
    return f"{node['major']}:{node['minor']}"


def assert_refused_by_filter(test, answer):
    """The node itself could be made, and yet it cannot be opened."""
    for attempt in answer["mknod"]:
        test.assertEqual(attempt["mknod"]["name"], "ok")
        test.assertEqual(attempt["open"]["name"], "EPERM")
    test.assertTrue(answer["mknod"])


def nvidia_nodes(host, indices):
    control = [path for path in ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")
               if path in host.nodes()]
    return control + [f"/dev/nvidia{index}" for index in indices]


def optional_nvidia_nodes(host):
    return [path for path in ("/dev/nvidia-modeset",) if path in host.nodes()]
