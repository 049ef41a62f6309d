"""The files of a run in its bundle: as many as fit, none that holds a known secret; what is missing is named."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from studio.files import clean_path, is_text
from studio.runs.sharing.bundle import Bundle, BundledFile, InvalidBundle
from studio.runs.sharing.redaction import SecretRemover
from studio.store import Store
from studio.store.tables import RunFile

MAX_BYTES = 8 * 1024 * 1024
"""Of all files together; as text they take a third more, and a bundle has 20 MB."""
MIN_SECRET_BYTES = 8
"""Shorter ones are in too many files by chance."""


@dataclass(frozen=True)
class PackedFiles:
    """What goes into a bundle; `left_out` are names, with the reason."""

    files: Sequence[BundledFile]
    left_out: Sequence[str]


class _Finder:
    """Finds secrets in names and contents. Slow to make: all spellings of the secrets are worked out."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        longer = {name: value for name, value in secrets.items() if len(value.encode()) >= MIN_SECRET_BYTES}
        self._all = SecretRemover(secrets)
        self._longer = SecretRemover(longer)
        self._values = [value.encode() for value in longer.values()]

    def clean_name(self, name: str) -> str:
        """The name without secrets."""
        return self._all.clean_text(name, "")

    def is_in(self, content: bytes, is_readable: bool) -> bool:
        """Whether a known secret, or what looks like a key, is in a content. What is packed is not unpacked.

        A content that is no UTF-8 can be a text all the same: of UTF-16, of Latin-1, or one that begins like a picture.
        """
        if is_readable:
            text = content.decode("utf-8", "replace")
            return self._all.clean_text(text, "") != text
        if any(value in content for value in self._values):
            return True
        text = content.replace(b"\0", b"").decode("latin-1")  # without zeros, ASCII in UTF-16 is ASCII
        return self._longer.clean_text(text, "") != text


async def pack_files(store: Store, run_id: str, secrets: Mapping[str, str]) -> PackedFiles:
    """The files of a run, in their order, each content once."""
    packed, left_out, size = list[BundledFile](), dict[str, None](), 0
    contents, finder = dict[str, bytes](), await asyncio.to_thread(_Finder, secrets)
    for use, file in await store.run_files.list(run_id):
        if file.sha256 not in contents and size + file.size > MAX_BYTES:
            left_out[f"{use.name} (too large)"] = None
            continue
        if file.sha256 not in contents:
            content = await store.files.read_whole(file, MAX_BYTES)
            if await asyncio.to_thread(finder.is_in, content, is_text(file.media_type)):
                left_out[f"{use.name} (holds a secret)"] = None
                continue
            contents[file.sha256] = content
            size += file.size
            shown = content
        else:
            shown = None
        packed.append(
            BundledFile(
                name=finder.clean_name(use.name),
                direction="in" if use.direction == "in" else "out",
                agent=use.agent,
                seq=use.seq,
                sha256=use.sha256,
                content=shown,
            )
        )
    return PackedFiles(packed, list(left_out))


async def keep_files(store: Store, bundle: Bundle) -> Sequence[RunFile]:
    """Keep the contents of a bundle's files, and give their rows for its run.

    Raises:
        InvalidBundle: A content is missing, or is not the one that is named.
    """
    there, rows = set[str](), list[RunFile]()
    for number, one in enumerate(bundle.files, 1):
        where = f"/files/{number - 1}"
        if one.content is not None:
            if hashlib.sha256(one.content).hexdigest() != one.sha256:
                raise InvalidBundle(f"The file {one.name!r} is damaged.", where=where)
            await store.files.add(_whole(one.content), max_bytes=MAX_BYTES)
            there.add(one.sha256)
        if one.sha256 not in there:
            raise InvalidBundle(f"The file {one.name!r} has no content.", where=where)
        rows.append(
            RunFile(
                run_id=bundle.run.id,
                number=number,
                name=clean_path(one.name),
                sha256=one.sha256,
                direction=one.direction,
                agent=one.agent,
                seq=min(one.seq, len(bundle.entries)),
                at=datetime.now(UTC),
            )
        )
    return rows


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content
