"""A port that a host can listen on."""

import socket


def free_port() -> int:
    """One that the system has just given and taken back."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
