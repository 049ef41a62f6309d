"""What one jailed program may see, change, reach and use up."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from studio.components.folders import PACKAGE

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
CONFIGURATION = (
    "alternatives",
    "ca-certificates",
    "crypto-policies",
    "fonts",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
"""Of /etc, what programs read to do their work; neither passwords nor keys, nor the set-up of other services."""
PRIVATE = (Path("/etc/ssl/private"), Path("/etc/pki/tls/private"))
"""Where a system keeps its private keys; no code is shown them."""


PARTS_OF_PROGRAMS = ("bin", "lib", "share/uv", "share/pipx")


@dataclass(frozen=True)
class Quota:
    """How much one jail may use up, all its processes together where nothing else is said."""

    memory_mb: int = 2048
    """Also what one process may set aside for itself."""
    address_space_mb: int | None = None
    """Of one process. None for no bound: Node.js sets aside far more than it uses."""
    processes: int = 128
    """With threads, which the kernel counts alike."""
    file_mb: int = 512
    """Of one file."""
    disk_mb: int = 1024
    """Of what is written to its folder and to its temporary ones."""
    files: int = 100_000
    """In its folder and the temporary ones: an empty file takes memory, too."""
    open_files: int = 1024
    """Of one process."""
    all_open_files: int = 4096
    """Of all together: what waits in a pipe or socket is held by the kernel."""
    cpu_s: int | None = None
    """Of one process."""


@dataclass(frozen=True)
class ServerPaths:
    """What holds for the code of every team.

    Args:
        readable: Files and folders that it may read.
        hidden: Folders of the studio that it is never given, and its private key.
        files: Files of the studio that lie elsewhere, such as its database: no team gets a folder that holds one.
        work: The folder in one of the hidden ones in which each team has its own. None for a person's own script,
            which may name any folder.
    """

    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    work: Path | None = None


NOTHING = ServerPaths()


@dataclass(frozen=True)
class Policy:
    """What a jailed program may do beside reading the system's programs and the studio's Python.

    Args:
        folder: Its working directory and home, which it may change. It must exist.
        is_folder_kept: Whether what it writes there stays. Else the folder is an empty one in memory, where the jail
            can do that, and whoever made the folder removes it.
        readable: Further files and folders to read and execute.
        writable: Further folders to change.
        hosts: Names, `name:port` or `*`: what it may reach through the proxy. Empty for no network at all.
        quota: How much it may use up.
        has_memory_files: Whether it may make files that only memory holds, as a browser must. They are counted only
            where they are mapped.
    """

    folder: Path
    is_folder_kept: bool = True
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    hosts: tuple[str, ...] = ()
    quota: Quota = field(default_factory=Quota)
    has_memory_files: bool = False

    def beside(self, outside: ServerPaths) -> Policy:
        """The same with what every program may read."""
        return replace(self, readable=(*self.readable, *outside.readable))

    def all_readable(self) -> list[str]:
        """Every place to read, the usual ones included: those that exist, without those inside of others."""
        asked = [*usual_places(), *(str(path) for path in self.readable)]
        return outermost([place for path in asked for place in ways_to(path)])

    def all_writable(self) -> list[str]:
        """The folders to change, its own first."""
        return [os.path.realpath(path) for path in (self.folder, *self.writable)]


@cache
def usual_places() -> tuple[str, ...]:
    """Programs and libraries of the system, Python with its packages, and the studio's own code."""
    paths = sysconfig.get_paths()
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *(paths[name] for name in ("stdlib", "purelib", "platlib"))}
    return (*SYSTEM, *(f"/etc/{name}" for name in CONFIGURATION), *sorted(python), str(PACKAGE))


def ways_to(path: str) -> Iterator[str]:
    """The path and, where links lead elsewhere, the place that they lead to; nothing where there is none."""
    if os.path.exists(path):
        yield os.path.abspath(path)
        yield os.path.realpath(path)


def outermost(places: list[str]) -> list[str]:
    """The places without those that lie inside of another one."""
    kept: list[str] = []
    for place in sorted(set(places)):
        if not kept or not f"{place}/".startswith(f"{kept[-1]}/"):
            kept.append(place)
    return kept


def place_of(program: str) -> tuple[Path, ...]:
    """Where a program that is found by its name lies, with what belongs to it; empty for those that are not found.

    It is the folder above `bin`. Of one that lies right in a home only what programs are made of: the home itself
    belongs to a person, and `~/.local` and the like also hold what people and other programs have written.
    """
    found = shutil.which(program)
    if found is None:
        return ()
    folders = {Path(found).absolute().parent, Path(os.path.realpath(found)).parent}
    return tuple(sorted({place for folder in folders for place in _around(folder)}))


def _around(folder: Path) -> tuple[Path, ...]:
    """What to show of the surroundings of a folder with programs."""
    home = Path.home()
    if folder == home or folder in home.parents:
        return ()
    above = folder.parent if folder.name == "bin" else folder
    if above == home or above in home.parents:
        return (folder,)
    if above.parent == home:
        return tuple(above / name for name in PARTS_OF_PROGRAMS if (above / name).exists())
    return (above,)
