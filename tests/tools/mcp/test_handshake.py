"""Programs that speak one generation of the protocol only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studio.tools.mcp import McpWorkbench, StdioServerParams

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("old_server.py")


async def use(generation: str, notes: Path) -> None:
    """List and call the one tool of a program."""
    arguments = [str(SCRIPT), generation, str(notes)]
    bench = McpWorkbench(server_params=StdioServerParams(command=sys.executable, args=arguments))
    async with bench:
        assert [tool["name"] for tool in await bench.list_tools()] == ["hello"]
        assert (await bench.call_tool("hello", {})).to_text() == "hello"


async def test_an_old_program_is_not_asked_what_it_would_leave_unanswered(tmp_path: Path) -> None:
    await use("old", tmp_path / "notes")
    methods = (tmp_path / "notes").read_text().split()
    assert methods[:2] == ["initialize", "notifications/initialized"]
    assert "server/discover" not in methods


async def test_a_new_program_that_refuses_the_old_handshake_gets_the_new_one(tmp_path: Path) -> None:
    await use("new", tmp_path / "notes")
    methods = (tmp_path / "notes").read_text().split()
    assert methods[:2] == ["initialize", "server/discover"]
