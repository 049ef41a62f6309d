"""A person answers hours later: the runtime stops when one is asked, its state is JSON, and a new one takes it up."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autogen_core import (
    CancellationToken,
    DefaultInterventionHandler,
    DefaultTopicId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, CreateResult, RequestUsage, UserMessage
from autogen_core.tools import FunctionTool
from autogen_ext.models.replay import ReplayChatCompletionClient

PLANNED: list[str] = []


@dataclass
class UserSaid:
    text: str


@dataclass
class AskUser:
    text: str


@dataclass
class Over:
    text: str


def plan(day: str, hour: int) -> str:
    """Put a meeting into the calendar."""
    PLANNED.append(f"{day} {hour}")
    return "planned"


@default_subscription
class Person(RoutedAgent):
    """Is not here: what it is asked waits until its program is started again."""

    @message_handler
    async def on_ask(self, message: AskUser, ctx: MessageContext) -> None:
        del message


@default_subscription
class Planner(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient) -> None:
        super().__init__("Plans meetings.")
        self._model = model
        self._context = BufferedChatCompletionContext(buffer_size=10)
        self._tool = FunctionTool(plan, description="Put a meeting into the calendar.")

    @message_handler
    async def on_said(self, message: UserSaid, ctx: MessageContext) -> None:
        await self._context.add_message(UserMessage(content=message.text, source="user"))
        answer = await self._model.create(await self._context.get_messages(), tools=[self._tool])
        if isinstance(answer.content, str):
            await self._context.add_message(AssistantMessage(content=answer.content, source="planner"))
            await self.publish_message(AskUser(answer.content), DefaultTopicId())
            return
        for call in answer.content:
            await self._tool.run_json(json.loads(call.arguments), CancellationToken())
        await self.publish_message(Over(f"after {len(await self._context.get_messages())} messages"), DefaultTopicId())

    async def save_state(self) -> Mapping[str, Any]:
        return {"context": dict(await self._context.save_state())}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._context.load_state(state["context"])


class Watching(DefaultInterventionHandler):
    asked = over = ""

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        if isinstance(message, AskUser):
            self.asked = message.text
        elif isinstance(message, Over):
            self.over = message.text
        return message


async def session(said: str, model: ReplayChatCompletionClient, state: str) -> tuple[Watching, str]:
    """What one start of the program does; the state is text, as of a file."""
    watching = Watching()
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[watching])
    await Person.register(runtime, "person", lambda: Person("Is far away."))
    await Planner.register(runtime, "planner", lambda: Planner(model))
    if state:
        await runtime.load_state(json.loads(state))
    runtime.start()
    await runtime.publish_message(UserSaid(said), DefaultTopicId())
    await runtime.stop_when(lambda: bool(watching.asked or watching.over))
    kept = {name: each for name, each in dict(await runtime.save_state()).items() if name.startswith("planner/")}
    return watching, json.dumps(kept)


async def main() -> None:
    call = FunctionCall(id="1", name="plan", arguments='{"day": "Monday", "hour": 9}')
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    called = CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)
    script: list[Any] = ["Which day?", "At what time?", called]
    state, found = "", list[str]()
    for said, answer in zip(("A meeting, please.", "Monday.", "At nine."), script, strict=True):
        watching, state = await session(said, ReplayChatCompletionClient([answer]), state)
        found.append(watching.asked or watching.over)
    print(found, PLANNED)
    assert found == ["Which day?", "At what time?", "after 5 messages"]
    assert PLANNED == ["Monday 9"]


asyncio.run(main())
