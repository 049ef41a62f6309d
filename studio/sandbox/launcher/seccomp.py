"""A filter of system calls: none that reach into other processes, the kernel or new namespaces, or hold memory that
belongs to no process.

Source: seccomp(2), and `asm/unistd.h` of the two architectures for the numbers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

import kernel

PR_SET_SECCOMP = 22
MODE_FILTER = 2
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE = 0, 4
X32_BIT = 0x40000000

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

REFUSED = {
    # name: number of x86_64, number of aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "quotactl": (179, 60),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "quotactl_fd": (443, 443),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_send_signal": (424, 424),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
SHARED_WITH_OTHERS = {
    "setsid": (112, 157),
    "setpgid": (109, 154),
}
"""Refused where there are no namespaces: what would leave the session."""
MEMORY_FILES = {"memfd_create": (319, 279), "memfd_secret": (447, 447)}
"""What they make is in memory as long as it is open, and counts for no process."""
TOUCHING_ONE = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
}
"""Their first argument is a process or thread: the process that watches over the others is none that they may touch."""
PRLIMIT = (302, 261)
SETPRIORITY, OF_A_PROCESS = (141, 140), 0
IOPRIO_SET, IO_OF_A_PROCESS = (251, 30), 1
"""Their second argument is the process, where the first does not name a group or a user."""

CLONE, CLONE3, SOCKET, IOCTL = (56, 220), (435, 435), (41, 198), (16, 29)
WORD = 0xFFFFFFFF
NEW_NAMESPACES = 0x7E020080
"""The flags CLONE_NEW* of clone(2)."""
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
NETLINK_ROUTE = 0
"""Tells the addresses of the jail's own network, which libraries want to know."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type into the terminal of somebody else."""


def restrict(*, has_namespaces: bool, has_memory_files: bool = False, watcher: int = 1) -> None:
    """Filter the calls of this process and its children.

    Args:
        has_namespaces: Whether network and processes are their own; without that there are no sockets at all, but
            pairs of them, and nothing that leaves the session.
        has_memory_files: Whether files in memory may be made.
        watcher: The process that watches over these.

    Raises:
        OSError: The kernel refuses, or the machine has another architecture.
    """
    program = filter_program(
        os.uname().machine, has_namespaces=has_namespaces, has_memory_files=has_memory_files, watcher=watcher
    )
    buffer = ctypes.create_string_buffer(program, len(program))
    packed = struct.pack("HL", len(program) // 8, ctypes.addressof(buffer))
    kernel.no_new_privileges()
    kernel.checked(
        kernel.LIBC.prctl(PR_SET_SECCOMP, ctypes.c_ulong(MODE_FILTER), packed, ctypes.c_ulong(0), ctypes.c_ulong(0)),
        "seccomp",
    )


def filter_program(machine: str, *, has_namespaces: bool, has_memory_files: bool = False, watcher: int = 1) -> bytes:
    """The filter as the kernel takes it: `struct sock_filter` after `struct sock_filter`.

    Raises:
        OSError: The machine has another architecture.
    """
    if machine not in ARCHITECTURES:
        raise OSError(f"no filter of system calls is known for {machine}")
    column = list(ARCHITECTURES).index(machine)
    lines = [_load(ARCHITECTURE), *_unless(EQUAL, ARCHITECTURES[machine], KILL_PROCESS), _load(NUMBER)]
    if machine == "x86_64":
        lines += _when(AT_LEAST, X32_BIT, _refuse(errno.ENOSYS))
    refused = REFUSED if has_namespaces else {**REFUSED, **SHARED_WITH_OTHERS}
    for numbers in refused.values():
        number = numbers[column]
        if number is not None:
            lines += _when(EQUAL, number, _refuse(errno.EPERM))
    if not has_memory_files:
        for numbers in MEMORY_FILES.values():
            lines += _when(EQUAL, numbers[column], _refuse(errno.ENOSYS))  # programs know another way then
    reaching = (watcher, -watcher & WORD, -1 & WORD)  # by itself, by its group, and with all others
    is_watcher = [line for each in reaching for line in _when(EQUAL, each, _refuse(errno.EPERM))]
    for numbers in TOUCHING_ONE.values():
        lines += _argument(numbers[column], 0, is_watcher)
    lines += _argument(PRLIMIT[column], 0, _unless(EQUAL, 0, _refuse(errno.EPERM)))
    for numbers, only in ((SETPRIORITY, OF_A_PROCESS), (IOPRIO_SET, IO_OF_A_PROCESS)):
        lines += _argument(numbers[column], 0, _unless(EQUAL, only, _refuse(errno.EPERM)))
        lines += _argument(numbers[column], 1, is_watcher)
    lines += _when(EQUAL, CLONE3[column], _refuse(errno.ENOSYS))  # the C library takes clone then, whose flags show
    lines += _argument(CLONE[column], 0, _when(ANY_BIT, NEW_NAMESPACES, _refuse(errno.EPERM)))
    lines += _argument(
        IOCTL[column], 1, [line for each in TERMINAL_INPUT for line in _when(EQUAL, each, _refuse(errno.EPERM))]
    )
    families = (AF_UNIX, AF_INET, AF_INET6) if has_namespaces else ()
    allowed = [line for family in families for line in _when(EQUAL, family, ALLOW)]
    if has_namespaces:
        route = [_load(_offset(2)), *_when(EQUAL, NETLINK_ROUTE, ALLOW)]
        allowed += [_line(EQUAL, AF_NETLINK, 0, len(route)), *route]
    lines += _argument(SOCKET[column], 0, [*allowed, _return(_refuse(errno.EACCES))])
    return b"".join([*lines, _return(ALLOW)])


def _refuse(number: int) -> int:
    return ERRNO | number


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _line(LOAD, offset)


def _offset(argument: int) -> int:
    """Where `struct seccomp_data` has the lower half of an argument."""
    return 16 + 8 * argument


def _return(verdict: int) -> bytes:
    return _line(RETURN, verdict)


def _when(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 0, 1), _return(verdict)]


def _unless(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 1, 0), _return(verdict)]


def _argument(number: int, which: int, lines: list[bytes]) -> list[bytes]:
    """Look with `lines` at the lower half of an argument of that call, then at the number again."""
    within = [_load(_offset(which)), *lines, _load(NUMBER)]
    return [_line(EQUAL, number, 0, len(within)), *within]
