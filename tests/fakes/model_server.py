"""What the fake model servers have in common: real HTTP, a queue of answers, and faults.

    def test_x(openai_server: OpenAIServer):                 # fixture of tests/conftest.py
        openai_server.say("Hello", Reply(calls=[Call("add", {"a": 1, "b": 2})]))   # the next two answers, in order
        openai_server.say("4", model="judge")                # only for requests that name this model; goes first
        openai_server.always(lambda body: Reply(f"{len(body['messages'])} messages"))    # when nothing is queued
        ...
        openai_server.requests[0].body["messages"]           # what was asked; .request_count, .pieces_sent

An answer streams word by word when the request says `stream`, and usage comes as the service sends it. Faults:

    Reply(status=429, retry_after="1")    # any error status, with the service's error body; `location` with 307
    Reply("a b c", hold=1)                # sends one word, then nothing until release(); hold=0 before the first word,
                                          #   hold=HEADERS before the first byte. Never released, it is a hang.
    Reply("a b c", cut=2)                 # closes the connection after two words, HEADERS before the first byte
    Reply("a b c", malformed=1)           # a chunk that is no JSON after one word (or a body that is none)
    Reply("a b c", misshapen=1)           # a chunk with a number where its words should be, after one word
    Reply("a b c", unfinished=True)       # the stream ends properly but for what says that it is complete

The server has its own thread, so that sync and async tests and other processes can use it. `wait_for_requests`,
`wait_until_held` and `wait_until_idle` block their caller: in an async test, `await asyncio.to_thread(...)`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

HEADERS = -1
_WAIT_S = 30.0
ACCEPTING = 5
"""Turns of the loop until an accepted connection is one of ours: who cancels it before leaves its socket open."""
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Call:
    """A tool call of the model; `arguments` may be text, to send what is no JSON."""

    name: str
    arguments: Mapping[str, object] | str = field(default_factory=dict[str, object])
    id: str = ""

    @property
    def arguments_text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(dict(self.arguments))


@dataclass(frozen=True)
class Reply:
    """One answer of the server; see the module's text for the faults."""

    text: str = ""
    calls: Sequence[Call] = ()
    thought: str = ""
    usage: tuple[int, int] = (11, 7)
    finish_reason: str = ""
    status: int = 200
    retry_after: str = ""
    location: str = ""
    message: str = "Injected by the test."
    hold: int | None = None
    cut: int | None = None
    malformed: int | None = None
    misshapen: int | None = None
    unfinished: bool = False


Answer = Reply | str | Callable[[dict[str, Any]], "Reply | str"]


@dataclass(frozen=True)
class Request:
    """What a client sent to the server."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def key(self) -> str:
        """The API key, in whichever header it came."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("api-key") or self.headers.get("x-api-key") or bearer


class _Hangup(Exception):
    """Close the connection now."""


