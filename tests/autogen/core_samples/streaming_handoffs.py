"""Agents stream to a person and hand over to each other; the conversation is kept as JSON and taken up again later."""

import asyncio
import json
from dataclasses import dataclass

from autogen_core import (
    ClosureAgent,
    ClosureContext,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.model_context import BufferedChatCompletionContext
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
from autogen_core.tools import FunctionTool, Tool
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

STREAMED: list[str] = []


class Conversation(BaseModel):
    messages: list[LLMMessage]


class Reply(BaseModel):
    by: str
    messages: list[LLMMessage]


@dataclass
class Word:
    text: str


class Agent(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, doors: list[Tool]) -> None:
        super().__init__("Serves.")
        self._model, self._doors = model, {each.name: each for each in doors}

    @message_handler
    async def on_conversation(self, message: Conversation, ctx: MessageContext) -> None:
        messages = message.messages
        prompt = SystemMessage(content=f"You are {self.id.type}.")
        result: CreateResult | None = None
        async for each in self._model.create_stream([prompt, *messages], tools=[*self._doors.values()]):
            if isinstance(each, CreateResult):
                result = each
            else:
                await self.publish_message(Word(each), TopicId("words", self.id.key))
        assert result is not None
        messages = [*messages, AssistantMessage(content=result.content, source=self.id.type)]
        if isinstance(result.content, str):
            await self.publish_message(Reply(by=self.id.type, messages=messages), TopicId("person", self.id.key))
            return
        [call] = result.content
        to = await self._doors[call.name].run_json(json.loads(call.arguments), ctx.cancellation_token)
        moved = FunctionExecutionResult(call_id=call.id, content=f"Moved to {to}.", is_error=False, name=call.name)
        messages = [*messages, FunctionExecutionResultMessage(content=[moved])]
        await self.publish_message(Conversation(messages=messages), TopicId(str(to), self.id.key))


class Person(RoutedAgent):
    replies: list[Reply] = []

    @message_handler
    async def on_reply(self, message: Reply, ctx: MessageContext) -> None:
        Person.replies.append(message)


def to_repairs() -> str:
    """Hand over to repairs."""
    return "repairs"


def called(name: str) -> CreateResult:
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    call = FunctionCall(id="1", name=name, arguments="{}")
    return CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)


async def take(agent: ClosureContext, message: Word, ctx: MessageContext) -> None:
    STREAMED.append(message.text)


async def session(said: str, first: str, history: str, scripts: dict[str, list[str | CreateResult]]) -> str:
    """One request of a person, with the history of the earlier ones as JSON."""
    context = BufferedChatCompletionContext(buffer_size=20)
    if history:
        await context.load_state(json.loads(history))
    await context.add_message(UserMessage(content=said, source="person"))
    runtime = SingleThreadedAgentRuntime()
    door = FunctionTool(to_repairs, description="Hand over to repairs.")
    for name, script in scripts.items():
        model = ReplayChatCompletionClient(script)
        doors = [door] if name == "triage" else []
        await Agent.register(runtime, name, lambda model=model, doors=doors: Agent(model, list[Tool](doors)))
        await runtime.add_subscription(TypeSubscription(name, name))
    await Person.register(runtime, "person", lambda: Person("Asks."))
    await runtime.add_subscription(TypeSubscription("person", "person"))
    await ClosureAgent.register_closure(runtime, "out", take, subscriptions=lambda: [TypeSubscription("words", "out")])
    runtime.start()
    messages = await context.get_messages()
    await runtime.publish_message(Conversation(messages=messages), TopicId(first, "session"))
    await runtime.stop_when_idle()
    for each in Person.replies[-1].messages[len(messages) :]:
        await context.add_message(each)
    return json.dumps(dict(await context.save_state()))


async def main() -> None:
    scripts: dict[str, list[str | CreateResult]] = {
        "triage": [called("to_repairs")],
        "repairs": ["Bring it in."],
    }
    history = await session("My kettle is broken.", "triage", "", scripts)
    by = Person.replies[-1].by
    history = await session("When?", by, history, {"repairs": ["On Monday."]})
    kept = json.loads(history)["messages"]
    print(by, [each["type"] for each in kept])
    print("".join(STREAMED))
    assert "".join(STREAMED).replace(" ", "") == "Bringitin.OnMonday."
    assert len(kept) == 6


asyncio.run(main())
