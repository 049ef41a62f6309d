"""What a run is asked to do: text, pictures and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio.components import JsonObject
from studio.errors import ConfigError
from studio.files import FILES, WRITTEN, Attachment, FileUse, sized
from studio.messages import BaseChatMessage, Image, MultiModalMessage, TextMessage

SHOWN_LENGTH = 200
MAX_FILES = 50
"""Of one task."""
BETWEEN = "\n\n"
IN_FOLDER = "Attached files, also in the working folder of code: {}"


class InvalidTask(ConfigError):
    """The task is empty, or a picture in it cannot be read."""

    code = "invalid_task"


class FilePart(BaseModel):
    """A file in a task, with what agents are told of its content: `text` or `image`, or neither."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    file: Attachment
    use: FileUse = "folder"
    text: Annotated[str, Field(max_length=1_000_000)] = ""
    image: str = ""


def task_message(task: JsonValue) -> str | BaseChatMessage:
    """The task as a team takes it: text as it is, a list of parts as one message of text and pictures.

    The metadata of the message lists the files.

    Raises:
        InvalidTask: Neither text nor a list of texts, `{"image": "data:..."}` parts and `{"file": {...}}` parts.
    """
    if isinstance(task, str) and task.strip():
        return task
    if not isinstance(task, list) or not task:
        raise InvalidTask("A run needs a task.", fix="Write what the team should do.")
    content, metadata = _content(task)
    if not metadata or any(isinstance(part, Image) for part in content):
        return MultiModalMessage(content=content, source="user", metadata=metadata)
    return TextMessage(content=BETWEEN.join(cast("list[str]", content)), source="user", metadata=metadata)


def _content(task: Sequence[JsonValue]) -> tuple[list[str | Image], dict[str, str]]:
    """What the message of a task says, and its metadata, which lists the files."""
    content, files = list[str | Image](), list[FilePart]()
    for index, part in enumerate(task):
        if is_file_part(part):
            files.append(_file_part(part, index))
        else:
            content.append(_part(part, index))
    if not files:
        return content, {}
    if len(files) > MAX_FILES:
        raise InvalidTask(f"A task has up to {MAX_FILES} files.", fix="Pack them into a ZIP file.")
    written = BETWEEN.join(part for part in content if isinstance(part, str))
    listed = [{**part.file.model_dump(), "use": part.use} for part in files]
    metadata = {FILES: json.dumps(listed, ensure_ascii=False), WRITTEN: str(len(written))}
    content += [_content_of(part, len(task)) for part in files if part.text or part.image]
    content.append(IN_FOLDER.format(", ".join(f"{part.file.name} ({sized(part.file.size)})" for part in files)))
    return content, metadata


class GivenContent(NamedTuple):
    """What a message with files says; pictures are as messages hold them."""

    text: str
    metadata: Mapping[str, str]
    pictures: Sequence[JsonValue]


def given_content(text: str, files: Sequence[JsonValue]) -> GivenContent:
    """The content of an answer, or of a message to a run under way, with files as those of a task.

    Raises:
        InvalidTask: A file cannot be read.
    """
    if not files:
        return GivenContent(text, {}, ())
    # No message: a run that is repeated would take an ID for it here that it did not take the first time.
    content, metadata = _content([*([text] if text else []), *files])
    texts = [part for part in content if isinstance(part, str)]
    pictures = tuple(part.model_dump(mode="json") for part in content if isinstance(part, Image))
    return GivenContent(BETWEEN.join(texts), metadata, pictures)


def task_text(task: JsonValue) -> str:
    """The start of the task for a list of runs: pictures as `<image>`, files by their names."""
    message = task_message(task)
    if isinstance(message, str):
        text = message
    elif FILES in message.metadata:
        text = "\n".join(map(_shown, cast("list[JsonValue]", task)))
    else:
        text = message.to_text()
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"


def files_in(task: JsonValue) -> Sequence[Attachment]:
    """The files of a task that `task_message` takes."""
    parts = task if isinstance(task, list) else ()
    return [_file_part(part, index).file for index, part in enumerate(parts) if is_file_part(part)]


def is_file_part(part: JsonValue) -> bool:
    """Whether a part of a task is a file."""
    return isinstance(part, dict) and "file" in part


def _shown(part: JsonValue) -> str:
    if isinstance(part, str):
        return part
    name = cast("JsonObject", part).get("file")
    return f"[{name.get('name')}]" if isinstance(name, dict) else "<image>"


def _file_part(part: JsonValue, index: int) -> FilePart:
    try:
        return FilePart.model_validate(part)
    except ValidationError as error:
        raise InvalidTask(
            "The file of the task cannot be read.", fix="Upload it and attach it again.", where=f"/task/{index}"
        ) from error


def _content_of(part: FilePart, index: int) -> str | Image:
    return part.text or _part({"image": part.image}, index)


def _part(part: JsonValue, index: int) -> str | Image:
    if isinstance(part, str):
        return part
    uri = part.get("image") if isinstance(part, dict) else None
    if not isinstance(uri, str):
        raise InvalidTask("Each part of a task must be text, an image or a file.", where=f"/task/{index}")
    try:
        return Image.from_uri(uri)
    except ValueError as error:
        raise InvalidTask(
            "The image cannot be read.", fix="Choose a PNG, JPEG, GIF or WebP file.", where=f"/task/{index}"
        ) from error
