"""Connections that do not come to their end are closed, and no address takes them all."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from studio.web.connections import ConnectionLimits, limited_connections

QUICK = ConnectionLimits(head_s=0.3, body_s=0.3, bytes_per_s=10)
HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    answer = PlainTextResponse(str(len(await request.body())))
    if request.url.path == "/stream":
        released = threading.Event()
        STREAMS.append(released)

        def pieces() -> Iterator[str]:
            yield "first"
            released.wait(20)
            yield "last"

        answer = StreamingResponse(pieces())
    await answer(scope, receive, send)


STREAMS: list[threading.Event] = []


@contextmanager
def serving(limits: ConnectionLimits) -> Generator[tuple[str, int]]:
    """A server with these limits, on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, http=limited_connections(limits), ws="none", lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


def sent(place: tuple[str, int], data: bytes) -> socket.socket:
    connection = socket.create_connection(place, timeout=20)
    connection.sendall(data)
    return connection


def rest(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    return received


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n", HEAD, HEAD + b"\r\n", HEAD + b"\r\nhalf"],
    ids=["nothing", "half a line", "half a head", "no end of the head", "no body", "half a body"],
)
def test_a_request_that_does_not_come_to_its_end_is_closed(begun: bytes):
    with serving(QUICK) as place, sent(place, begun) as connection:
        assert rest(connection) == b""


@pytest.mark.slow
def test_a_second_request_on_a_connection_must_come_to_its_end_too():
    with serving(QUICK) as place, sent(place, HEAD + b"\r\n" + 30 * b"x" + b"GET / HT") as connection:
        assert rest(connection).endswith(b"\r\n\r\n30")


@pytest.mark.slow
def test_a_head_that_drips_is_closed_all_the_same():
    with serving(QUICK) as place, sent(place, b"GET / HTTP/1.1\r\n") as connection:
        connection.settimeout(0.05)
        for _ in range(400):
            try:
                connection.sendall(b"A: b\r\n")
                if connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return
    pytest.fail("It was not closed.")


@pytest.mark.slow
def test_a_slow_body_that_makes_progress_is_read_to_its_end():
    slow = ConnectionLimits(head_s=0.3, body_s=0.3, bytes_per_s=1)
    with serving(slow) as place, sent(place, HEAD + b"\r\n") as connection:
        for _ in range(29):  # 1.5 s, five times the limit
            connection.sendall(b"x")
            connection.settimeout(0.05)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(20)
        connection.sendall(b"x")
        assert connection.recv(65536).endswith(b"30")


@pytest.mark.slow
def test_an_answer_may_take_longer_than_a_request():
    with serving(QUICK) as place, sent(place, b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n") as connection:
        received = b""
        while b"first" not in received:
            received += connection.recv(65536)
        with sent(place, b"") as other:
            assert rest(other) == b""  # the limits have passed
        STREAMS[-1].set()
        while b"last" not in received:
            piece = connection.recv(65536)
            assert piece, received
            received += piece


@pytest.mark.parametrize("proxies", [(), ("127.0.0.0/8",), ("127.0.0.1",)])
def test_one_address_has_so_many_connections_and_a_proxy_any_number(proxies: tuple[str, ...]):
    limits = ConnectionLimits(per_address=3, proxies=proxies)
    with serving(limits) as place, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(sent(place, b""))
        with sent(place, b"GET / HTTP/1.0\r\nHost: a\r\n\r\n") as one_more:
            assert rest(one_more).endswith(b"0") == bool(proxies)
        stack.close()
        with sent(place, b"GET / HTTP/1.0\r\nHost: a\r\n\r\n") as later:
            assert rest(later).endswith(b"0")


@pytest.mark.parametrize(
    ("first", "same"), [("2001:db8::1", "2001:db8::ffff:ffff:1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("a", "a")]
)
def test_all_addresses_of_a_client_count_as_one(first: str, same: str):
    limits = ConnectionLimits(per_address=2, proxies=("2001:db8::9",))
    assert [limits.add(address) for address in (first, same, first)] == [True, True, False]
    assert limits.add("2001:db8:0:1::1")
    assert limits.add("192.0.2.2")
    assert limits.add("2001:db8::9"), "a proxy speaks for many"
    limits.remove("2001:db8::9")
    assert not limits.add(same), "which its end does not give back"
    limits.remove(first)
    assert limits.add(same)
