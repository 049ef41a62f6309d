"""An agent with a workbench: it asks for the tools at each turn, calls one by name, and goes on with what it gives."""

import asyncio
import json
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    message_handler,
)
from autogen_core.model_context import ChatCompletionContext, UnboundedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    RequestUsage,
    UserMessage,
)
from autogen_core.tools import FunctionTool, StaticWorkbench, ToolResult, Workbench
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Asked:
    text: str


class WithWorkbench(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, context: ChatCompletionContext, bench: Workbench) -> None:
        super().__init__("Has a workbench.")
        self._model, self._context, self._bench = model, context, bench

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        await self._context.add_message(UserMessage(content=message.text, source="user"))
        while True:
            tools = await self._bench.list_tools()
            answer = await self._model.create(await self._context.get_messages(), tools=tools)
            await self._context.add_message(AssistantMessage(content=answer.content, source="assistant"))
            if isinstance(answer.content, str):
                return answer.content
            results: list[ToolResult] = [
                await self._bench.call_tool(
                    each.name, arguments=json.loads(each.arguments), cancellation_token=ctx.cancellation_token
                )
                for each in answer.content
            ]
            print([(each.name, each.to_text(), each.is_error) for each in results])
            given = [
                FunctionExecutionResult(call_id=call.id, content=each.to_text(), is_error=each.is_error, name=each.name)
                for call, each in zip(answer.content, results, strict=True)
            ]
            await self._context.add_message(FunctionExecutionResultMessage(content=given))


def tide(harbour: str) -> str:
    """Say when the tide is high."""
    return f"{harbour}: 6 o'clock"


async def main() -> None:
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    call = FunctionCall(id="1", name="tide", arguments='{"harbour": "Brest"}')
    called = CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)
    model = ReplayChatCompletionClient([called, "At six."])
    async with StaticWorkbench([FunctionTool(tide, description="Say when the tide is high.")]) as bench:
        print([each["name"] for each in await bench.list_tools()])
        runtime = SingleThreadedAgentRuntime()
        context = UnboundedChatCompletionContext()
        await WithWorkbench.register(runtime, "agent", lambda: WithWorkbench(model, context, bench))
        runtime.start()
        answer = await runtime.send_message(Asked("When can I leave Brest?"), AgentId("agent", "default"))
        await runtime.stop()
    print(answer, len(await context.get_messages()))
    assert answer == "At six."


asyncio.run(main())
