"""The one rule for files and folders that a team names: where they may lie, and what a person is told of them.

A relative name lies in the team's own folder, never in the one that the server was started in. What the studio is made
of, what it keeps, the system, homes and their settings are refused, whatever way of writing leads there.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from studio.components.capability import Capability
from studio.errors import ConfigError

Use = Literal["read", "write"]
"""Whoever may write in a folder may read there, too; not the other way round."""

PACKAGE = Path(__file__).resolve().parents[1]
PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/homebrew", "/nix/store", "/gnu/store")
"""Of the system, which nobody changes."""
SETTINGS_OF_THE_MACHINE = (
    "/boot",
    "/dev",
    "/etc",
    "/proc",
    "/root",
    "/run",
    "/sys",
    "/var/backups",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/mail",
    "/var/spool",
    "/private/etc",
    "/private/var/db",
    "/Library",
    "/System",
)
"""Neither read nor changed."""
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp")
"""Folders of all programs, which are given to nobody as a whole."""
HOMES = ("/home", "/Users")
FIRST_PERSON = 1000
"""User ids below belong to services."""
PROGRAMS_IN_A_HOME = (
    ".bun",
    ".cache",
    ".cargo/bin",
    ".deno",
    ".local/bin",
    ".local/lib",
    ".local/share/pipx",
    ".local/share/uv",
    ".npm",
    ".npm-global",
    ".nvm",
    ".pyenv",
)
"""What may be read of a home's hidden folders: programs and downloads. The others hold keys and settings."""
OWN_FOLDER = "the team's own folder"
FIX = "Choose another folder. A relative path is inside the team's own folder."


class FolderRefused(ConfigError):
    """A team names a file or folder that it must not have."""

    code = "folder_refused"


@dataclass(frozen=True)
class FolderRules:
    """What holds in the runs of a server, and of `studio run`.

    Args:
        own: The folder of the team that runs, in which relative names lie.
        databases: Another one of it, which no code may change: some packages run what they find in their database, and
            a browser what lies in its profile.
        private: Files and folders of the studio itself. What is in `own` is the team's all the same.
        approved: Hashes of all that a person approved for this run.
    """

    own: Path
    databases: Path
    private: tuple[Path, ...] = ()
    approved: frozenset[str] = frozenset()


folder_rules: ContextVar[FolderRules | None] = ContextVar("studio_folder_rules", default=None)
"""The rules of the run that is under way here. None in a person's own script: there a name means what it means to any
program, for the script could open the same files itself."""


def resolve_folder(path: str, use: Use, asked: Iterable[Capability]) -> Path:
    """The real, absolute place of a file or folder that a team names. It need not exist.

    Args:
        path: As the team has it.
        use: What is done there.
        asked: What the component asks for, with the place as `describe_folder` tells it. All of it must be approved as
            it is now: a link may lead elsewhere than when a person decided.

    Raises:
        FolderRefused: It must not be used.
    """
    rules = folder_rules.get()
    try:
        around = "" if rules is None else rules.own
        place = os.path.realpath(os.path.join(around, os.path.expanduser(path)))
    except (OSError, ValueError) as error:
        raise FolderRefused(f"{path!r} is not a folder path: {error}.", fix=FIX) from error
    if rules is None:
        return Path(place)
    own = os.path.realpath(rules.own)
    if not lies_in(place, own):
        if not _is_absolute(path):
            raise FolderRefused(f"{path!r} is outside the team's own folder {own!r}.", fix=FIX)
        require_allowed(place, use, rules.private)
    if any(each.hash not in rules.approved for each in asked):
        raise FolderRefused(
            f"{path!r} now leads to {place!r}, which was not approved.", fix="Review the permissions of the team again."
        )
    return Path(place)


def make_folder(path: str, asked: Iterable[Capability]) -> Path:
    """The folder of that name for a team to write in, made if need be; see `resolve_folder`.

    Raises:
        FolderRefused: It must not be used, or cannot be made.
    """
    place = resolve_folder(path, "write", asked)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderRefused(f"The folder {str(place)!r} cannot be created: {error.strerror}.", fix=FIX) from error
    if os.path.realpath(place) != str(place):
        raise FolderRefused(f"{str(place)!r} was replaced by a link.", fix=FIX)
    return place


def resolve_database(path: str, asked: Iterable[Capability]) -> Path:
    """The place of a database that a package keeps in the studio's process, or of a browser's profile, made if need be
    but for its last part.

    Args:
        path: As the team has it. It is relative: anywhere else code could leave what the package then runs.
        asked: As for `resolve_folder`, with the place as `database_capability` tells it.

    Raises:
        FolderRefused: It is not relative, leads elsewhere, or was not approved.
    """
    rules = folder_rules.get()
    if rules is None:
        return Path(path)
    if _is_absolute(path) or ".." in Path(path).parts or "\0" in path:
        raise FolderRefused(
            f"{path!r} cannot hold a database or a browser profile: code could change it there.",
            fix="Use a relative path.",
        )
    if any(each.hash not in rules.approved for each in asked):
        raise FolderRefused(f"{path!r} was not approved.", fix="Review the permissions of the team again.")
    place = rules.databases / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def database_capability(path: str, text: str) -> Capability:
    """What a component asks for that keeps what `resolve_database` is for; `{}` in the sentence is its place."""
    place = describe_folder(path) if _is_absolute(path) else f"{os.path.normpath(path)} among the team's databases"
    return Capability("file", text.format(place), f"write {place}")


