"""A small scripted team, the world it meets, and a studio that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue, PrivateAttr

from studio import effects
from studio.agents import ChatAgent
from studio.components import Capability
from studio.errors import ModelUnavailable
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    ModelClientStreamingChunkEvent,
    Response,
    TextMessage,
    ThoughtEvent,
    UserInputRequestedEvent,
)
from studio.runs import Batch, LogEntry, RunState, RunSupervisor
from studio.store import Store


@dataclass
class World:
    """What the scripted team meets outside: counts the calls, and lets a test hold them up."""

    calls: list[str] = field(default_factory=list[str])
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    closed: list[str] = field(default_factory=list[str])
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    refusals: int = 0
    """How often `refused` is answered with an error."""
    holds_chunks: bool = False
    holds_release: bool = False
    chunk_turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    chunk_asked: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def reply(self, text: str) -> JsonValue:
        self.calls.append(text)
        self.called.set()
        if text == "cancelled inside":
            raise asyncio.CancelledError
        if text == "refused" and self.refusals:
            self.refusals -= 1
            raise ModelUnavailable("No answer.", fix="Try again.")
        if text == "deaf":
            with suppress(asyncio.CancelledError):
                await self.answers.wait()
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


class ScriptedAgent(ChatAgent):
    """Says the lines of a script, each after one model call; a turn ends with the first line that is a message.

    A line is `SOURCE: TEXT`. Text that begins with `+` is streamed word by word, with `#` is a thought, with `?` asks
    the person, with `!` fails; with `*` it comes from a tool and not from a model.
    """

    provider = "tests.runs.ScriptedAgent"
    lines: list[str]
    needs: list[str] = []

    _next: int = PrivateAttr(default=0)

    def capabilities(self) -> Iterator[Capability]:
        return (Capability("host", f"Reach {host}.", host) for host in self.needs)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[BaseMessage | Response, None]:
        del messages, cancellation_token
        while True:
            source, _, text = self.lines[self._next].partition(": ")
            self._next += 1
            async with aclosing(_say(source, text)) as said:
                async for message in said:
                    if isinstance(message, BaseChatMessage):
                        yield Response(chat_message=message)
                        return
                    yield message

    async def release(self) -> None:
        world = current_world.get()
        world.closed.append(self.name)
        world.closing.set()
        if world.holds_release:
            await asyncio.Event().wait()


async def _say(source: str, text: str) -> AsyncGenerator[BaseMessage]:
    request = effects.EffectRequest("tool" if text[:1] == "*" else "model", source, lambda: {"text": text})
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
    """The JSON of a team that says these lines and then has had its turns."""
    turns = sum(": #" not in line for line in lines)
    agent: JsonValue = {
        "provider": ScriptedAgent.provider,
        "component_type": "agent",
        "config": {"name": "script", "lines": list(lines), "needs": list(needs)},
    }
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "label": "Scripted",
        "config": {"participants": [agent], "max_turns": turns},
    }


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


class OpenStudio(Protocol):
    """Opens a studio on the same folder each time."""

    def __call__(self, *, rest_s: float = 600.0) -> AbstractAsyncContextManager[Studio]: ...
