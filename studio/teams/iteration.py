"""Stepping through a run from a program, after AG2's `run_iter`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from studio import effects
from studio.effects import EffectRequest, Effects, HumanQuestion, Perform, StreamItem
from studio.messages import BaseMessage, TaskResult, UserInputRequestedEvent


@dataclass(frozen=True)
class InputRequestEvent:
    """A person is asked. Without `respond` before the next item the question goes where it would go otherwise."""

    request_id: str
    source: str
    answers: dict[str, str]

    def respond(self, text: str) -> None:
        """Answer in the person's place."""
        self.answers[self.request_id] = text


class _Answering:
    """An effects port that knows the answers to some questions and passes all else on."""

    def __init__(self, outer: Effects, answers: dict[str, str]) -> None:
        self._outer = outer
        self._answers = answers

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        body = request.body if request.kind == "input" else None
        request_id = body.get("request_id") if isinstance(body, dict) else None
        if request_id not in self._answers:
            return await self._outer.call(request, perform)

        async def answer() -> JsonValue:
            return self._answers.pop(str(request_id))

        return await self._outer.call(request, answer)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        return self._outer.stream(request, perform)

    async def answer(self, question: HumanQuestion) -> str:
        return await self._outer.answer(question)

    def new_id(self) -> str:
        return self._outer.new_id()

    def now(self) -> datetime:
        return self._outer.now()


class RunIterator:
    """A run, item by item. Leaving the loop ends the run; `async with` or `aclose` also wait until it has ended."""

    def __init__(
        self,
        items: AsyncGenerator[BaseMessage | TaskResult, None],
        yield_on: tuple[type[BaseMessage], ...] | None,
        abandon: Callable[[], None],
    ) -> None:
        self._items = items
        self._yield_on = yield_on
        self._abandon = abandon
        self._answers: dict[str, str] = {}
        self._is_open = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> BaseMessage | InputRequestEvent | TaskResult:
        self._is_open = True
        while True:
            try:
                with effects.use(_Answering(effects.current(), self._answers)):
                    item = await anext(self._items)
            except BaseException:
                self._is_open = False
                raise
            if isinstance(item, UserInputRequestedEvent):
                return InputRequestEvent(item.request_id, item.source, self._answers)
            if self._yield_on is None or isinstance(item, (TaskResult, *self._yield_on)):
                return item

    async def aclose(self) -> None:
        """End the run now."""
        await self._items.aclose()
        self._is_open = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # After `break` the event loop closes the generators a little later; the team is free at once.
        if self._is_open:
            self._abandon()
