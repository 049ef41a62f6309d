"""What a jail sees of the files: a root of its own in memory, with the allowed places bound into it."""

from __future__ import annotations

import os

import kernel
from jail_spec import JailSpec

BASE = "/tmp"
"""Any folder that exists everywhere: the new root is mounted over it, and only the jail sees that."""
OLD = "/.outside"
DEVICES = ("null", "zero", "full", "random", "urandom")
LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
QUIET = kernel.MS_NOSUID | kernel.MS_NODEV
ALWAYS_READABLE = ("/proc",)
ALWAYS_WRITABLE = ("/tmp", "/dev/shm", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""What Landlock lets through beside the spec, in a view of its own."""


def enter(spec: JailSpec) -> None:
    """Leave the files of the machine behind but for those of the spec.

    Raises:
        OSError: The kernel refuses a mount, or a folder to change is not there.
    """
    sources = {place: os.path.realpath(place) for place in (*spec.readable, *spec.writable)}
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", BASE, "tmpfs", QUIET, "mode=0755,size=4m,nr_inodes=10k")
    os.mkdir(f"{BASE}{OLD}")
    kernel.pivot_root(BASE, f"{BASE}{OLD}")
    os.chdir("/")
    owner = "" if spec.user is None else f",uid={spec.user},gid={spec.user}"
    files = f"nr_inodes={spec.files}"
    _memory("/tmp", f"mode=1777,size={spec.disk_mb}m,{files}")
    _devices(files)
    _processes()
    for place in spec.readable:
        _bind(sources[place], place, kernel.MS_RDONLY | QUIET)
    for place in spec.masks:
        if os.path.isdir(place):
            _memory(place, "mode=0755,size=4k")
        else:
            kernel.mount(f"{OLD}/dev/null", place, None, kernel.MS_BIND)
    for place in spec.writable:
        if place == spec.folder and spec.is_folder_new:
            _memory(place, f"mode=0700,size={spec.disk_mb}m,{files}{owner}")
        else:
            _bind(sources[place], place, QUIET)
    for place in spec.masks:  # by now they hold the folders of a team that are shown in them
        kernel.restrict_mount(place, kernel.MS_RDONLY)
    kernel.unmount(OLD)
    os.rmdir(OLD)
    kernel.mount("none", "/", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | QUIET)


def _memory(place: str, options: str) -> None:
    os.makedirs(place, exist_ok=True)
    kernel.mount("tmpfs", place, "tmpfs", QUIET, options)


def _devices(files: str) -> None:
    os.mkdir("/dev")
    for name in DEVICES:
        _bind(f"/dev/{name}", f"/dev/{name}", kernel.MS_NOSUID)
    for name, target in LINKS.items():
        os.symlink(target, f"/dev/{name}")
    _memory("/dev/shm", f"mode=1777,size=64m,{files}")


def _processes() -> None:
    """The jail's own `/proc`. Inside of a container the kernel may refuse it; then there is none."""
    os.mkdir("/proc")
    try:
        kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    except PermissionError:
        return


def _bind(source: str, place: str, flags: int) -> None:
    """Show at `place` what is at `source` outside."""
    source = f"{OLD}{source}"
    if os.path.isdir(source):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    kernel.mount(source, place, None, kernel.MS_BIND | kernel.MS_REC)
    kernel.restrict_mount(place, flags)
