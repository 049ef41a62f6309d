"""Agents with tools hand a customer to each other: a tool call that names a topic moves the whole conversation."""

import asyncio
import json

from autogen_core import (
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    RequestUsage,
    UserMessage,
)
from autogen_core.tools import FunctionTool, Tool
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

DONE: list[str] = []


class Case(BaseModel):
    context: list[LLMMessage]


class Answer(BaseModel):
    by: str
    context: list[LLMMessage]


def refund(item: str) -> str:
    """Give the money back."""
    return f"refunded {item}"


def to_sales() -> str:
    """Hand over to sales."""
    return "sales"


class Desk(RoutedAgent):
    def __init__(self, model: ChatCompletionClient, tools: list[Tool], doors: list[Tool]) -> None:
        super().__init__("Helps.")
        self._model = model
        self._tools, self._doors = {each.name: each for each in tools}, {each.name: each for each in doors}

    @message_handler
    async def on_case(self, message: Case, ctx: MessageContext) -> None:
        context = message.context
        offered = [each.schema for each in (*self._tools.values(), *self._doors.values())]
        answer = await self._model.create(context, tools=offered, cancellation_token=ctx.cancellation_token)
        while isinstance(answer.content, list):
            results: list[FunctionExecutionResult] = []
            context = [*context, AssistantMessage(content=answer.content, source=self.id.type)]
            for call in answer.content:
                tool = self._tools.get(call.name) or self._doors[call.name]
                given = await tool.run_json(json.loads(call.arguments), ctx.cancellation_token)
                text = tool.return_value_as_string(given)
                results.append(FunctionExecutionResult(call_id=call.id, content=text, is_error=False, name=call.name))
                if call.name in self._doors:
                    moved = [*context, FunctionExecutionResultMessage(content=results)]
                    await self.publish_message(Case(context=moved), TopicId(text, self.id.key))
                    return
            context = [*context, FunctionExecutionResultMessage(content=results)]
            answer = await self._model.create(context, tools=offered, cancellation_token=ctx.cancellation_token)
        context = [*context, AssistantMessage(content=answer.content, source=self.id.type)]
        await self.publish_message(Answer(by=self.id.type, context=context), TopicId("user", self.id.key))


class User(RoutedAgent):
    @message_handler
    async def on_answer(self, message: Answer, ctx: MessageContext) -> None:
        DONE.append(f"{message.by}: {message.context[-1].content} ({len(message.context)})")


def called(name: str, **arguments: str) -> CreateResult:
    call = FunctionCall(id="1", name=name, arguments=json.dumps(arguments))
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    return CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    triage = ReplayChatCompletionClient([called("to_sales")])
    sales = ReplayChatCompletionClient([called("refund", item="boots"), "Your boots are paid back."])
    door = FunctionTool(to_sales, description="Hand over to sales.")
    pay = FunctionTool(refund, description="Give the money back.")
    await Desk.register(runtime, "triage", lambda: Desk(triage, [], [door]))
    await Desk.register(runtime, "sales", lambda: Desk(sales, [pay], []))
    await User.register(runtime, "user", lambda: User("Asks."))
    for name in ("triage", "sales", "user"):
        await runtime.add_subscription(TypeSubscription(name, name))
    runtime.start()
    first = UserMessage(content="My boots leak.", source="user")
    await runtime.publish_message(Case(context=[first]), TopicId("triage", "session-1"))
    await runtime.stop_when_idle()
    print(DONE)
    assert DONE == ["sales: Your boots are paid back. (6)"]


asyncio.run(main())
