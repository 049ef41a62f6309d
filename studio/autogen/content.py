"""Small functions of AutoGen that scripts import."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from pydantic import BaseModel

from studio.agents.turn import without_images
from studio.messages import Image, LLMMessage

_FENCED = re.compile(r"```(?:\s*([\w\+\-]+))?\n([\s\S]*?)```")


def content_to_str(content: Any) -> str:
    """The content of a message as text; a picture becomes `<image>`."""
    if isinstance(content, str):
        return content
    if isinstance(content, BaseModel):
        return content.model_dump_json()
    return "\n".join("<image>" if isinstance(part, Image) else str(part) for part in cast("Sequence[object]", content))


def remove_images(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """The same conversation without pictures."""
    return without_images(messages)


def extract_json_from_str(content: str) -> list[dict[str, Any]]:
    """The JSON objects in a text: those of its code blocks, or the text as a whole.

    Raises:
        ValueError: A code block is marked as another language, or something is no JSON.
    """
    blocks = _FENCED.findall(content)
    for language, _ in blocks:
        if language and language.strip().lower() != "json":
            raise ValueError(f"Expected a code block of JSON, found {language.strip()!r}.")
    return [json.loads(text.strip()) for _, text in blocks] if blocks else [json.loads(content)]
