"""What memories have in common that a database or service keeps: each question to it is one effect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from pydantic import BaseModel, JsonValue, TypeAdapter, create_model

from studio import effects
from studio.components import JsonObject
from studio.components.secrets import discreet
from studio.effects import EffectRequest, Perform
from studio.errors import RunFailed
from studio.memory.base import Conversation, Memory, MemoryQueryResult, UpdateContextResult
from studio.messages import CancellationToken, LLMMessage, MemoryContent, SystemMessage, linked

_CONTENTS = TypeAdapter(list[MemoryContent])


class MemoryUnavailable(RunFailed):
    """The database or service behind a memory did not answer. Safe to retry."""

    code = "memory_unavailable"


class UnsuitableContent(RunFailed, ValueError):
    """A memory that searches by text was given something that has none."""

    code = "unsuitable_content"


class ServiceMemory(Memory):
    """Remembers outside of the process. Subclasses say how; this class sees to the effects."""

    def _settings(self) -> JsonObject:
        """What decides about the answers and therefore belongs to the request; never a secret's value."""
        raise NotImplementedError

    async def _find(self, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        """What is relevant to the text, best first; `options` go before the fields of the same names."""
        raise NotImplementedError

    async def _keep(self, content: MemoryContent, item_id: str) -> None:
        raise NotImplementedError

    async def _forget(self) -> None:
        raise NotImplementedError

    def _reminder(self, found: Sequence[MemoryContent]) -> str:
        """The system message for what was found."""
        raise NotImplementedError

    async def update_context(self, model_context: Conversation) -> UpdateContextResult:
        """Look for what is relevant to the last message, and add it as one system message."""
        messages = await model_context.get_messages()
        if not messages:
            return UpdateContextResult(memories=MemoryQueryResult())
        found = await self.query(_text_of(messages[-1]))
        if found.results:
            await model_context.add_message(SystemMessage(content=self._reminder(found.results)))
        return UpdateContextResult(memories=found)

    async def query(
        self, query: str | MemoryContent = "", cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """Find what is relevant to a text.

        Args:
            query: The text.
            cancellation_token: Ends the wait for the service.
            options: JSON that goes before the fields for this query: `top_k`, `distance_threshold` and `sequential` of
                Redis, `limit` and whatever else Mem0's search knows, `where` and `where_document` of Chroma.

        Raises:
            MemoryUnavailable: The database or service did not answer.
        """
        text = query if isinstance(query, str) else searchable_text(query)
        given: JsonObject = {"options": options} if options else {}

        async def perform() -> JsonValue:
            return _CONTENTS.dump_python(await self._find(text, options), mode="json")

        answer = await self._ask("query", {"text": text, **given}, perform, cancellation_token)
        return MemoryQueryResult(results=_CONTENTS.validate_python(answer))

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember a text or a JSON object.

        Raises:
            UnsuitableContent: It is neither.
            MemoryUnavailable: The database or service did not answer.
        """
        text, item_id = searchable_text(content), effects.new_id()

        async def perform() -> JsonValue:
            await self._keep(content, item_id)
            return None

        await self._ask("add", {"text": text, "id": item_id}, perform, cancellation_token)

    async def clear(self) -> None:
        async def perform() -> JsonValue:
            await self._forget()
            return None

        await self._ask("clear", {}, perform, None)

    async def _ask(
        self, operation: str, body: JsonObject, perform: Perform, token: CancellationToken | None
    ) -> JsonValue:
        request = EffectRequest(
            "memory",
            type(self).__name__,
            lambda: {"operation": operation, "memory": self._settings(), **body},
            is_safe=operation == "query",
        )
        with linked(token):
            return await effects.call(request, perform)

    async def release(self) -> None:
        await self.close()


def searchable_text(content: MemoryContent) -> str:
    """The content as a text that can be searched for.

    Raises:
        UnsuitableContent: It is a picture or bytes.
    """
    if isinstance(content.content, str):
        return content.content
    if isinstance(content.content, dict):
        return json.dumps(content.content, ensure_ascii=False)
    raise UnsuitableContent(
        f"Unsupported content type {content.mime_type!r}: this memory keeps text and JSON.",
        fix="Add a description in words instead.",
    )


def content_from(text: str, metadata: JsonObject) -> MemoryContent:
    """A content as it was added, from its searchable text and a metadata object that holds its `mime_type`."""
    rest = {name: value for name, value in metadata.items() if name != "mime_type"}
    mime_type = str(metadata.get("mime_type") or "text/plain")
    content: str | JsonObject = text
    if mime_type == "application/json":
        with suppress(ValueError):  # a text that was only said to be JSON
            loaded: JsonValue = json.loads(text)
            content = loaded if isinstance(loaded, dict) else text
    return MemoryContent(content=content, mime_type=mime_type, metadata=rest)


def numbered(heading: str, found: Sequence[MemoryContent]) -> str:
    """A heading and one numbered line for each content."""
    lines = "\n".join(f"{number}. {item.content}" for number, item in enumerate(found, 1))
    return f"\n{heading}:\n{lines}"


def _text_of(message: LLMMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else str(getattr(part, "content", "")) for part in content).strip()


class MemoryConfig(BaseModel, defer_build=True):
    """The fields of a memory as AutoGen's scripts write them: `RedisMemory(config=RedisMemoryConfig(...))`."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        return ((name, discreet(name or "", value)) for name, value in super().__repr_args__())


def config_of(
    memory: type[ServiceMemory], name: str, doc: str, *, base: type[MemoryConfig] = MemoryConfig, **defaults: Any
) -> type[MemoryConfig]:
    """A config with the fields of a memory.

    Args:
        memory: Says the fields.
        name: The name of the class.
        doc: What it describes.
        base: A wider kind that it is, too.
        defaults: Where they are others than the memory's.
    """
    fields = {field: (info.annotation, defaults.get(field, info)) for field, info in memory.model_fields.items()}
    make = cast("Callable[..., type[MemoryConfig]]", create_model)
    return make(name, __base__=base, __doc__=doc, __module__=memory.__module__, **fields)
