"""Where a termination condition would stop a conversation that is over. Nothing runs; the time is the messages' own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from studio import effects
from studio.agents.participant import require_loaded
from studio.components import load_component, walk
from studio.conditions import TerminationCondition
from studio.effects import EffectRequest, Perform
from studio.errors import ConfigError, TooLarge
from studio.messages import BaseMessage, ConditionProgress, ContextVariablesEvent
from studio.tools import ContextVariables
from studio.tools.variables import apply_changes, use_variables

MAX_QUESTIONS = 100_000
"""Messages times conditions."""


@dataclass(frozen=True, slots=True)
class PreviewedTurn:
    """What a condition is asked about at once: a chat message, with the events before it.

    `stop_reason` is why the team would stop here; "" when it would go on.
    """

    messages: Sequence[BaseMessage]
    conditions: Sequence[ConditionProgress]
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class TerminationPreview:
    """The turns up to the one where the conversation would stop, and how many messages it never comes to."""

    turns: Sequence[PreviewedTurn]
    unread_count: int
    has_times: bool
    """Whether the messages tell when they were said; without, no time passes."""

    @property
    def stop_reason(self) -> str:
        return self.turns[-1].stop_reason if self.turns else ""


class _RecordedTimes(effects.EffectsMiddleware):
    """The time is that of the message in question; all else is asked as ever."""

    def __init__(self, at: datetime) -> None:
        super().__init__(effects.current())
        self.at = at

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        return self.at.timestamp() if request.kind == "clock" else await super().call(request, perform)


def load_condition(document: JsonValue) -> TerminationCondition:
    """The condition in component JSON.

    Raises:
        InvalidComponent: It does not load, is no termination condition, or holds unknown ones.
    """
    condition = load_component(document, TerminationCondition)
    require_loaded(condition)
    return condition


async def preview_termination(condition: TerminationCondition, messages: Sequence[BaseMessage]) -> TerminationPreview:
    """Show a fresh condition a conversation, as a team does, until it says stop.

    Raises:
        ConfigError: The condition cannot be asked, such as one on values that cannot be compared, or has fired already.
        TooLarge: There is more to ask than a page waits for.
    """
    if len(messages) * sum(1 for _ in walk(condition)) > MAX_QUESTIONS:
        raise TooLarge("Too many messages and conditions to check.", fix="Use a part of the conversation.")
    clock = _RecordedTimes(messages[0].created_at)
    variables = ContextVariables({})
    turns: list[PreviewedTurn] = []
    left = len(messages)
    with effects.use(clock), use_variables(variables):
        await condition.start()
        if condition.terminated:
            raise ConfigError("This condition ends every run before it begins.", fix="Add conditions to it.")
        for turn in _turns(messages):
            clock.at = turn[-1].created_at
            _apply(variables, turn)
            stop = await condition(turn)
            left -= len(turn)
            await asyncio.sleep(0)  # others have their turn
            turns.append(PreviewedTurn(turn, list(condition.progress()), stop.content if stop else ""))
            if stop:
                break
    return TerminationPreview(turns, left, has_times=messages[0].created_at != messages[-1].created_at)


def _turns(messages: Sequence[BaseMessage]) -> Iterator[list[BaseMessage]]:
    turn: list[BaseMessage] = []
    for message in messages:
        if not message.is_kept:
            continue
        turn.append(message)
        if message.is_chat:
            yield turn
            turn = []
    if turn:
        yield turn


def _apply(variables: ContextVariables, turn: Sequence[BaseMessage]) -> None:
    for message in turn:
        if isinstance(message, ContextVariablesEvent):
            apply_changes(variables, {"set": message.content, "removed": message.removed})
