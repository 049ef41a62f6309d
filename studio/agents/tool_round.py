"""The tools of an agent, and one round of calls that its model requested."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

from studio import effects
from studio.agents.cleanup import release_all
from studio.agents.handoff import Handoff
from studio.effects import Effects, Scoped
from studio.messages import BaseMessage, CancellationToken, FunctionCall, FunctionExecutionResult, ToolSchema
from studio.tools import StaticStreamWorkbench, StreamTool, ToolResult, Workbench
from studio.tools.reporter import ToolUpdate, listening


class Toolbox:
    """Workbenches in order, and handoffs, of one agent. Of two tools with one name the first is called."""

    def __init__(self, owner: str, workbenches: Sequence[Workbench], handoffs: Mapping[str, Handoff]) -> None:
        self._owner = owner
        self._workbenches = workbenches
        self._handoffs = handoffs
        self._owners: dict[str, Workbench] = {}
        self.is_started = False
        self._started: list[Workbench] = []
        self._handoff_schemas = [handoff.tool_schema for handoff in handoffs.values()]
        self.is_empty = not workbenches and not handoffs

    async def schemas(self) -> list[ToolSchema]:
        """What the model is told it can call; asked anew for each model call, since a server's list may change."""
        if not self.is_started:
            await self._start()
        if not self._workbenches:
            return self._handoff_schemas
        self._owners = {}
        found: list[ToolSchema] = []
        for workbench in self._workbenches:
            for schema in await workbench.list_tools():
                found.append(schema)
                self._owners.setdefault(schema["name"], workbench)
        return [*found, *self._handoff_schemas]

    async def _start(self) -> None:
        self.is_started = True
        for workbench in self._workbenches:
            self._started.append(workbench)  # also one that fails half way
            await workbench.start()

    async def stop(self) -> None:
        """Let the workbenches go; they start again when they are next asked."""
        if self.is_started:
            self.is_started = False
            started, self._started = self._started, []
            await release_all(*(workbench.stop for workbench in started))

    async def run(
        self, calls: Sequence[FunctionCall], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | list[FunctionExecutionResult], None]:
        """Make the calls: what streaming tools tell on the way, the results in the order of the calls, and after them
        what the other tools have emitted and changed.
        """
        results: dict[int, FunctionExecutionResult] = {}
        events = await self.run_quiet(calls, token, results)
        async with aclosing(self.run_telling(calls, token, results)) as items:
            async for item in items:
                yield item
        yield [results[index] for index in range(len(calls))]
        for event in events:
            yield event

    async def run_quiet(
        self, calls: Sequence[FunctionCall], token: CancellationToken, results: dict[int, FunctionExecutionResult]
    ) -> list[BaseMessage]:
        """Make the calls of plain tools, side by side within one pull; what they have emitted and changed.

        A tool that fails gives a result that says so.

        Args:
            calls: What the model requests.
            token: Ends them.
            results: Is given each result as it comes, by the place of its call.
        """
        heard: dict[int, ToolUpdate] = {}
        quiet = {index: call for index, call in enumerate(calls) if not self._tells(call)}
        try:
            await self._side_by_side(quiet, token, results, heard)
        finally:  # what a finished call has changed stays changed, as its result stays known
            events = [event for index in sorted(heard) for event in heard[index].apply(self._owner)]
        return events

    async def run_telling(
        self, calls: Sequence[FunctionCall], token: CancellationToken, results: dict[int, FunctionExecutionResult]
    ) -> AsyncGenerator[BaseMessage, None]:
        """Make those of streaming tools, as `run_quiet`, and give what they tell.

        Each runs alone, so that it stands still while nobody pulls.
        """
        for index, call in enumerate(calls):
            if not self._tells(call):
                continue
            arguments = self._arguments_of(call)
            if isinstance(arguments, FunctionExecutionResult):
                results[index] = arguments
                continue
            async with aclosing(self._call(call, arguments, token)) as items:
                async for item in items:
                    if isinstance(item, FunctionExecutionResult):
                        results[index] = item
                    else:
                        yield item

    def tell(self, calls: Sequence[FunctionCall]) -> bool:
        """Whether one of the calls is of a streaming tool."""
        return any(map(self._tells, calls))

    def _tells(self, call: FunctionCall) -> bool:
        owner = self._owners.get(call.name)
        return isinstance(owner, StaticStreamWorkbench) and any(isinstance(tool, StreamTool) for tool in owner.tools)

    async def _side_by_side(
        self,
        calls: Mapping[int, FunctionCall],
        token: CancellationToken,
        results: dict[int, FunctionExecutionResult],
        heard: dict[int, ToolUpdate],
    ) -> None:
        if len(calls) < 2:
            for index, call in calls.items():
                results[index], heard[index] = await self._result_of(call, token)
            return

        async def make_beside(index: int, call: FunctionCall, port: Effects) -> None:
            with effects.use(port):
                results[index], heard[index] = await self._result_of(call, token)

        ports = [Scoped(effects.current()) for _ in calls]
        try:
            async with asyncio.TaskGroup() as group:
                for (index, call), port in zip(calls.items(), ports, strict=True):
                    group.create_task(make_beside(index, call, port))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from errors

    async def _result_of(
        self, call: FunctionCall, token: CancellationToken
    ) -> tuple[FunctionExecutionResult, ToolUpdate]:
        arguments = self._arguments_of(call)
        if isinstance(arguments, FunctionExecutionResult):
            return arguments, ToolUpdate()
        with listening(self._owner) as heard:
            async with aclosing(self._call(call, arguments, token)) as items:
                async for item in items:
                    if isinstance(item, FunctionExecutionResult):
                        return item, heard
        raise AssertionError("a call ends with its result")

    def _arguments_of(self, call: FunctionCall) -> dict[str, object] | FunctionExecutionResult:
        """What its tool is called with; or the result, of a call that needs no tool or has none."""
        try:
            arguments = _read_arguments(call)
        except (ValueError, RecursionError) as error:
            return _result(call, f"Error: {error}", is_error=True)
        if call.name in self._handoffs:
            return _result(call, self._handoffs[call.name].message, is_error=False)
        if call.name not in self._owners:
            return _result(call, f"Error: tool '{call.name}' not found in any workbench", is_error=True)
        return arguments

    async def _call(
        self, call: FunctionCall, arguments: Mapping[str, object], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | FunctionExecutionResult, None]:
        owner = self._owners[call.name]
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


def _read_arguments(call: FunctionCall) -> dict[str, object]:
    """What the model wrote, as an object; small models write lists and bare values, too."""
    if call.arguments == "{}":  # as with each handoff
        return {}
    arguments: object = json.loads(call.arguments)
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ValueError(f"The arguments must be a JSON object, not {call.arguments[:80]}")
    return cast("dict[str, object]", arguments)


def broken_off(call: FunctionCall) -> FunctionExecutionResult:
    """What a model is told of a call that was ended from outside."""
    return _result(call, "Error: the call was broken off before it gave a result.", is_error=True)


def _result(call: FunctionCall, content: str, *, is_error: bool) -> FunctionExecutionResult:
    return FunctionExecutionResult.for_call(call, content, is_error=is_error)
