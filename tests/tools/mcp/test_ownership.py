"""A session ends with whoever uses it: at the end of a run, when it is cancelled, and when it fails."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from studio.agents import AssistantAgent
from studio.messages import CancellationToken, CreateResult, ToolCallExecutionEvent
from studio.tools.mcp import McpWorkbench, StdioMcpToolAdapter, StdioServerParams
from studio.tools.mcp.connection import Connection
from tests.teams.scripted import agent, wishes

pytestmark = pytest.mark.slow

PID = wishes(("own_pid", "{}"))


def with_server(program: StdioServerParams, *replies: str | CreateResult) -> AssistantAgent:
    return agent("a", *replies, workbench=[McpWorkbench(server_params=program)])


def assert_ended(pid: int) -> None:
    """No task of a session is left, and its server has ended, or is just about to after its SIGKILL."""
    assert [task.get_coro() for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([process], [], [], 5)
    os.close(process)
    assert ended


async def test_the_server_runs_for_one_run_and_again_for_the_next(program: StdioServerParams) -> None:
    able = with_server(program, PID, PID)
    first = int((await able.run(task="Go.")).messages[-1].to_text())
    assert_ended(first)
    second = int((await able.run(task="Go on.")).messages[-1].to_text())
    assert second != first
    assert_ended(second)


async def test_a_session_that_a_program_started_lasts_until_the_program_ends_it(program: StdioServerParams) -> None:
    async with McpWorkbench(server_params=program) as bench:
        able = agent("a", PID, PID, workbench=[bench])
        pids = [int((await able.run(task="Go.")).messages[-1].to_text()) for _ in range(2)]
        assert bench.initialize_result is not None
    assert pids[0] == pids[1]
    assert_ended(pids[0])


async def test_a_server_ends_with_the_last_object_that_could_end_it(program: StdioServerParams) -> None:
    bench = McpWorkbench(server_params=program)
    pid = int((await bench.call_tool("own_pid")).to_text())
    owners = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    del bench
    await asyncio.wait(owners)
    assert_ended(pid)


async def test_leaving_a_run_early_ends_the_server(program: StdioServerParams) -> None:
    pids: list[int] = []
    async with aclosing(with_server(program, PID).run_stream(task="Go.")) as items:
        async for item in items:
            if isinstance(item, ToolCallExecutionEvent):
                pids.append(int(item.content[0].content))
                break
    assert_ended(pids[0])


async def test_a_run_that_fails_ends_the_server(program: StdioServerParams) -> None:
    bench = [McpWorkbench(server_params=program)]
    able = agent("a", PID, workbench=bench, reflect_on_tool_use=True)  # its model has no second reply
    pids: list[int] = []

    async def run() -> None:
        async for item in able.run_stream(task="Go."):
            if isinstance(item, ToolCallExecutionEvent):
                pids.append(int(item.content[0].content))

    with pytest.raises(ValueError, match="The script has no more replies"):
        await run()
    assert_ended(pids[0])


async def cancel_task(running: asyncio.Task[object], token: CancellationToken) -> None:
    del token
    running.cancel()


async def cancel_token(running: asyncio.Task[object], token: CancellationToken) -> None:
    del running
    token.cancel()


@pytest.mark.parametrize("cancel", [cancel_task, cancel_token])
async def test_cancelling_in_the_middle_of_a_call_ends_the_server(
    program: StdioServerParams,
    tmp_path: Path,
    cancel: Callable[[asyncio.Task[object], CancellationToken], Awaitable[None]],
) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    able = with_server(program, wishes(("hang", f'{{"note": "{note}"}}')))
    token = CancellationToken()
    async with asyncio.TaskGroup() as tasks:
        running: asyncio.Task[object] = tasks.create_task(able.run(task="Go.", cancellation_token=token))
        pid = int(await asyncio.to_thread(note.read_text))
        await cancel(running, token)
    assert running.cancelled()
    assert_ended(pid)


async def test_two_questions_at_once_share_one_session(program: StdioServerParams) -> None:
    able = with_server(program, wishes(("own_pid", "{}"), ("own_pid", "{}")))
    first, second = (await able.run(task="Go.")).messages[-1].to_text().split("\n")
    assert first == second


async def test_a_session_may_be_closed_by_another_task_than_opened_it(program: StdioServerParams) -> None:
    connection = Connection(program)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(connection.open())
    assert connection.is_open
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(connection.close())
    assert not connection.is_open


async def test_cancelling_while_the_server_starts_leaves_nothing(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    silent = StdioServerParams(command="sh", args=["-c", f"echo $$ > {note}; exec sleep 60"])
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(McpWorkbench(server_params=silent).list_tools())
        pid = int(await asyncio.to_thread(note.read_text))
        running.cancel()
    assert_ended(pid)


async def test_an_adapter_keeps_its_session_within_a_run_and_none_outside(program: StdioServerParams) -> None:
    tool = await StdioMcpToolAdapter.from_server_params(program, "own_pid")
    able = agent("a", PID, PID, PID, tools=[tool], max_tool_iterations=2)
    result = await able.run(task="Go.")
    pids = [
        int(item.content[0].content.split('"text": "')[1].split('"')[0])
        for item in result.messages
        if isinstance(item, ToolCallExecutionEvent)
    ]
    assert len(pids) == 2
    assert len(set(pids)) == 1
    assert_ended(pids[0])
    alone = (await tool.call({})).text
    assert str(pids[0]) not in alone
    assert_ended(int(alone.split('"text": "')[1].split('"')[0]))
