"""Gives a jailed program its one way out. Standard library only; run as a script inside the jail, by `proxy`.

It opens a port on the jail's own loopback, hands that port to the server, and becomes the program. So nothing of ours
stays in the jail, and what the program reaches is decided outside of it.

Arguments: the path of the server's Unix socket, the names that need no proxy, the program and its arguments.
"""

from __future__ import annotations

import os
import socket
import sys

WAITING_CONNECTIONS = 64
NOT_FOUND = 127
WANTED_PORT = "STUDIO_PROXY_PORT"
"""The variable that says which port to open; any one where it is missing."""


def handed_over(place: str) -> int:
    """The port of a new listener, which the server at `place` has from now on."""
    with (
        socket.create_server(
            ("127.0.0.1", int(os.environ.get(WANTED_PORT, "0"))), backlog=WAITING_CONNECTIONS
        ) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel,
    ):
        channel.connect(place)
        socket.send_fds(channel, [b"listener"], [listener.fileno()])
        return listener.getsockname()[1]


def variables(port: int, no_proxy: str) -> dict[str, str]:
    """What tells programs of the proxy: most read the upper case, some only the lower, and Node.js must be told to."""
    address = f"http://127.0.0.1:{port}"
    named = {"HTTP_PROXY": address, "HTTPS_PROXY": address, "ALL_PROXY": address, "NO_PROXY": no_proxy}
    return {**named, **{name.lower(): value for name, value in named.items()}, "NODE_USE_ENV_PROXY": "1"}


def main() -> None:
    """Open the way out and become the program."""
    place, no_proxy, *command = sys.argv[1:]
    try:
        environment = {**os.environ, **variables(handed_over(place), no_proxy)}
    except OSError as error:
        sys.exit(f"The network of the sandbox cannot be set up: {error}")
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"{command[0]!r} cannot be started: {error}", file=sys.stderr)
        sys.exit(NOT_FOUND)


if __name__ == "__main__":
    main()
