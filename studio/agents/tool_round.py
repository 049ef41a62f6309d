"""The tools of an agent, and one round of calls that its model wished for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

from studio.agents.handoff import Handoff
from studio.agents.releasing import release_all
from studio.messages import BaseMessage, CancellationToken, FunctionCall, FunctionExecutionResult, ToolSchema
from studio.tools import StaticStreamWorkbench, StreamTool, ToolResult, Workbench


class Toolbox:
    """Workbenches in order, and handoffs. Of two tools with one name the first is called."""

    def __init__(self, workbenches: Sequence[Workbench], handoffs: Mapping[str, Handoff]) -> None:
        self._workbenches = workbenches
        self._handoffs = handoffs
        self._owners: dict[str, Workbench] = {}
        self._is_started = False

    async def schemas(self) -> list[ToolSchema]:
        """What the model is told it can call; asked anew for each model call, since a server's list may change."""
        await self._start()
        self._owners = {}
        found: list[ToolSchema] = []
        for workbench in self._workbenches:
            for schema in await workbench.list_tools():
                found.append(schema)
                self._owners.setdefault(schema["name"], workbench)
        return [*found, *(handoff.tool_schema for handoff in self._handoffs.values())]

    async def _start(self) -> None:
        if not self._is_started:
            self._is_started = True
            for workbench in self._workbenches:
                await workbench.start()

    async def stop(self) -> None:
        """Let the workbenches go; they start again when they are next asked."""
        if self._is_started:
            self._is_started = False
            await release_all(*(workbench.stop for workbench in self._workbenches))

    async def run(
        self, calls: Sequence[FunctionCall], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | list[FunctionExecutionResult], None]:
        """Make the calls: what happens on the way, and last the results in the order of the calls.

        A tool that fails gives a result that says so. Calls that tell nothing on the way run side by side within one
        pull; one that does runs alone, so that it stands still while nobody pulls.
        """
        telling = [index for index, call in enumerate(calls) if self._tells(call)]
        quiet = [index for index in range(len(calls)) if index not in telling]
        results = dict(zip(quiet, await self._side_by_side([calls[index] for index in quiet], token), strict=True))
        for index in telling:
            async with aclosing(self._call(calls[index], token)) as items:
                async for item in items:
                    if isinstance(item, FunctionExecutionResult):
                        results[index] = item
                    else:
                        yield item
        yield [results[index] for index in range(len(calls))]

    def _tells(self, call: FunctionCall) -> bool:
        owner = self._owners.get(call.name)
        return isinstance(owner, StaticStreamWorkbench) and any(isinstance(tool, StreamTool) for tool in owner.tools)

    async def _side_by_side(
        self, calls: Sequence[FunctionCall], token: CancellationToken
    ) -> list[FunctionExecutionResult]:
        if len(calls) < 2:
            return [await self._result_of(call, token) for call in calls]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._result_of(call, token)) for call in calls]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return [task.result() for task in tasks]

    async def _result_of(self, call: FunctionCall, token: CancellationToken) -> FunctionExecutionResult:
        async with aclosing(self._call(call, token)) as items:
            async for item in items:
                if isinstance(item, FunctionExecutionResult):
                    return item
        raise AssertionError("a call ends with its result")

    async def _call(
        self, call: FunctionCall, token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | FunctionExecutionResult, None]:
        try:
            arguments = _arguments_of(call)
        except (ValueError, RecursionError) as error:
            yield _result(call, f"Error: {error}", is_error=True)
            return
        if call.name in self._handoffs:
            yield _result(call, self._handoffs[call.name].message, is_error=False)
            return
        owner = self._owners.get(call.name)
        if owner is None:
            yield _result(call, f"Error: tool '{call.name}' not found in any workbench", is_error=True)
            return
        if not isinstance(owner, StaticStreamWorkbench):
            found = await owner.call_tool(
                name=call.name, arguments=arguments, cancellation_token=token, call_id=call.id
            )
            yield _result(call, found.to_text(), is_error=found.is_error)
            return
        async with aclosing(owner.call_tool_stream(call.name, arguments, token, call.id)) as items:
            async for item in items:
                if isinstance(item, ToolResult):
                    yield _result(call, item.to_text(), is_error=item.is_error)
                elif isinstance(item, BaseMessage):
                    yield item


def _arguments_of(call: FunctionCall) -> dict[str, object]:
    """What the model wrote, as an object; small models write lists and bare values, too."""
    arguments: object = json.loads(call.arguments)
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ValueError(f"The arguments must be a JSON object, not {call.arguments[:80]}")
    return cast("dict[str, object]", arguments)


def _result(call: FunctionCall, content: str, *, is_error: bool) -> FunctionExecutionResult:
    return FunctionExecutionResult(content=content, name=call.name, call_id=call.id, is_error=is_error)
