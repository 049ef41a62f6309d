"""All tools of a real MCP server, over each transport."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio import effects
from studio.components import all_capabilities, load_component
from studio.effects import RecordingEffects
from studio.errors import MissingSecret
from studio.tools import ImageResultContent, TextResultContent, ToolOverride
from studio.tools.mcp import (
    McpServerParams,
    McpUnavailable,
    McpWorkbench,
    SseServerParams,
    StdioServerParams,
    StreamableHttpServerParams,
)

pytestmark = pytest.mark.slow

SERVERS: dict[str, Callable[[StdioServerParams, str], McpServerParams]] = {
    "stdio": lambda program, _: program,
    "sse": lambda _, address: SseServerParams(url=f"{address}/sse"),
    "streamable": lambda _, address: StreamableHttpServerParams(url=f"{address}/mcp"),
}


@pytest.mark.parametrize("kind", SERVERS)
async def test_tools_are_listed_and_called_over_each_transport(
    kind: str, program: StdioServerParams, address: str
) -> None:
    async with McpWorkbench(server_params=SERVERS[kind](program, address)) as bench:
        tools = {tool["name"]: tool for tool in await bench.list_tools()}
        assert tools["add"].get("description") == "Add two numbers."
        assert tools["add"].get("parameters", {}).get("required") == ["a"]
        result = await bench.call_tool("add", {"a": 1, "b": 2})
    assert (result.is_error, result.to_text()) == (False, "3")


async def test_text_pictures_and_resources_come_as_parts(program: StdioServerParams) -> None:
    async with McpWorkbench(server_params=program) as bench:
        text, picture, resource = (await bench.call_tool("everything")).result
    assert text == TextResultContent(content="words")
    assert isinstance(picture, ImageResultContent)
    assert picture.content.mime_type == "image/png"
    assert isinstance(resource, TextResultContent)
    assert '"text":"kept"' in resource.content


async def test_errors_are_results_and_a_dead_server_is_started_again(program: StdioServerParams) -> None:
    async with McpWorkbench(server_params=program) as bench:
        for name, text in (("refuse", "not today"), ("nope", "Unknown tool: nope"), ("die", "Connection closed")):
            result = await bench.call_tool(name, {"why": "not today"})
            assert (result.is_error, result.to_text()) == (True, text)
        assert (await bench.call_tool("add", {"a": 1})).to_text() == "2"


async def test_overrides_show_another_name_and_lead_back(program: StdioServerParams) -> None:
    override = ToolOverride(name="plus", description="Sums.")
    async with McpWorkbench(server_params=program, tool_overrides={"add": override}) as bench:
        shown = {tool["name"]: tool.get("description") for tool in await bench.list_tools()}
        assert shown["plus"] == "Sums."
        assert "add" not in shown
        assert (await bench.call_tool("plus", {"a": 1})).to_text() == "2"


async def test_a_tool_that_the_server_adds_is_listed_and_an_unchanged_list_is_logged_once(
    program: StdioServerParams,
) -> None:
    log: list[dict[str, JsonValue]] = []

    async def append(entry: dict[str, JsonValue]) -> None:
        log.append(entry)

    with effects.use(RecordingEffects(append, run_id="run")):
        bench = McpWorkbench(server_params=program)
        before = len(await bench.list_tools())
        await bench.list_tools()
        await bench.call_tool("add", {"a": 1})
        assert len(await bench.list_tools()) == before
        await bench.call_tool("learn")
        assert len(await bench.list_tools()) == before + 1
        await bench.stop()
    kinds = [type(entry["result"]).__name__ for entry in log]
    assert kinds == ["list", "dict", "NoneType", "dict", "list"]


async def test_resources_and_prompts_can_be_read(address: str) -> None:
    async with McpWorkbench(server_params=StreamableHttpServerParams(url=f"{address}/mcp")) as bench:
        templates = (await bench.list_resource_templates()).resource_templates
        content = (await bench.read_resource("note://7")).contents[0]
        prompt = await bench.get_prompt((await bench.list_prompts()).prompts[0].name, {"name": "Ada"})
        assert (await bench.list_resources()).resources == []
    assert [template.uri_template for template in templates] == ["note://{number}"]
    assert content.model_dump()["text"] == "note 7"
    assert prompt.messages[0].content.model_dump()["text"] == "Greet Ada."


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (StdioServerParams(command=sys.executable, args=["-c", "raise SystemExit('no licence')"]), "wrote: no licence"),
        (StdioServerParams(command="no-such-server"), "No such file"),
        (SseServerParams(url="http://127.0.0.1:9/sse"), "connection attempts failed"),
        (StreamableHttpServerParams(url="http://127.0.0.1:9/mcp"), "connection attempts failed"),
    ],
)
async def test_a_server_that_is_not_there_is_told_with_what_it_wrote(server: McpServerParams, says: str) -> None:
    with pytest.raises(McpUnavailable, match=says):
        await McpWorkbench(server_params=server).list_tools()


async def test_a_server_is_given_its_variables_and_nothing_of_the_studio(
    program: StdioServerParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("SERVER_TOKEN", "t")
    server = program.model_copy(update={"env": {"TOKEN": "env:SERVER_TOKEN"}})
    async with McpWorkbench(server_params=server) as bench:
        names = (await bench.call_tool("environment")).to_text().split("\n")
    assert "TOKEN" in names
    assert "OPENAI_API_KEY" not in names
    monkeypatch.delenv("SERVER_TOKEN")
    with pytest.raises(MissingSecret):
        await McpWorkbench(server_params=server).list_tools()


def test_loading_starts_nothing_and_tells_the_exact_program_or_host(tmp_path: Path) -> None:
    note = tmp_path / "started"
    command: JsonValue = {
        "command": "touch",
        "args": [str(note)],
        "env": {"A": "secret:a"},
        "type": "StdioServerParams",
    }
    bench = load_component({"provider": McpWorkbench.provider, "config": {"server_params": command}})
    process, secret = all_capabilities(bench)
    assert (process.kind, secret.kind) == ("process", "secret")
    assert process.detail == f'{{"command": ["touch", "{note}"], "environment": {{"A": "secret:a"}}, "folder": null}}'
    assert not os.path.exists(note)
    remote = McpWorkbench(
        server_params=SseServerParams(url="https://tools.example/sse", headers={"Authorization": "env:KEY"})
    )
    details = [(capability.kind, capability.detail) for capability in all_capabilities(remote)]
    assert details == [
        ("secret", "env:KEY to https://tools.example:443/sse"),
        ("host", "https://tools.example:443/sse"),
    ]


def test_overrides_of_one_name_are_refused(program: StdioServerParams) -> None:
    overrides = {"add": ToolOverride(name="x"), "die": ToolOverride(name="x")}
    with pytest.raises(ValueError, match="used by multiple tools: 'add' and 'die'"):
        McpWorkbench(server_params=program, tool_overrides=overrides)
