"""What agents say to each other (chat messages) and what happens meanwhile (agent events).

Names and fields are AgentChat's, so that its transcripts and state files can be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SerializeAsAny, computed_field

from studio import effects
from studio.components.private_attributes import settle_annotations
from studio.components.templates import fill_in
from studio.files import Attachment
from studio.messages.llm import (
    FunctionCall,
    FunctionExecutionResult,
    Image,
    LLMMessage,
    MemoryContent,
    RequestUsage,
    UserMessage,
    user_message,
)
from studio.messages.unchecked import unchecked

Content = TypeVar("Content", bound=BaseModel, covariant=True)
Message = TypeVar("Message", bound="BaseMessage")

_name_of: Callable[[type], str] = vars(type)["__name__"].__get__
"""By its descriptor: a model class looks for its name among its fields first."""


class BaseMessage(BaseModel):
    """What chat messages and events have in common."""

    model_config = ConfigDict(defer_build=True)

    is_chat: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True
    """Whether results hold it. Pieces of a message and explanations only pass by."""

    id: str = Field(default_factory=effects.new_id)
    source: str
    models_usage: RequestUsage | None = None
    metadata: dict[str, str] = Field(default_factory=dict[str, str])
    created_at: datetime = Field(default_factory=effects.now)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        settle_annotations(cls)

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


def made(
    cls: type[Message], source: str, models_usage: RequestUsage | None = None, message_id: str = "", **own: Any
) -> Message:
    """A message of values that are known to be of their types.

    Args:
        cls: Its class. To ask that for a method takes as long as half of this.
        source: Who says it.
        models_usage: Tokens of the call that it came of.
        message_id: A new one when left out.
        own: All fields that its class adds, in their order.
    """
    port = effects.current()
    values: dict[str, Any] = {
        "id": message_id or port.new_id(),
        "source": source,
        "models_usage": models_usage,
        "metadata": {},
        "created_at": port.now(),
        **own,
        "type": _name_of(cls),
    }
    return unchecked(cls, {"source", *own}, values)


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

    def to_model_message(self) -> UserMessage:
        return _for_model(vars(self), self.to_text())[2]


_ForModel = tuple[str, str, UserMessage]
"""A text, its source, and what a model is told of both."""


def _for_model(own: dict[str, Any], text: str) -> _ForModel:
    """What a model is told of a message with these fields: one for all who hear it, anew if the message was changed."""
    source = own["source"]
    kept: _ForModel | None = own.get("_model_message")
    if kept is None or kept[0] is not text or kept[1] is not source:
        kept = own["_model_message"] = text, source, user_message(text, source)
    return kept


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


def text_said(text: str, source: str, models_usage: RequestUsage | None, message_id: str) -> TextMessage:
    """As `made`, for what most turns end with."""
    values: dict[str, Any] = {
        "id": message_id,
        "source": source,
        "models_usage": models_usage,
        "metadata": {},
        "created_at": effects.current().now(),
        "content": text,
        "type": "TextMessage",
    }
    return unchecked(TextMessage, {"source", "content"}, values)


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
            return fill_in(self.format_string, "format_string", **self.content.model_dump())
        return self.content.model_dump_json()

    def to_model_message(self) -> UserMessage:
        return UserMessage(content=self.content.model_dump_json(), source=self.source)


_TEXTS = frozenset[type[BaseMessage]]((TextMessage, StopMessage, ToolCallSummaryMessage))


def as_heard(messages: Iterable[BaseChatMessage]) -> list[LLMMessage]:
    """What a model is told of what was said; what a handoff brings along comes first."""
    prompt: list[LLMMessage] = []
    for message in messages:
        if type(message) in _TEXTS:  # most are, and many hear each of them
            own: dict[str, Any] = message.__dict__  # pyright: ignore[reportAssignmentType] -- no proxy in an instance
            kept: _ForModel | None = own.get("_model_message")
            if kept is None or kept[0] is not own["content"] or kept[1] is not own["source"]:
                kept = _for_model(own, own["content"])
            prompt.append(kept[2])
            continue
        if isinstance(message, HandoffMessage):
            prompt += message.context
        prompt.append(message.to_model_message())
    return prompt


class BaseAgentEvent(BaseMessage):
    """Something that happened inside an agent; other agents never see it."""


class ToolCallRequestEvent(BaseAgentEvent):
    """The model requests these tool calls."""

    content: list[FunctionCall]
    type: Literal["ToolCallRequestEvent"] = "ToolCallRequestEvent"


class ToolCallExecutionEvent(BaseAgentEvent):
    """These tool calls were made."""

    content: list[FunctionExecutionResult]
    type: Literal["ToolCallExecutionEvent"] = "ToolCallExecutionEvent"


class CodeBlock(BaseModel):
    """Code as an executor takes it."""

    model_config = ConfigDict(defer_build=True)

    code: str
    language: str


class CodeResult(BaseModel):
    """What running code gave."""

    model_config = ConfigDict(defer_build=True)

    exit_code: int
    output: str
    files: list[Attachment] = Field(default_factory=list[Attachment], exclude=True)
    """What the code wrote and the run keeps. Not in the JSON, where AgentChat has no place for it."""


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
    prompt: str = Field(default="", exclude=True)
    """What the person is asked. Not in the JSON, where AgentChat has no place for it: the effect's request says it."""
    type: Literal["UserInputRequestedEvent"] = "UserInputRequestedEvent"


