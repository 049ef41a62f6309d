"""A real Redis server for tests, where the program is installed, with or without TLS."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

PASSWORD = "open-sesame"


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@contextmanager
def redis_program(folder: Path, *options: str) -> Generator[int]:
    """The port of a server on 127.0.0.1 that wants the password and keeps nothing when it ends.

    Args:
        folder: An empty one.
        options: More of the program's own; `certificate` gives those of TLS.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = ("--tls-port", str(port), "--port", "0") if options else ("--port", str(port))
    command = [program("redis-server"), *places, *options, "--bind", "127.0.0.1"]
    command += ["--save", "", "--requirepass", PASSWORD]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    assert server.stdout is not None
    with server.stdout as lines:
        said = ""
        while "ready to accept connections" not in said.lower():
            said = lines.readline()
            assert said, "Redis ended by itself"
        yield port
        server.terminate()
        server.wait(10)


def certificate(folder: Path, host: str) -> tuple[Path, tuple[str, ...]]:
    """A certificate of a host, signed by itself, and the server's options that use it."""
    key, public = folder / "key.pem", folder / "certificate.pem"
    made_for = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    command = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *made_for]
    subprocess.run([*command, "-keyout", str(key), "-out", str(public)], check=True, capture_output=True)
    files = ("--tls-cert-file", str(public), "--tls-key-file", str(key), "--tls-ca-cert-file", str(public))
    return public, (*files, "--tls-auth-clients", "no")
