"""Conversations that a person brings: as the JSON of messages, or as plain lines like `writer: I am done.`"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue, ValidationError

from studio import effects
from studio.components import parse_json
from studio.errors import InvalidDocument
from studio.messages import BaseMessage, TextMessage, message_from_json

MAX_MESSAGES = 5_000
_SPOKEN = re.compile(r"(?P<source>[A-Za-z_][\w-]*):(?:\s+(?P<text>.*))?")


class InvalidConversation(InvalidDocument):
    """It is no conversation that the studio can read."""

    code = "invalid_conversation"


def read_conversation(text: str) -> list[BaseMessage]:
    """The messages in a text, oldest first.

    Args:
        text: A JSON list of messages and events, an object with such a list under `messages`, or plain lines, each
            `source: text`. A line that begins with no source goes on with the message before it.

    Raises:
        InvalidConversation: With the place of what cannot be read.
    """
    if text.lstrip().startswith(("[", "{")):
        return read_messages(parse_json(text))
    at = effects.now()
    return _bounded([TextMessage(source=source, content=said, created_at=at) for source, said in _paragraphs(text)])


def read_messages(value: JsonValue) -> list[BaseMessage]:
    """The messages in JSON. What has no `type` is text, and what has no `source` comes from the user.

    Raises:
        InvalidConversation: With the place of what cannot be read.
    """
    listed = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise InvalidConversation(
            "A conversation must be a list of messages.", fix="Paste a list, or lines like `writer: text`."
        )
    at = effects.now().isoformat()
    return _bounded([_message(each, index, at) for index, each in enumerate(listed)])


def _message(value: JsonValue, index: int, at: str) -> BaseMessage:
    if not isinstance(value, dict):
        raise InvalidConversation(f"Message {index + 1} is not an object.", where=f"/{index}")
    body = {"type": "TextMessage", "source": "user", "created_at": at, **value}
    try:
        return message_from_json(body)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(step) for step in problem["loc"])
        what = f"Message {index + 1} cannot be read: {place}: {problem['msg']}."
        raise InvalidConversation(what, where=f"/{index}") from error
    except ValueError as error:
        raise InvalidConversation(f"Message {index + 1} cannot be read: {error}", where=f"/{index}") from error


def _paragraphs(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (spoken := _SPOKEN.fullmatch(line)) is not None:
            found.append((cast("str", spoken["source"]), [spoken["text"] or ""]))
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise InvalidConversation(
                f"Line {number} has no speaker.", fix="Start it like `writer: text`.", where=f"line {number}"
            )
    return [(source, "\n".join(lines).rstrip()) for source, lines in found]


def _bounded(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    if not messages:
        raise InvalidConversation("There are no messages.", fix="Paste lines like `writer: text`.")
    if len(messages) > MAX_MESSAGES:
        raise InvalidConversation(f"There are more than {MAX_MESSAGES:,} messages.", fix="Use only the last ones.")
    return list(messages)
