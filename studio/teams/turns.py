"""One turn of a team: who speaks, one participant or several side by side."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from studio.agents import ChatAgent, Participant
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, Response, TaskResult
from studio.teams.branches import side_by_side


@dataclass(frozen=True, slots=True)
class Spoken:
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
Speech = AsyncGenerator[BaseMessage | Spoken, None]


def speak(turns: Sequence[tuple[Participant, Unread]], token: CancellationToken) -> Speech:
    """Let participants speak at the same time, each on what it has not read yet.

    Gives everything that happens, and a `Spoken` at the end of each turn. A participant that is named twice speaks
    twice, one turn after the other.
    """
    if len(turns) == 1:
        return _turn(*turns[0], token)
    branches: dict[str, list[tuple[Participant, Unread]]] = {}
    for participant, unread in turns:
        branches.setdefault(participant.name, []).append((participant, unread))
    return side_by_side([_one_after_another(branch, token) for branch in branches.values()])


async def _one_after_another(turns: Sequence[tuple[Participant, Unread]], token: CancellationToken) -> Speech:
    for participant, unread in turns:
        async with aclosing(_turn(participant, unread, token)) as items:
            async for item in items:
                yield item


async def _turn(participant: Participant, unread: Unread, token: CancellationToken) -> Speech:
    name = participant.name
    if isinstance(participant, ChatAgent):
        async with aclosing(participant.on_messages_stream(unread, token)) as steps:
            async for step in steps:
                if isinstance(step, Response):
                    answer = step.chat_message
                    yield Spoken(name, (*(step.inner_messages or ()), answer), (answer,), answer)
                else:
                    yield step
        return
    async with aclosing(participant.work(unread or None, token, False)) as items:
        async for item in items:
            if isinstance(item, TaskResult):
                said = [message for message in item.messages if isinstance(message, BaseChatMessage)]
                yield Spoken(name, item.messages, said, None)
            else:
                yield item
