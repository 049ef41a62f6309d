"""An MCP server that is started as a program, in the jail: what it must not do there, and its ordinary work.

What must not be done is done by a plain process first, so that each of these tests could fail.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.components import Capability
from studio.sandbox import Jail, JailUnavailable, UnavailableJail
from studio.tools.mcp import McpWorkbench, StdioServerParams, programs
from studio.tools.mcp.connection import McpUnavailable
from tests.sandbox.jailed import PLAIN, best_jail, within
from tests.sandbox.sites import site

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("reaching_server.py")
SDK_SCRIPT = Path(__file__).parents[1] / "tools/mcp/server.py"


@pytest.fixture
def jail() -> Jail:
    """The best one here; that each of them holds is shown with code that starts faster."""
    return best_jail()


@pytest.fixture
def server(tmp_path: Path) -> StdioServerParams:
    """A server whose script lies in a folder of its own, without its own working directory."""
    script = tmp_path / "server" / SCRIPT.name
    script.parent.mkdir()
    shutil.copy(SCRIPT, script)
    return StdioServerParams(command=sys.executable, args=[str(script)], read_timeout_seconds=20)


def granted(server: StdioServerParams) -> list[Capability]:
    return list(server.capabilities())


async def asked(bench: McpWorkbench, tool: str, **arguments: Any) -> str:
    """What a tool answers."""
    return (await bench.call_tool(tool, arguments)).to_text()


async def test_it_keeps_to_its_own(
    jail: Jail, server: StdioServerParams, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_CANARY", "canary")
    monkeypatch.setenv("HOME", str(tmp_path))
    database = tmp_path / "studio.db"
    database.write_text("rows")
    results: list[list[str]] = []
    async with site("other") as there:
        for place in (PLAIN, jail):
            with within(place):
                async with McpWorkbench(server_params=server) as bench:
                    answers = [
                        await asked(bench, "read", path=str(database)),
                        await asked(bench, "write", path=str(tmp_path / "new")),
                        await asked(bench, "write", path=str(tmp_path / "server" / "new")),
                        await asked(bench, "signal", pid=os.getpid()),
                        await asked(bench, "fetch", url=f"http://{there}/"),
                    ]
                    variables = json.loads(await asked(bench, "environment"))
                    results.append([*answers, variables["HOME"]])
                    assert "STUDIO_CANARY" not in variables
    plain, jailed = results
    assert plain == ["rows", "written", "written", "sent", "other GET / HTTP/1.1", str(tmp_path)]
    assert all(answer.startswith("failed: ") for answer in jailed[:5])
    assert jailed[5] != str(tmp_path)


async def test_it_works_in_its_folder_and_reads_what_its_command_names(
    jail: Jail, server: StdioServerParams, tmp_path: Path
) -> None:
    project, documents = tmp_path / "project", tmp_path / "documents"
    for folder in (project, documents):
        folder.mkdir()
        (folder / "note").write_text(f"in {folder.name}")
    named = server.model_copy(
        update={"cwd": str(project), "args": [*server.args, str(documents)], "env": {"GIVEN": "to it"}}
    )
    with within(jail):
        async with McpWorkbench(server_params=named) as bench:
            assert [tool["name"] for tool in await bench.list_tools()][:2] == ["read", "write"]
            assert await asked(bench, "read", path="note") == "in project"
            assert await asked(bench, "write", path="new") == "written"
            assert await asked(bench, "read", path=str(documents / "note")) == "in documents"
            assert (await asked(bench, "write", path=str(documents / "new"))).startswith("failed: ")
            assert json.loads(await asked(bench, "environment"))["GIVEN"] == "to it"
    assert (project / "new").read_text() == "left"
    process = granted(named)[0]
    assert process.text.endswith(f"It may read {server.args[0]}, {documents}. It may change the files in {project}.")


async def test_only_granted_hosts_are_reached(jail: Jail, server: StdioServerParams) -> None:
    async with site("granted") as here, site("other") as there:
        with within(jail, granted(server), (here,)):
            async with McpWorkbench(server_params=server) as bench:
                assert await asked(bench, "fetch", url=f"http://{here}/a") == "granted GET /a HTTP/1.1"
                assert (await asked(bench, "fetch", url=f"http://{there}/")).startswith(
                    "403 The sandbox does not allow"
                )
        other = server.model_copy(update={"args": [*server.args, "--more"]})
        with within(jail, granted(server), (here,)):  # a grant for one command line is none for another
            async with McpWorkbench(server_params=other) as bench:
                assert (await asked(bench, "fetch", url=f"http://{here}/")).startswith("failed: ")


async def test_a_server_of_the_sdk_works(jail: Jail) -> None:
    program = StdioServerParams(command=sys.executable, args=[str(SDK_SCRIPT)], read_timeout_seconds=20)
    with within(jail):
        async with McpWorkbench(server_params=program) as bench:
            assert await asked(bench, "add", a=2, b=3) == "5"


@pytest.fixture
def alive(tmp_path: Path) -> Path:
    """A pipe that a program of the server holds open as long as it lives, alone in the folder that it may change."""
    pipe = tmp_path / "project" / "alive"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    return pipe


@contextmanager
def hearing(pipe: Path) -> Generator[int]:
    """The end of the pipe where it is heard when nobody holds it any more."""
    heard = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield heard
    finally:
        os.close(heard)


def is_let_go(heard: int) -> bool:
    """Whether nobody holds the pipe any more; the end of a process may take a moment."""
    readable, _, _ = select.select([heard], [], [], 5)
    return bool(readable) and os.read(heard, 1) == b""


@pytest.mark.parametrize("place", ["jail", "plain"])
async def test_nothing_of_it_outlives_the_session(
    place: str, jail: Jail, server: StdioServerParams, alive: Path
) -> None:
    stop = alive.with_name("stop")
    os.mkfifo(stop)
    with hearing(alive) as heard:
        with within(jail if place == "jail" else PLAIN):
            async with McpWorkbench(server_params=server.model_copy(update={"cwd": str(alive.parent)})) as bench:
                assert await asked(bench, "stay", alive=str(alive), stop=str(stop)) == "left"
        if place == "plain":
            with pytest.raises(BlockingIOError):
                os.read(heard, 1)
            os.close(os.open(stop, os.O_WRONLY))
        else:
            assert is_let_go(heard)


async def test_one_that_does_not_end_is_ended(
    jail: Jail, server: StdioServerParams, alive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "EXIT_LIMIT_S", 0.1)
    with hearing(alive) as heard:
        with within(jail):
            async with McpWorkbench(server_params=server.model_copy(update={"cwd": str(alive.parent)})) as bench:
                assert (await asked(bench, "stubborn", alive=str(alive))).isdigit()
        assert is_let_go(heard)


async def test_a_call_that_is_given_up_ends_with_the_session(
    jail: Jail, server: StdioServerParams, alive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "EXIT_LIMIT_S", 0.1)
    with within(jail):
        bench = McpWorkbench(server_params=server.model_copy(update={"cwd": str(alive.parent)}))
        async with asyncio.TaskGroup() as tasks:
            calling = tasks.create_task(bench.call_tool("hold", {"alive": str(alive)}))
            heard = await asyncio.to_thread(os.open, alive, os.O_RDONLY)  # the call has begun
            calling.cancel()
        await bench.stop()
    assert await asyncio.to_thread(os.read, heard, 1) == b""
    os.close(heard)
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


async def test_its_variables_are_not_those_of_what_makes_the_jail(
    jail: Jail, server: StdioServerParams, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    # The loader of programs writes such files before anything of a program runs, as it would load a library.
    tracing = server.model_copy(update={"env": {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(notes / "trace")}})
    seen: list[bool] = []
    for place in (jail, PLAIN):
        with within(place):
            async with McpWorkbench(server_params=tracing) as bench:
                assert json.loads(await asked(bench, "environment"))["LD_DEBUG"] == "files"
        seen.append(bool(list(notes.iterdir())))
    assert seen == [False, True]


async def test_a_message_without_an_end_does_not_fill_the_memory(jail: Jail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MESSAGE_LIMIT", 1_000_000)
    pour = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    pouring = StdioServerParams(command=sys.executable, args=["-c", pour], read_timeout_seconds=20)
    with within(jail), pytest.raises(McpUnavailable, match="closed"):
        await McpWorkbench(server_params=pouring).list_tools()


async def test_a_program_that_is_not_there_is_told(jail: Jail) -> None:
    missing = StdioServerParams(command="no-such-program-of-ours", read_timeout_seconds=20)
    with within(jail), pytest.raises(McpUnavailable, match="'no-such-program-of-ours' cannot be started"):
        await McpWorkbench(server_params=missing).list_tools()


async def test_without_a_jail_it_does_not_start(tmp_path: Path) -> None:
    note = tmp_path / "started"
    touching = StdioServerParams(command="touch", args=[str(note)])
    with (
        within(UnavailableJail(JailUnavailable("No sandbox works."))),
        pytest.raises(JailUnavailable, match="No sandbox works"),
    ):
        await McpWorkbench(server_params=touching).list_tools()
    assert not note.exists()
