"""What the fields of components are called: in forms, in errors, and where a change is told. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast, get_args

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

PARTICIPANT_NAMES: Final[dict[str, JsonValue]] = {"x-suggestions": "/participants"}
"""Marks a text that is the name of a participant, so that forms offer these."""
_SPELLED = {
    "ad": "AD",
    "api": "API",
    "aws": "AWS",
    "azure": "Azure",
    "bedrock": "Bedrock",
    "db": "DB",
    "docker": "Docker",
    "gpu": "GPU",
    "http": "HTTP",
    "https": "HTTPS",
    "id": "ID",
    "json": "JSON",
    "jupyter": "Jupyter",
    "llm": "LLM",
    "mcp": "MCP",
    "ocr": "OCR",
    "python": "Python",
    "redis": "Redis",
    "sse": "SSE",
    "tls": "TLS",
    "uri": "URI",
    "url": "URL",
}
_NAMES = frozenset(_SPELLED.values())
_UNITS = {
    "_seconds": "s",
    "_s": "s",
    "timeout": "s",
    "_tokens": "tokens",
    "token_limit": "tokens",
    "token_count": "tokens",
}
"""What the end of a field's name says of its unit."""


def title_from_name(name: str) -> str:
    """ "base_url" as "Base URL", "timeout_seconds" as "Timeout": what a field is called unless it says otherwise."""
    words = name.removesuffix("_seconds").removesuffix("_s").split("_")
    title = " ".join(_SPELLED.get(word, word) for word in words)
    return title[:1].upper() + title[1:]


def unit_from_name(name: str) -> str:
    """The unit of a number, "" when its name has none."""
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), "")


def sentence_case(title: str) -> str:
    """ "Max Messages" as "Max messages"; names such as "OpenAI" stay."""
    words = title.split()
    kept = [word if index == 0 or _is_name(word) else word.lower() for index, word in enumerate(words)]
    return " ".join(kept)


def in_a_sentence(title: str) -> str:
    """A title where it does not begin the sentence."""
    first, _, rest = title.partition(" ")
    return title if _is_name(first) or len(first) == 1 else f"{first.lower()} {rest}".strip()


def _is_name(word: str) -> bool:
    return word in _NAMES or any(map(str.isupper, word[1:]))


def title_of_field(cls: type[BaseModel], name: str) -> str:
    """What the form of `cls` calls a field; "" when there is no such field."""
    field = cls.model_fields.get(name)
    if field is None:
        return ""
    return sentence_case(field.title or title_from_name(name))


def title_at(cls: type[BaseModel], steps: Sequence[str]) -> str:
    """What is called what stands at `steps` of a config: "Max turns", "Entry 3 of handoffs"; "" when nobody knows."""
    models: list[type[BaseModel]] = [cls]
    title = ""
    for index, step in enumerate(steps):
        is_last = index == len(steps) - 1
        known = [model for model in models if step in model.model_fields]
        if known:
            title = title_of_field(known[0], step)
            models = [inner for model in known for inner in _models_of(model.model_fields[step])]
        elif step.isdecimal() and title and not models:
            return f"Entry {int(step) + 1} of {in_a_sentence(title)}"
        elif is_last and not step.isdecimal():
            return ""
    return title


def _models_of(field: FieldInfo) -> Iterator[type[BaseModel]]:
    """The classes that a field, or an entry of it, may be of."""
    todo: list[object] = [field.annotation]
    while todo:
        annotation = todo.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        todo += cast("tuple[object, ...]", get_args(annotation))
