"""Sets of tools as agents use them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Annotated

import pytest
from pydantic import Field, JsonValue

from studio.components import Component, load_component
from studio.messages import CancellationToken, Image, ToolSchema
from studio.tools import (
    FunctionTool,
    ImageResultContent,
    StaticStreamWorkbench,
    StaticWorkbench,
    StreamTool,
    TextResultContent,
    ToolOverride,
    ToolResult,
)


def add(a: int, b: int) -> int:
    return a + b


def fail(why: str) -> None:
    raise ValueError(why)


TOOLS = [FunctionTool(add, description="Adds."), FunctionTool(fail, description="Fails.")]


class Counting(StreamTool):
    """Says what it does on the way."""

    provider = "studio.tests.Counting"

    fails_at: Annotated[int, Field()] = 99

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- as in `BaseTool`
        return ToolSchema(name="count")

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        del args, cancellation_token, call_id
        for number in range(3):
            if number == self.fails_at:
                raise ValueError("lost count")
            yield number


@pytest.mark.parametrize("kind", [StaticWorkbench, StaticStreamWorkbench])
async def test_overrides_show_another_name_and_lead_back(kind: type[StaticWorkbench]) -> None:
    bench = kind(tools=TOOLS, tool_overrides={"add": ToolOverride(name="plus", description="Sums.")})
    shown = (await bench.list_tools())[0]
    assert (shown["name"], shown.get("description")) == ("plus", "Sums.")
    assert (await bench.call_tool("plus", {"a": 1, "b": 2})).to_text() == "3"
    streamed = [item async for item in bench.call_tool_stream("plus", {"a": 1, "b": 2})]
    assert streamed == [ToolResult(name="plus", result=[TextResultContent(content="3")])]


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("nope", {}, "Tool nope not found."),
        ("fail", {"why": "because"}, "because"),
        ("add", {"a": 1}, "Field required"),
    ],
)
async def test_errors_are_results(name: str, arguments: dict[str, object], text: str) -> None:
    result = await StaticWorkbench(tools=TOOLS).call_tool(name, arguments)
    assert result.is_error
    assert text in result.to_text()


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"add": ToolOverride(name="fail")}, "conflicts with existing tool name"),
        ({"add": ToolOverride(name="x"), "fail": ToolOverride(name="x")}, "used by multiple tools: 'add' and 'fail'"),
    ],
)
def test_overrides_that_clash_are_refused(overrides: dict[str, ToolOverride], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StaticWorkbench(tools=TOOLS, tool_overrides=overrides)


async def test_a_streaming_tool_tells_what_happens_and_ends_with_its_result() -> None:
    bench = StaticStreamWorkbench(tools=[Counting()])
    items = [item async for item in bench.call_tool_stream("count")]
    assert items == [0, 1, ToolResult(name="count", result=[TextResultContent(content="2")])]
    assert (await bench.call_tool("count")).to_text() == "2"


async def test_a_streaming_tool_that_fails_gives_what_it_had_and_an_error() -> None:
    items = [item async for item in StaticWorkbench(tools=[Counting(fails_at=1)]).call_tool_stream("count")]
    assert items[0] == 0
    assert isinstance(items[1], ToolResult)
    assert (items[1].is_error, items[1].to_text()) == (True, "lost count")


def test_a_result_reads_as_one_text() -> None:
    picture = ImageResultContent(content=Image(data="iVBORw=="))
    result = ToolResult(name="t", result=[TextResultContent(content="a"), picture])
    assert result.to_text() == "a\n[Image: iVBORw==]"
    assert result.to_text(replace_image="<image>") == "a\n<image>"


def test_it_dumps_and_loads_with_its_tools_and_keeps_unknown_ones() -> None:
    bench = StaticWorkbench(tools=TOOLS, tool_overrides={"add": ToolOverride(name="plus")})
    written = bench.dump_component()
    assert load_component(written, expected=Component).dump_component() == written
    unknown: JsonValue = {"provider": "elsewhere.Tool", "config": {"x": [1]}}
    kept = load_component({"provider": StaticWorkbench.provider, "config": {"tools": [unknown]}})
    assert kept.dump_component()["config"] == {"tools": [unknown], "tool_overrides": {}}


async def test_state_is_saved_per_tool() -> None:
    async with StaticWorkbench(tools=TOOLS) as bench:
        state = await bench.save_state()
        await bench.load_state(state)
    assert state == {"type": "StaticWorkbenchState", "tools": {"add": {}, "fail": {}}}
