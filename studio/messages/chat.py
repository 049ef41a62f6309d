"""What agents say to each other (chat messages) and what happens meanwhile (agent events).

Names and fields are AgentChat's, so that its transcripts and state files can be read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar, cast

from pydantic import BaseModel, Field, JsonValue, SerializeAsAny, computed_field

from studio import effects
from studio.messages.llm import (
    FunctionCall,
    FunctionExecutionResult,
    Image,
    LLMMessage,
    MemoryContent,
    RequestUsage,
    UserMessage,
)

Content = TypeVar("Content", bound=BaseModel, covariant=True)


class BaseMessage(BaseModel):
    """What chat messages and events have in common."""

    is_chat: ClassVar[bool] = False

    id: str = Field(default_factory=effects.new_id)
    source: str
    models_usage: RequestUsage | None = None
    metadata: dict[str, str] = Field(default_factory=dict[str, str])
    created_at: datetime = Field(default_factory=effects.now)

    def to_text(self) -> str:
        """The message as a person reads it."""
        return str(getattr(self, "content", ""))

    def dump(self) -> dict[str, Any]:
        """The message as plain JSON."""
        return self.model_dump(mode="json")

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Self:
        """Read back what `dump` gave for a message of this class."""
        return cls.model_validate(data)


class BaseChatMessage(BaseMessage):
    """A message that travels to the other agents of the team."""

    is_chat: ClassVar[bool] = True

    def to_model_text(self) -> str:
        """The message as text for a model that reads no pictures."""
        return self.to_text()

    def to_model_message(self) -> UserMessage:
        """The message as another agent's model is told it."""
        return UserMessage(content=self.to_text(), source=self.source)


class BaseTextChatMessage(BaseChatMessage):
    """A chat message whose content is text."""

    content: str

    def to_text(self) -> str:
        return self.content


class TextMessage(BaseTextChatMessage):
    """Plain text."""

    type: Literal["TextMessage"] = "TextMessage"


class MultiModalMessage(BaseChatMessage):
    """Text and pictures in order."""

    content: list[str | Image]
    type: Literal["MultiModalMessage"] = "MultiModalMessage"

    def to_text(self) -> str:
        return "\n".join(part if isinstance(part, str) else "<image>" for part in self.content)

    def to_model_text(self, image_placeholder: str | None = "[image]") -> str:
        shown = f" {image_placeholder}" if image_placeholder else ""
        return "".join(part if isinstance(part, str) else shown for part in self.content)

    def to_model_message(self) -> UserMessage:
        return UserMessage(content=self.content, source=self.source)


class StopMessage(BaseTextChatMessage):
    """Asks the team to stop; its content says why."""

    type: Literal["StopMessage"] = "StopMessage"


class HandoffMessage(BaseTextChatMessage):
    """Hands the conversation to `target`; receivers read `context` first."""

    target: str
    context: list[LLMMessage] = Field(default_factory=list[LLMMessage])
    type: Literal["HandoffMessage"] = "HandoffMessage"


class ToolCallSummaryMessage(BaseTextChatMessage):
    """An agent's answer made of tool results alone."""

    type: Literal["ToolCallSummaryMessage"] = "ToolCallSummaryMessage"
    tool_calls: list[FunctionCall]
    results: list[FunctionExecutionResult]


class StructuredMessage(BaseChatMessage, Generic[Content]):
    """An answer that follows a schema; its `type` names the content's model."""

    content: Content
    format_string: str | None = None

    @computed_field
    @property
    def type(self) -> str:
        return f"StructuredMessage[{type(self.content).__name__}]"

    def to_text(self) -> str:
        if self.format_string is not None:
            return self.format_string.format(**self.content.model_dump())
        return self.content.model_dump_json()

    def to_model_message(self) -> UserMessage:
        return UserMessage(content=self.content.model_dump_json(), source=self.source)


class BaseAgentEvent(BaseMessage):
    """Something that happened inside an agent; other agents never see it."""


class ToolCallRequestEvent(BaseAgentEvent):
    """The model wishes these tool calls."""

    content: list[FunctionCall]
    type: Literal["ToolCallRequestEvent"] = "ToolCallRequestEvent"


class ToolCallExecutionEvent(BaseAgentEvent):
    """These tool calls were made."""

    content: list[FunctionExecutionResult]
    type: Literal["ToolCallExecutionEvent"] = "ToolCallExecutionEvent"


class CodeBlock(BaseModel):
    """Code as an executor takes it."""

    code: str
    language: str


class CodeResult(BaseModel):
    """What running code gave."""

    exit_code: int
    output: str


