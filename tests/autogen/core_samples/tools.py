"""Tools: of a function, of a class, run by hand, and used by an agent until its model has an answer."""

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated

from autogen_core import (
    AgentId,
    CancellationToken,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    message_handler,
)
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import BaseTool, FunctionTool, Tool
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel, Field


async def price(ticker: str, day: Annotated[str, "As YYYY-MM-DD."]) -> float:
    """Say what a share costs."""
    return len(ticker) + float(day[-2:])


class Area(BaseModel):
    width: int = Field(description="In metres.")
    height: int = 2


class AreaTool(BaseTool[Area, int]):
    def __init__(self) -> None:
        super().__init__(Area, int, "area", "Compute an area.")

    async def run(self, args: Area, cancellation_token: CancellationToken) -> int:
        return args.width * args.height


@dataclass
class Asked:
    text: str


class Using(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, tools: list[Tool]) -> None:
        super().__init__("Uses tools.")
        self._model, self._tools = model, tools

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        said: list[LLMMessage] = [SystemMessage(content="Use tools."), UserMessage(content=message.text, source="user")]
        answer = await self._model.create(said, tools=self._tools, cancellation_token=ctx.cancellation_token)
        while isinstance(answer.content, list):
            said.append(AssistantMessage(content=answer.content, source="assistant"))
            results = await asyncio.gather(*(self._run(call, ctx.cancellation_token) for call in answer.content))
            said.append(FunctionExecutionResultMessage(content=results))
            print([(each.name, each.content, each.is_error) for each in results])
            answer = await self._model.create(said, tools=self._tools, cancellation_token=ctx.cancellation_token)
        return answer.content

    async def _run(self, call: FunctionCall, token: CancellationToken) -> FunctionExecutionResult:
        tool = next((each for each in self._tools if each.name == call.name), None)
        if tool is None:
            return FunctionExecutionResult(call_id=call.id, content="no such tool", is_error=True, name=call.name)
        try:
            text = tool.return_value_as_string(await tool.run_json(json.loads(call.arguments), token))
        except ValueError as error:
            return FunctionExecutionResult(call_id=call.id, content=type(error).__name__, is_error=True, name=call.name)
        return FunctionExecutionResult(call_id=call.id, content=text, is_error=False, name=call.name)


async def main() -> None:
    share = FunctionTool(price, description="Say what a share costs.")
    area = AreaTool()
    print(share.schema["parameters"]["required"], area.schema["parameters"]["properties"]["width"]["description"])
    given = await share.run_json({"ticker": "ABC", "day": "2024-01-05"}, CancellationToken())
    assert share.return_value_as_string(given) == "8.0"

    calls = [
        FunctionCall(id="1", name="price", arguments='{"ticker": "XY", "day": "2024-01-03"}'),
        FunctionCall(id="2", name="area", arguments='{"width": "wide"}'),
        FunctionCall(id="3", name="weather", arguments="{}"),
    ]
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    called = CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False)
    model = ReplayChatCompletionClient([called, "5 a share."])
    runtime = SingleThreadedAgentRuntime()
    await Using.register(runtime, "using", lambda: Using(model, [share, area]))
    runtime.start()
    answer = await runtime.send_message(Asked("What does XY cost?"), AgentId("using", "default"))
    await runtime.stop()
    print(answer)
    assert answer == "5 a share."


asyncio.run(main())
