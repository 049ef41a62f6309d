"""A small scripted team, the world it meets, and a studio that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from contextvars import ContextVar
from dataclasses import dataclass, field

from pydantic import JsonValue, PrivateAttr

from studio import effects
from studio.components import Capability
from studio.errors import ModelUnavailable
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    ModelClientStreamingChunkEvent,
    TaskResult,
    TextMessage,
    ThoughtEvent,
    UserInputRequestedEvent,
)
from studio.runs import Batch, LogEntry, RunState, RunSupervisor
from studio.runs.interim import Team
from studio.store import Store


@dataclass
class World:
    """What the scripted team meets outside: counts the calls, and lets a test hold them up."""

    calls: list[str] = field(default_factory=list[str])
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    closed: list[str] = field(default_factory=list[str])
    holds_chunks: bool = False
    chunk_turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    chunk_asked: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def reply(self, text: str) -> JsonValue:
        self.calls.append(text)
        self.called.set()
        await self.answers.wait()
        return {"content": text, "usage": {"prompt_tokens": 3, "completion_tokens": 2}}

    async def after_chunk(self) -> None:
        if self.holds_chunks:
            self.chunk_asked.release()
            await self.chunk_turns.acquire()

    async def let_chunk(self, count: int = 1) -> None:
        """Let the team go on after so many chunks at which it was held."""
        for _ in range(count):
            await self.chunk_asked.acquire()
            self.chunk_turns.release()


current_world: ContextVar[World] = ContextVar("current_world")


class ScriptedTeam(Team):
    """Says the lines of a script, each after one model call.

    A line is `SOURCE: TEXT`. Text that begins with `+` is streamed word by word, with `#` is a thought, with `?` asks
    the person, with `!` fails.
    """

    provider = "tests.runs.ScriptedTeam"
    component_type = "team"
    lines: list[str]
    needs: list[str] = []

    _stop_reason: str = PrivateAttr(default="")

    def capabilities(self) -> AsyncGenerator[Capability]:  # pyright: ignore
        return (Capability("host", f"Reach {host}.", host) for host in self.needs)  # pyright: ignore

    async def run_stream(self, *, task: str | BaseChatMessage) -> AsyncGenerator[BaseMessage | TaskResult]:
        yield TextMessage(content=task, source="user") if isinstance(task, str) else task
        for line in self.lines:
            source, _, text = line.partition(": ")
            async with aclosing(_say(source, text)) as said:
                async for message in said:
                    yield message
            if self._stop_reason:
                break
        yield TaskResult(messages=[], stop_reason=self._stop_reason or None)

    def request_stop(self, reason: str) -> None:
        self._stop_reason = reason

    async def close(self) -> None:
        current_world.get().closed.append("team")


async def _say(source: str, text: str) -> AsyncGenerator[BaseMessage]:
    request = effects.EffectRequest("model", source, lambda: {"text": text})
    await effects.call(request, lambda: current_world.get().reply(text))
    mark, rest = text[:1], text[1:]
    if mark == "!":
        raise ModelUnavailable(rest, fix="Try again.")
    if mark == "#":
        yield ThoughtEvent(content=rest, source=source)
    elif mark == "+":
        message_id = effects.current().new_id()
        for word in rest.split(" "):
            yield ModelClientStreamingChunkEvent(content=word, source=source, full_message_id=message_id)
            await current_world.get().after_chunk()
        yield TextMessage(id=message_id, content=rest.replace(" ", ""), source=source)
    elif mark == "?":
        request_id = effects.current().new_id()
        yield UserInputRequestedEvent(request_id=request_id, source=source)
        answer = await effects.ask_human(effects.HumanQuestion(request_id, source, rest))
        yield TextMessage(content=answer, source=source)
    else:
        yield TextMessage(content=text, source=source)


def scripted(*lines: str, needs: Sequence[str] = ()) -> JsonValue:
    """The JSON of a team that says these lines."""
    return {"provider": ScriptedTeam.provider, "config": {"lines": list(lines), "needs": list(needs)}}


@dataclass
class Studio:
    """A supervisor and its store."""

    supervisor: RunSupervisor
    store: Store

    async def batches_until(self, run_id: str, is_enough: Callable[[Batch], bool], *, after: int = 0) -> list[Batch]:
        """What a page sees until it has seen enough; then it is closed."""
        seen: list[Batch] = []
        async with aclosing(self.supervisor.subscribe(run_id, after)) as batches:
            async for batch in batches:
                seen.append(batch)
                if is_enough(batch):
                    break
        return seen

    async def until(self, run_id: str, state: RunState, reason: str | None = None) -> Batch:
        """The batch in which the run was first seen in that state."""

        def is_there(batch: Batch) -> bool:
            return batch.view.state is state and reason in (None, batch.view.reason)

        last = (await self.batches_until(run_id, is_there))[-1]
        assert is_there(last), f"the run ended as {last.view}"
        return last

    async def said(self, run_id: str) -> list[str]:
        """The text of the messages and events in the log."""
        entries = await self.store.runs.read(run_id, kinds=["message", "event"])
        return [str(entry.body["content"]) for entry in entries]

    async def log(self, run_id: str) -> Sequence[LogEntry]:
        return await self.store.runs.read(run_id)


OpenStudio = Callable[[], AbstractAsyncContextManager[Studio]]
