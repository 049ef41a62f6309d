"""The port in force, and what the engine calls to ask the world through it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, TypeVar, cast

from pydantic import JsonValue

from studio.effects.ids import random_id
from studio.effects.request import AsyncGeneratorLike, EffectRequest, Perform, StreamItem

Message = TypeVar("Message")

INJECTED_BY = "handed_in_by"
"""In the metadata of a message that a person injected: who it was. Stored in logs, so the key keeps its first name."""


@dataclass(frozen=True)
class HumanQuestion:
    """A question to the person who runs the team."""

    request_id: str
    source: str
    prompt: str
    choices: Sequence[str] = ()
    """Answers to choose from; others may be given as well."""
    schema: dict[str, JsonValue] | None = None
    """JSON schema of the answer, which then is JSON text."""


@dataclass(frozen=True)
class InjectedMessage:
    """Words that a person puts into a conversation under way, as themselves or as somebody else."""

    source: str
    text: str
    by: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the message, such as the files that came with it."""
    pictures: Sequence[JsonValue] = ()
    """As messages hold them; they follow the text."""

    @classmethod
    def from_message(cls, said: Mapping[str, JsonValue]) -> InjectedMessage:
        """What was given, from the message that it became."""
        known, content = said.get("metadata"), said.get("content")
        metadata = {name: str(value) for name, value in known.items()} if isinstance(known, dict) else {}
        by = metadata.pop(INJECTED_BY, "")
        text, *pictures = content if isinstance(content, list) else [content]
        return cls(str(said.get("source")), str(text), by, metadata, tuple(pictures))


class HumanAnswer(str):
    """The text of an answer, with what else a person gave: pictures, and metadata of the message that it becomes."""

    __slots__ = ("metadata", "pictures")

    def __new__(
        cls, text: str, metadata: Mapping[str, str] | None = None, pictures: Sequence[JsonValue] = ()
    ) -> HumanAnswer:
        answer = super().__new__(cls, text)
        answer.metadata = dict(metadata or {})
        answer.pictures = list(pictures)
        return answer

    metadata: dict[str, str]
    pictures: list[JsonValue]

    @classmethod
    def from_recorded(cls, recorded: JsonValue) -> HumanAnswer:
        """Read what `recorded` gave."""
        if not isinstance(recorded, dict):
            return cls(str(recorded))
        metadata, pictures = recorded.get("metadata"), recorded.get("pictures")
        return cls(
            str(recorded.get("text", "")),
            {name: str(value) for name, value in metadata.items()} if isinstance(metadata, dict) else {},
            pictures if isinstance(pictures, list) else (),
        )

    def recorded(self) -> JsonValue:
        """The answer as a log keeps it: text, where it is nothing else."""
        if not self.metadata and not self.pictures:
            return str(self)
        return {"text": str(self), "metadata": dict[str, JsonValue](self.metadata), "pictures": self.pictures}


AskHuman = Callable[[HumanQuestion], Awaitable[str]]


class Effects(Protocol):
    """Where effects go. Implementations: `LiveEffects`, `RecordingEffects`, and middleware around them."""

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]: ...

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]: ...

    async def answer(self, question: HumanQuestion) -> str: ...

    def new_id(self) -> str: ...

    def now(self) -> datetime: ...

    @property
    def scope(self) -> str:
        """Which of several that work side by side asks here; empty where one thing is done after the other."""
        ...

    def use_recorded_id(self, scope: str) -> None:
        """Told of a scope that is made inside this one."""
        ...

    def recorded_order(self) -> Sequence[str]:
        """Ids of the messages and events that come next, in a run that is repeated; else none."""
        ...

    @property
    def can_edit(self) -> bool:
        """Whether `edited` may give anything else than the message."""
        ...

    async def edited(self, message: Message) -> Message | None:
        """The message as a person has changed it, before the team takes it up; None when it was dropped.

        Asked before the message is shown, and again behind it.
        """
        ...

    async def injected(self) -> Sequence[InjectedMessage]:
        """What people want to be heard before the next turn; only asked where `can_edit` is true."""
        ...


