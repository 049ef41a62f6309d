"""Conditions that are decided outside the conversation: by a caller, or by a Python function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Any, Self

from pydantic import ModelWrapValidatorHandler, PrivateAttr, model_validator

from studio.components import JsonObject
from studio.conditions.base import Requirement, TerminationCondition
from studio.errors import ConfigError
from studio.messages import BaseMessage

Judge = Callable[[Sequence[Any]], "bool | Awaitable[bool]"]


class ExternalTermination(TerminationCondition):
    """Stop when a program calls `set()`; the turn in progress is finished first."""

    provider = "autogen_agentchat.conditions.ExternalTermination"
    keywords = "api button manual program"
    aliases = (
        "autogen_agentchat.conditions._terminations.ExternalTermination",
        "studio.conditions.ExternalTermination",
    )

    _is_set: bool = PrivateAttr(default=False)

    def set(self) -> None:
        """Ask for the stop."""
        self._is_set = True

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        del messages
        return "External termination requested" if self._is_set else None

    async def reset(self) -> None:
        await super().reset()
        self._is_set = False

    def needs(self) -> Sequence[Requirement]:
        return (Requirement("program"),)

    def describe(self) -> str:
        return "it is stopped from outside"

    def so_far(self) -> str:
        return "asked to stop" if self._is_set else "not asked to stop"


class FunctionalTermination(TerminationCondition):
    """Stop when a Python function of the new messages returns True. Only for scripts: it has no JSON."""

    _function: Judge = PrivateAttr()

    def __init__(self, func: Judge) -> None:
        super().__init__()
        self._function = func

    @model_validator(mode="wrap")
    @classmethod
    def _from_envelope(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return handler(value)  # no envelope ever holds one

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        answer = self._function(messages)
        is_met = await answer if isawaitable(answer) else answer
        return "Functional termination condition met" if is_met is True else None

    def describe(self) -> str:
        return "a Python function says so"

    def so_far(self) -> str:
        return "its function says yes" if self.terminated else "its function says no"

    def dump_component(self) -> JsonObject:
        raise ConfigError(
            "A FunctionalTermination holds a Python function and cannot be written as JSON.",
            fix="Use conditions that have a config, such as TextMentionTermination.",
        )
