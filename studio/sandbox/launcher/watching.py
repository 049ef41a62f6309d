"""What a jail uses up beyond what the kernel bounds: memory and disk of all its processes together."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from plan import Plan

MB = 1024 * 1024
LOOK_EVERY_S = 0.5
BY_SIGNAL = 128
TOO_MUCH = BY_SIGNAL + signal.SIGKILL


def watch(plan: Plan, child: int) -> int:
    """Wait until the program ends, and end it when it uses up too much; returns how it ended."""
    pass_on_termination(child)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    free = _free(plan)
    while True:
        ended = _ended(child)
        if ended is not None:
            return ended
        if signal.sigtimedwait({signal.SIGCHLD}, LOOK_EVERY_S) is None:
            complaint = _complaint(plan, free)
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


def _complaint(plan: Plan, free_before: int) -> str:
    if _memory_mb(plan) > plan.memory_mb:
        return f"it used more than {plan.memory_mb} MB of memory"
    if free_before - _free(plan) > plan.disk_mb * MB and _written_mb(plan) > plan.disk_mb:
        return f"its folders hold more than {plan.disk_mb} MB"
    return ""


def _memory_mb(plan: Plan) -> int:
    """Of all processes of the jail; shared pages are counted once where the quick sum looks like too much."""
    if not plan.has_namespaces:
        return 0
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    quick = sum(_resident_mb(name) for name in processes)
    return quick if quick <= plan.memory_mb else sum(_share_mb(name) for name in processes)


def _resident_mb(process: str) -> int:
    with suppress(OSError), open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // MB
    return 0


def _share_mb(process: str) -> int:
    with suppress(OSError), open(f"/proc/{process}/smaps_rollup") as file:
        return next((int(line.split()[1]) // 1024 for line in file if line.startswith("Pss:")), 0)
    return _resident_mb(process)


def _free(plan: Plan) -> int:
    """Bytes that are free where the folder lies."""
    found = os.statvfs(plan.folder)
    return found.f_bavail * found.f_frsize


def _written_mb(plan: Plan) -> int:
    size = 0
    for place in plan.writable:
        for _, _, files, folder in os.fwalk(place, follow_symlinks=False):
            for name in files:
                with suppress(OSError):
                    size += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * 512
    return size // MB


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
