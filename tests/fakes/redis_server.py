"""A server that knows as much of Redis as a cache needs: AUTH, HELLO, GET and SET, over real sockets."""

from __future__ import annotations

import socketserver
import threading
from typing import Self, cast


class RedisServer:
    """Use as a context manager."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.passwords: set[str] = set()
        self._server = _Server(("127.0.0.1", 0), _Connection)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, name="fake-redis", daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, words: list[bytes]) -> bytes:
        """What Redis says to a command."""
        command = words[0].upper()
        if command == b"GET":
            value = self.values.get(words[1])
            return b"_\r\n" if value is None else b"$%d\r\n%b\r\n" % (len(value), value)
        if command == b"SET":
            self.values[words[1]] = words[2]
        elif command == b"HELLO":
            if b"AUTH" in words:
                self.passwords.add(words[words.index(b"AUTH") + 2].decode())
            return b"%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n"
        elif command == b"AUTH":
            self.passwords.add(words[-1].decode())
        return b"+OK\r\n"


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    fake: RedisServer


class _Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while head := self.rfile.readline():
            words = [self._word() for _ in range(int(head[1:]))]
            self.wfile.write(cast("_Server", self.server).fake.answer(words))

    def _word(self) -> bytes:
        size = int(self.rfile.readline()[1:])
        return self.rfile.read(size + 2)[:size]
