"""The one port between the engine and the world.

Model replies, tool and code results, human answers, memory look-ups and the clock pass through `call` or `stream`;
ids and times come from `new_id` and `now`. Everything else in the engine is deterministic, so a run can be repeated
from the results that were recorded here.

The port in force is a context variable: a script that sets none talks to the world directly (`Live`), the run
supervisor sets a `Recording` one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Generic, Literal, Protocol, TypeVar, cast
from uuid import UUID, uuid5

from pydantic import JsonValue

Result = TypeVar("Result")

EffectKind = Literal["model", "tool", "input", "memory", "code", "clock"]
Perform = Callable[[], Awaitable[JsonValue]]
StreamItem = str | dict[str, JsonValue]
"""A piece of text as it arrives, or, last, the whole result as JSON."""


_write_canonically = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical_json(value: JsonValue) -> str:
    """The same text for equal JSON values: sorted keys, no spaces."""
    return _write_canonically(value)


def sha256_hex(text: str) -> str:
    """SHA-256 of the text; lone surrogates, which JSON allows, are kept apart and do not fail."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class EffectRequest:
    """What the engine asks of the world.

    Args:
        kind: Sort of effect.
        source: Who asks, such as the agent's or tool's name.
        make_body: Makes the whole request as plain JSON; only called when somebody wants to read it.
        make_digest: Makes a short text that is equal exactly for equal bodies. A model call gives one made of the
            digests of its messages, so that hashing a call does not serialise the whole conversation again.
    """

    kind: EffectKind
    source: str
    make_body: Callable[[], JsonValue]
    make_digest: Callable[[], str] | None = None

    @cached_property
    def body(self) -> JsonValue:
        return self.make_body()

    @cached_property
    def hash(self) -> str:
        """SHA-256 over kind, source and body; equal requests have equal hashes."""
        digest = self.make_digest() if self.make_digest else canonical_json(self.body)
        return sha256_hex(f"{self.kind}\n{self.source}\n{digest}")


@dataclass(frozen=True)
class HumanQuestion:
    """A question to the person who runs the team."""

    request_id: str
    source: str
    prompt: str


AskHuman = Callable[[HumanQuestion], Awaitable[str]]


class Effects(Protocol):
    """Where requests to the world go. Implementations: `Live`, `Recording`, and later replaying ones."""

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue: ...

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]: ...

    async def answer(self, question: HumanQuestion) -> str: ...

    def new_id(self) -> str: ...

    def now(self) -> datetime: ...


async def ask_on_console(question: HumanQuestion) -> str:
    """Read one line from the terminal without blocking the event loop."""
    return await asyncio.to_thread(input, question.prompt)


_IDS_AT_ONCE = 16
_ids: list[str] = []
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_ids.clear)  # a child must not give what its parent gives, too


def random_id() -> str:
    """A random UUID (version 4) as text. Asking the system for the digits of each one would cost more than the rest."""
    try:
        return _ids.pop()
    except IndexError:
        digits = os.urandom(15 * _IDS_AT_ONCE).hex()
        made = [digits[at : at + 30] for at in range(0, len(digits), 30)]
        first, *more = [f"{each[:8]}-{each[8:12]}-4{each[12:15]}-a{each[15:18]}-{each[18:]}" for each in made]
        _ids.extend(more)
        return first


def named_id(namespace: UUID, name: str) -> str:
    """The UUID (version 5) of a name as text; the same as Python's `uuid5`, which takes several times as long."""
    made = hashlib.sha1(namespace.bytes + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(made[16], 16) & 3]
    return f"{made[:8]}-{made[8:12]}-5{made[13:16]}-{variant}{made[17:20]}-{made[20:32]}"


class Live:
    """Talks to the world and keeps nothing."""

    def __init__(self, human: AskHuman = ask_on_console) -> None:
        self._human = human

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

    def new_id(self) -> str:
        return random_id()

    def now(self) -> datetime:
        return datetime.now(UTC)


class AsyncGeneratorLike(Protocol):
    """An async iterator that can be closed early."""

    def __aiter__(self) -> AsyncIterator[StreamItem]: ...

    async def aclose(self) -> None: ...


Append = Callable[[dict[str, JsonValue]], Awaitable[None]]
REPEATABLE: frozenset[EffectKind] = frozenset({"model", "clock"})
"""Asking again costs money at the worst. All others may change something in the world."""


async def nothing_waits() -> None:
    """For a log that holds an entry as soon as `append` returns."""


