"""ZIP files taken apart: each file in one is kept as if it had been uploaded alone."""

from __future__ import annotations

import asyncio
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import AsyncGenerator, Sequence
from typing import IO, NamedTuple

from studio.errors import ConfigError, TooLarge
from studio.files import clean_name, sized
from studio.store import Files
from studio.store.tables import File

MAX_MEMBERS = 1_000
MAX_DIRECTORY_BYTES = 4 * 1024**2
"""Of the list of files in an archive, which is read as a whole."""
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OSError,
)
"""What the library raises for content that is not as the archive says, or is compressed in an unknown way."""
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x07"
_END_BYTES = 22
_MAX_COMMENT = 65_535
MAX_UNPACKED_BYTES = 500 * 1024**2
"""Of all files together, counted while they are unpacked: what an archive says of itself may be wrong."""
PART_BYTES = 256 * 1024
MAX_NAMED = 50
"""Files that were left out and are named."""


class InvalidArchive(ConfigError):
    """A file is no ZIP that can be unpacked."""

    code = "invalid_archive"


class Unpacked(NamedTuple):
    """The files of an archive with their names, and which were left out and why."""

    files: Sequence[tuple[str, File]]
    left_out: Sequence[str]


async def unpack(files: Files, file: File, *, max_bytes: int) -> Unpacked:
    """Keep each file of a ZIP.

    Args:
        files: Have the archive, and keep what is in it.
        file: The archive.
        max_bytes: How large a file in it may be.

    Raises:
        InvalidArchive: It is no ZIP, or it is damaged.
        TooLarge: It unpacks to too much; files that were kept before are deleted within a day.
    """
    with tempfile.TemporaryFile() as content:
        async for portion in files.read(file):
            await asyncio.to_thread(content.write, portion)
        try:
            archive = await asyncio.to_thread(_opened, content)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise InvalidArchive("The file is no ZIP file, or it is damaged.", fix="Add another file.") from error
        with archive:
            return await _kept(files, archive, max_bytes)


def _opened(content: IO[bytes]) -> zipfile.ZipFile:
    """Raises: TooLarge: The list of its files is too long."""
    size = content.seek(0, 2)
    content.seek(max(0, size - _END_BYTES - _MAX_COMMENT))
    tail = content.read()
    end = tail.rfind(_END)
    directory = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if directory > MAX_DIRECTORY_BYTES or _END_64 in tail[max(0, end - 20) : max(0, end)]:
        raise TooLarge("The ZIP file holds too many files.", fix="Split it.")
    return zipfile.ZipFile(content)


async def _kept(files: Files, archive: zipfile.ZipFile, max_bytes: int) -> Unpacked:
    kept, left_out, unpacked = list[tuple[str, File]](), list[str](), 0
    for member in archive.infolist():
        name = clean_name(member.filename)
        if member.is_dir() or _is_hidden(member.filename):
            continue
        if member.flag_bits & 0x1:
            left_out.append(f"{name} (encrypted)")
        elif member.file_size > max_bytes:
            left_out.append(f"{name} ({sized(member.file_size)} is over {sized(max_bytes)})")
        elif len(kept) >= MAX_MEMBERS:
            left_out.append(f"{name} (over {MAX_MEMBERS:,} files)")
        elif unpacked + member.file_size > MAX_UNPACKED_BYTES:
            raise TooLarge(f"The ZIP file unpacks to more than {sized(MAX_UNPACKED_BYTES)}.", fix="Split it.")
        else:
            try:
                row = await files.add(_parts(archive, member), max_bytes=max_bytes)
            except InvalidArchive:
                left_out.append(f"{name} (damaged)")
                continue
            unpacked += row.size
            kept.append((name, row))
    more = len(left_out) - MAX_NAMED
    return Unpacked(kept, [*left_out[:MAX_NAMED], *([f"{more} more"] if more > 0 else [])])


async def _parts(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> AsyncGenerator[bytes]:
    """The content of a file in the archive, up to the size that the archive states.

    Raises:
        InvalidArchive: It is damaged, or compressed in a way that is not known.
    """
    left = member.file_size
    try:
        opened = await asyncio.to_thread(archive.open, member)
        with opened:
            while left and (part := await asyncio.to_thread(opened.read, min(PART_BYTES, left))):
                left -= len(part)
                yield part
    except DAMAGE as error:
        raise InvalidArchive(f"{member.filename} is damaged.", fix="Add another file.") from error


def _is_hidden(path: str) -> bool:
    """Whether a file or a folder above it is hidden, or is what macOS adds to its archives."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.replace("\\", "/").split("/"))
