"""Files as one ZIP, made while it is sent."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncGenerator, Sequence

from studio.files import unique_name
from studio.store import Files
from studio.store.tables import File


class _Outlet(io.RawIOBase):
    """Where the archive is written, and taken from part by part."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        view = memoryview(data)  # pyright: ignore[reportArgumentType]  zipfile gives bytes
        self._written += view
        return len(view)

    def drain(self) -> bytes:
        """What was written since."""
        written = bytes(self._written)
        self._written.clear()
        return written


async def zipped(files: Files, named: Sequence[tuple[str, File]]) -> AsyncGenerator[bytes]:
    """The archive, part by part; no file is whole in memory.

    Args:
        files: Have the contents.
        named: Each file with its path in the archive; of one path that comes again, the later ones are numbered.
    """
    outlet, taken = _Outlet(), set[str]()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in named:
            folder, slash, last = name.rpartition("/")
            there = {path.rpartition("/")[2] for path in taken if path.rpartition("/")[0] == folder}
            path = f"{folder}{slash}{unique_name(last, there)}"
            taken.add(path)
            with archive.open(zipfile.ZipInfo(path), "w", force_zip64=True) as entry:
                async for portion in files.read(file):
                    await asyncio.to_thread(entry.write, portion)
                    yield outlet.drain()
            yield outlet.drain()
    yield outlet.drain()
