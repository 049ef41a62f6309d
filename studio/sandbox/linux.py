"""The jails of Linux. Both end in the studio's launcher, which holds the program by Landlock and a filter of calls."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.components.folders import FolderRefused, lies_in, require_allowed
from studio.sandbox.jail import JailUnavailable
from studio.sandbox.policy import NOTHING, PRIVATE, Policy, ServerPaths

LAUNCHER = str(Path(__file__).with_name("launcher"))
START = (sys.executable, "-I", "-S", LAUNCHER)
FIRST_USER = 0x5000_0000
"""Of the users that a studio of root gives to its jails; far from those of people and of containers."""
MAX_USERS = 0x0FFF_FFFF
MIN_IDS = 65_536
"""What a container has at least where it has users of its own."""
MADE = {"/", "/tmp", "/dev", "/proc"}
MB = 1024 * 1024
ELSEWHERE = "Choose another folder, or another `STUDIO_DATA_DIR` for the studio."


@dataclass(frozen=True)
class LandlockJail:
    """Namespaces, a view of the files, Landlock, a filter of system calls and limits, by the studio's own launcher.

    Args:
        has_namespaces: Whether the kernel allows them here. Without them there are no sockets at all, and a new
            folder is not in memory.
        outside: What holds for all policies.
    """

    has_namespaces: bool = True
    outside: ServerPaths = NOTHING
    name = "landlock"
    is_confining = True

    def command(self, argv: Sequence[str], policy: Policy) -> list[str]:
        if policy.hosts and not self.has_namespaces:
            raise JailUnavailable(
                "Code with approved hosts cannot run here: the kernel does not allow the sandbox its own network.",
                fix="Allow user namespaces, or run the studio outside of a container.",
            )
        policy = policy.beside(self.outside)
        plan = plan_of(policy, "all", self.outside, has_namespaces=self.has_namespaces)
        return [*START, plan, "--", *argv]


@dataclass(frozen=True)
class BubblewrapJail:
    """The same with bubblewrap, where that is installed: it makes the namespaces and the view of the files."""

    program: str = "bwrap"
    outside: ServerPaths = NOTHING
    name = "bubblewrap"
    is_confining = True

    def command(self, argv: Sequence[str], policy: Policy) -> list[str]:
        policy = policy.beside(self.outside)
        plan = plan_of(policy, "inner", self.outside, has_namespaces=True)
        view = _view(policy, masked(policy, self.outside))
        return [self.program, *_namespaces(), *view, "--", *START, plan, "--", *argv]


def _namespaces() -> list[str]:
    shared = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
    if os.geteuid() != 0:
        return [*shared, "--unshare-user", "--as-pid-1"]  # of root a process without rights would outlive its parent
    needed = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE")
    return [*shared, "--cap-drop", "ALL", *(word for each in needed for word in ("--cap-add", each))]


def _view(policy: Policy, masks: Sequence[str]) -> list[str]:
    memory = ["--perms", "1777", "--size", str(policy.quota.disk_mb * MB), "--tmpfs"]
    readable, writable = policy.all_readable(), policy.all_writable()
    view = [*memory, "/tmp", "--proc", "/proc", "--dev", "/dev", *memory, "/dev/shm"]
    above = {str(parent) for place in (*readable, *writable) for parent in Path(place).parents}
    for folder in sorted(above - MADE):
        view += ["--perms", "0755", "--dir", folder]  # else only root could go through them
    for place in readable:
        view += ["--ro-bind", os.path.realpath(place), place]
    for place in masks:
        if not os.path.isdir(place):
            view += ["--ro-bind", "/dev/null", place]
            continue
        view += ["--tmpfs", place]
        for folder in sorted(above - MADE):
            view += ["--perms", "0755", "--dir", folder] if lies_in(folder, place) and folder != place else []
    for place in writable:
        is_new = not policy.is_folder_kept and place == os.path.realpath(policy.folder)
        view += [*memory, place] if is_new else ["--bind", place, place]
    return [*view, *(word for place in (*masks, "/") for word in ("--remount-ro", place))]


def plan_of(policy: Policy, stage: str, outside: ServerPaths, *, has_namespaces: bool) -> str:
    """What the launcher is told; see `launcher/plan.py`.

    Raises:
        JailUnavailable: The policy would open what must stay closed.
    """
    writable = policy.all_writable()
    refuse_wide(place for place in writable if not _is_of_a_team(place, outside))
    _refuse_owned_by_others(writable)
    masks = masked(policy, outside)
    if masks and not has_namespaces:
        raise JailUnavailable(f"Code may not read {masks[0]!r}, which contains the studio's own data.", fix=ELSEWHERE)
    plan = {
        "stage": stage,
        "has_namespaces": has_namespaces,
        "folder": writable[0],
        "is_folder_new": has_namespaces and not policy.is_folder_kept,
        "readable": policy.all_readable(),
        "masks": masks,
        "writable": writable,
        "user": user_for(Path(writable[0])),
        "has_memory_files": policy.has_memory_files,
        **asdict(policy.quota),
    }
    return json.dumps(plan)


def refuse_wide(writable: Iterable[str]) -> None:
    """Refuse folders that no code may change: the studio's own, the system's, homes and their settings.

    Raises:
        JailUnavailable: One of them is such a folder.
    """
    for place in writable:
        try:
            require_allowed(place, "write")
        except FolderRefused as error:
            raise JailUnavailable(error.what, fix=error.fix, where=place) from error


def masked(policy: Policy, outside: ServerPaths) -> list[str]:
    """The hidden folders and files that lie within readable ones.

    Raises:
        JailUnavailable: The program may change one of them, or was given what lies in it.
    """
    places = [os.path.realpath(place) for place in (*outside.hidden, *PRIVATE) if os.path.exists(place)]
    given = [*policy.all_writable(), *(os.path.realpath(path) for path in policy.readable)]
    for place in places:
        for asked in given:
            is_opened = lies_in(place, asked) and asked in policy.all_writable()
            if is_opened or (lies_in(asked, place) and not _is_of_a_team(asked, outside)):
                raise JailUnavailable(
                    f"Code may not have {asked!r}: the studio keeps its own data there.", fix=ELSEWHERE
                )
    return [place for place in places if any(lies_in(place, readable) for readable in policy.all_readable())]


def _is_of_a_team(place: str, outside: ServerPaths) -> bool:
    """Whether it lies in the own folder of some team."""
    work = os.path.realpath(outside.work) if outside.work else ""
    return work not in ("", place) and lies_in(place, work)


def _refuse_owned_by_others(writable: Iterable[str]) -> None:
    """Raises JailUnavailable where root would have to give away what belongs to somebody else.

    A jail of root has a user of its own, which becomes the owner of the folders that it may change.
    """
    if os.geteuid() != 0:
        return
    for place in writable:
        owner = os.stat(place).st_uid
        if owner != 0 and owner not in _users_of_jails():
            raise JailUnavailable(
                f"Code may not change {place!r}, which belongs to the user {owner}.",
                fix="Run the studio as that user, or choose another folder.",
                where=place,
            )


def user_for(folder: Path) -> int | None:
    """Whom a jail of root becomes: nobody else, and the same for the same folder. None for any other user."""
    if os.geteuid() != 0:
        return None
    users = _users_of_jails()
    return users[folder.stat().st_ino % len(users)]


def _users_of_jails() -> range:
    if _count_of_ids() > FIRST_USER + MAX_USERS:
        return range(FIRST_USER, FIRST_USER + MAX_USERS)
    return range(MIN_IDS // 2, MIN_IDS - 2)


def _count_of_ids() -> int:
    """How many users this process can become; a container may have few."""
    return sum(int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines())


def found_bubblewrap() -> str | None:
    """Where its program is."""
    return shutil.which("bwrap")


def is_linux() -> bool:
    return platform.system() == "Linux"
