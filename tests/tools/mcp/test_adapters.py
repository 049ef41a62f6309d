"""Single tools of a real MCP server as tools."""

from __future__ import annotations

import json

import pytest

from studio.components import load_component
from studio.errors import ConfigError, ToolFailed
from studio.tools.mcp import (
    McpToolAdapter,
    SseMcpToolAdapter,
    SseServerParams,
    StdioMcpToolAdapter,
    StdioServerParams,
    StreamableHttpMcpToolAdapter,
    StreamableHttpServerParams,
    mcp_server_tools,
)

pytestmark = pytest.mark.slow


async def test_a_tool_of_each_transport_is_found_called_and_kept_in_json(
    program: StdioServerParams, address: str
) -> None:
    servers = (program, SseServerParams(url=f"{address}/sse"), StreamableHttpServerParams(url=f"{address}/mcp"))
    for server in servers:
        tool = next(tool for tool in await mcp_server_tools(server) if tool.name == "add")
        assert tool.schema["name"] == "add"
        value = await tool.run_json({"a": 1})
        assert value == [{"type": "text", "text": "2", "annotations": None}]
        again = load_component(tool.dump_component(), McpToolAdapter)
        assert again.dump_component() == tool.dump_component()
        assert json.loads((await again.call({"a": 2})).text)[0]["text"] == "3"


async def test_parts_are_told_with_the_fields_that_autogen_tells(program: StdioServerParams) -> None:
    tool = await StdioMcpToolAdapter.from_server_params(program, "everything")
    parts = json.loads((await tool.call({})).text)
    assert parts[2] == {
        "type": "resource",
        "resource": {"uri": "note://1", "mimeType": "text/plain", "text": "kept"},
        "annotations": None,
    }


async def test_what_is_wrong_is_told_to_the_model(address: str) -> None:
    server = StreamableHttpServerParams(url=f"{address}/mcp")
    tool = await StreamableHttpMcpToolAdapter.from_server_params(server, "refuse")
    with pytest.raises(ToolFailed, match="not today"):
        await tool.call({"why": "not today"})
    with pytest.raises(ToolFailed, match="Field required"):
        await tool.call({})
    with pytest.raises(ConfigError, match=r"'nope' not found, available tools: add"):
        await SseMcpToolAdapter.from_server_params(SseServerParams(url=f"{address}/sse"), "nope")
