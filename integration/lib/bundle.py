"""Bundles: a config.json of our own, in the order and form in which we wrote it."""

import json
import pathlib

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CAPABILITIES = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_KILL", "CAP_MKNOD", "CAP_SETGID",
                "CAP_SETUID"]


def make_config(*, rootfs, args, uid=0, gid=None, env=(), groups=None, capabilities=None,
                hooks=None, cgroup=None):
    capabilities = (CAPABILITIES if uid == 0 else []) if capabilities is None else capabilities
    user = {"uid": uid, "gid": uid if gid is None else gid}
    if groups is not None:
        user["additionalGids"] = list(groups)
    sets = ("bounding", "effective", "permitted")
    config = {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": False,
            "user": user,
            "args": list(args),
            "env": [PATH, *env],
            "cwd": "/",
            "capabilities": {name: list(capabilities) for name in sets},
            "noNewPrivileges": True,
        },
        "root": {"path": str(rootfs), "readonly": True},
        "hostname": "gantry-test",
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs",
             "options": ["nosuid", "strictatime", "mode=755", "size=65536k"]},
            {"destination": "/dev/pts", "type": "devpts", "source": "devpts",
             "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]},
            {"destination": "/sys", "type": "sysfs", "source": "sysfs",
             "options": ["nosuid", "noexec", "nodev", "ro"]},
        ],
        "linux": {
            "resources": {"devices": [{"allow": False, "access": "rwm"}]},
            "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")],
        },
        "annotations": {"org.example.note": "1.10"},
    }
    if hooks:
        config["hooks"] = hooks
    if cgroup:
        config["linux"]["cgroupsPath"] = cgroup
    return config


class Bundle:
    def __init__(self, path, config, name="config.json"):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self.config = self.path / name
        text = config if isinstance(config, str) else json.dumps(config, indent=1)
        self.config.write_text(text)
        self.original = self.config.read_bytes()

    def bytes(self):
        return self.config.read_bytes()

    def spec(self):
        return json.loads(self.bytes())
