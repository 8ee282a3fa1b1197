"""A virtual machine for one job: boots an image, prints what the job says on the
serial console, ends with the job's status."""

import os
import pathlib
import re
import resource
import selectors
import shutil
import subprocess
import sys
import time

QEMU = "qemu-system-x86_64"
STATUS = re.compile(rb"gantry-vm: status (\d+)")
CPUS, MEMORY = 2, "3G"
KVM_SECONDS = 20


def base_argv(accelerator, image):
    # Under emulation a simple CPU is the quick one: wide vector instructions,
    # which libraries would choose, are emulated in parts.
    cpu = "host" if accelerator == "kvm" else "Nehalem"
    threads = ",thread=multi" if accelerator == "tcg" else ""
    return [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-accel", accelerator + threads, "-cpu", cpu, "-smp", str(CPUS), "-m", MEMORY,
            "-serial", "stdio", "-kernel", image / "vmlinuz"]


def why_no_kvm(image):
    """"" where KVM really runs this kernel: a device node alone does not mean
    that. Without a root the kernel panics at once, and has then said its name."""
    if not os.path.exists("/dev/kvm"):
        return "/dev/kvm is not there"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "/dev/kvm may not be opened"
    argv = base_argv("kvm", image) + ["-append", "console=ttyS0 panic=-1"]
    try:
        ended = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=KVM_SECONDS, check=False)
        out, err = ended.stdout, ended.stderr
    except subprocess.TimeoutExpired as problem:
        out, err = problem.stdout or b"", problem.stderr or b""
    if b"Kernel panic" in out:
        return ""
    said = err.decode(errors="replace").strip().splitlines()
    return "/dev/kvm is there, but does not run this kernel" + (f": {said[0]}" if said else "")


def run(accelerator, image, payload, seconds):
    """The job's status; 124 where it did not end in time."""
    argv = base_argv(accelerator, image) + [
        "-initrd", image / "initrd",
        "-append", "root=/dev/vda rw console=ttyS0 quiet loglevel=3 mitigations=off "
                   "systemd.show_status=0 rd.udev.log_level=3 apparmor=1 security=apparmor "
                   "init_on_alloc=0 hardened_usercopy=off audit=0 nowatchdog nokaslr",
        "-drive", f"file={image / 'root.img'},if=virtio,format=raw,snapshot=on,cache=unsafe",
        "-drive", f"file={payload},if=virtio,format=raw,readonly=on"]
    begin = time.monotonic()
    status, text = None, b""
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as machine:
        try:
            watch = selectors.DefaultSelector()
            watch.register(machine.stdout, selectors.EVENT_READ)
            while (left := begin + seconds - time.monotonic()) > 0:
                if not watch.select(left):
                    break
                if not (piece := os.read(machine.stdout.fileno(), 65536)):
                    break
                piece = piece.replace(b"\r", b"")
                text += piece
                sys.stdout.buffer.write(piece)
                sys.stdout.flush()
                if found := STATUS.search(text):
                    status = int(found[1])
                    break
        finally:
            machine.kill()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the machine ran for {time.monotonic() - begin:.0f} s, of the processors it had "
          f"{used.ru_utime + used.ru_stime:.0f} s", flush=True)
    if status is None:
        print(f"it said no status in {seconds} s", flush=True)
        return 124
    return status


def why_not():
    """"" where machines can be made and run here."""
    for program in (QEMU, "mmdebstrap"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "the image is made as root"
    return ""


def make_image(cache):
    ended = subprocess.run([pathlib.Path(__file__).parent / "make-image", cache], check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"no image: make-image ended with {ended.returncode}")
    return pathlib.Path(ended.stdout.strip())