async def ask_on_console(question: HumanQuestion) -> str:
    """Read one line from the terminal without blocking the event loop."""
    return await asyncio.to_thread(input, question.prompt)


class LiveEffects:
    """Talks to the world and keeps nothing."""

    def __init__(self, human: AskHuman = ask_on_console) -> None:
        self._human = human
        self.scope = ""

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del request
        return await perform()

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del request
        async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
            async for item in items:
                yield item

    async def answer(self, question: HumanQuestion) -> str:
        return await self._human(question)

    new_id = staticmethod(random_id)
    now = staticmethod(partial(datetime.now, UTC))

    def use_recorded_id(self, scope: str) -> None:
        pass

    def recorded_order(self) -> Sequence[str]:
        return ()

    can_edit: bool = False

    async def edited(self, message: Message) -> Message | None:
        return message

    async def injected(self) -> Sequence[InjectedMessage]:
        return ()


class EffectsMiddleware:
    """A port that passes everything on to another one; base of those that look on or step in."""

    def __init__(self, outer: Effects) -> None:
        self._outer = outer
        self.scope = outer.scope
        # Asked so often that those who only pass it on leave it to whoever knows.
        if type(self).call is EffectsMiddleware.call:
            self.call = outer.call
        if type(self).new_id is EffectsMiddleware.new_id:
            self.new_id = outer.new_id
        if type(self).now is EffectsMiddleware.now:
            self.now = outer.now

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        return self._outer.call(request, perform)

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

    def use_recorded_id(self, scope: str) -> None:
        self._outer.use_recorded_id(scope)

    def recorded_order(self) -> Sequence[str]:
        return self._outer.recorded_order()

    @property
    def can_edit(self) -> bool:
        return self._outer.can_edit

    async def edited(self, message: Message) -> Message | None:
        return await self._outer.edited(message)

    async def injected(self) -> Sequence[InjectedMessage]:
        return await self._outer.injected()


class RequestRecorder(EffectsMiddleware):
    """Keeps the hash of the newest request, by which its effect is found in the log."""

    def __init__(self, outer: Effects) -> None:
        super().__init__(outer)
        self.request = ""

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        self.request = request.hash
        return super().call(request, perform)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self.request = request.hash
        return super().stream(request, perform)


_current: ContextVar[Effects] = ContextVar("studio_effects", default=LiveEffects())  # noqa: B039  it keeps nothing


current: Callable[[], Effects] = _current.get
"""The port in force here; `LiveEffects` where nobody set one."""


@contextmanager
def use(effects: Effects) -> Generator[None]:
    """Make `effects` the port inside the block."""
    token = _current.set(effects)
    try:
        yield
    finally:
        _current.reset(token)


def call(request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
    """Ask the world through the port in force; `perform` does it when the answer is not known yet."""
    return _current.get().call(request, perform)


def stream(request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]) -> AsyncIterator[StreamItem]:
    """As `call`, for an answer that arrives in pieces: text first, the whole result last."""
    return current().stream(request, perform)


async def ask_human(question: HumanQuestion) -> HumanAnswer:
    """Wait for a person's answer; it is an effect like any other."""
    request = EffectRequest(
        "input", question.source, lambda: {"request_id": question.request_id, "prompt": question.prompt}
    )

    async def ask() -> JsonValue:
        answer = await current().answer(question)
        return answer.recorded() if isinstance(answer, HumanAnswer) else answer

    return HumanAnswer.from_recorded(await call(request, ask))


async def monotonic_s() -> float:
    """Seconds on a clock that never goes back, as a recorded effect."""

    async def read() -> JsonValue:
        return time.monotonic()

    seconds = await call(EffectRequest("clock", "clock", lambda: None), read)
    return float(cast("float", seconds))


def new_id() -> str:
    """A fresh id for a message or request."""
    return _current.get().new_id()


def now() -> datetime:
    """The present time, in UTC."""
    return _current.get().now()
