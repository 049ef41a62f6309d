"""Conditions that look for a certain message or event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from studio.components import PARTICIPANT_NAMES
from studio.conditions.base import MET_BY_TASK, Requirement, TerminationCondition
from studio.errors import Finding, Fix
from studio.messages import BaseMessage, HandoffMessage, StopMessage, TextMessage, ToolCallExecutionEvent

USER = "user"
"""Source of a task."""


class TextMentionTermination(TerminationCondition):
    """Stop when a message contains a given text."""

    provider = "autogen_agentchat.conditions.TextMentionTermination"
    keywords = "keyword word phrase text says"
    aliases = (
        "autogen_agentchat.conditions._terminations.TextMentionTermination",
        "autogenstudio.gallery.builder.TextMentionTermination",
        "studio.conditions.TextMentionTermination",
    )

    text: Annotated[
        str,
        Field(description="Case-sensitive. Also matches in tool results and the task.", examples=["TERMINATE"]),
    ]
    sources: Annotated[
        list[str] | None,
        Field(
            description="Only count messages from these agents. Empty: from all.", json_schema_extra=PARTICIPANT_NAMES
        ),
    ] = None

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        for message in messages:
            if (self.sources is None or message.source in self.sources) and self.text in message.to_text():
                return f"Text '{self.text}' mentioned"
        return None

    def needs(self) -> Sequence[Requirement]:
        return _speakers(self.sources or ())

    def describe(self) -> str:
        return f'"{self.text}" is mentioned' + (f" by {_any_of(self.sources)}" if self.sources else "")

    def so_far(self) -> str:
        return f'"{self.text}" {_seen(self)}'


class StopMessageTermination(TerminationCondition):
    """Stop when an agent sends a stop message."""

    provider = "autogen_agentchat.conditions.StopMessageTermination"
    aliases = (
        "autogen_agentchat.conditions._terminations.StopMessageTermination",
        "autogenstudio.gallery.builder.StopMessageTermination",
        "studio.conditions.StopMessageTermination",
    )

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        return "Stop message received" if any(isinstance(message, StopMessage) for message in messages) else None

    def needs(self) -> Sequence[Requirement]:
        return (Requirement("stop message"),)

    def describe(self) -> str:
        return "a stop message arrives"

    def so_far(self) -> str:
        return f"stop message {_seen(self)}"


class HandoffTermination(TerminationCondition):
    """Stop when an agent hands off to a given target, such as the user."""

    provider = "autogen_agentchat.conditions.HandoffTermination"
    keywords = "transfer human person"
    aliases = (
        "autogen_agentchat.conditions._terminations.HandoffTermination",
        "autogenstudio.gallery.builder.HandoffTermination",
        "studio.conditions.HandoffTermination",
    )

    target: Annotated[
        str,
        Field(
            description="Name of the agent or user that is handed off to.",
            examples=["user"],
            json_schema_extra=PARTICIPANT_NAMES,
        ),
    ]

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        for message in messages:
            if isinstance(message, HandoffMessage) and message.target == self.target:
                return f"Handoff to {self.target} from {message.source} detected."
        return None

    def needs(self) -> Sequence[Requirement]:
        return (Requirement("handoff", self.target, "/config/target"),)

    def describe(self) -> str:
        return f"an agent hands off to {self.target}"

    def so_far(self) -> str:
        return f"handoff to {self.target} {_seen(self)}"


class SourceMatchTermination(TerminationCondition):
    """Stop after a message from one of the given participants."""

    provider = "autogen_agentchat.conditions.SourceMatchTermination"
    keywords = "agent speaks speaker"
    aliases = (
        "autogen_agentchat.conditions._terminations.SourceMatchTermination",
        "autogenstudio.gallery.builder.SourceMatchTermination",
        "studio.conditions.SourceMatchTermination",
    )

    sources: Annotated[
        list[str],
        Field(
            description="Stop after a message from any of these.",
            examples=[["assistant"]],
            json_schema_extra=PARTICIPANT_NAMES,
        ),
    ]

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        for message in messages:
            if message.source in self.sources:
                return f"'{message.source}' answered"
        return None

    def needs(self) -> Sequence[Requirement]:
        return _speakers(self.sources)

    def advice(self) -> Iterator[Finding]:
        if USER in self.sources:
            where = f"/config/sources/{self.sources.index(USER)}"
            others = [name for name in self.sources if name != USER]
            fixes = [Fix(f"Leave out `{USER}`", "/config/sources", others)] if others else []
            yield MET_BY_TASK(
                "The task comes from `user`, so the team ends before any agent speaks.",
                "Name participants of the team.",
                where,
                fixes,
            )

    def describe(self) -> str:
        return f"{_any_of(self.sources)} has spoken"

    def so_far(self) -> str:
        return f"{_any_of(self.sources)} has {'spoken' if self.terminated else 'not spoken'}"


class TextMessageTermination(TerminationCondition):
    """Stop when a text message arrives, from a given participant or from any."""

    provider = "autogen_agentchat.conditions.TextMessageTermination"
    aliases = (
        "autogen_agentchat.conditions._terminations.TextMessageTermination",
        "autogenstudio.gallery.builder.TextMessageTermination",
        "studio.conditions.TextMessageTermination",
    )

    source: Annotated[
        str | None,
        Field(
            description="Only count messages from this agent. Empty: from all, with the task.",
            json_schema_extra=PARTICIPANT_NAMES,
        ),
    ] = None

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        for message in messages:
            if isinstance(message, TextMessage) and self.source in (None, message.source):
                return f"Text message received from '{message.source}'"
        return None

    def needs(self) -> Sequence[Requirement]:
        return (Requirement("speaker", self.source, "/config/source"),) if self.source is not None else ()

    def advice(self) -> Iterator[Finding]:
        if self.source in (None, USER):
            message = "The task itself is a text message, so the team ends before any agent speaks."
            yield MET_BY_TASK(message, "Set the source.", "/config/source")

    def describe(self) -> str:
        return f"a text message arrives from {'anybody' if self.source is None else self.source}"

    def so_far(self) -> str:
        return f"text message{f' from {self.source}' if self.source else ''} {_seen(self)}"


class FunctionCallTermination(TerminationCondition):
    """Stop when a given tool was called."""

    provider = "autogen_agentchat.conditions.FunctionCallTermination"
    keywords = "tool used"
    aliases = (
        "autogen_agentchat.conditions._terminations.FunctionCallTermination",
        "studio.conditions.FunctionCallTermination",
    )

    function_name: Annotated[str, Field(description="Name of the tool.", examples=["approve"])]

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        for message in messages:
            if isinstance(message, ToolCallExecutionEvent) and any(
                result.name == self.function_name for result in message.content
            ):
                return f"Function '{self.function_name}' was executed."
        return None

    def needs(self) -> Sequence[Requirement]:
        return (Requirement("tool", self.function_name, "/config/function_name"),)

    def describe(self) -> str:
        return f"the tool {self.function_name} was called"

    def so_far(self) -> str:
        return f"{self.function_name} {'called' if self.terminated else 'not called'}"


def _speakers(names: Sequence[str]) -> Sequence[Requirement]:
    return [Requirement("speaker", name, f"/config/sources/{index}") for index, name in enumerate(names)]


def _any_of(names: Sequence[str]) -> str:
    return " or ".join(names)


def _seen(condition: TerminationCondition) -> str:
    return "seen" if condition.terminated else "not seen"
