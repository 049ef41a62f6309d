"""A running MCP server over HTTP, and how to start one over stdio."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.tools.mcp import StdioServerParams

SCRIPT = Path(__file__).with_name("server.py")


@pytest.fixture
def program() -> StdioServerParams:
    """The test server as a program."""
    return StdioServerParams(command=sys.executable, args=[str(SCRIPT)], read_timeout_seconds=15)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a test server over HTTP: `/mcp` is streamable, `/sse` the older kind."""
    with subprocess.Popen([sys.executable, str(SCRIPT), "http"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()
