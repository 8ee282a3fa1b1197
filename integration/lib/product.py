"""The product's programs, and the configuration under which a test runs them."""

import os
import pathlib

from lib import environment

DEFAULT_CONFIG = pathlib.Path("/etc/gantry/config.toml")
STATE = "/run/gantry"


def shim(name="gantry-runtime"):
    """gantry-runtime, gantry-runc or gantry-crun."""
    return environment.product(name)


def _quoted(text):
    return '"' + os.fspath(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def config_text(*, host_root=None, runtimes=(), environment="allow", probe="fail", level=None,
                timeout=None, log=None, verdicts=None):
    lines = [] if host_root is None else [f"host-root = {_quoted(host_root)}"]
    if runtimes:
        lines += ["[runtime]", f"paths = [{', '.join(map(_quoted, runtimes))}]"]
    lines += ["[selection]", f"environment = {_quoted(environment)}"]
    lines += ["[probe]", f"policy = {_quoted(probe)}"]
    if level is not None:
        lines.append(f"level = {_quoted(level)}")
    if timeout is not None:
        lines.append(f"timeout = {timeout}")
    if verdicts:
        lines += ["[probe.verdicts]", *(f"{name} = {_quoted(what)}"
                                        for name, what in verdicts.items())]
    if log is not None:
        lines += ["[log]", f"file = {_quoted(log)}", 'level = "debug"']
    return "\n".join(lines) + "\n"


def configure(path=DEFAULT_CONFIG, **settings):
    """Engines hand on no GANTRY_CONFIG that one could count on: the default
    path it is, which is the test's own copy of /etc."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(config_text(**settings))
    path.chmod(0o644)
    return path


def environment_for(config):
    return dict(os.environ, GANTRY_CONFIG=os.fspath(config))