def describe_folder(path: str) -> str:
    """Where a folder that a team names is, for a person who decides and in the exact thing that is approved.

    It is the real, absolute path. A relative name stays as it is, since each team has a folder of its own.
    """
    try:
        if _is_absolute(path):
            return os.path.realpath(os.path.expanduser(path))
    except (OSError, ValueError):
        return path  # no name of a folder: refused when it is used
    inner = os.path.normpath(path)
    return OWN_FOLDER if inner == "." else f"{inner} in {OWN_FOLDER}"


def file_capability(use: Use, path: str, text: str) -> Capability:
    """What a component asks for that reads or writes in a folder.

    Args:
        use: What it does there.
        path: As the team has it.
        text: The sentence; `{}` stands for the place.
    """
    place = describe_folder(path)
    return Capability("file", text.format(place), f"{use} {place}")


def may_have(place: Path, use: Use = "read") -> bool:
    """Whether a team may have a real, absolute place."""
    rules = folder_rules.get()
    try:
        require_allowed(str(place), use, rules.private if rules else ())
    except FolderRefused:
        return False
    return True


def private_entries() -> frozenset[tuple[int, int]]:
    """Device and number of what the studio keeps, by which it is known under any other name, as over a mount."""
    rules = folder_rules.get()
    found: set[tuple[int, int]] = set()
    for part in rules.private if rules else ():
        found |= _identity(str(part))
        if part.is_dir():
            found.update(number for entry in os.scandir(part) for number in _identity(entry.path))
    return frozenset(found)


def require_allowed(place: str, use: Use, private: Iterable[Path] = ()) -> None:
    """Raise FolderRefused for a place that contains, is, or lies in what no team may have.

    Args:
        place: Absolute, without links.
        use: What is to be done there.
        private: What the studio keeps, beside what it is made of.
    """
    doing = "change" if use == "write" else "read"
    for part in private:
        if _overlaps(place, os.path.realpath(part)):
            raise FolderRefused(f"A team may not {doing} {place!r}: the studio's own data is there.", fix=FIX)
    if use == "write":
        for part in made_of():
            if _overlaps(place, part):
                raise FolderRefused(f"A team may not change {place!r}: the studio runs from {part!r}.", fix=FIX)
    temporary = os.path.realpath(tempfile.gettempdir())
    if place != temporary and lies_in(place, temporary) and not lies_in(_home(), temporary):
        return
    if problem := _problem_of_machine(place, use, temporary):
        raise FolderRefused(f"A team may not {doing} {place!r}: {problem}.", fix=FIX, where=place)


@cache
def made_of() -> tuple[str, ...]:
    """Where the studio runs from: its code and pages, its Python with all packages, and the programs that it starts."""
    paths = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *(paths[name] for name in names)}
    checkout = {str(PACKAGE.parent)} if (PACKAGE.parent / "pyproject.toml").is_file() else set[str]()
    programs = {path for path in os.get_exec_path() if os.path.isabs(path)}
    found = {os.path.realpath(path) for path in {*PROGRAMS, str(PACKAGE), *python, *checkout, *programs}}
    return tuple(sorted(path for path in found if path != "/" and os.path.exists(path)))


def lies_in(place: str, folder: str) -> bool:
    """Whether it is the folder, or something in it."""
    return f"{place}/".startswith(f"{folder.rstrip('/')}/")


def _is_absolute(path: str) -> bool:
    return os.path.isabs(os.path.expanduser(path))


def _problem_of_machine(place: str, use: Use, temporary: str) -> str:
    """Why nobody gets a place of the machine; empty for one that a team may have."""
    if any(lies_in(shared, place) for shared in (temporary, *map(os.path.realpath, TEMPORARY))):
        return "it contains the temporary files of all programs"
    home = _home()
    if lies_in(home, place) or _is_same(place, home):
        return "it contains a whole home folder"
    if use == "write" and str(Path(place).parent) in ("/", "/usr"):
        return "it is a system folder"
    if home != "/" and lies_in(place, home):
        inner = os.path.relpath(place, home)
        is_program = use == "read" and any(lies_in(inner.casefold(), part) for part in PROGRAMS_IN_A_HOME)
        return "programs store keys and settings there" if inner.startswith(".") and not is_program else ""
    if any(_overlaps(place, other) for other in _homes_of_others(place, home)):
        return "it is in another user's home folder"
    if any(_overlaps(place, os.path.realpath(part)) for part in SETTINGS_OF_THE_MACHINE):
        return "it is a system folder"
    return ""


def _home() -> str:
    return os.path.realpath(Path.home())


def _homes_of_others(place: str, home: str) -> Iterator[str]:
    for folder in HOMES:
        inner = os.path.relpath(place, folder)
        if place != folder and lies_in(place, folder):
            yield os.path.join(folder, inner.split(os.sep)[0])
        elif lies_in(folder, place):
            yield folder
    if sys.platform != "win32":
        import pwd

        yield from (
            user.pw_dir for user in pwd.getpwall() if user.pw_uid >= FIRST_PERSON and user.pw_dir not in ("", "/", home)
        )


def _overlaps(place: str, other: str) -> bool:
    """Whether one is the other, or lies in it; also by another spelling where case does not count, or over a mount."""
    if lies_in(place, other) or lies_in(other, place):
        return True
    return bool(_identity(other) & _identities_up(place)) or bool(_identity(place) & _identities_up(other))


def _is_same(place: str, other: str) -> bool:
    return bool(_identity(place) & _identity(other))


def _identity(place: str) -> frozenset[tuple[int, int]]:
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return frozenset()
    return frozenset({(found.st_dev, found.st_ino)})


def _identities_up(place: str) -> frozenset[tuple[int, int]]:
    """Of a place and of all folders around it, but the root, which is around everything."""
    above = [str(each) for each in (Path(place), *Path(place).parents) if str(each) != "/"]
    return frozenset[tuple[int, int]]().union(*map(_identity, above))