class CodeGenerationEvent(BaseAgentEvent):
    """The model wrote code."""

    retry_attempt: int
    content: str
    code_blocks: list[CodeBlock]
    type: Literal["CodeGenerationEvent"] = "CodeGenerationEvent"


class CodeExecutionEvent(BaseAgentEvent):
    """Code was run."""

    retry_attempt: int
    result: CodeResult
    type: Literal["CodeExecutionEvent"] = "CodeExecutionEvent"

    def to_text(self) -> str:
        return self.result.output


class UserInputRequestedEvent(BaseAgentEvent):
    """A person is asked; the answer comes as the agent's next message."""

    request_id: str
    content: Literal[""] = ""
    type: Literal["UserInputRequestedEvent"] = "UserInputRequestedEvent"


class MemoryQueryEvent(BaseAgentEvent):
    """A memory gave these."""

    content: list[MemoryContent]
    type: Literal["MemoryQueryEvent"] = "MemoryQueryEvent"


class ModelClientStreamingChunkEvent(BaseAgentEvent):
    """A piece of a message that is still being written; never part of a result, seen by no condition."""

    content: str
    full_message_id: str | None = None
    type: Literal["ModelClientStreamingChunkEvent"] = "ModelClientStreamingChunkEvent"


class ThoughtEvent(BaseAgentEvent):
    """What the model thought before it answered."""

    content: str
    type: Literal["ThoughtEvent"] = "ThoughtEvent"


class GuardrailEvent(BaseAgentEvent):
    """A guardrail was tripped: its name, what it watched, and why; the agent's answer is what it says instead."""

    guardrail: str
    watched: Literal["input", "output"]
    content: str
    type: Literal["GuardrailEvent"] = "GuardrailEvent"

    def to_text(self) -> str:
        return f"Guardrail {self.guardrail} ({self.watched}): {self.content}"


class SelectSpeakerEvent(BaseAgentEvent):
    """These participants speak next."""

    content: list[str]
    type: Literal["SelectSpeakerEvent"] = "SelectSpeakerEvent"


class SelectorEvent(BaseAgentEvent):
    """A piece of the selector's answer."""

    content: str
    type: Literal["SelectorEvent"] = "SelectorEvent"


ChatMessage = (
    TextMessage
    | MultiModalMessage
    | StopMessage
    | HandoffMessage
    | ToolCallSummaryMessage
    | StructuredMessage[BaseModel]
)
AgentEvent = Annotated[
    ToolCallRequestEvent
    | ToolCallExecutionEvent
    | CodeGenerationEvent
    | CodeExecutionEvent
    | UserInputRequestedEvent
    | MemoryQueryEvent
    | ModelClientStreamingChunkEvent
    | ThoughtEvent
    | GuardrailEvent
    | SelectSpeakerEvent
    | SelectorEvent,
    Field(discriminator="type"),
]


class Response(BaseModel):
    """An agent's answer, with what happened on the way."""

    chat_message: SerializeAsAny[BaseChatMessage]
    inner_messages: Sequence[SerializeAsAny[BaseMessage]] | None = None


class TaskResult(BaseModel):
    """All that a finished run said, oldest first, and why it stopped."""

    messages: Sequence[SerializeAsAny[BaseMessage]]
    stop_reason: str | None = None


_BY_TYPE: dict[str, type[BaseMessage]] = {
    cls.__name__: cls
    for cls in (
        TextMessage,
        MultiModalMessage,
        StopMessage,
        HandoffMessage,
        ToolCallSummaryMessage,
        ToolCallRequestEvent,
        ToolCallExecutionEvent,
        CodeGenerationEvent,
        CodeExecutionEvent,
        UserInputRequestedEvent,
        MemoryQueryEvent,
        ModelClientStreamingChunkEvent,
        ThoughtEvent,
        GuardrailEvent,
        SelectSpeakerEvent,
        SelectorEvent,
    )
}


class _AnyContent(BaseModel, extra="allow"):
    """Content of a structured message whose model is not known here."""


_no_types: Mapping[str, type[BaseMessage]] = MappingProxyType({})
_more_types: ContextVar[Mapping[str, type[BaseMessage]]] = ContextVar("studio_message_types", default=_no_types)


def type_name(message_type: type[BaseMessage]) -> str:
    """What stands under `type` in the JSON of such messages."""
    fields = message_type.model_fields
    if issubclass(message_type, StructuredMessage):
        return f"StructuredMessage[{getattr(fields['content'].annotation, '__name__', 'BaseModel')}]"
    usual = fields["type"].default if "type" in fields else None
    return usual if isinstance(usual, str) else message_type.__name__


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
    found = _BY_TYPE.get(kind)
    if found is None:
        raise ValueError(f"No message has the type {kind!r}.")
    return found.model_validate(body)
