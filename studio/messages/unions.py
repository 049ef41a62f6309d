"""Every kind of message in one type, as AgentChat has it: for annotations and validation in scripts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from studio.messages.chat import (
    CodeExecutionEvent,
    CodeGenerationEvent,
    ContextVariablesEvent,
    GuardrailEvent,
    HandoffMessage,
    MemoryQueryEvent,
    ModelClientStreamingChunkEvent,
    MultiModalMessage,
    SelectorEvent,
    SelectSpeakerEvent,
    StopMessage,
    StructuredMessage,
    TextMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolCallSummaryMessage,
    ToolEvent,
    UserInputRequestedEvent,
)

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
    | ToolEvent
    | ContextVariablesEvent
    | GuardrailEvent
    | SelectSpeakerEvent
    | SelectorEvent,
    Field(discriminator="type"),
]
