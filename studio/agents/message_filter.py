"""An agent that hears only part of what is said."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PrivateAttr, model_validator

from studio.agents.base import ChatAgent, Step
from studio.components import PARTICIPANT_NAMES, JsonObject, Warn
from studio.messages import BaseChatMessage, CancellationToken

SUFFIX = " (with message filtering)"
STATE_TYPE = "MessageFilterAgentState"


class PerSourceFilter(BaseModel):
    """Which messages of one participant are heard."""

    model_config = ConfigDict(frozen=True, extra="allow")

    source: Annotated[
        str,
        Field(description="Name of the participant, or of the user.", json_schema_extra=PARTICIPANT_NAMES),
    ]
    position: Annotated[
        Literal["first", "last"] | None, Field(description="Keep the first or last messages. Empty: all of them.")
    ] = None
    count: Annotated[int | None, Field(description="How many messages to keep. Empty: all of them.")] = None

    def pick(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        """The messages of this source that pass."""
        own = [message for message in messages if message.source == self.source]
        if not self.count or self.position is None:
            return own
        return own[: self.count] if self.position == "first" else own[-self.count :]


class MessageFilterConfig(BaseModel):
    """What is heard of whom, one source after the other. Nothing is heard of others."""

    model_config = ConfigDict(frozen=True, extra="allow")

    per_source: Annotated[
        list[PerSourceFilter], Field(description="One filter for each sender. Messages of other senders are dropped.")
    ]


class MessageFilterAgent(ChatAgent):
    """Passes only the messages that match a filter to another agent."""

    provider = "autogen_agentchat.agents.MessageFilterAgent"
    aliases = (
        "autogen_agentchat.agents._message_filter_agent.MessageFilterAgent",
        "studio.agents.MessageFilterAgent",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "wrapped_agent", "filter")

    description: Annotated[
        str,
        Field(
            description="Empty: the description of the wrapped agent.",
            exclude_if=lambda text: str(text).endswith(SUFFIX),
            json_schema_extra={"x-advanced": True},
        ),
    ] = ""
    wrapped_agent: Annotated[ChatAgent, Field(description="Answers the messages that pass the filter.")]
    filter: Annotated[
        MessageFilterConfig,
        Field(
            description="The messages that reach the wrapped agent.",
            examples=[{"per_source": [{"source": "user", "position": "last", "count": 1}]}],
        ),
    ]

    _passed_on: tuple[Sequence[BaseChatMessage], Sequence[BaseChatMessage]] = PrivateAttr(default=((), ()))
    """What it was told last, and what it let through."""

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        wrapped = config.get("wrapped_agent")
        inner = wrapped.get("config") if isinstance(wrapped, dict) else None
        name = inner.get("name") if isinstance(inner, dict) else None
        if isinstance(name, str) and name != config.get("name"):
            warn(
                f"Answers carry the wrapped agent's name, {name!r}; in a graph both names must be equal.",
                "/wrapped_agent/config/name",
            )
        return config

    @model_validator(mode="after")
    def _describe(self) -> Self:
        if not self.description and not self.wrapped_agent.is_opaque:
            object.__setattr__(self, "description", f"{self.wrapped_agent.description}{SUFFIX}")
        return self

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return self.wrapped_agent.produced_message_types

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        heard = [message for part in self.filter.per_source for message in part.pick(messages)]
        self._passed_on = messages, heard
        async with aclosing(self.wrapped_agent.on_messages_stream(heard, cancellation_token)) as steps:
            async for step in steps:
                yield step

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        given, heard = self._passed_on
        return () if given is messages and not self.wrapped_agent.unheard(heard) else messages

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        await self.wrapped_agent.on_reset(cancellation_token)

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {"type": STATE_TYPE, "version": "1.0.0", "wrapped_state": dict(await self.wrapped_agent.save_state())}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        wrapped = state.get("wrapped_state")
        if wrapped is not None:
            await self.wrapped_agent.load_state(cast("JsonObject", wrapped))

    async def release(self) -> None:
        await self.wrapped_agent.release()
