"""Cancelling a run of the server after any of its log's entries leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.components import all_capabilities, load_component
from studio.runs import RunState
from tests.runs.scripted import OpenStudio, Studio
from tests.teams.interrupting import nothing_left

pytestmark = pytest.mark.slow

SOURCE = """
import time
def work(minutes: int, begun: str) -> str:
    if begun:
        open(begun, "w").close()
    time.sleep(60 * minutes)
    return "done"
"""


def wish(name: str, **arguments: JsonValue) -> JsonValue:
    call: JsonValue = {"id": "1", "name": name, "arguments": json.dumps(arguments)}
    usage: JsonValue = {"prompt_tokens": 1, "completion_tokens": 1}
    return {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}


def agent(name: str, *replies: JsonValue, tool: JsonValue = None) -> JsonValue:
    abilities: JsonValue = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    client: JsonValue = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "config": {
            "chat_completions": list(replies),
            "model_info": {**abilities, "function_calling": True, "family": "unknown"},
        },
    }
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "config": {
            "name": name,
            "description": "",
            "model_client": client,
            "tools": [tool] if tool else [],
            "model_client_stream": True,
            "reflect_on_tool_use": True,
        },
    }


def team(minutes: int, begun: Path | str = "") -> JsonValue:
    """Code of a model in a process, a function in another, and a person."""
    executor: JsonValue = {
        "provider": "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor",
        "config": {"timeout": 60},
    }
    coding: JsonValue = {
        "provider": "autogen_ext.tools.code_execution.PythonCodeExecutionTool",
        "config": {"executor": executor},
    }
    working: JsonValue = {
        "provider": "autogen_core.tools.FunctionTool",
        "config": {"name": "work", "description": "Works.", "source_code": SOURCE, "global_imports": []},
    }
    person: JsonValue = {"provider": "autogen_agentchat.agents.UserProxyAgent", "config": {"name": "person"}}
    first = agent("coder", wish("CodeExecutor", code="print(1)"), "It is 1.", tool=coding)
    second = agent("worker", wish("work", minutes=minutes, begun=str(begun)), "It is done.", tool=working)
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"participants": [first, second, person], "max_turns": 3},
    }


async def begin(studio: Studio, document: JsonValue) -> str:
    await studio.store.approvals.approve(all_capabilities(load_component(document)), by="ann")
    return await studio.supervisor.start(document, "Go.")


async def cancel_after(studio: Studio, run_id: str, seq: int) -> RunState:
    """Cancel a run when its log is that long; how it has ended."""
    await studio.batches_until(run_id, lambda batch: batch.view.last_seq >= seq)
    await studio.supervisor.command(run_id, "cancel")
    last = (await studio.batches_until(run_id, lambda batch: batch.view.state.is_final))[-1]
    return last.view.state


async def test_a_run_that_is_cancelled_after_any_entry_leaves_no_task_and_no_process(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await begin(studio, team(0))
        await studio.until(run_id, RunState.PAUSED, "input")
        entries = await studio.log(run_id)
        assert await cancel_after(studio, run_id, 1) is RunState.CANCELLED
        async with nothing_left():
            for seq in range(1, len(entries), 4):
                assert await cancel_after(studio, await begin(studio, team(0)), seq) is RunState.CANCELLED


async def test_a_tool_at_work_is_ended_with_its_run(open_studio: OpenStudio, tmp_path: Path) -> None:
    async with open_studio() as studio:
        await cancel_after(
            studio, await begin(studio, team(0)), 1
        )  # connections to the database are opened at first use
        async with nothing_left():
            os.mkfifo(tmp_path / "begun")
            run_id = await begin(studio, team(5, begun=tmp_path / "begun"))
            await asyncio.to_thread(
                (tmp_path / "begun").read_text
            )  # returns when the function has opened and closed it
            assert await cancel_after(studio, run_id, 1) is RunState.CANCELLED
