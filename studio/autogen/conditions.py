"""Termination conditions as AgentChat's scripts make and derive them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, cast

from pydantic import field_serializer

from studio import conditions as ours
from studio.autogen.compat_base import Freed, free, mix_in
from studio.messages import BaseMessage, StopMessage


class Joinable(Freed):
    """Conditions join to ones that a script can dump and derive from, too."""

    def __and__(self, other: Any) -> ours.AndTerminationCondition:
        return cast("ours.AndTerminationCondition", AndTerminationCondition(self, other))

    def __or__(self, other: Any) -> ours.OrTerminationCondition:
        return cast("ours.OrTerminationCondition", OrTerminationCondition(self, other))


class TerminationCondition(Joinable, ours.TerminationCondition, stands_for=ours.TerminationCondition):
    """A condition of a script."""

    @property
    @abstractmethod
    def terminated(self) -> bool: ...

    @abstractmethod
    async def __call__(self, messages: Sequence[BaseMessage]) -> StopMessage | None: ...

    @abstractmethod
    async def reset(self) -> None: ...

    def describe(self) -> str:
        return f"{type(self).__name__} says so"


class TimeoutTermination(Joinable, ours.TimeoutTermination, stands_for=ours.TimeoutTermination):
    """Says the number as the script wrote it; in a config it is a float."""

    provider = ours.TimeoutTermination.provider
    aliases = ours.TimeoutTermination.aliases

    def __init__(self, timeout_seconds: float) -> None:
        super().__init__(timeout_seconds=timeout_seconds)
        vars(self)["timeout_seconds"] = timeout_seconds

    @field_serializer("timeout_seconds")
    def _as_float(self, value: float) -> float:
        return float(value)


mix_in(ours.TerminationCondition, Joinable)
AndTerminationCondition = free(ours.AndTerminationCondition)
OrTerminationCondition = free(ours.OrTerminationCondition)
