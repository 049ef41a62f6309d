"""What a jail uses up beyond what the kernel bounds: memory and disk of all its processes together."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from jail_spec import JailSpec

MB = 1024 * 1024
LOOK_EVERY_S = 0.5
BY_SIGNAL = 128
IN_MEMORY = ("/tmp", "/dev/shm")
SHARED_AT = 4
"""Where a line of `maps`, behind its addresses, tells whether what is mapped is shared."""
TOO_MUCH = BY_SIGNAL + signal.SIGKILL


def watch(spec: JailSpec, child: int) -> int:
    """Wait until the program ends, and end it when it uses up too much; returns how it ended."""
    pass_on_termination(child)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    before = os.statvfs(spec.folder)
    while True:
        ended = _ended(child)
        if ended is not None:
            return ended
        if signal.sigtimedwait({signal.SIGCHLD}, LOOK_EVERY_S) is None:
            complaint = _complaint(spec, before)
            if complaint:
                print(f"The sandbox ended the program: {complaint}", file=sys.stderr, flush=True)
                return TOO_MUCH


def _ended(child: int) -> int | None:
    """How the program ended, None while it runs. Others that ended, whose parents are gone, are let go."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return TOO_MUCH
        if pid == 0:
            return None
        if pid == child:
            return ended_like(status)


def _complaint(spec: JailSpec, before: os.statvfs_result) -> str:
    if spec.has_namespaces:
        processes = [name for name in os.listdir("/proc") if name.isdigit()]
        if _memory_mb(spec, processes) > spec.memory_mb:
            return f"it used more than {spec.memory_mb} MB of memory"
        if sum(_open_files(spec, each) for each in processes) > spec.all_open_files:
            return f"it had more than {spec.all_open_files} files, pipes and sockets open"
    written_mb, files = _in_memory(spec)
    if _is_less_free(spec, before):
        on_disk_mb, files_on_disk = _written(spec)
        written_mb, files = written_mb + on_disk_mb, files + files_on_disk
    if written_mb > spec.disk_mb:
        return f"its folders hold more than {spec.disk_mb} MB"
    return f"its folders hold more than {spec.files} files" if files > spec.files else ""


def _memory_mb(spec: JailSpec, processes: Sequence[str]) -> int:
    """Of all processes of the jail; shared pages are counted once where the quick sum looks like too much."""
    shared = _shared_mb(spec, processes)
    quick = sum(map(_held_mb, processes)) + shared
    return quick if quick <= spec.memory_mb else sum(map(_share_mb, processes)) + shared


def _held_mb(process: str) -> int:
    """What a process has in memory or was moved out of it, and what the kernel needs to find that again."""
    return _sum_of_kb(f"/proc/{process}/status", "RssAnon:", "RssFile:", "VmSwap:", "VmPTE:", "HugetlbPages:") // 1024


def _share_mb(process: str) -> int:
    kilobytes = _sum_of_kb(f"/proc/{process}/smaps_rollup", "Pss_Anon:", "Pss_File:", "SwapPss:")
    return (kilobytes + _sum_of_kb(f"/proc/{process}/status", "VmPTE:")) // 1024 if kilobytes else _held_mb(process)


def _sum_of_kb(path: str, *names: str) -> int:
    """The sum of these figures."""
    with suppress(OSError), open(path) as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(names))
    return 0


def _shared_mb(spec: JailSpec, processes: Sequence[str]) -> int:
    """Memory that is mapped to be shared: all of it is held, whether a process has touched it lately or not.

    Of a process that hides what it has mapped, all could be that.
    """
    sizes: dict[str, int] = {}
    for process in processes:
        try:
            with open(f"/proc/{process}/maps") as file:
                for line in filter(_is_shared_memory, file):
                    place, _, _, device, inode, _ = line.split(maxsplit=5)
                    first, _, end = place.partition("-")
                    same = f"{device} {inode}"
                    sizes[same] = max(sizes.get(same, 0), int(end, 16) - int(first, 16))
        except PermissionError:
            if not spec.has_memory_files:
                sizes[process] = _sum_of_kb(f"/proc/{process}/status", "VmSize:") * 1024
        except OSError:
            continue  # it has ended
    return sum(sizes.values()) // MB


def _is_shared_memory(line: str) -> bool:
    is_without_file = line.endswith(" (deleted)\n") and ("/dev/zero" in line or "/memfd:" in line)
    return is_without_file and line[line.index(" ") + SHARED_AT] == "s"


def _open_files(spec: JailSpec, process: str) -> int:
    try:
        return len(os.listdir(f"/proc/{process}/fd"))
    except PermissionError:  # it hides them
        return 0 if spec.has_memory_files else spec.open_files
    except OSError:
        return 0


def _in_memory(spec: JailSpec) -> tuple[int, int]:
    """Megabytes and files in the folders that are in memory."""
    if not spec.has_namespaces:
        return 0, 0
    found = [os.statvfs(place) for place in (*IN_MEMORY, *([spec.folder] if spec.is_folder_new else []))]
    size = sum((one.f_blocks - one.f_bfree) * one.f_frsize for one in found)
    return size // MB, sum(one.f_files - one.f_ffree for one in found)


def _is_less_free(spec: JailSpec, before: os.statvfs_result) -> bool:
    """Whether so much is gone where the folder lies that what the jail has written there should be counted."""
    now = os.statvfs(spec.folder)
    bytes_gone = (before.f_bavail - now.f_bavail) * now.f_frsize
    return bytes_gone > spec.disk_mb * MB or before.f_ffree - now.f_ffree > spec.files


def _written(spec: JailSpec) -> tuple[int, int]:
    """Megabytes and files in all folders that the jail may change."""
    size = count = 0
    for place in spec.writable:
        for _, _, files, folder in os.fwalk(place, follow_symlinks=False):
            count += 1 + len(files)
            for name in files:
                with suppress(OSError):
                    size += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * 512
    return size // MB, count


def pass_on_termination(child: int) -> None:
    """Hand a request to end on to the child; an interruption reaches the program by its group."""

    def pass_on(number: int, frame: object) -> None:
        del frame
        with suppress(ProcessLookupError):
            os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def ended_like(status: int) -> int:
    """The exit code of the child, or as a shell tells of a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else BY_SIGNAL - code
