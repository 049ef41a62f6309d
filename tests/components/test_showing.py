"""What `repr` shows of a component holds no key, wherever one stands."""

from __future__ import annotations

import pytest

from studio.components import JsonObject, load_component, load_packages

load_packages()
MCP = "autogen_ext.tools.mcp.McpWorkbench"


def http_tool(headers: JsonObject) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": {}}
    config: JsonObject = {"name": "f", "host": "example.com", "port": 443, "json_schema": schema, "headers": headers}
    return {"provider": "autogen_ext.tools.http.HttpTool", "config": config}


def client(**config: str) -> JsonObject:
    return {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", **config},
    }


def mcp(server: JsonObject) -> JsonObject:
    return {"provider": MCP, "config": {"server_params": server}}


@pytest.mark.parametrize(
    "document",
    [
        http_tool({"Authorization": "Bearer sk-hidden"}),
        http_tool({"X-Api-Key": "sk-hidden"}),
        client(api_key="sk-hidden"),
        {**client(), "config": {"model": "m", "default_headers": {"api-key": "sk-hidden"}}},
        mcp({"type": "StdioServerParams", "command": "uvx", "env": {"GITHUB_TOKEN": "sk-hidden"}}),
        mcp({"type": "SseServerParams", "url": "http://h/sse", "headers": {"Authorization": "Bearer sk-hidden"}}),
    ],
)
def test_a_key_in_the_open_is_masked(document: JsonObject):
    component = load_component(document)
    assert "sk-hidden" not in repr(component)
    assert "sk-hidden" not in str(component)
    assert "sk-hidden" not in repr([component])


def test_references_and_all_else_are_shown():
    shown = repr(load_component(http_tool({"Authorization": "Bearer {env:KEY}", "Accept": "text/plain"})))
    assert "Bearer {env:KEY}" in shown
    assert "text/plain" in shown
    assert "example.com" in shown