class ModelServer:
    """Use as a context manager; the address is fixed as long as it is open."""

    exchange: ClassVar[type[Exchange]]
    """How this service words its answers."""
    question_paths: ClassVar[tuple[str, ...]]
    """How the paths end at which the model is asked."""
    base_path: ClassVar[str] = ""

    place: ClassVar[tuple[str, int]] = ("127.0.0.1", 0)
    """Where it listens; port 0 is any that is free."""

    def __init__(self) -> None:
        self.key: str | None = None
        """When set, requests with another bearer token (or `api-key` header) get status 401."""
        self.requests: list[Request] = []
        self.pieces_sent = 0
        self._port = 0
        self._queues: dict[str | None, deque[Answer]] = {}
        self._always: Answer = Reply("OK.")
        self._held: list[asyncio.Event] = []
        self._busy = 0
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="fake-model-server", daemon=True)
        self._connections: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._stop = asyncio.Event()

    # ---- what a test says

    @property
    def url(self) -> str:
        """Base URL for clients."""
        return f"http://{self.place[0]}:{self._port}{self.base_path}"

    @property
    def request_count(self) -> int:
        """Questions to the model so far."""
        return len(self.requests)

    def say(self, *answers: Answer, model: str | None = None) -> None:
        """Queue answers; those for a named model go before those for any."""
        self._queues.setdefault(model, deque()).extend(answers)

    def always(self, answer: Answer) -> None:
        """What is said while nothing is queued."""
        self._always = answer

    def release(self) -> None:
        """Let the answers that are held now go on."""
        with self._changed:
            held, self._held = self._held, []
        for event in held:
            self._loop.call_soon_threadsafe(event.set)

    def wait_for_requests(self, count: int, timeout_s: float = _WAIT_S) -> None:
        """Block until so many requests came in all."""
        self._wait(lambda: self.request_count >= count, f"{count} requests", timeout_s)

    def wait_until_held(self, count: int = 1, timeout_s: float = _WAIT_S) -> None:
        """Block until so many answers are held at once."""
        self._wait(lambda: len(self._held) >= count, f"{count} held answers", timeout_s)

    def wait_until_idle(self, timeout_s: float = _WAIT_S) -> None:
        """Block until no answer is under way: each was sent, or its client hung up."""
        self._wait(lambda: self._busy == 0, "no answer under way", timeout_s)

    def wait_until_alone(self, timeout_s: float = _WAIT_S) -> None:
        """Block until no client is connected."""
        self._wait(lambda: not self._connections, "no client", timeout_s)

    def _wait(self, ready: Callable[[], bool], what: str, timeout_s: float) -> None:
        with self._changed:
            if not self._changed.wait_for(ready, timeout_s):
                raise AssertionError(f"Waited {timeout_s} s for {what}; {self.request_count} requests came.")

    def _note_change(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # ---- life

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(_WAIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_WAIT_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connection, *self.place, limit=1 << 26)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for _ in range(ACCEPTING):
            await asyncio.sleep(0)
        for writer in list(self._connections):
            writer.transport.abort()
        mine = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not mine]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await asyncio.sleep(0)

    # ---- HTTP

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError, _Hangup, asyncio.CancelledError):
            while True:
                await self._exchange(reader, writer)
        writer.transport.abort()
        self._connections.discard(writer)
        self._note_change()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "POST" and path.partition("?")[0].endswith(self.question_paths):
            request = Request(path, headers, json.loads(body))
            await self._chat(request, reader, writer)
        else:
            status, answer = self.other(path)
            send_json(writer, status, answer)
        await writer.drain()

    def exchange_at(self, path: str) -> type[Exchange]:
        """How a question at this path is answered."""
        del path
        return self.exchange

    def other(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and JSON for a request that asks no model."""
        return 404, self.exchange.error_body(404, f"No such path: {path}")

    async def _chat(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._changed:
            self.requests.append(request)
            self._busy += 1
            self._changed.notify_all()
        try:
            await self.exchange_at(request.path)(self, request, self._choose(request), reader, writer).run()
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def _choose(self, request: Request) -> Reply:
        if self.key is not None and request.key != self.key:
            return Reply(status=401, message=f"Incorrect API key provided: {request.key}.")
        queue = self._queues.get(request.body.get("model")) or self._queues.get(None)
        answer = queue.popleft() if queue else self._always
        reply = answer(request.body) if callable(answer) else answer
        return Reply(reply) if isinstance(reply, str) else reply

    async def hold(self, reader: asyncio.StreamReader) -> None:
        """Wait for `release`, or for the client to hang up."""
        event = asyncio.Event()
        with self._changed:
            self._held.append(event)
            self._changed.notify_all()
        async with asyncio.TaskGroup() as tasks:
            released = tasks.create_task(event.wait())
            gone = tasks.create_task(reader.read(1))
            await asyncio.wait({released, gone}, return_when=asyncio.FIRST_COMPLETED)
            hung_up = gone.done()
            released.cancel()
            gone.cancel()
        if hung_up:
            with self._changed:
                if event in self._held:
                    self._held.remove(event)
            raise _Hangup

    def count_piece(self) -> None:
        with self._changed:
            self.pieces_sent += 1
            self._changed.notify_all()


class Exchange:
    """One request and its answer; a subclass per service says how each part of it is written."""

    content_type = "text/event-stream"
    malformed = b'data: {"broken'
    """What a faulty stream sends in place of a piece."""

    def misshapen(self) -> bytes:
        """A piece that is JSON, but not of the service's shape."""
        return b'data: {"choices": 5}\n\n'

    def __init__(
        self,
        server: ModelServer,
        request: Request,
        reply: Reply,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.server = server
        self.request = request
        self.reply = reply
        self.reader = reader
        self.writer = writer
        self.number = server.request_count
        self.model = request.body.get("model", "fake")

    # ---- what a service says

    @staticmethod
    def error_body(status: int, message: str) -> dict[str, Any]:
        raise NotImplementedError

    def is_streamed(self) -> bool:
        return bool(self.request.body.get("stream"))

    def whole(self) -> dict[str, Any]:
        """The answer that is not streamed."""
        raise NotImplementedError

    def start(self) -> Iterator[bytes]:
        """What a stream begins with."""
        yield from ()

    def pieces(self) -> list[bytes]:
        """The answer in pieces; faults are counted in these."""
        raise NotImplementedError

    def end(self) -> Iterator[bytes]:
        """What says that the answer is complete."""
        raise NotImplementedError

    # ---- for subclasses

    def words(self) -> list[str]:
        """The text cut into words, each with the space behind it."""
        words = self.reply.text.split(" ") if self.reply.text else []
        return [f"{word} " for word in words[:-1]] + words[-1:]

    def call_id(self, index: int) -> str:
        return self.reply.calls[index].id or f"call_{self.number}_{index}"

    # ---- sending

    async def run(self) -> None:
        await self._fault_point(HEADERS)
        if self.reply.status != 200:
            given = {"retry-after": self.reply.retry_after, "location": self.reply.location}
            extra = {name: value for name, value in given.items() if value}
            body = self.error_body(self.reply.status, self.reply.message)
            send_json(self.writer, self.reply.status, body, extra)
        elif self.is_streamed():
            await self._stream()
        elif self.reply.malformed is not None:
            _send(self.writer, 200, b'{"id": "1", "choices": [{"mess', {})
        else:
            await self._fault_point(0)
            send_json(self.writer, 200, self.whole())

    async def _fault_point(self, pieces: int) -> None:
        if self.reply.cut == pieces:
            await self.writer.drain()
            raise _Hangup
        if self.reply.hold == pieces:
            await self.writer.drain()
            await self.server.hold(self.reader)

    async def _stream(self) -> None:
        self.writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {self.content_type}\r\ncache-control: no-cache\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        for raw in self.start():
            await self._chunk(raw)
        pieces = self.pieces()
        for index, piece in enumerate(pieces):
            await self._fault_point(index)
            if self.reply.malformed == index:
                await self._chunk(self.malformed)
            if self.reply.misshapen == index:
                await self._chunk(self.misshapen())
            await self._chunk(piece)
            self.server.count_piece()
        await self._fault_point(len(pieces))
        if not self.reply.unfinished:
            for raw in self.end():
                await self._chunk(raw)
        self.writer.write(b"0\r\n\r\n")

    async def _chunk(self, raw: bytes) -> None:
        self.writer.write(b"%x\r\n%b\r\n" % (len(raw), raw))
        await self.writer.drain()


def send_json(
    writer: asyncio.StreamWriter, status: int, body: dict[str, Any], extra: Mapping[str, str] | None = None
) -> None:
    _send(writer, status, json.dumps(body).encode(), extra or {})


def _send(writer: asyncio.StreamWriter, status: int, body: bytes, extra: Mapping[str, str]) -> None:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *(f"{name}: {value}" for name, value in extra.items()),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
