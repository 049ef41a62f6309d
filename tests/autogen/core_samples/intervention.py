"""Handlers that look at each message: one asks before a tool runs, one ends the runtime when a result comes."""

import asyncio
from dataclasses import dataclass
from typing import Any

from autogen_core import (
    AgentId,
    AgentType,
    DefaultInterventionHandler,
    DefaultTopicId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.models import CreateResult, RequestUsage, SystemMessage, UserMessage
from autogen_core.tool_agent import ToolAgent, ToolException, tool_agent_caller_loop
from autogen_core.tools import FunctionTool
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Request:
    text: str


@dataclass
class Ended:
    reason: str


class Approval(DefaultInterventionHandler):
    def __init__(self, allowed: bool) -> None:
        self.allowed = allowed
        self.asked: list[str] = []

    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        if isinstance(message, FunctionCall):
            self.asked.append(message.name)
            if not self.allowed:
                raise ToolException(content="Not allowed", call_id=message.id, name=message.name)
        return message


class Ending(DefaultInterventionHandler):
    reason = ""

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        if isinstance(message, Ended):
            self.reason = message.reason
        return message


@default_subscription
class User(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, tools: AgentId, schemas: list[Any]) -> None:
        super().__init__("Uses tools.")
        self._model, self._tools, self._schemas = model, tools, schemas

    @message_handler
    async def on_request(self, message: Request, ctx: MessageContext) -> None:
        said = await tool_agent_caller_loop(
            self,
            tool_agent_id=self._tools,
            model_client=self._model,
            input_messages=[SystemMessage(content="Help."), UserMessage(content=message.text, source="user")],
            tool_schema=self._schemas,
            cancellation_token=ctx.cancellation_token,
        )
        await self.publish_message(Ended(str(said[-1].content)), DefaultTopicId())


def called() -> CreateResult:
    call = FunctionCall(id="1", name="add", arguments='{"a": 1, "b": 2}')
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    return CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)


async def add(a: int, b: int) -> int:
    return a + b


async def run(allowed: bool) -> str:
    approval, ending = Approval(allowed), Ending()
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[approval, ending])
    tool = FunctionTool(add, description="Adds.")
    model = ReplayChatCompletionClient([called(), "It is done."])
    kind = await ToolAgent.register(runtime, "tools", lambda: ToolAgent("Runs tools.", [tool]))
    assert isinstance(kind, AgentType)
    await User.register(runtime, "user", lambda: User(model, AgentId("tools", "default"), [tool.schema]))
    runtime.start()
    await runtime.publish_message(Request("1 + 2?"), DefaultTopicId())
    await runtime.stop_when(lambda: bool(ending.reason))
    assert approval.asked == ["add"]
    [result] = model.create_calls[1]["messages"][-1].content
    return f"{result.is_error} {ending.reason}"


async def main() -> None:
    found = [await run(True), await run(False)]
    print(found)
    assert found == ["False It is done.", "True It is done."]


asyncio.run(main())
