"""Files of random values that are made once, and that only the owner of the process may read."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def make_once(file: Path, content: bytes) -> bytes:
    """Write a file that does not exist or is empty; what it holds then. Of several processes the first one wins.

    The file appears with its content, so nobody reads one that is still empty.

    Raises:
        OSError: It cannot be written or read.
    """
    new = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(content)
        if file.exists() and not file.stat().st_size:
            os.replace(new, file)
        else:
            _link(new, file)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()
    return file.read_bytes()


def replace_private(file: Path, content: bytes) -> None:
    """Put such a file in the place of one that may be there, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    new = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(new, file)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()


def _link(new: Path, file: Path) -> None:
    try:
        os.link(new, file)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not file.exists():
            os.replace(new, file)
