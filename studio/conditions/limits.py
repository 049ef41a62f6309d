"""Conditions that count: messages, tokens, seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import Field, PrivateAttr, model_validator

from studio import effects
from studio.components import JsonObject, Warn
from studio.conditions.base import MET_BY_TASK, Count, TerminationCondition
from studio.errors import Finding, Fix
from studio.messages import BaseMessage, RequestUsage

USUAL_LIMIT = 20
"""Messages that a team which nothing else ends is given."""
_NO_TOKENS = RequestUsage.model_construct(prompt_tokens=0, completion_tokens=0)


class MaxMessageTermination(TerminationCondition):
    """Stop after a given number of messages, including the task."""

    provider = "autogen_agentchat.conditions.MaxMessageTermination"
    keywords = "limit count length"
    aliases = (
        "autogen_agentchat.conditions._terminations.MaxMessageTermination",
        "autogenstudio.gallery.builder.MaxMessageTermination",
        "studio.conditions.MaxMessageTermination",
    )

    # AutoGen takes 0 as well, a team that never speaks; so a form asks for 1 and a file may say less.
    max_messages: Annotated[
        int,
        Field(
            description="Upper bound on chat messages, including the task.",
            examples=[10],
            json_schema_extra={"minimum": 1},
        ),
    ]
    include_agent_event: Annotated[bool, Field(description="Count tool calls and other events as well.")] = False

    _count: int = PrivateAttr(default=0)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        limit = config.get("max_messages")
        if isinstance(limit, int) and limit < 1:
            warn("A limit below 1 ends the team before it starts.", "/max_messages")
        return config

    def advice(self) -> Iterator[Finding]:
        if self.max_messages == 1:  # of less it is told when it is read
            where = "/config/max_messages"
            message = "The task alone reaches this limit, so no agent speaks."
            yield MET_BY_TASK(message, "Raise it.", where, [Fix(f"Set it to {USUAL_LIMIT}", where, USUAL_LIMIT)])

    @property
    def terminated(self) -> bool:
        return self._count >= self.max_messages

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        self._count += sum(1 for message in messages if self.include_agent_event or message.is_chat)
        if self._count < self.max_messages:
            return None
        return f"Maximum number of messages {self.max_messages} reached, current message count: {self._count}"

    async def reset(self) -> None:
        await super().reset()
        self._count = 0

    def describe(self) -> str:
        return f"{self.max_messages} messages {'and events ' if self.include_agent_event else ''}are reached"

    def counts(self) -> Iterator[Count]:
        unit = "messages and events" if self.include_agent_event else "messages"
        yield Count(self._count, self.max_messages, unit)


class TokenUsageTermination(TerminationCondition):
    """Stop when the models have used a given number of tokens."""

    provider = "autogen_agentchat.conditions.TokenUsageTermination"
    keywords = "budget cost limit"
    aliases = (
        "autogen_agentchat.conditions._terminations.TokenUsageTermination",
        "autogenstudio.gallery.builder.TokenUsageTermination",
        "studio.conditions.TokenUsageTermination",
    )
    keep_null = frozenset(("max_total_token", "max_prompt_token", "max_completion_token"))
    starts_with = {"max_total_token": 10_000}

    max_total_token: Annotated[
        int | None,
        Field(
            title="Max total tokens",
            description="Prompt and completion tokens together. Empty: no limit.",
            json_schema_extra={"minimum": 1},
        ),
    ] = None
    max_prompt_token: Annotated[
        int | None, Field(title="Max prompt tokens", description="Empty: no limit.", json_schema_extra={"minimum": 1})
    ] = None
    max_completion_token: Annotated[
        int | None,
        Field(title="Max completion tokens", description="Empty: no limit.", json_schema_extra={"minimum": 1}),
    ] = None

    _used: RequestUsage = PrivateAttr(default=_NO_TOKENS)

    @model_validator(mode="after")
    def _has_a_limit(self) -> Self:
        if all(limit is None for _, limit, _ in self._limits()):
            raise ValueError(
                "At least one of max_total_token, max_prompt_token, or max_completion_token must be provided"
            )
        return self

    def _limits(self) -> tuple[tuple[int, int | None, str], ...]:
        prompt, completion = self._used.prompt_tokens, self._used.completion_tokens
        return (
            (prompt + completion, self.max_total_token, "tokens"),
            (prompt, self.max_prompt_token, "prompt tokens"),
            (completion, self.max_completion_token, "completion tokens"),
        )

    @property
    def terminated(self) -> bool:
        return any(limit is not None and used >= limit for used, limit, _ in self._limits())

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        prompt, completion = self._used.prompt_tokens, self._used.completion_tokens
        for message in messages:
            if message.models_usage is not None:
                prompt += message.models_usage.prompt_tokens
                completion += message.models_usage.completion_tokens
        self._used = RequestUsage(prompt_tokens=prompt, completion_tokens=completion)
        if not self.terminated:
            return None
        return (
            f"Token usage limit reached, total token count: {prompt + completion}, "
            f"prompt token count: {prompt}, completion token count: {completion}."
        )

    async def reset(self) -> None:
        await super().reset()
        self._used = _NO_TOKENS

    def describe(self) -> str:
        parts = [f"{limit} {unit}" for _, limit, unit in self._limits() if limit is not None]
        return f"{' or '.join(parts)} are used"

    def counts(self) -> Iterator[Count]:
        for used, limit, unit in self._limits():
            if limit is not None:
                yield Count(used, limit, unit)


class TimeoutTermination(TerminationCondition):
    """Stop when a run has taken a given number of seconds; checked between turns."""

    provider = "autogen_agentchat.conditions.TimeoutTermination"
    keywords = "time seconds minutes duration clock"
    aliases = (
        "autogen_agentchat.conditions._terminations.TimeoutTermination",
        "autogenstudio.gallery.builder.TimeoutTermination",
        "studio.conditions.TimeoutTermination",
    )

    timeout_seconds: Annotated[
        float,
        Field(
            description="Seconds since the run began. A turn in progress is finished first.",
            examples=[60.0],
            json_schema_extra={"minimum": 0},
        ),
    ]

    _started_s: float | None = PrivateAttr(default=None)
    _passed_s: float = PrivateAttr(default=0.0)

    async def start(self) -> None:
        self._started_s = await effects.monotonic_s()

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        del messages
        if self._started_s is None:  # used without a team: the first question is the start
            await self.start()
        now_s = await effects.monotonic_s()
        self._passed_s = now_s - (now_s if self._started_s is None else self._started_s)
        if self._passed_s < self.timeout_seconds:
            return None
        return f"Timeout of {self.timeout_seconds} seconds reached"

    async def reset(self) -> None:
        await super().reset()
        self._started_s = None
        self._passed_s = 0.0

    def describe(self) -> str:
        return f"{self.timeout_seconds:g} seconds have passed"

    def counts(self) -> Iterator[Count]:
        yield Count(self._passed_s, self.timeout_seconds, "seconds")
