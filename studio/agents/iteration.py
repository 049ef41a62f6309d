"""Stepping through a run from a program, after AG2's `run_iter`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from pydantic import JsonValue

from studio import effects
from studio.effects import EffectRequest, Effects, EffectsMiddleware, Perform
from studio.messages import BaseMessage, Explanation, TaskResult, UserInputRequestedEvent, explained


@dataclass(frozen=True)
class InputRequestEvent:
    """A person is asked. Without `respond` before the next item the question goes where it would go otherwise."""

    request_id: str
    source: str
    prompt: str
    _answers: dict[str, str] = field(repr=False)
    type: Literal["InputRequestEvent"] = "InputRequestEvent"

    def respond(self, text: str) -> None:
        """Answer in the person's place."""
        self._answers[self.request_id] = text


RunItem = BaseMessage | InputRequestEvent | TaskResult
YieldOn = Iterable[type[BaseMessage] | type[InputRequestEvent] | type[TaskResult]]


class _Answering(EffectsMiddleware):
    """An effects port that knows the answers to some questions and passes all else on."""

    def __init__(self, outer: Effects, answers: dict[str, str]) -> None:
        super().__init__(outer)
        self._answers = answers

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        body = request.body if request.kind == "input" else None
        request_id = body.get("request_id") if isinstance(body, dict) else None
        if request_id not in self._answers:
            return await super().call(request, perform)

        async def answer() -> JsonValue:
            return self._answers.pop(str(request_id))

        return await super().call(request, answer)


class RunIterator:
    """A run, item by item, for `async for`, or for `for` where no event loop is running.

    Leaving the loop ends the run. `async with` or `aclose`, and `with` or `close`, also wait until it has ended.
    """

    def __init__(
        self,
        items: AsyncGenerator[BaseMessage | TaskResult, None],
        yield_on: YieldOn | None,
        abandon: Callable[[], None],
    ) -> None:
        self._items = items
        self._yield_on = None if yield_on is None else tuple(yield_on)
        self._abandon = abandon
        self._answers: dict[str, str] = {}
        self._is_open = False
        self._runner: asyncio.Runner | None = None

    # --- in an event loop ---

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RunItem:
        self._is_open = True
        while True:
            try:
                with effects.use(_Answering(effects.current(), self._answers)), self._explaining():
                    item = await anext(self._items)
            except BaseException:
                self._is_open = False
                raise
            if isinstance(item, UserInputRequestedEvent):
                return InputRequestEvent(item.request_id, item.source, item.prompt, self._answers)
            if self._yield_on is None or isinstance(item, (TaskResult, *self._yield_on)):
                return item

    def _explaining(self) -> AbstractContextManager[None]:
        """Who wants explanations is given them."""
        wants = any(issubclass(kind, Explanation) for kind in self._yield_on or ())
        return explained() if wants else nullcontext()

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

    # --- without one: the run has a loop of its own, which only turns while an item is waited for ---

    def __iter__(self) -> Self:
        _require_no_loop()
        return self

    def __next__(self) -> RunItem:
        _require_no_loop()
        self._runner = self._runner or asyncio.Runner()
        try:
            item = self._runner.run(self._next_or_none(), context=copy_context())
        except BaseException:
            self.close()
            raise
        if item is None:
            self.close()
            raise StopIteration
        return item

    async def _next_or_none(self) -> RunItem | None:
        return await anext(self, None)

    def close(self) -> None:
        """End the run now, where no event loop is running."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        with runner:
            runner.run(self.aclose(), context=copy_context())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._is_open:
            return
        # After `break` the event loop closes the generators a little later; the team is free at once.
        self._abandon()
        if self._runner is not None and not _is_loop_running():
            self.close()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _require_no_loop() -> None:
    if _is_loop_running():
        raise RuntimeError("An event loop is running here: read the run with `async for`.")
