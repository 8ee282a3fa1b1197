"""Reading what gantry-answer said."""

GPU_PATHS = ("/dev/kfd", "/dev/dri/", "/dev/nvidia")
# What runc and crun put into every container.
STANDARD = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom",
            "/dev/pts/ptmx", "/dev/ptmx", "/dev/console", "/dev/pts/0"}


def env(answer):
    """The value that counts: glibc's getenv takes the first of a name."""
    found = {}
    for entry in answer["env"]:
        name, _, value = entry.partition("=")
        found.setdefault(name, value)
    return found


def nodes(answer):
    return {node["path"]: node for node in answer["nodes"]}


def gpu_nodes(answer):
    return {path: node for path, node in nodes(answer).items() if path.startswith(GPU_PATHS)}


def unexpected_nodes(answer):
    return sorted(set(nodes(answer)) - STANDARD - set(gpu_nodes(answer)))
