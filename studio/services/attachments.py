"""Files that are given with a task, an answer or a message: what agents are told of each, worked out once."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import ConfigError, Conflict
from studio.files import (
    MAX_PICTURE_BYTES,
    PICTURES,
    FileUse,
    clean_name,
    default_use,
    is_text,
    named_type,
    sized,
    unique_name,
)
from studio.models.extras import MissingExtra
from studio.runs.tasks import MAX_FILES, FilePart, InvalidTask, files_in
from studio.services.documents import Document, Documents, UnreadableDocument, is_document
from studio.store import Files, Store
from studio.store.run_files import attachment_of
from studio.store.tables import File

MAX_TEXT_CHARS = 50_000
"""Of one file in the prompt."""
MAX_TOGETHER_CHARS = 200_000
"""Of all files of a task."""
MAX_PICTURES_BYTES = 20 * 1024 * 1024
"""Of all pictures of a task."""
CUT = "[Cut after {chars:,} characters; the whole file has {size}.]"
CUT_DOCUMENT = "[Cut after {chars:,} characters; the whole document has {all:,}.]"
BYTES_PER_TOKEN = 4
"""About as many as tokenizers take together in most languages."""
_FENCES = re.compile(r"^`{3,}", re.MULTILINE)


class GivenFile(NamedTuple):
    """A file as somebody attaches it: its ID, its name, and how agents get it."""

    id: str
    name: str = ""
    use: FileUse | None = None


async def with_files(store: Store, documents: Documents, task: JsonValue, given: Sequence[GivenFile]) -> JsonValue:
    """The task with these files; their texts and pictures are in it from now on, so a replay tells the same.

    Args:
        store: Has the files.
        documents: Reads them.
        task: Text, which may be empty, or a list of parts.
        given: In the order in which agents read them.

    Raises:
        NotFound: There is no such file.
        ConfigError: A file cannot be used like that.
    """
    if not given:
        return task
    if len(given) > MAX_FILES:
        raise InvalidTask(f"A task has up to {MAX_FILES} files.", fix="Pack them into a ZIP file.", where="/files")
    taken, chars, pictures = set[str](), MAX_TOGETHER_CHARS, MAX_PICTURES_BYTES
    parts = list[JsonValue]()
    for index, each in enumerate(given):
        file = await store.files.get(each.id)
        name = unique_name(clean_name(each.name), taken)
        taken.add(name)
        use = each.use or default_use(file.media_type, file.size)
        if each.use is None and use == "picture" and file.size > pictures:
            use = "folder"
        check_use(file, name, use, f"/files/{index}/use")
        text = image = ""
        if use == "text" and chars:
            found = await text_of(store.files, documents, file, name, min(MAX_TEXT_CHARS, chars))
            text = found.text
            chars = max(0, chars - len(text))
        elif use == "picture":
            pictures -= file.size
            if pictures < 0:
                raise ConfigError(
                    f"The pictures have more than {sized(MAX_PICTURES_BYTES)} together.",
                    fix="Attach some of them as files for the folder.",
                    where=f"/files/{index}",
                )
            image = await _picture_of(store.files, file)
        part = FilePart(file=attachment_of(name, file), use=use, text=text, image=image)
        parts.append(cast("JsonValue", part.model_dump(mode="json", exclude_defaults=True) | {"use": use}))
    said = task if isinstance(task, list) else [task] if isinstance(task, str) and task.strip() else []
    return [*said, *parts]


@asynccontextmanager
async def sent_files(
    store: Store, documents: Documents, run_id: str, given: Sequence[GivenFile], seq: int
) -> AsyncGenerator[JsonObject]:
    """Give a run under way files, and give them back where the command in the block is refused.

    Args:
        store: Has the files.
        documents: Reads them.
        run_id: The run.
        given: In the order in which agents read them.
        seq: The last entry of its log.

    Yields:
        What the data of the command says of them.

    Raises:
        NotFound, ConfigError, Conflict: As for `with_files`; the run has too many files.
    """
    if not given:
        yield {}
        return
    parts = await with_files(store, documents, "", given)
    numbers = await store.run_files.attach(run_id, files_in(parts), seq)
    try:
        yield {"files": parts}
    except (ConfigError, Conflict):
        await store.run_files.detach(run_id, numbers)
        raise


def can_be_text(file: File, name: str) -> bool:
    """Whether a file can go into the prompt: it is text, or a document to be read."""
    return is_text(file.media_type) or is_document(named_type(file.media_type, name))


def check_use(file: File, name: str, use: FileUse, where: str) -> None:
    """Raises: ConfigError: Agents cannot get the file like that."""
    if use == "text" and not can_be_text(file, name):
        raise ConfigError(
            f"{name!r} is no UTF-8 text and no document that can be read.", fix="Attach it for the folder.", where=where
        )
    if use == "picture" and (file.media_type not in PICTURES or file.size > MAX_PICTURE_BYTES):
        raise ConfigError(
            f"{name!r} is no PNG, JPEG, GIF or WebP image of at most {sized(MAX_PICTURE_BYTES)}.",
            fix="Attach it for the folder.",
            where=where,
        )


class ToldText(NamedTuple):
    """What agents are told of a file: `text` stands in the prompt, and holds `characters` of the file's."""

    text: str
    characters: int
    is_cut: bool
    pages: int | None = None

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return -(-len(self.text.encode()) // BYTES_PER_TOKEN)


async def text_of(files: Files, documents: Documents, file: File, name: str, most: int = MAX_TEXT_CHARS) -> ToldText:
    """The text in a fence that it cannot end, cut with a note. Of a document, it is Markdown.

    Raises:
        UnreadableDocument, MissingExtra: It is a document, and cannot be read.
    """
    media_type = named_type(file.media_type, name)
    if is_document(media_type):
        try:
            document = await documents.read(file, media_type)
            return await asyncio.to_thread(_document_text, document, name, most)
        except (UnreadableDocument, MissingExtra) as error:
            if not is_text(media_type) or not file.size:
                raise type(error)(f"{name}: {error.what}", fix=error.fix) from error
    content = await files.read_whole(file, 4 * most)
    return await asyncio.to_thread(_plain_text, content, file.size, name, most)


def _document_text(document: Document, name: str, most: int) -> ToldText:
    text, note, is_cut = document.text[:most], "", document.characters > most
    if is_cut:
        note = f"\n{CUT_DOCUMENT.format(chars=len(text), all=document.characters)}"
    return ToldText(_fenced(text, note, name, "markdown"), len(text), is_cut, document.pages)


def _plain_text(content: bytes, size: int, name: str, most: int) -> ToldText:
    text = content.decode("utf-8", "ignore").removeprefix("\ufeff")
    note, is_cut = "", len(text) > most or len(content) < size
    if is_cut:
        text = text[:most]
        note = f"\n{CUT.format(chars=len(text), size=sized(size))}"
    language = re.sub(r"[^a-z0-9]", "", PurePath(name).suffix.lower())[:10]
    return ToldText(_fenced(text, note, name, language), len(text), is_cut)


def _fenced(text: str, note: str, name: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(found) for found in _FENCES.findall(text)), default=0))
    ending = "" if text.endswith("\n") else "\n"
    return f"{name}:\n{fence}{language}\n{text}{ending}{fence}{note}"


async def _picture_of(files: Files, file: File) -> str:
    content = await files.read_whole(file, MAX_PICTURE_BYTES)
    encoded = await asyncio.to_thread(base64.b64encode, content)
    return f"data:{file.media_type};base64,{encoded.decode('ascii')}"
