"""Messages and events from their JSON."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import MappingProxyType
from typing import cast

from pydantic import BaseModel, JsonValue

from studio.messages.chat import BaseMessage, StructuredMessage


def _name_of(message_type: type[BaseMessage]) -> str | None:
    """Its `type`, where that is the same for all such messages."""
    field = message_type.model_fields.get("type")
    return field.default if field is not None and isinstance(field.default, str) else None


@cache
def _by_type() -> dict[str, type[BaseMessage]]:
    from studio.messages import chat, decisions  # a run that nobody has explained needs no decisions

    return {
        name: cls
        for module in (chat, decisions)
        for cls in cast("dict[str, object]", vars(module)).values()
        if isinstance(cls, type) and issubclass(cls, BaseMessage) and (name := _name_of(cls)) is not None
    }


class _AnyContent(BaseModel, extra="allow", defer_build=True):
    """Content of a structured message whose model is not known here."""


_no_types: Mapping[str, type[BaseMessage]] = MappingProxyType({})
_more_types: ContextVar[Mapping[str, type[BaseMessage]]] = ContextVar("studio_message_types", default=_no_types)


def type_name(message_type: type[BaseMessage]) -> str:
    """What stands under `type` in the JSON of such messages."""
    if issubclass(message_type, StructuredMessage):
        content = message_type.model_fields["content"].annotation
        return f"StructuredMessage[{getattr(content, '__name__', 'BaseModel')}]"
    return _name_of(message_type) or message_type.__name__


@contextmanager
def message_types(types: Iterable[type[BaseMessage]]) -> Generator[None]:
    """Inside the block, `message_from_json` also knows these types, such as those of a script."""
    token = _more_types.set({**_more_types.get(), **{type_name(kind): kind for kind in types}})
    try:
        yield
    finally:
        _more_types.reset(token)


def message_from_json(body: dict[str, JsonValue]) -> BaseMessage:
    """Read one message or event back from its JSON.

    Raises:
        ValueError: The `type` is unknown, or the body does not fit it (Pydantic's ValidationError).
    """
    kind = str(body.get("type"))
    if (more := _more_types.get().get(kind)) is not None:
        return more.model_validate(body)
    if kind.startswith("StructuredMessage[") and kind.endswith("]"):
        name = kind.removeprefix("StructuredMessage[").removesuffix("]")
        content_type = type(name, (_AnyContent,), {"__module__": __name__})
        generic = cast("type[StructuredMessage[BaseModel]]", StructuredMessage[content_type])
        return generic.model_validate({key: value for key, value in body.items() if key != "type"})
    found = _by_type().get(kind)
    if found is None:
        raise ValueError(f"No message has the type {kind!r}.")
    return found.model_validate(body)
