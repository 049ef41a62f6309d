"""Messages of what a person gives: text, and pictures below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.messages.chat import MultiModalMessage, TextMessage
from studio.messages.llm import Image


def given_message(
    source: str, text: str, metadata: Mapping[str, str], pictures: Sequence[JsonValue]
) -> TextMessage | MultiModalMessage:
    """The message, whose kind AutoGen knows.

    Args:
        source: Who says it.
        text: What is said.
        metadata: Of the message.
        pictures: As messages hold them.
    """
    if not pictures:
        return TextMessage(content=text, source=source, metadata=dict(metadata))
    return MultiModalMessage(content=[text, *images_of(pictures)], source=source, metadata=dict(metadata))


def images_of(pictures: Sequence[JsonValue]) -> list[str | Image]:
    """The pictures, from the form in which messages are stored."""
    return [Image.model_validate(cast("object", picture)) for picture in pictures]
