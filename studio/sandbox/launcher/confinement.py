"""The restrictions that a process takes on before it becomes the program."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import stat
import struct
from contextlib import suppress

import kernel
import landlock
import seccomp
import view
from jail_spec import JailSpec

MB = 1024 * 1024
SIOCSIFFLAGS = 0x8914
UP = 1 | 64
DEVICES = view.ALWAYS_WRITABLE[2:]
EASILY_ENDED = "1000"
OUR_OWN = 3
"""Processes of the launcher itself, which the kernel counts with those of the program."""


def volunteer() -> None:
    """Be the first that the kernel ends where the machine runs out of memory."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(EASILY_ENDED)


def give(spec: JailSpec) -> None:
    """As root: make the user of the jail the owner of the folders that it may change."""
    assert spec.user is not None
    for place in spec.writable:
        if spec.stage == "all" and spec.is_folder_new and place == spec.folder:
            continue
        owner = os.stat(place).st_uid
        if owner == spec.user:
            continue
        for _, names, files, folder in os.fwalk(place, follow_symlinks=False):
            _take_over(folder, "", (0, owner), spec.user)
            for name in (*names, *files):
                _take_over(folder, name, (0, owner), spec.user)


def _take_over(folder: int, name: str, owners: tuple[int, int], user: int) -> None:
    """Make the user the owner of an entry, or of the folder itself; what belongs to others, or is known by another
    name elsewhere, stays as it is."""
    with suppress(FileNotFoundError):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False) if name else os.fstat(folder)
        if found.st_uid not in owners or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            return
        if name:
            os.chown(name, user, user, dir_fd=folder, follow_symlinks=False)
        else:
            os.fchown(folder, user, user)


def become(user: int | None) -> None:
    """Become that user, without any other right."""
    kernel.bound_capabilities()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    kernel.no_new_privileges()
    kernel.drop_capabilities()


def raise_loopback() -> None:
    """Let programs talk with themselves over 127.0.0.1 of their own network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", UP, b""))


def hold(spec: JailSpec) -> None:
    """Take on all restrictions, the last ones last.

    Raises:
        OSError: The kernel refuses one of them.
    """
    _limit(spec)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    is_alone = spec.has_namespaces
    readable = [*spec.readable, *(view.ALWAYS_READABLE if is_alone else ())]
    writable = [*spec.writable, *(view.ALWAYS_WRITABLE if is_alone else DEVICES)]
    landlock.restrict(readable, writable, is_alone=is_alone)
    seccomp.restrict(has_namespaces=is_alone, has_memory_files=spec.has_memory_files, watcher=os.getppid())


def _limit(spec: JailSpec) -> None:
    others = 0 if spec.has_namespaces or spec.user is not None else _processes_of_this_user()
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_DATA: spec.memory_mb * MB,
        resource.RLIMIT_FSIZE: spec.file_mb * MB,
        resource.RLIMIT_NOFILE: spec.open_files,
        resource.RLIMIT_NPROC: spec.processes + others + OUR_OWN,
        resource.RLIMIT_AS: spec.address_space_mb and spec.address_space_mb * MB,
        resource.RLIMIT_CPU: spec.cpu_s,
    }
    for which, most in limits.items():
        if most is None:
            continue
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (value, value))


def _processes_of_this_user() -> int:
    """With their threads: the kernel counts them together with those of the jail, where it has no namespaces."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == os.geteuid():
                count += len(os.listdir(f"/proc/{name}/task"))
    return count
