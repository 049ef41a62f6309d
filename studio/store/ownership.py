"""One server per data folder may drive runs; the operating system takes the lock back when a server dies."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from studio.errors import SetupError


@asynccontextmanager
async def own_folder(data_dir: Path) -> AsyncGenerator[None]:
    """Hold the folder's lock.

    Raises:
        SetupError: Another server holds it, or the folder cannot be written.
    """
    try:
        opened = (data_dir / "server.lock").open("a+")
    except OSError as error:
        raise SetupError(
            f"The data folder {str(data_dir)!r} cannot be written: {error.strerror}.",
            fix="Make it writable for the studio's user, or choose another with `STUDIO_DATA_DIR`.",
        ) from error
    with opened as file:
        try:
            _lock(file)
        except OSError as error:
            raise SetupError(
                f"Another studio is running on {str(data_dir)!r}.",
                fix="Use that studio, stop it, or set another `STUDIO_DATA_DIR`.",
            ) from error
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
