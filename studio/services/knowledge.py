"""Documents of knowledge bases: read, cut into passages, and kept."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import urlsplit

from studio.files import clean_name, is_text, named_type, sized
from studio.knowledge import cut_passages
from studio.models.extras import MissingExtra
from studio.services.documents import MAX_PAGED_CHARS, Documents, UnreadableDocument, is_document
from studio.store import Files, Store
from studio.store.knowledge import ReadDocument
from studio.store.knowledge_tables import KnowledgeDocument
from studio.store.tables import File

MAX_TEXT_BYTES = 20 * 1024 * 1024
_BRACKETS = str.maketrans("[]", "()")
"""Of a name: citations stand in brackets."""
_SLIDE = re.compile(r"<!-- Slide number: \d+ -->")
_HTML = re.compile(rb"<(!doctype html|html)\b", re.IGNORECASE)
HEAD_BYTES = 2_000
MARKDOWN = "text/markdown"


class _Text(NamedTuple):
    text: str
    page_starts: Sequence[int]
    is_markdown: bool


async def add_document(
    store: Store, documents: Documents, base_id: str, file_id: str, name: str, by: str, *, url: str = ""
) -> tuple[KnowledgeDocument, bool]:
    """Read an uploaded file and keep its passages; content that is there already is kept once.

    Returns the document, and whether it is new.

    Raises:
        NotFound: There is no such knowledge base or file.
        UnreadableDocument: The file has no text that can be read.
        MissingExtra: The package that reads documents is not installed.
        Conflict: The knowledge base is full.
    """
    await store.knowledge.get(base_id)
    file = await store.files.get(file_id)
    if (known := await store.knowledge.with_content(base_id, file.sha256)) is not None:
        return known, False
    named = document_name(name)
    return await store.knowledge.add(base_id, await read_document(store.files, documents, file, named, url), by)


async def add_page(
    store: Store, documents: Documents, base_id: str, url: str, content: bytes, by: str
) -> tuple[KnowledgeDocument, bool]:
    """Keep what was fetched from an address, as `add_document` does."""
    file = await store.files.add(_whole(content), max_bytes=len(content))
    return await add_document(store, documents, base_id, file.sha256, page_name(url, content), by, url=url)


async def read_again(
    store: Store, documents: Documents, row: KnowledgeDocument, content: bytes | None
) -> KnowledgeDocument:
    """Read a document anew, from its file or from what its address gives now.

    Raises:
        NotFound: It was removed.
        UnreadableDocument, MissingExtra: As for `add_document`; what was read before stays.
        Conflict: Another document has this content.
    """
    if content is None:
        file = await store.files.get(row.sha256)
    else:
        file = await store.files.add(_whole(content), max_bytes=len(content))
    read = await read_document(store.files, documents, file, row.name, row.url)
    return await store.knowledge.replace(row.base_id, row.id, read)


def document_name(name: str) -> str:
    """The name of a file as citations have it."""
    return clean_name(name.translate(_BRACKETS))


def page_name(url: str, content: bytes) -> str:
    """A file name for what an address gave."""
    parts = urlsplit(url)
    path = re.sub(r"[/\\]+", "-", parts.path.strip("/"))
    name = "-".join(each for each in (parts.hostname or "", path) if each)
    is_html = _HTML.search(content[:HEAD_BYTES]) is not None
    return name if not is_html or name.lower().endswith((".html", ".htm")) else f"{name[:150]}.html"


async def read_document(files: Files, documents: Documents, file: File, name: str, url: str) -> ReadDocument:
    """The passages of a file.

    Raises:
        UnreadableDocument, MissingExtra: As for `add_document`.
    """
    media_type = named_type(file.media_type, name)
    if not file.size:
        raise _unreadable(f"{name} is empty.")
    if is_document(media_type):
        try:
            found = await documents.read_by_page(file, media_type)
        except (UnreadableDocument, MissingExtra) as error:
            raise type(error)(f"{name}: {error.what}", fix=_fix(error)) from error
        if found.characters > len(found.text):
            raise _too_long(name)
        text = await asyncio.to_thread(_paged, found.text, found.pages)
    elif is_text(media_type):
        text = await _plain_text(files, file, name, is_markdown=media_type == MARKDOWN)
    else:
        raise _unreadable(f"{name} is no UTF-8 text and no document that can be read.")
    cut = partial(cut_passages, text.text, text.page_starts, is_markdown=text.is_markdown)
    passages = await asyncio.to_thread(cut)
    if not passages:
        raise _unreadable(f"{name} holds no text.")
    return ReadDocument(
        name=name,
        sha256=file.sha256,
        size=file.size,
        media_type=media_type,
        url=url,
        pages=len(text.page_starts) or None,
        characters=len(text.text),
        passages=passages,
    )


async def _plain_text(files: Files, file: File, name: str, *, is_markdown: bool) -> _Text:
    if file.size > MAX_TEXT_BYTES:
        raise _unreadable(f"{name} has {sized(file.size)}; texts of up to {sized(MAX_TEXT_BYTES)} are read.")
    content = await files.read_whole(file, MAX_TEXT_BYTES)
    text = await asyncio.to_thread(lambda: content.decode("utf-8", "replace").removeprefix("\ufeff"))
    if len(text) > MAX_PAGED_CHARS:
        raise _too_long(name)
    return _Text(text.replace("\0", " "), (), is_markdown)


def _paged(text: str, pages: int | None) -> _Text:
    """The text, and where its pages or slides begin."""
    text = text.replace("\0", " ")
    if pages is not None and "\f" in text:
        parts = text.removesuffix("\f").split("\f")
        lengths = [len(part) + 1 for part in parts]
        return _Text("\n".join(parts), [0, *accumulate(lengths[:-1])], is_markdown=False)
    slides = [found.start() for found in _SLIDE.finditer(text)]
    return _Text(text, [0, *slides[1:]] if slides else (), is_markdown=True)


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content


def _too_long(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} has more than {MAX_PAGED_CHARS:,} characters.", fix="Split it into several documents."
    )


def _unreadable(words: str) -> UnreadableDocument:
    return UnreadableDocument(words, fix="Add another file.")


def _fix(error: UnreadableDocument | MissingExtra) -> str:
    return "Add another file." if isinstance(error, UnreadableDocument) else 'Run `pip install "team-studio[files]"`.'
