"""Writes files into folders that foreign code may change, too: what it put in their way is not followed.

The studio writes with its own rights. A link that code left where the next script goes would have it write anywhere,
and a pipe there would make it wait forever.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from io import BytesIO
from pathlib import Path, PurePath
from typing import BinaryIO

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
MODE = 0o644


class OutsideWorkspace(ValueError):
    """A file is to be written that does not lie in the folder of the executor."""

    def __init__(self) -> None:
        super().__init__("Filename is not in the workspace")


def write_within(folder: Path, path: str, data: bytes | BinaryIO) -> Path:
    """Make a file anew, with the folders that it lies in, and return its full path.

    Args:
        folder: Exists, and is trusted itself.
        path: Relative to it. What is there by this name, also a link, is replaced.
        data: The content, or a file that it is read from.

    Raises:
        OutsideWorkspace: It leads out of the folder, through a link or otherwise, or names a folder.
    """
    parts = PurePath(path).parts
    if not parts or ".." in parts or os.path.isabs(path):
        raise OutsideWorkspace
    try:
        if os.open in os.supports_dir_fd:
            _write_below(folder, parts, data)
        else:
            _write(folder.joinpath(*parts), data)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise OutsideWorkspace from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OutsideWorkspace from error
        raise
    return folder.joinpath(*parts)


def _write_below(folder: Path, parts: tuple[str, ...], data: bytes | BinaryIO) -> None:
    """Go from folder to folder without following a link, whatever changes meanwhile."""
    *above, name = parts
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in above:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = below
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=handle)
        with open(os.open(name, NEW | os.O_NOFOLLOW, MODE, dir_fd=handle), "wb") as file:
            shutil.copyfileobj(_readable(data), file)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes | BinaryIO) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(_readable(data), file)


def _readable(data: bytes | BinaryIO) -> BinaryIO:
    return BytesIO(data) if isinstance(data, bytes) else data
