"""The program of an MCP server lives as long as the run that uses it, however that run ends."""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import all_capabilities, load_component
from studio.runs import RunState, RunSupervisor
from studio.store import open_store
from tests.runs.scripted import OpenStudio, Studio

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests/tools/mcp/server.py"


def team(*wishes: tuple[str, dict[str, str]], last: str = "Done.") -> JsonValue:
    """A team of one agent that calls these tools of the server one after the other and then speaks."""
    calls: list[JsonValue] = [
        {
            "finish_reason": "function_calls",
            "content": [{"id": str(index), "name": name, "arguments": json.dumps(arguments)}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            "cached": False,
        }
        for index, (name, arguments) in enumerate(wishes)
    ]
    abilities: JsonValue = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    model: JsonValue = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "config": {
            "chat_completions": [*calls, *([last] if last else [])],
            "model_info": {**abilities, "function_calling": True, "family": "unknown"},
        },
    }
    server: JsonValue = {"type": "StdioServerParams", "command": sys.executable, "args": [str(SERVER)]}
    bench: JsonValue = {"provider": "autogen_ext.tools.mcp.McpWorkbench", "config": {"server_params": server}}
    agent: JsonValue = {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_version": 2,
        "config": {
            "name": "able",
            "description": "",
            "model_client": model,
            "workbench": [bench],
            "max_tool_iterations": 9,
            "reflect_on_tool_use": False,
            "tool_call_summary_format": "{result}",
        },
    }
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"participants": [agent], "max_turns": 1},
    }


async def started(studio: Studio, document: JsonValue) -> str:
    await studio.store.approvals.approve(all_capabilities(load_component(document)), by="ann")
    return await studio.supervisor.start(document, "Go.")


async def pid_in_log(studio: Studio, run_id: str) -> int:
    """What the tool `own_pid` said."""
    results = [entry for entry in await studio.log(run_id) if entry.body.get("type") == "ToolCallExecutionEvent"]
    content = cast("list[dict[str, str]]", results[0].body["content"])
    return int(content[0]["content"])


def assert_gone(pid: int) -> None:
    """The process has ended, or is just about to after its SIGKILL."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([process], [], [], 5)
    os.close(process)
    assert ended


async def test_a_finished_run_has_called_the_tool_and_left_no_process(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, team(("own_pid", {}), ("add", {"a": "1", "b": "2"})))
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[-1] == "Done."
        assert_gone(await pid_in_log(studio, run_id))


async def test_a_failed_run_leaves_no_process(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, team(("own_pid", {}), last=""))
        await studio.until(run_id, RunState.FAILED)
        assert_gone(await pid_in_log(studio, run_id))


async def cancel(studio: Studio, run_id: str) -> None:
    await studio.supervisor.command(run_id, "cancel", by="ann")
    await studio.until(run_id, RunState.CANCELLED)


async def nothing(studio: Studio, run_id: str) -> None:
    del studio, run_id


@pytest.mark.parametrize("end", [cancel, nothing], ids=["cancelled", "studio stops"])
async def test_a_run_that_is_ended_in_the_middle_of_a_call_leaves_no_process(
    open_studio: OpenStudio, tmp_path: Path, end: Callable[[Studio, str], Awaitable[None]]
) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    async with open_studio() as studio:
        run_id = await started(studio, team(("hang", {"note": str(note)})))
        pid = int(await asyncio.to_thread(note.read_text))
        await end(studio, run_id)
    assert_gone(pid)


async def run_until_killed(data_dir: Path, note: str) -> None:
    """A studio whose only run waits for a tool that never answers."""
    async with open_store(data_dir) as store, RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor:
        await started(Studio(supervisor, store), team(("hang", {"note": note})))
        await asyncio.Event().wait()


async def test_a_studio_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    code = (
        "import asyncio, pathlib, sys; from tests.runs.test_tool_servers import run_until_killed; "
        "asyncio.run(run_until_killed(pathlib.Path(sys.argv[1]), sys.argv[2]))"
    )
    studio = await asyncio.create_subprocess_exec(sys.executable, "-c", code, tmp_path, note, cwd=ROOT)
    pid = int(await asyncio.to_thread(note.read_text))
    studio.kill()
    await studio.wait()
    assert_gone(pid)


async def test_a_server_that_dies_in_a_call_is_an_error_that_the_model_reads(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, team(("die", {}), ("own_pid", {})))
        await studio.until(run_id, RunState.FINISHED)
        log = [entry.body for entry in await studio.log(run_id)]
        results = [body["content"] for body in log if body.get("type") == "ToolCallExecutionEvent"]
        assert '"is_error": true' in json.dumps(results[0])
        assert '"is_error": false' in json.dumps(results[1])
