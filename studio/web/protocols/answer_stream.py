"""The stream of one answer of a call, which each protocol says in events of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from studio.deployments import CallEvent, CallState, CallView
from studio.runs.middleware.budget import BUDGET_EXCEEDED
from studio.services.calls import Answering, CallDesk, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.sse import Event, EventStream


class AnswerEvents(Protocol):
    """What a protocol sends of an answer."""

    @property
    def found(self) -> Answering:
        """The call, and where in it the answer begins."""
        ...

    def begin(self) -> Event: ...

    def message(self, event: CallEvent) -> Sequence[Event]:
        """What an agent said on the way."""
        ...

    def for_operator(self) -> Event:
        """The call waits for a person in the studio."""
        ...

    def end(self, status: CallStatus) -> Sequence[Event]:
        """The answer so far, with a question to the caller if there is one, or how the call failed."""
        ...


def answer_stream(
    desk: CallDesk, caller: OpenedDeployment, closing: asyncio.Event, answer: AnswerEvents
) -> EventStream:
    """Follow a call until it has an answer or asks its caller. The events follow from its log alone."""
    return EventStream(_events(desk, caller, answer), closing, opening=f": {answer.found.call.id}\n\n".encode())


async def _events(desk: CallDesk, caller: OpenedDeployment, answer: AnswerEvents) -> AsyncGenerator[Event]:
    call, after = answer.found
    yield answer.begin()
    async with aclosing(desk.follow(caller, call.id, after)) as events:
        async for event, view in events:
            if view.has_answer:
                break
            if event.name == "message":
                for each in answer.message(event):
                    yield each
            elif view.question is not None:
                yield answer.for_operator()
    for each in answer.end(await desk.status(caller, call.id, answered_after=after)):
        yield each


def is_called_off(view: CallView) -> bool:
    """Whether somebody ended the call before it had an answer; a limit that it reached is a failure."""
    is_ended = view.state in (CallState.CANCELLED, CallState.STOPPED)
    return is_ended and view.failure is not None and view.failure.code != BUDGET_EXCEEDED
