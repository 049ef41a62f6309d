"""What an agent's model is shown of the conversation so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import BaseModel, Field, JsonValue, PrivateAttr

from studio.components import Component
from studio.messages import History, LLMMessage, in_portions

InitialMessages = Annotated[
    list[LLMMessage] | None,
    Field(description="Messages at the start of the conversation.", json_schema_extra={"x-advanced": True}),
]


class ContextState(BaseModel, defer_build=True):
    """Saved messages, in AutoGen's shape."""

    messages: list[LLMMessage] = Field(default_factory=list[LLMMessage])


class ChatCompletionContext(Component):
    """Keeps the conversation and decides how much of it the model sees."""

    component_type: ClassVar[str] = "chat_completion_context"

    if TYPE_CHECKING:  # each context declares the field itself, so that it stands last in its form
        initial_messages: list[LLMMessage] | None

    _messages: list[LLMMessage] = PrivateAttr(default_factory=History)

    def model_post_init(self, _context: object, /) -> None:
        self._messages = History(self.__dict__.get("initial_messages") or ())

    async def add_message(self, message: LLMMessage) -> None:
        """Append to the conversation."""
        self._messages.append(message)

    async def add_messages(self, messages: Sequence[LLMMessage]) -> None:
        """Append several, oldest first; by `add_message` in a class that has its own."""
        if type(self).add_message is ChatCompletionContext.add_message:
            self._messages.extend(messages)
            return
        for message in messages:
            await self.add_message(message)

    async def get_messages(self) -> list[LLMMessage]:
        """What the model is shown, oldest first."""
        return list(self._messages)

    def whole(self) -> History | None:
        """The conversation, for who may add to it and read it without asking, since all of it is shown; else None."""
        return None

    async def shown_after(self, head: Sequence[LLMMessage]) -> Sequence[LLMMessage]:
        """What the model is shown, `head` first; not changed by what is added later."""
        return [*head, *await self.get_messages()]

    async def clear(self) -> None:
        """Forget everything, the first messages too, as AutoGen does."""
        self._messages = History()

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {"messages": await in_portions(tuple(self._messages), _as_json)}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        saved = state.get("messages")
        if not isinstance(saved, list):
            saved, _ = [], ContextState.model_validate(state)
        self._messages = History(await in_portions(saved, _messages_in))


def _as_json(messages: Sequence[LLMMessage]) -> list[JsonValue]:
    return ContextState(messages=list(messages)).model_dump(mode="json")["messages"]


def _messages_in(saved: Sequence[JsonValue]) -> list[LLMMessage]:
    return ContextState.model_validate({"messages": saved}).messages
