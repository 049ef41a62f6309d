"""The system calls that Python 3.11 does not have."""

from __future__ import annotations

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 1, 4, 38, 24
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
SYS_MOUNT_SETATTR = 442
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}


class MountAttributes(ctypes.Structure):
    """`struct mount_attr`."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def checked(result: int, what: str) -> int:
    """The result of a call.

    Raises:
        OSError: It failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, what: str, *arguments: object) -> int:
    """Make a system call by its number."""
    return checked(LIBC.syscall(ctypes.c_long(number), *arguments), what)


def forget_arguments() -> None:
    """Let nobody read the command line of this process: the program sees that of the process which watches over it."""
    with open("/proc/self/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    first, end = int(fields[45]), int(fields[46])
    ctypes.memset(first, 0, end - first)


def unshare(flags: int) -> None:
    """Go on in new namespaces."""
    checked(LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount something; see mount(2)."""
    given = (os.fsencode(source), os.fsencode(target), kind and kind.encode(), ctypes.c_ulong(flags), data.encode())
    checked(LIBC.mount(*given), f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount out of sight; what is open there stays open."""
    checked(LIBC.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def restrict_mount(target: str, flags: int) -> None:
    """Add flags (`MS_RDONLY`, `MS_NOSUID`, `MS_NODEV`) to a mount and all below it."""
    attributes = MountAttributes(attr_set=flags)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = os.fsencode(target)
    given = (ctypes.c_int(AT_FDCWD), path, ctypes.c_uint(AT_RECURSIVE), ctypes.byref(attributes), size)
    syscall(SYS_MOUNT_SETATTR, f"mount_setattr {target}", *given)


def pivot_root(new: str, old: str) -> None:
    """Make a mount the root; the old one is at `old` then."""
    syscall(SYS_PIVOT_ROOT[os.uname().machine], "pivot_root", os.fsencode(new), os.fsencode(old))


def prctl(option: int, value: int, what: str) -> None:
    """Set an attribute of this process."""
    zero = ctypes.c_ulong(0)
    checked(LIBC.prctl(option, ctypes.c_ulong(value), zero, zero, zero), what)


def end_with_parent(signal_number: int) -> None:
    """Have the kernel send this process a signal when its parent ends. A change of the user forgets it."""
    prctl(PR_SET_PDEATHSIG, signal_number, "PR_SET_PDEATHSIG")


def no_new_privileges() -> None:
    """Let no program that is started from here have more rights than this one, setuid or not."""
    prctl(PR_SET_NO_NEW_PRIVS, 1, "PR_SET_NO_NEW_PRIVS")


def bound_capabilities() -> None:
    """Let nothing that is started from here gain a capability. It needs the right to do so, and does nothing else."""
    for capability in range(LAST_CAPABILITY + 1):
        LIBC.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), *[ctypes.c_ulong(0)] * 3)


def drop_capabilities() -> None:
    """Give up every capability, for good."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    syscall(SYS_CAPSET[os.uname().machine], "capset", ctypes.byref(header), ctypes.byref(none))
