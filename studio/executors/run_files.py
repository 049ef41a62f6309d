"""Files between a run and the folder of its code: those of the run come in, what the code writes is kept with the run.

The folder belongs to foreign code: nothing there is followed, and nothing is read that is no plain file.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path, PurePath
from typing import Protocol

from studio.executors.scripts import MADE_UP
from studio.files import Attachment

MAX_FILES = 20
"""That are kept of one execution."""
MAX_FILE_MB = 50
MAX_SEEN = 10_000
"""Files of a folder that are looked at."""
MAX_NOTED = 10
READ_BYTES = 256 * 1024
MB = 1024 * 1024
NOT_KEPT = "[Not kept with the run: {}]"
_OWN = frozenset({"__pycache__", "packages", "needed", "kernel.json"})
"""What the studio and Python put into a folder by themselves."""

Mark = tuple[int, int, int]
"""By which a changed file is known: its inode, size and time."""


class RunFiles(Protocol):
    """The files of the run that is under way."""

    async def bring_in(self, folder: Path, *, after: int) -> int:
        """Put those into a folder that are not there yet, and return the number of the last one.

        Args:
            folder: Of the code.
            after: The last one that was brought before; 0 brings all.
        """
        ...

    async def keep(self, name: str, content: AsyncGenerator[bytes], agent: str) -> Attachment | None:
        """Keep what the code of an agent has written; None where the run has too many files already."""
        ...


current_run_files: ContextVar[RunFiles | None] = ContextVar("studio_run_files", default=None)
"""Those of the run whose code is executed here. The run's driver sets it; empty elsewhere."""


@dataclass
class _Found:
    """New and changed files, open to be read, and what is said of others."""

    files: list[tuple[str, FileIO]] = field(default_factory=list[tuple[str, FileIO]])
    left_out: list[str] = field(default_factory=list[str])


async def marks_in(folder: Path) -> Mapping[str, Mark]:
    """What the files of a folder are before code runs there."""
    return await asyncio.to_thread(lambda: {name: mark for name, _, mark in _walk(folder)})


async def keep_changed(
    files: RunFiles, folder: Path, before: Mapping[str, Mark], agent: str
) -> tuple[Sequence[Attachment], str]:
    """Keep the files that are not as they were before, and say which were left out.

    Args:
        files: Of the run.
        folder: Of the code.
        before: As `marks_in` gave it.
        agent: Whose code it was.
    """
    kept = list[Attachment]()
    with ExitStack() as opened:
        found = await asyncio.to_thread(_changed, folder, before, opened)
        for name, file in found.files:
            attachment = await files.keep(name, _parts(file), agent)
            if attachment is None:
                found.left_out.append(f"{name} (the run has too many files)")
            else:
                kept.append(attachment)
    noted, more = found.left_out[:MAX_NOTED], len(found.left_out) - MAX_NOTED
    noted += [f"{more} more"] if more > 0 else []
    return kept, NOT_KEPT.format(", ".join(noted)) if noted else ""


def _changed(folder: Path, before: Mapping[str, Mark], opened: ExitStack) -> _Found:
    found = _Found()
    for name, handle, mark in _walk(folder):
        if before.get(name) == mark:
            continue
        size = mark[1]
        if size > MAX_FILE_MB * MB:
            found.left_out.append(f"{name} ({size // MB} MB is over {MAX_FILE_MB} MB)")
        elif len(found.files) >= MAX_FILES:
            found.left_out.append(f"{name} (over {MAX_FILES} files)")
        elif (file := _open_plain(PurePath(name).name, handle)) is not None:
            found.files.append((name, opened.enter_context(file)))
    return found


def _walk(folder: Path) -> Iterator[tuple[str, int, Mark]]:
    """The plain files below a folder, each with the handle of the folder it lies in, which is open until the next."""
    seen = 0
    for place, folders, names, handle in os.fwalk(folder, follow_symlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _OWN)
        for name in sorted(names):
            seen += 1
            if seen > MAX_SEEN:
                return
            if name.startswith((".", MADE_UP)) or name in _OWN:
                continue
            try:
                now = os.stat(name, dir_fd=handle, follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            if stat.S_ISREG(now.st_mode):
                path = PurePath(place).relative_to(folder) / name
                yield path.as_posix(), handle, (now.st_ino, now.st_size, now.st_mtime_ns)


def _open_plain(name: str, handle: int) -> FileIO | None:
    try:
        file = FileIO(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle))
    except OSError:  # gone meanwhile, or something else has its name
        return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    return None


async def _parts(file: FileIO) -> AsyncGenerator[bytes]:
    """Its content, up to the bound, though it may grow while it is read."""
    left = MAX_FILE_MB * MB
    while left and (part := await asyncio.to_thread(file.read, min(READ_BYTES, left))):
        left -= len(part)
        yield part
