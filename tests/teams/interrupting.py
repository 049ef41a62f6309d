"""Breaking a run off at each point where something of it waits, and looking at what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import select
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage
from studio.teams import Team

BROKEN_OFF = "broken off before it gave a result"
"""What a model is told of what it must wish for again."""
INSIDE = "a task inside"
"""What a tool of a test team is given to do."""

Told = dict[str, list[tuple[str, str]]]


class Interruption:
    """Cancels a task when it, or a task that it began, waits for the n-th time; counted from 1."""

    def __init__(self, *at: int, cancel: Callable[[], None] | None = None) -> None:
        self._at = frozenset(at)
        self._cancel = cancel
        self._root: asyncio.Task[None] | None = None
        self.count = 0
        """How often something has waited so far."""

    async def run(self, work: Coroutine[Any, Any, object]) -> bool:
        """Do the work; whether it was broken off, rather than done before it came to that."""

        async def root() -> None:
            await work

        with self._counting():
            try:
                async with asyncio.TaskGroup() as group:
                    self._root = group.create_task(root())
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from errors
        asked = any(point <= self.count for point in self._at)
        # A token that is cancelled when the run has its result comes too late.
        assert self._root.cancelled() == asked or self._cancel, "a cancellation was swallowed, or came from nowhere"
        return asked

    @contextmanager
    def _counting(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(cast("Any", self._make_task))
        try:
            yield
        finally:
            loop.set_task_factory(None)

    def _make_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        async def counted() -> object:
            return await _Watched(work, self._note)

        task = asyncio.Task(counted(), loop=loop, **options)
        task.add_done_callback(lambda _: work.close())  # cancelled before it began, it would never be awaited
        return task

    def _note(self) -> None:
        self.count += 1
        if self.count in self._at and self._root is not None:
            (self._cancel or self._root.cancel)()


class _Watched(Awaitable[object]):
    """A coroutine that tells each time that it waits."""

    def __init__(self, work: Coroutine[Any, Any, Any], note: Callable[[], None]) -> None:
        self._work = work
        self._note = note

    def __await__(self) -> Generator[Any, Any, object]:
        step = partial(self._work.send, None)
        while True:
            try:
                waited_for = step()
            except StopIteration as end:
                return end.value
            self._note()
            try:
                step = partial(self._work.send, (yield waited_for))
            except GeneratorExit:
                self._work.close()
                raise
            except BaseException as error:  # noqa: BLE001 -- whatever is thrown in goes on to the coroutine
                step = partial(self._work.throw, error)


@dataclass(frozen=True)
class Held:
    """What this process holds."""

    tasks: frozenset[str]
    files: frozenset[str]

    @classmethod
    def now(cls) -> Held:
        gc.collect(1)  # what is older has nothing to do with the test, and is much where all tests run
        tasks = frozenset(repr(task) for task in asyncio.all_tasks() if task is not asyncio.current_task())
        return cls(tasks, frozenset(_open_files()))


def assert_nothing_runs() -> None:
    """See that no task is left but the one that asks."""
    assert asyncio.all_tasks() == {asyncio.current_task()}


def children() -> list[str]:
    """Processes that this one has started. A thread may be gone when it is asked for its own."""
    found: list[str] = []
    for thread in os.listdir("/proc/self/task"):
        with (
            suppress(FileNotFoundError),
            open(f"/proc/self/task/{thread}/children") as listing,
        ):  # it may be gone by now
            found += listing.read().split()
    return found


def end_of_processes(others: Collection[str] = (), limit_s: float = 5) -> None:
    """Block until this process has no child but `others`; one that was killed may need a moment to be gone."""
    for child in set(children()).difference(others):
        try:
            descriptor = os.pidfd_open(int(child))
        except ProcessLookupError:
            continue
        try:
            assert select.select([descriptor], [], [], limit_s)[0], f"the process {child} is still at work"
        finally:
            os.close(descriptor)


def _open_files() -> list[str]:
    found: list[str] = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found.append(f"{descriptor} {os.readlink(f'/proc/self/fd/{descriptor}')}")
        except FileNotFoundError:
            continue  # that of the listing itself
    return found


@asynccontextmanager
async def nothing_left(settle: Callable[[], None] | None = None) -> AsyncGenerator[None]:
    """See that the block leaves no task, no process and no open file or socket behind.

    Args:
        settle: Waits, in a thread, until others have let go too, such as a server in this process.
    """
    if settle:
        await asyncio.to_thread(settle)
    before, others = Held.now(), children()
    yield
    if settle:
        await asyncio.to_thread(settle)
    await asyncio.to_thread(end_of_processes, others)
    assert Held.now() == before


async def told(team: Team) -> Told:
    """What was said in a team, and what each agent's model knows of it; the contexts are seen to be in order."""
    state = cast("JsonObject", json.loads(json.dumps(await team.save_state())))
    chat = [message for message in team.thread if isinstance(message, BaseChatMessage)]
    # What tools tell is part of a turn; that of a turn that was broken off is not in the thread.
    thread = [(message.source, message.to_text()) for message in chat]
    thread = [(source, text) for source, text in thread if not source.startswith("inside_") and text != INSIDE]
    return {"": thread, **{path: _heard(messages) for path, messages in contexts_in(state).items()}}


def contexts_in(state: JsonValue, path: str = "") -> dict[str, list[JsonObject]]:
    """The model contexts in a saved state, by the names that lead to them."""
    if not isinstance(state, dict):
        return {}
    found: dict[str, list[JsonObject]] = {}
    for name, value in state.items():
        if name == "llm_context" and isinstance(value, dict):
            found[path] = cast("list[JsonObject]", value["messages"])
        else:
            found |= contexts_in(value, path if name in ("agent_states", "agent_state") else f"{path}/{name}")
    return found


def _heard(messages: Sequence[JsonObject]) -> list[tuple[str, str]]:
    check_calls(messages)
    heard = [(str(each["source"]), str(each["content"])) for each in messages if each["type"] == "UserMessage"]
    return [(source, text) for source, text in heard if BROKEN_OFF not in text]


def check_calls(messages: Sequence[JsonObject]) -> None:
    """See that each wish for calls is followed by a result for each of them, and no result comes otherwise."""
    owed: list[JsonValue] = []
    for message in messages:
        content = message["content"]
        if message["type"] == "FunctionExecutionResultMessage":
            assert owed, "a result without its call"
            assert [each["call_id"] for each in cast("list[JsonObject]", content)] == owed
            owed = []
            continue
        assert not owed, f"calls without results: {owed}"
        if message["type"] == "AssistantMessage" and isinstance(content, list):
            owed = [each["id"] for each in cast("list[JsonObject]", content)]
    assert not owed, f"calls without results: {owed}"
