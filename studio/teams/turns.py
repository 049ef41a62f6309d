"""One turn of a team: who speaks, one participant or several side by side."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import NamedTuple, TypeVar, cast

from studio import effects
from studio.agents import Participant
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, Response, TaskResult, seen_through
from studio.teams.branches import side_by_side

Message = TypeVar("Message", bound=BaseMessage)


class TurnResult(NamedTuple):
    """The end of a participant's turn.

    Args:
        name: Who spoke.
        messages: All that was said and done in the turn, oldest first.
        said: What the other participants hear of it.
        unshown: The last message, if nobody has seen it yet.
    """

    name: str
    messages: Sequence[BaseMessage]
    said: Sequence[BaseChatMessage]
    unshown: BaseChatMessage | None


Unread = list[BaseChatMessage]
Speech = AsyncGenerator[BaseMessage | TurnResult, None]


def run_speakers(
    turns: Sequence[tuple[Participant, Unread]],
    token: CancellationToken,
    left: list[BaseMessage | TurnResult] | None = None,
) -> Speech:
    """Let participants speak at the same time, each on what it has not read yet.

    Gives everything that happens, and a `TurnResult` at the end of each turn. A participant that is named twice speaks
    twice, one turn after the other. What nobody has taken when this is closed is in `left`.
    """
    if len(turns) == 1:
        return _turn(*turns[0], token)
    branches: dict[str, list[tuple[Participant, Unread]]] = {}
    for participant, unread in turns:
        branches.setdefault(participant.name, []).append((participant, unread))
    return side_by_side([_one_after_another(branch, token) for branch in branches.values()], left, id_of=_logged_id)


def _logged_id(item: BaseMessage | TurnResult) -> str:
    shown = item.unshown if isinstance(item, TurnResult) else item
    return shown.id if shown is not None and shown.is_kept else ""


async def _one_after_another(turns: Sequence[tuple[Participant, Unread]], token: CancellationToken) -> Speech:
    for participant, unread in turns:
        async with aclosing(_turn(participant, unread, token)) as items:
            async for item in items:
                yield item


def to_team_item(step: BaseMessage | Response | TaskResult, name: str) -> BaseMessage | TurnResult:
    """A participant's step as its team takes it up: the last one is the end of the turn.

    Args:
        step: What the participant gave.
        name: Who it is; empty for what several give side by side, which is as it should be.
    """
    if isinstance(step, Response):
        return result_of(name, step)
    if type(step) is TaskResult:  # `isinstance` takes eight times as long with classes of Pydantic
        said = [message for message in step.messages if isinstance(message, BaseChatMessage)]
        return TurnResult(name, step.messages, said, None)
    message: BaseMessage = step  # pyright: ignore[reportAssignmentType] -- nothing else is left
    return message if message.is_kept or not name else seen_through(message, name)


def result_of(name: str, response: Response) -> TurnResult:
    """The end of an agent's turn."""
    answer, inner = response.chat_message, response.inner_messages
    said = (answer,)
    return TurnResult(name, (*inner, answer) if inner else said, said, answer)


async def with_edits(spoken: TurnResult) -> TurnResult:
    """The end of an agent's turn as a person has changed it; a team inside has asked about its own messages."""
    was = spoken.unshown
    if was is None:
        return spoken
    now = await effects.current().edited(was)
    if now is was:
        return spoken

    def changed(messages: Sequence[Message]) -> list[Message]:
        return [cast("Message", now) if each is was else each for each in messages if each is not was or now]

    return TurnResult(spoken.name, changed(spoken.messages), changed(spoken.said), now)


async def _turn(participant: Participant, unread: Unread, token: CancellationToken) -> Speech:
    turn = await participant.take_turn(unread, token)
    if isinstance(turn, Response):
        yield result_of(participant.name, turn)
        return
    async with aclosing(turn) as steps:
        async for step in steps:
            yield to_team_item(step, participant.name)