class MemoryQueryEvent(BaseAgentEvent):
    """A memory gave these."""

    content: list[MemoryContent]
    type: Literal["MemoryQueryEvent"] = "MemoryQueryEvent"


class ModelClientStreamingChunkEvent(BaseAgentEvent):
    """A piece of a message that is still being written; never part of a result, seen by no condition."""

    is_kept: ClassVar[bool] = False

    id: str = Field(default_factory=effects.random_id)
    """Of no meaning: however many pieces there are, the ids of a recorded run stay the same."""
    content: str
    full_message_id: str | None = None
    type: Literal["ModelClientStreamingChunkEvent"] = "ModelClientStreamingChunkEvent"


class ThoughtEvent(BaseAgentEvent):
    """What the model thought before it answered."""

    content: str
    type: Literal["ThoughtEvent"] = "ThoughtEvent"


class ToolEvent(BaseAgentEvent):
    """A tool told this while it worked."""

    tool: str
    call_id: str | None = None
    name: str
    """What kind of thing happened; the tool's own word, such as "progress"."""
    content: JsonValue = None
    type: Literal["ToolEvent"] = "ToolEvent"

    def to_text(self) -> str:
        if self.content is None:
            return self.name
        content = self.content if isinstance(self.content, str) else json.dumps(self.content, ensure_ascii=False)
        return f"{self.name}: {content}"


class ContextVariablesEvent(BaseAgentEvent):
    """A tool, a step or an answer changed these of the team's context variables."""

    content: dict[str, JsonValue]
    removed: list[str] = Field(default_factory=list[str])
    type: Literal["ContextVariablesEvent"] = "ContextVariablesEvent"

    def to_text(self) -> str:
        changes = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in self.content.items()]
        return ", ".join([*changes, *(f"{name} removed" for name in self.removed)])


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


@dataclass(kw_only=True)
class Response:
    """An agent's answer, with what happened on the way."""

    chat_message: SerializeAsAny[BaseChatMessage]
    inner_messages: Sequence[SerializeAsAny[BaseMessage]] | None = None


class TaskResult(BaseModel):
    """All that a finished run said, oldest first, and why it stopped."""

    model_config = ConfigDict(defer_build=True)

    messages: Sequence[SerializeAsAny[BaseMessage]]
    stop_reason: str | None = None
