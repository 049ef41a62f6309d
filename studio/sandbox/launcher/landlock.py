"""Landlock: which files a process and its children may touch, whom they may signal, and that they use no TCP."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

import kernel

SYS_CREATE_RULESET, SYS_ADD_RULE, SYS_RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
READING = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that mean something for a file; the others are of folders."""
COUNT_OF_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""By version of the interface: each new right is the next bit."""
OLDEST = 3
"""The first version that knows truncation."""
HAS_TCP, HAS_SCOPES = 4, 6
TCP = 1 | 2
ABSTRACT_SOCKETS, SIGNALS = 1, 2


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`."""

    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class PathBeneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Of the kernel's interface; 0 where it has none."""
    try:
        return kernel.syscall(SYS_CREATE_RULESET, "landlock", None, ctypes.c_size_t(0), CREATE_RULESET_VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str], *, is_alone: bool) -> None:
    """Let this process and its children touch nothing else, and signal none but themselves where the kernel can.

    Args:
        readable: What they may read and execute.
        writable: What they may change.
        is_alone: Whether files and network are the jail's own: then all folders may be listed, else there is no TCP.

    Raises:
        OSError: The kernel refuses, or has no Landlock.
    """
    known = version()
    if known < OLDEST:
        raise OSError(f"Landlock of this kernel has version {known}, which is too old")
    every = (1 << COUNT_OF_RIGHTS.get(known, 16)) - 1
    scopes = ABSTRACT_SOCKETS | SIGNALS if known >= HAS_SCOPES else 0
    rules = Ruleset(files=every, net=TCP if not is_alone and known >= HAS_TCP else 0, scoped=scopes)
    size = ctypes.c_size_t(24 if known >= HAS_SCOPES else 16 if known >= HAS_TCP else 8)
    ruleset = kernel.syscall(SYS_CREATE_RULESET, "landlock_create_ruleset", ctypes.byref(rules), size, 0)
    if is_alone:
        _allow(ruleset, "/", READ_DIR)
    for path in readable:
        _allow(ruleset, path, READING & every)
    for path in writable:
        _allow(ruleset, path, every)
    kernel.no_new_privileges()
    kernel.syscall(SYS_RESTRICT_SELF, "landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= OF_FILES
    rule = PathBeneath(rights=rights, parent=place)
    kernel.syscall(SYS_ADD_RULE, f"landlock {path}", ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(place)
