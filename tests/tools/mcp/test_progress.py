"""What a server tells of its progress."""

from __future__ import annotations

import pytest

from studio import effects
from studio.components import JsonObject
from studio.effects.progress import listening
from studio.messages import BaseMessage, ToolEvent
from studio.tools.mcp import McpToolAdapter, McpWorkbench, StdioServerParams, mcp_server_tools
from studio.tools.mcp.results import MAX_TOLD, Progress
from tests.teams.scripted import agent, wishes

pytestmark = pytest.mark.slow

BAKED = [
    ("bake", "call_0", "progress", {"progress": 1, "total": 2, "message": "loaf 1"}),
    ("bake", "call_0", "progress", {"progress": 2, "total": 2}),
]


def told(messages: list[BaseMessage]) -> list[tuple[str, str | None, str, object]]:
    events = [message for message in messages if isinstance(message, ToolEvent)]
    return [(event.tool, event.call_id, event.name, event.content) for event in events]


async def test_progress_of_a_servers_tool_is_told_in_the_agents_run(program: StdioServerParams):
    baker = agent("a", wishes(("bake", '{"loaves": 2}')), workbench=[McpWorkbench(server_params=program)])
    result = await baker.run(task="go")
    assert told(list(result.messages)) == BAKED


async def test_progress_of_a_single_tool_is_told_as_well(program: StdioServerParams):
    tools: list[McpToolAdapter] = [tool for tool in await mcp_server_tools(program) if tool.name == "bake"]
    result = await agent("a", wishes(("bake", '{"loaves": 2}')), tools=tools).run(task="go")
    assert told(list(result.messages)) == BAKED


async def test_progress_is_part_of_the_recorded_effect(program: StdioServerParams):
    entries: list[JsonObject] = []

    async def append(entry: JsonObject) -> None:
        entries.append(entry)

    async with McpWorkbench(server_params=program) as bench:
        with effects.use(effects.RecordingEffects(append, run_id="1")):
            await bench.call_tool("bake", {"loaves": 1})
    result = entries[-1]["result"]
    assert isinstance(result, dict)
    assert result["events"] == [{"name": "progress", "content": {"progress": 1, "total": 1}}]


async def test_progress_is_told_while_the_server_works(program: StdioServerParams):
    told: list[str] = []
    async with McpWorkbench(server_params=program) as bench:
        with listening(told.append):
            await bench.call_tool("bake", {"loaves": 2})
    assert told == ["1 of 2: loaf 1", "2 of 2"]


async def test_of_endless_progress_the_latest_is_kept():
    progress = Progress()
    for part in range(2 * MAX_TOLD):
        await progress.note(part, None, "x" * 5_000)
    assert len(progress.events()) == MAX_TOLD
    assert progress.recorded[-1] == {"progress": 2 * MAX_TOLD - 1, "message": "x" * 1_000}
