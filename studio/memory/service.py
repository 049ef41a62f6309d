"""What memories have in common that a database or service keeps: each question to it is one effect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import JsonValue, TypeAdapter

from studio import effects
from studio.components import JsonObject
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

    async def _find(self, text: str) -> list[MemoryContent]:
        """What is relevant to the text, best first."""
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
        self, query: str | MemoryContent = "", cancellation_token: CancellationToken | None = None
    ) -> MemoryQueryResult:
        """Find what is relevant to a text.

        Raises:
            MemoryUnavailable: The database or service did not answer.
        """
        text = query if isinstance(query, str) else searchable_text(query)

        async def perform() -> JsonValue:
            return _CONTENTS.dump_python(await self._find(text), mode="json")

        answer = await self._ask("query", {"text": text}, perform, cancellation_token)
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
        f"This memory keeps text and JSON, not {content.mime_type!r}.", fix="Describe it in words, and add those."
    )


def content_from(text: str, metadata: JsonObject) -> MemoryContent:
    """A content as it was added, from its searchable text and a metadata object that holds its `mime_type`."""
    rest = {name: value for name, value in metadata.items() if name != "mime_type"}
    mime_type = str(metadata.get("mime_type") or "text/plain")
    content: str | JsonObject = text
    if mime_type == "application/json":
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


class MemoryConfig:
    """The fields of a memory as AutoGen's scripts write them: `RedisMemory(config=RedisMemoryConfig(...))`."""

    memory: ClassVar[type[ServiceMemory]]
    kept: ClassVar[JsonObject] = {}
    """Fields that this kind of config sets itself."""

    def __init__(self, **fields: Any) -> None:
        self.fields: Mapping[str, Any] = {**self.kept, **fields}

    def __getattr__(self, name: str) -> Any:
        """A field that was given, or its default."""
        field = self.memory.model_fields.get(name)
        if field is None or name == "fields":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.fields[name] if name in self.fields else field.get_default(call_default_factory=True)