class Recording(Live):
    """Talks to the world and hands each result, with the hash of its request, to `append`.

    A call that raises is recorded too, as an error, so that a repeated run fails in the same place. A cancelled call
    is not: it has no result.

    Args:
        append: Takes a result; it may be on its way to the log when this returns.
        run_id: From which the ids of the run's messages follow.
        human: Asks the person.
        written: Waits until all results are in the log. This comes before anything that must not be done twice.
    """

    def __init__(
        self,
        append: Append,
        *,
        run_id: str,
        human: AskHuman = ask_on_console,
        written: Callable[[], Awaitable[None]] = nothing_waits,
    ) -> None:
        super().__init__(human)
        self._append = append
        self._written = written
        self._namespace = UUID(run_id) if _is_uuid(run_id) else uuid5(UUID(int=0), run_id)
        self._ids = 0

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind not in REPEATABLE:
            await self._written()
        try:
            result = await perform()
        except Exception as error:
            await self._record_error(request, error)
            raise
        await self._record(request, result)
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if request.kind not in REPEATABLE:
            await self._written()
        result: StreamItem | None = None
        try:
            async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
                async for item in items:
                    if not isinstance(item, str):
                        result = item
                        await self._record(request, result)
                    yield item
        except Exception as error:
            if result is None:
                await self._record_error(request, error)
            raise

    def new_id(self) -> str:
        """Ids of a recorded run follow from its own id, so that they need no entry in the log."""
        self._ids += 1
        return named_id(self._namespace, str(self._ids))

    async def _record(self, request: EffectRequest, result: JsonValue) -> None:
        await self._append(
            {"effect": request.kind, "source": request.source, "request": request.hash, "result": result}
        )

    async def _record_error(self, request: EffectRequest, error: Exception) -> None:
        await self._append(
            {
                "effect": request.kind,
                "source": request.source,
                "request": request.hash,
                "error": {"type": type(error).__name__, "message": str(error)},
            }
        )


class Relay:
    """A port that passes everything on to another one; base of those that look on or step in."""

    def __init__(self, outer: Effects) -> None:
        self._outer = outer

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        return await self._outer.call(request, perform)

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


class Noting(Relay):
    """Keeps the hash of the newest request, by which its effect is found in the log."""

    def __init__(self, outer: Effects) -> None:
        super().__init__(outer)
        self.request = ""

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self.request = request.hash
        return await super().call(request, perform)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self.request = request.hash
        return super().stream(request, perform)


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


_current: ContextVar[Effects | None] = ContextVar("studio_effects", default=None)
_live = Live()


def current() -> Effects:
    """The port in force here; `Live` where nobody set one."""
    return _current.get() or _live


def is_live() -> bool:
    """Whether nobody keeps what is asked and answered here, so that no request need be made."""
    return type(_current.get() or _live) is Live


@contextmanager
def use(effects: Effects) -> Generator[None]:
    """Make `effects` the port inside the block."""
    token = _current.set(effects)
    try:
        yield
    finally:
        _current.reset(token)


async def call(request: EffectRequest, perform: Perform) -> JsonValue:
    """Ask the world through the port in force; `perform` does it when the answer is not known yet."""
    return await current().call(request, perform)


@dataclass(frozen=True)
class Form(Generic[Result]):
    """How the results of one kind of request are written to a log and read from it."""

    dump: Callable[[Result], JsonValue]
    load: Callable[[JsonValue], Result]


async def call_for(
    form: Form[Result], make_request: Callable[[], EffectRequest], perform: Callable[[], Awaitable[Result]]
) -> Result:
    """As `call`, for a result that is an object: it becomes JSON on its way through the port. See `is_live`."""
    made: list[tuple[Result, JsonValue]] = []

    async def perform_as_json() -> JsonValue:
        result = await perform()
        made.append((result, form.dump(result)))
        return made[0][1]

    answer = await current().call(make_request(), perform_as_json)
    if made and answer is made[0][1]:
        return made[0][0]  # the port has passed on what was just made
    return form.load(answer)


def stream(request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]) -> AsyncIterator[StreamItem]:
    """As `call`, for an answer that arrives in pieces: text first, the whole result last."""
    return current().stream(request, perform)


async def ask_human(question: HumanQuestion) -> str:
    """Wait for a person's answer; it is an effect like any other."""
    request = EffectRequest(
        "input", question.source, lambda: {"request_id": question.request_id, "prompt": question.prompt}
    )
    answer = await call(request, lambda: current().answer(question))
    return str(answer)


async def monotonic_s() -> float:
    """Seconds on a clock that never goes back, as a recorded effect."""

    async def read() -> JsonValue:
        return time.monotonic()

    seconds = await call(EffectRequest("clock", "clock", lambda: None), read)
    return float(cast("float", seconds))


def new_id() -> str:
    """A fresh id for a message or request."""
    return current().new_id()


def now() -> datetime:
    """The present time, in UTC."""
    return current().now()
