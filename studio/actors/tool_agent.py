"""An agent that calls tools, and the loop of a model that asks it to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from studio.actors.context import MessageContext
from studio.actors.handlers import RoutedAgent, message_handler
from studio.actors.identity import AgentId
from studio.actors.protocols import AgentRuntime
from studio.errors import StudioError
from studio.messages import (
    AssistantMessage,
    CancellationToken,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ToolSchema,
)
from studio.models import ChatCompletionClient
from studio.tools import BaseTool


class ToolException(StudioError):
    """A call of a tool has failed.

    Args:
        call_id: Of the call.
        content: What went wrong, as the model is told.
        name: Of the tool.
    """

    def __init__(self, call_id: str, content: str, name: str) -> None:
        super().__init__(content)
        self.call_id = call_id
        self.content = content
        self.name = name


class ToolNotFoundException(ToolException):
    """There is no tool of this name."""


class InvalidToolArgumentsException(ToolException):
    """The arguments are not JSON, or not those of the tool."""


class ToolExecutionException(ToolException):
    """The tool raised an error."""


class ToolAgent(RoutedAgent):
    """Calls a tool for each `FunctionCall` that is sent to it, and answers its result.

    Args:
        description: What the agent is for.
        tools: That it may call.
    """

    def __init__(self, description: str, tools: Sequence[BaseTool]) -> None:
        super().__init__(description)
        self._tools = {tool.schema["name"]: tool for tool in tools}
        self._in_order = list(tools)

    @property
    def tools(self) -> list[BaseTool]:
        return self._in_order

    @message_handler
    async def handle_function_call(self, message: FunctionCall, ctx: MessageContext) -> FunctionExecutionResult:
        """Call the tool.

        Raises:
            ToolNotFoundException: There is no such tool.
            InvalidToolArgumentsException: The arguments cannot be read.
            ToolExecutionException: The tool failed.
        """
        if (tool := self._tools.get(message.name)) is None:
            raise ToolNotFoundException(message.id, f"Error: Tool not found: {message.name}", message.name)
        try:
            arguments = cast("JsonValue", json.loads(message.arguments))
        except ValueError as error:
            what = f"Error: Invalid arguments: {message.arguments}"
            raise InvalidToolArgumentsException(message.id, what, message.name) from error
        if not isinstance(arguments, dict):
            raise InvalidToolArgumentsException(message.id, "Error: The arguments are not an object.", message.name)
        try:
            value = await tool.run_json(arguments, ctx.cancellation_token, message.id)
            text = tool.return_value_as_string(value)
        except Exception as error:
            raise ToolExecutionException(message.id, f"Error: {error}", message.name) from error
        return FunctionExecutionResult(content=text, name=message.name, call_id=message.id, is_error=False)


@dataclass(frozen=True)
class _Caller:
    """Asks the agent that calls tools, on behalf of a runtime or of an agent."""

    caller: Any
    tool_agent_id: AgentId
    token: CancellationToken | None

    async def result_of(self, call: FunctionCall) -> FunctionExecutionResult:
        """The result of a call; an error of the tool is a result, too."""
        try:
            given: FunctionExecutionResult = await self.caller.send_message(
                call, self.tool_agent_id, cancellation_token=self.token
            )
        except ToolException as error:
            return FunctionExecutionResult(content=error.content, name=error.name, call_id=error.call_id, is_error=True)
        return given


async def tool_agent_caller_loop(
    caller: RoutedAgent | AgentRuntime,
    tool_agent_id: AgentId,
    model_client: ChatCompletionClient,
    input_messages: list[LLMMessage],
    tool_schema: list[ToolSchema] | list[BaseTool],
    cancellation_token: CancellationToken | None = None,
    caller_source: str = "assistant",
) -> list[LLMMessage]:
    """Ask a model, let the agent call the tools that it asks for, and go on until it asks for none.

    Args:
        caller: The agent, or the runtime, that sends the calls.
        tool_agent_id: Of the `ToolAgent`.
        model_client: Of the model.
        input_messages: With which it begins; the list is left as it is.
        tool_schema: Tools that the model is told of.
        cancellation_token: Ends the loop.
        caller_source: Who speaks in the messages of the model.

    Returns:
        The messages that were added.
    """
    tools, calling = _Caller(caller, tool_agent_id, cancellation_token), True
    added: list[LLMMessage] = []
    while calling:
        answer = await model_client.create(
            [*input_messages, *added], tools=tool_schema, cancellation_token=cancellation_token
        )
        added.append(AssistantMessage(content=answer.content, source=caller_source))
        calling = isinstance(answer.content, list) and bool(answer.content)
        if isinstance(answer.content, list) and answer.content:
            async with asyncio.TaskGroup() as group:
                results = [group.create_task(tools.result_of(call)) for call in answer.content]
            added.append(FunctionExecutionResultMessage(content=[each.result() for each in results]))
    return added
