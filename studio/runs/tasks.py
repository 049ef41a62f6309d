"""What a run is asked to do: text, or text and pictures."""

from __future__ import annotations

from pydantic import JsonValue

from studio.errors import ConfigError
from studio.messages import BaseChatMessage, Image, MultiModalMessage

SHOWN_LENGTH = 200


class InvalidTask(ConfigError):
    """The task is empty, or a picture in it cannot be read."""

    code = "invalid_task"


def task_message(task: JsonValue) -> str | BaseChatMessage:
    """The task as a team takes it: text as it is, a list of parts as one message of text and pictures.

    Raises:
        InvalidTask: Neither text nor a list of texts and `{"image": "data:..."}` parts.
    """
    if isinstance(task, str) and task.strip():
        return task
    if not isinstance(task, list) or not task:
        raise InvalidTask("A run needs a task.", fix="Write what the team should do.")
    parts = [_part(part, index) for index, part in enumerate(task)]
    return MultiModalMessage(content=parts, source="user")


def task_text(task: JsonValue) -> str:
    """The start of the task for a list of runs, pictures as `<image>`."""
    message = task_message(task)
    text = message if isinstance(message, str) else message.to_text()
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"


def _part(part: JsonValue, index: int) -> str | Image:
    if isinstance(part, str):
        return part
    uri = part.get("image") if isinstance(part, dict) else None
    if not isinstance(uri, str):
        raise InvalidTask("Each part of a task must be text or an image.", where=f"/task/{index}")
    try:
        return Image.from_uri(uri)
    except ValueError as error:
        raise InvalidTask(
            "The image cannot be read.", fix="Choose a PNG, JPEG, GIF or WebP file.", where=f"/task/{index}"
        ) from error
