"""Tools that tell what happens on the way."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from studio.messages import CancellationToken, TextMessage, ToolCallExecutionEvent, ToolSchema
from studio.tools import StreamTool
from tests.teams.scripted import agent, said, wishes


class Diary(StreamTool):
    """Writes two lines and gives their number."""

    name: str = "diary"

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- as in the base class
        return {"name": self.name, "parameters": {"type": "object", "properties": {}}}

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        del args, cancellation_token
        for number in (1, 2):
            written.append(f"{call_id}: {number}")
            yield TextMessage(content=f"line {number}", source="diary")
        yield 2


written: list[str] = []


async def test_what_a_tool_tells_is_shown_and_kept_and_waits_for_its_pull():
    written.clear()
    seen: list[int] = []
    writer = agent("a", wishes(("diary", "{}"), ("diary", "{}")), tools=[Diary()])
    async with aclosing(writer.run_stream(task="go")) as items:
        async for item in items:
            if isinstance(item, TextMessage) and item.source == "diary":
                seen.append(len(written))
    assert seen == [1, 2, 3, 4]
    assert written == ["call_0: 1", "call_0: 2", "call_1: 1", "call_1: 2"]


async def test_what_a_tool_told_is_part_of_the_answer():
    response = await agent("a", wishes(("diary", "{}"), ("nothing", "{}")), tools=[Diary()]).on_messages([])
    inner = list(response.inner_messages or ())
    assert said(inner)[1:3] == [("diary", "line 1"), ("diary", "line 2")]
    executed = inner[-1]
    assert isinstance(executed, ToolCallExecutionEvent)
    assert [result.content for result in executed.content] == ["2", "Error: tool 'nothing' not found in any workbench"]
