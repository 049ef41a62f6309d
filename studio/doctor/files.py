"""Who may read what the studio keeps, and whether there is room for more."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from studio.doctor.finding import Finding, bad, doubtful, fine
from studio.settings import Settings

AREA = "Files"
KEYS = {"token": "access token", "secret.key": "secret key", "cookie.key": "cookie key"}
DATABASE = ("studio.db", "studio.db-wal", "studio.db-shm")
MIN_FREE = 100 * 1024**2
LITTLE_FREE = 1024**3
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def files(settings: Settings) -> Iterator[Finding]:
    """The data folder, and each file in it that nobody else may read."""
    folder = settings.data_dir
    nearest = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        fix = f"Make {str(nearest)!r} writable for this user, or choose another folder with `STUDIO_DATA_DIR`."
        yield bad(AREA, f"Data folder {folder} cannot be written", fix)
    elif nearest != folder:
        yield fine(AREA, f"Data folder {folder} will be created at the first start")
    else:
        yield from _folder(folder)
    if settings.tls_key is not None:
        yield from _key(settings.tls_key, "private key of the certificate", must_exist=True)
    yield _room(nearest)


def _folder(folder: Path) -> Iterator[Finding]:
    is_open = _is_open(folder)
    if is_open:
        fix = f"Run `chmod 700 {folder}`."
        yield bad(AREA, f"Other users of this machine can list the data folder {folder} ({_mode(folder)})", fix)
    else:
        yield fine(AREA, f"Data folder {folder} is readable only by its owner")
    if os.name == "posix" and folder.stat().st_uid not in (os.geteuid(), 0):
        fix = f"Start the studio as that user, or run `chown -R {os.geteuid()} {folder}`."
        yield doubtful(AREA, f"The data folder belongs to another user ({folder.stat().st_uid})", fix)
    for name, what in KEYS.items():
        yield from _key(folder / name, what)
    readable = [name for name in DATABASE if is_open and (folder / name).exists() and _is_open(folder / name)]
    if readable:
        fix = f"Run `chmod 600 {' '.join(str(folder / name) for name in readable)}`."
        yield bad(AREA, f"Other users of this machine can read the database {folder / readable[0]}", fix)


def _key(file: Path, what: str, *, must_exist: bool = False) -> Iterator[Finding]:
    if not file.exists():
        if must_exist:
            yield bad(AREA, f"The {what} {str(file)!r} does not exist", "Set `STUDIO_TLS_KEY` to a PEM file.")
    elif _is_open(file):
        fix = f"Run `chmod 600 {file}`. If another person may have read it, create a new one."
        yield bad(AREA, f"Other users of this machine can use the {what}: {file} ({_mode(file)})", fix)
    else:
        yield fine(AREA, f"The {what} is readable only by its owner")


def _room(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free / 1024**3:.1f} GB free for the data folder"
    if free < MIN_FREE:
        return bad("Disk", text, "Free disk space: runs fail when the disk is full.")
    return doubtful("Disk", text, "Free disk space before runs fail.") if free < LITTLE_FREE else fine("Disk", text)


def _is_open(path: Path) -> bool:
    return os.name == "posix" and bool(path.stat().st_mode & OTHERS)


def _mode(path: Path) -> str:
    return f"mode {stat.S_IMODE(path.stat().st_mode):o}"
