"""A load balancer: each connection is passed on to the next of several servers of this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle

PIECE_BYTES = 65536


class Balancer:
    """Listens until it is closed; what it has passed on ends with it.

    Args:
        port: Its own; 0 takes a free one.
    """

    def __init__(self, port: int = 0) -> None:
        self._open = set[socket.socket]()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.host = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def begin(self, ports: Sequence[int]) -> None:
        """Pass on what comes, and what has come already, to the servers at these ports."""
        threading.Thread(target=self._listen, args=(cycle(ports),), daemon=True).start()

    def close(self) -> None:
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _listen(self, ports: Iterator[int]) -> None:
        with suppress(OSError):  # it was closed
            while True:
                asking, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(asking, next(ports)), daemon=True).start()

    def _pass_on(self, asking: socket.socket, port: int) -> None:
        with asking, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as serving:
            self._open |= {asking, serving}
            back = threading.Thread(target=_copy, args=(serving, asking), daemon=True)
            back.start()
            _copy(asking, serving)
            back.join()
            self._open -= {asking, serving}


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Pass on all that comes, and its end."""
    with suppress(OSError):
        while piece := source.recv(PIECE_BYTES):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
