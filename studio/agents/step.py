"""A step of a workflow that calls no model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PrivateAttr, field_validator

from studio import effects
from studio.agents.base import ChatAgent, Step
from studio.agents.kept_answers import KeepAs, set_variables
from studio.agents.tool_round import Toolbox
from studio.components import JsonObject
from studio.components.templates import fill_in_variables, unreadable
from studio.errors import RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    FunctionCall,
    FunctionExecutionResult,
    Response,
    TaskResult,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)
from studio.tools import BaseTool, StaticStreamWorkbench
from studio.tools.expression import ExpressionText, read_expression
from studio.tools.variables import team_variables

MESSAGE, RESULT = "message", "result"


class Assignment(BaseModel):
    """A name and how its value is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"x-says": ["{name}", "= {expression}"]})

    name: Annotated[str, Field(min_length=1, description="Name of the value.", examples=["count"])]
    expression: Annotated[
        ExpressionText,
        Field(
            description="Made of context variables, such as `count + 1`. `message` is the last message.",
            examples=["count + 1"],
        ),
    ]


class StepFailed(RunFailed):
    """The tool of a step failed, and there is no model that could do something about it."""

    code = "step_failed"


class StepAgent(ChatAgent):
    """Sets context variables, calls a tool or says a fixed text. It calls no model."""

    provider = "studio.agents.StepAgent"
    keywords = "router transform workflow set state"
    positional: ClassVar[tuple[str, ...]] = ("name", "assignments")

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["step"])]
    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "A step that calls no model."
    assignments: Annotated[
        list[Assignment] | None, Field(description="Context variables to set, one after the other.")
    ] = None
    tool: Annotated[BaseTool | None, Field(description="Called after the variables are set.")] = None
    arguments: Annotated[list[Assignment] | None, Field(description="Arguments of the tool.")] = None
    keep_as: KeepAs = None
    message: Annotated[
        str | None,
        Field(
            description="What it says. {name} stands for the context variable of that name, {message} for the last "
            "message and {result} for the tool's result. Empty: nothing, so the other agents do not notice the step.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = None

    _toolbox: Toolbox | None = PrivateAttr(default=None)

    @field_validator("message")
    @classmethod
    def _has_places(cls, template: str | None) -> str | None:
        for problem in unreadable(template or ""):
            raise ValueError(f"The message cannot be filled in: {problem}. Write braces of its own twice.")
        return template

    async def take_turn(
        self, messages: list[BaseChatMessage], token: CancellationToken
    ) -> Response | AsyncGenerator[Any, None]:
        return self._work(messages, token)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        async with aclosing(self._work(messages, cancellation_token or CancellationToken())) as steps:
            async for step in steps:
                if isinstance(step, TaskResult):  # who asks it outside of a team wants an answer
                    yield Response(chat_message=TextMessage(content="", source=self.name), inner_messages=step.messages)
                else:
                    yield step

    async def _work(
        self, messages: Sequence[BaseChatMessage], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | Response | TaskResult, None]:
        """Everything in order; a response at the end if it says something, else a result that nobody hears."""
        done: list[BaseMessage] = []
        values: dict[str, object] = {MESSAGE: messages[-1].to_model_text() if messages else ""}
        if self.assignments:
            found: dict[str, JsonValue] = {}
            for assignment in self.assignments:
                value = read_expression(assignment.expression).value({**values, **_variables(), **found})
                found[assignment.name] = cast("JsonValue", value)
            done.append(set_variables(self.name, found))
            yield done[-1]
        if self.tool is not None:
            async with aclosing(self._call(self.tool, {**values, **_variables()}, token)) as items:
                async for item in items:
                    if isinstance(item, FunctionExecutionResult):
                        values[RESULT] = item.content
                        continue
                    if item.is_kept:
                        done.append(item)
                    yield item
            if self.keep_as:
                done.append(set_variables(self.name, {self.keep_as: str(values[RESULT])}))
                yield done[-1]
        if self.message is None:
            yield TaskResult(messages=done)
            return
        said = TextMessage(
            content=fill_in_variables(self.message, "message", {**values, **_variables()}), source=self.name
        )
        yield Response(chat_message=said, inner_messages=done)

    async def _call(
        self, tool: BaseTool, values: Mapping[str, object], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage | FunctionExecutionResult, None]:
        arguments = {each.name: read_expression(each.expression).value(values) for each in self.arguments or ()}
        call = FunctionCall(id=effects.new_id(), name=tool.schema["name"], arguments=json.dumps(arguments))
        yield ToolCallRequestEvent(content=[call], source=self.name)
        if self._toolbox is None:
            self._toolbox = Toolbox(self.name, [StaticStreamWorkbench(tools=[tool])], {})
        await self._toolbox.schemas()
        async with aclosing(self._toolbox.run([call], token)) as items:
            async for item in items:
                if isinstance(item, BaseMessage):
                    yield item
                    continue
                yield ToolCallExecutionEvent(content=item, source=self.name)
                if item[0].is_error:
                    raise StepFailed(f"The tool of {self.name!r} failed: {item[0].content}", fix="Edit the tool.")
                yield item[0]

    async def release(self) -> None:
        if self._toolbox is not None:
            await self._toolbox.stop()


def _variables() -> JsonObject:
    return dict(team_variables() or {})
