"""An event stream ends with its source, its reader or the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from starlette.types import Message

from studio.web.sse import Event, EventStream

SCOPE = {"type": "http"}


class Reader:
    """The other end of the connection."""

    def __init__(self) -> None:
        self.text = ""
        self.is_complete = False
        self.leaves = asyncio.Event()
        self.got_something = asyncio.Event()

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            return
        self.text += message["body"].decode()
        self.is_complete = not message["more_body"]
        if "data:" in self.text or ": ping" in self.text:
            self.got_something.set()


class Source:
    """Gives one event, then nothing until it is closed."""

    def __init__(self) -> None:
        self.is_closed = False

    async def events(self) -> AsyncGenerator[Event]:
        try:
            yield Event("entries", [1], id=7)
            await asyncio.Event().wait()
        finally:
            self.is_closed = True


async def finite() -> AsyncGenerator[Event]:
    yield Event("entries", [{"text": "two\nlines"}], id=3)
    yield Event("done", {})


async def test_events_are_written_with_name_id_and_one_line_of_json():
    reader = Reader()
    await EventStream(finite(), asyncio.Event())(SCOPE, reader.receive, reader.send)
    assert 'event: entries\ndata: [{"text":"two\\nlines"}]\nid: 3\n\n' in reader.text
    assert reader.text.endswith("event: done\ndata: {}\n\n")
    assert reader.is_complete


async def test_a_stopping_server_ends_its_streams():
    reader, source, closing = Reader(), Source(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(EventStream(source.events(), closing)(SCOPE, reader.receive, reader.send))
        await reader.got_something.wait()
        closing.set()
    assert source.is_closed
    assert reader.is_complete


async def test_a_reader_who_leaves_closes_the_source():
    reader, source = Reader(), Source()
    async with asyncio.TaskGroup() as group:
        group.create_task(EventStream(source.events(), asyncio.Event())(SCOPE, reader.receive, reader.send))
        await reader.got_something.wait()
        reader.leaves.set()
    assert source.is_closed


async def test_a_quiet_stream_is_kept_alive():
    async def silence() -> AsyncGenerator[Event]:
        await reader.got_something.wait()
        yield Event("done", {})

    reader = Reader()
    await EventStream(silence(), asyncio.Event(), ping_s=0.001)(SCOPE, reader.receive, reader.send)
    assert ": ping\n\n" in reader.text
