"""Documents as text: read in a process of its own, in the jail, bounded in time, memory and output."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studio.errors import ConfigError
from studio.files import sized
from studio.models.extras import MissingExtra
from studio.sandbox import Jail, Policy, Quota, bare_environment, current_jail, kill_group, owned
from studio.sandbox.jail import UNCONFINED, UnavailableJail
from studio.sandbox.jailed_program import confined
from studio.store import Files
from studio.store.tables import File

READER = Path(__file__).with_name("document_reader.py")
MAX_DOCUMENT_BYTES = 50 * 1024 * 1024
MAX_CHARS = 200_000
"""That are kept of a document; no task takes more."""
MAX_PAGED_CHARS = 5_000_000
"""Of a document of a knowledge base."""
MAX_TABLE_CHARS = 2_000_000
PARQUET = "application/vnd.apache.parquet"
TIMEOUT_S = 90.0
MAX_AT_ONCE = 2
MAX_KEPT = 32
"""Documents whose text is remembered: it is asked for when a file is attached, and again when the task is sent."""
RAISED = 1
"""The exit code of Python after an error."""
QUOTA = Quota(memory_mb=2048, processes=64, file_mb=1, disk_mb=64, cpu_s=60)
_KINDS = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.ms-outlook": "msg",
    "text/html": "html",
    "message/rfc822": "eml",
}


class UnreadableDocument(ConfigError):
    """A document has no text that could be read."""

    code = "unreadable_document"


class Document(NamedTuple):
    """The text of a document, up to `MAX_CHARS` of its `characters`; `pages` where it has them."""

    text: str
    characters: int
    pages: int | None


class DocumentTable(NamedTuple):
    """The first rows of a table, its head first; `is_cut`: it has more of them, or more columns."""

    rows: Sequence[Sequence[str]]
    is_cut: bool


def is_document(media_type: str) -> bool:
    """Whether a file of this type is read as Markdown."""
    return media_type in _KINDS


class Documents:
    """Reads the documents of one server.

    Args:
        files: Have the contents.
        jail: Around the process that reads. Where none can be had, the process bounds itself.
    """

    def __init__(self, files: Files, jail: Jail) -> None:
        self._files = files
        self._jail = UNCONFINED if isinstance(jail, UnavailableJail) else jail
        self._turns = asyncio.Semaphore(MAX_AT_ONCE)
        self._known: OrderedDict[tuple[str, str], Document] = OrderedDict()

    async def read(self, file: File, media_type: str) -> Document:
        """The document as Markdown.

        Args:
            file: Its content.
            media_type: Its type, with what its name adds.

        Raises:
            UnreadableDocument: It is damaged, encrypted, too large, or takes too long.
            MissingExtra: The package that reads documents is not installed.
        """
        kind = _KINDS[media_type]
        async with self._turns:
            if (known := self._known.get((file.sha256, kind))) is not None:
                self._known.move_to_end((file.sha256, kind))
                return known
            document = _document(await self._answer(file, kind, MAX_CHARS))
        self._known[file.sha256, kind] = document
        while len(self._known) > MAX_KEPT:
            self._known.popitem(last=False)
        return document

    async def read_by_page(self, file: File, media_type: str) -> Document:
        """The same up to `MAX_PAGED_CHARS`; each page of a PDF ends with a form feed.

        Raises:
            UnreadableDocument, MissingExtra: As for `read`.
        """
        async with self._turns:
            return _document(await self._answer(file, _KINDS[media_type], MAX_PAGED_CHARS, "by-page"))

    async def read_table(self, file: File) -> DocumentTable:
        """A Parquet file as rows.

        Raises:
            UnreadableDocument, MissingExtra: As for `read`.
        """
        async with self._turns:
            try:
                answer = await self._answer(file, "parquet", MAX_TABLE_CHARS)
            except UnreadableDocument as error:
                raise UnreadableDocument(error.what, fix="Download the file.") from error
        if missing := answer.get("missing"):
            raise MissingExtra(
                f"Showing Parquet as a table needs the package {missing!r}, which is not installed.",
                fix='Run `pip install "team-studio[parquet]"`, or download the file.',
            )
        if error := answer.get("error"):
            raise UnreadableDocument(str(error), fix="Download the file.")
        return DocumentTable(answer["rows"], answer["is_cut"])

    async def _answer(self, file: File, kind: str, most: int, *how: str) -> dict[str, Any]:
        if not file.size:
            raise _unreadable("The file is empty.")
        if file.size > MAX_DOCUMENT_BYTES:
            raise _unreadable(f"Documents of more than {sized(MAX_DOCUMENT_BYTES)} are not read.")
        with tempfile.TemporaryDirectory(prefix="studio-document-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            with (folder / "document").open("wb") as content:
                async for portion in self._files.read(file):
                    await asyncio.to_thread(content.write, portion)
            argv = [sys.executable, "-I", "-B", "-X", "utf8", str(READER), "document", kind, str(most), *how]
            before = current_jail.set(self._jail)
            try:
                async with confined(argv, Policy(folder, quota=QUOTA)) as command:
                    exit_code, printed = await _outcome(command, folder)
            finally:
                current_jail.reset(before)
        if exit_code == RAISED:
            raise _unreadable("The document is damaged, or of a kind that cannot be read.")
        if exit_code:
            raise _unreadable("Reading the document takes too long, or too much memory.")
        return await asyncio.to_thread(json.loads, printed)


async def _outcome(command: Sequence[str], folder: Path) -> tuple[int, bytes]:
    """The exit code of the reader, and what it prints."""
    beginning = asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        env=bare_environment(folder),
        cwd=folder,
        start_new_session=True,
    )
    async with owned(beginning) as process:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                printed = await process.stdout.read()
                return await process.wait(), printed
        except TimeoutError:
            kill_group(process.pid)
            await process.wait()
            return -signal.SIGKILL, b""


def _document(answer: dict[str, Any]) -> Document:
    if missing := answer.get("missing"):
        raise MissingExtra(
            f"Reading documents needs the package {missing!r}, which is not installed.",
            fix='Run `pip install "team-studio[files]"`, or attach the file for the folder.',
        )
    if error := answer.get("error"):
        raise _unreadable(str(error))
    return Document(answer["text"], answer["characters"], answer["pages"])


def _unreadable(words: str) -> UnreadableDocument:
    return UnreadableDocument(words, fix="Attach it for the folder, or attach another file.")
