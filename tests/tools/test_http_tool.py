"""HTTP endpoints as tools, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Protocol

import pytest

from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.errors import ToolFailed
from studio.tools import HttpTool

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["name"],
}


class MakeTool(Protocol):
    """Makes a tool of the echoing server; keywords are fields of its config."""

    def __call__(self, **config: Any) -> HttpTool: ...


@pytest.fixture
async def make_tool() -> AsyncIterator[MakeTool]:
    """A factory of tools whose server answers with what it was asked: `/status/404` and the like with that status."""

    answering: set[asyncio.Task[Any]] = set()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (task := asyncio.current_task()) is not None:
            answering.add(task)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
        method, target, _ = head[0].split(" ")
        if target.startswith("/hang"):
            await reader.read()
        if target.startswith("/drip"):  # says a little for ever, so that no single read is late
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            with suppress(ConnectionError):
                while not reader.at_eof():
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.02)
            writer.close()
            return
        status = target.removeprefix("/status/") if target.startswith("/status/") else "200"
        answer = json.dumps({"method": method, "target": target, "body": body, "key": headers.get("x-key", "")})
        text = "x" * 2_000_000 if target.startswith("/long") else answer
        writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(text)}\r\nconnection: close\r\n\r\n{text}".encode())
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def make(**config: Any) -> HttpTool:
        given: dict[str, Any] = {"name": "t", "host": "127.0.0.1", "port": port, "json_schema": SCHEMA, **config}
        return HttpTool(**given)

    async with server:
        yield make
    if answering:
        await asyncio.wait(answering)


async def test_arguments_fill_the_path_and_the_rest_is_the_body(make_tool: MakeTool) -> None:
    tool = make_tool(path="/hello/{name}", return_type="json")
    answer = await tool.run_json({"name": "a/b ?", "count": "3"})
    assert answer == {"method": "POST", "target": "/hello/a%2Fb%20%3F", "body": '{"count":3}', "key": ""}


async def test_get_sends_a_query(make_tool: MakeTool) -> None:
    answer = await make_tool(method="GET", return_type="json").run_json({"name": "x", "count": 2})
    assert isinstance(answer, dict)
    assert (answer["method"], answer["target"], answer["body"]) == ("GET", "/?name=x&count=2", "")


async def test_headers_may_name_secrets(make_tool: MakeTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_KEY", "k-1")
    tool = make_tool(headers={"X-Key": "env:SERVICE_KEY"}, return_type="json")
    answer = await tool.run_json({"name": "x"})
    assert isinstance(answer, dict)
    assert answer["key"] == "k-1"
    assert [(found.kind, found.detail) for found in all_capabilities(tool)] == [
        ("secret", f"env:SERVICE_KEY to {tool.address}"),
        ("host", f"POST {tool.address}"),
    ]


@pytest.mark.parametrize("host", ["good.example:443@evil.example/x?", "evil.example/path", "a b", "x#y", ""])
def test_a_host_is_a_host_alone(host: str) -> None:
    document: JsonObject = {
        "provider": HttpTool.provider,
        "config": {"name": "x", "host": host, "port": 1, "json_schema": {}},
    }
    assert [finding.where for finding in validate_component(document).errors] == ["/config/host"]


async def test_the_time_limit_is_of_the_whole_call(make_tool: MakeTool) -> None:
    with pytest.raises(ToolFailed, match="did not answer within"):
        await make_tool(path="/drip", timeout=0.3).run_json({"name": "x"})


@pytest.mark.parametrize(
    ("config", "arguments", "message"),
    [
        ({}, {}, "Field required"),
        ({"path": "/status/404"}, {"name": "x"}, "answered with status 404"),
        ({"path": "/hang", "timeout": 0.2}, {"name": "x"}, r"did not answer within 0\.2 s"),
        ({"path": "/long"}, {"name": "x"}, "exceeds"),
        ({"port": 9}, {"name": "x"}, "cannot be called"),
        ({"json_schema": {"type": "string"}}, {"name": "x"}, "does not describe an object"),
    ],
)
async def test_what_goes_wrong_is_told_to_the_model(
    make_tool: MakeTool, config: dict[str, Any], arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ToolFailed, match=message):
        await make_tool(**config).run_json(arguments)


def test_it_dumps_what_autogen_demands_and_loads_what_it_leaves_out() -> None:
    config: JsonObject = {"name": "t", "host": "h", "port": 443, "json_schema": SCHEMA}
    tool = load_component({"provider": "autogen_ext.tools.http.HttpTool", "config": config}, expected=HttpTool)
    written = tool.dump_component()
    assert written["config"] == {
        **config,
        "description": "HTTP tool",
        "headers": None,
        "scheme": "http",
        "path": "/",
        "method": "POST",
        "return_type": "text",
        "timeout": 5.0,
    }
    assert load_component(written).dump_component() == written


def test_the_schema_shows_the_arguments() -> None:
    tool = HttpTool(name="t", host="h", port=1, json_schema={**SCHEMA, "$defs": {}})
    assert tool.schema.get("parameters") == {**SCHEMA, "additionalProperties": False}


@pytest.mark.parametrize("path", ["/services/{a}/hook", "/services/{a}{b}/hook"])
async def test_arguments_do_not_lead_to_another_path_than_the_approved_one(make_tool: MakeTool, path: str) -> None:
    arguments = {"a": ".." if "{b}" not in path else ".", "b": "."}
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in arguments}}
    tool = make_tool(path=path, json_schema=schema)
    with pytest.raises(ToolFailed, match="would change the path"):
        await tool.run_json(arguments)
