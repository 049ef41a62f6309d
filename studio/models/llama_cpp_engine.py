"""A model of llama.cpp in a thread of its own: the library blocks while it computes, and knows one call at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from studio.components import JsonObject
from studio.messages import RequestUsage

T = TypeVar("T")


class Llama(Protocol):
    """The library's `Llama`, as far as it is used."""

    call: Question

    def create_chat_completion(self, **arguments: Any) -> Any: ...

    def close(self) -> None: ...


class GivenUp(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class Question:
    """One question to the model, as the thread that computes the answer sees it."""

    is_given_up: bool = False
    prompt_count: int = 0
    completion_count: int = 0

    def raise_if_abandoned(self) -> None:
        """Raises `GivenUp` when there is no reason to."""
        if self.is_given_up:
            raise GivenUp

    @property
    def usage(self) -> RequestUsage:
        """Tokens of the conversation, and of all that was written, the sign of its end included."""
        return RequestUsage(prompt_tokens=self.prompt_count, completion_tokens=self.completion_count)


def interruptible(llama: type[Any]) -> type[Any]:
    """The library's class, made to count tokens and to ask before each step whether to go on."""

    class Interruptible(llama):
        call: Question

        def eval(self, tokens: Sequence[int]) -> None:
            for start in range(0, len(tokens), self.n_batch):  # a long prompt is read in many steps
                self.call.raise_if_abandoned()
                super().eval(tokens[start : start + self.n_batch])  # pyright: ignore[reportUnknownMemberType] -- of a class that is a value

        def generate(self, tokens: Sequence[int], *args: Any, **options: Any) -> Iterator[int]:
            # Some formats of a chat ask the model several times for one answer, each time with a little more.
            self.call.prompt_count = self.call.prompt_count or len(tokens)
            inner = cast("Iterator[int]", super().generate(tokens, *args, **options))  # pyright: ignore[reportUnknownMemberType] -- the same
            for token in inner:
                self.call.completion_count += 1
                yield token

    return Interruptible


class LlamaCppEngine:
    """Loads a model when it is first asked, and answers one question after the other.

    Whoever gives up waiting is free at once. The thread stops at its next step and keeps the model.

    Args:
        load: Makes an instance of a class that `interruptible` gave.
    """

    def __init__(self, load: Callable[[], Llama]) -> None:
        self._load = load
        self._llama: Llama | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llama.cpp")

    async def whole(self, question: Question, body: JsonObject) -> dict[str, Any]:
        """The answer, as the library gives it."""

        def answer(llama: Llama) -> dict[str, Any]:
            return llama.create_chat_completion(**body)

        with self._begun(question, answer) as done:
            return await done

    async def pieces(self, question: Question, body: JsonObject) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of the answer."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def answer(llama: Llama) -> None:
            for chunk in llama.create_chat_completion(**body, stream=True):
                loop.call_soon_threadsafe(arrived.put_nowait, chunk)

        with self._begun(question, answer) as done:
            done.add_done_callback(lambda _: arrived.put_nowait(None))
            while (chunk := await arrived.get()) is not None:
                yield chunk
            await done

    async def close(self) -> None:
        """Let go of the model, after what is being computed; the engine cannot be used again."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._unload)
        finally:
            self._thread.shutdown(wait=False)

    @contextmanager
    def _begun(self, question: Question, answer: Callable[[Llama], T]) -> Generator[asyncio.Future[T]]:
        def work() -> T:
            self._llama = self._llama or self._load()
            self._llama.call = question
            return answer(self._llama)

        done = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            yield done
        finally:
            question.is_given_up = True
            done.cancel()

    def _unload(self) -> None:
        llama, self._llama = self._llama, None
        if llama is not None:
            llama.close()
