"""Every ready-made condition stops a team once."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response, TerminatedException
from autogen_agentchat.conditions import (
    ExternalTermination,
    FunctionalTermination,
    FunctionCallTermination,
    HandoffTermination,
    MaxMessageTermination,
    SourceMatchTermination,
    StopMessageTermination,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
    TokenUsageTermination,
)
from autogen_agentchat.messages import StopMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import calls, model, said


class Finisher(BaseChatAgent):
    """Says that it is over."""

    @property
    def produced_message_types(self):
        return (StopMessage,)

    async def on_messages(self, messages, cancellation_token):
        return Response(chat_message=StopMessage(content="That is all.", source=self.name))

    async def on_reset(self, cancellation_token): ...


def ring() -> str:
    """Ring the bell."""
    return "ding"


def is_short(messages):
    return any(message.to_text() == "b" for message in messages)


async def is_short_soon(messages):
    await asyncio.sleep(0)
    return is_short(messages)


def team(stop, *more):
    replies = ["a", calls(("ring", {})), "b", calls(("transfer_to_user", {})), "c"]
    bob = AssistantAgent("bob", model_client=model(*replies), tools=[ring], handoffs=["user"])
    ann = AssistantAgent("ann", model_client=model(*(f"ann {count}" for count in range(9))))
    return RoundRobinGroupChat([ann, bob, *more], termination_condition=stop)


async def main():
    button = ExternalTermination()
    button.set()
    conditions = {
        "max": MaxMessageTermination(4),
        "mention": TextMentionTermination("ann 2"),
        "mention of one": TextMentionTermination("a", sources=["bob"]),
        "tokens": TokenUsageTermination(max_total_token=20),
        "completion": TokenUsageTermination(max_completion_token=4),
        "timeout": TimeoutTermination(timeout_seconds=0.0),
        "handoff": HandoffTermination(target="user"),
        "source": SourceMatchTermination(["bob"]),
        "outside": button,
        "text": TextMessageTermination("bob"),
        "function": FunctionCallTermination(function_name="ring"),
        "functional": FunctionalTermination(is_short),
        "functional async": FunctionalTermination(is_short_soon),
    }
    for name, condition in conditions.items():
        result = await team(condition).run(task="Go.")
        print(f"{name}: {result.stop_reason} after {len(result.messages)}: {said(result)[-1]}")
        assert not condition.terminated
    result = await team(StopMessageTermination(), Finisher("finn", "Ends it.")).run(task="Go.")
    print(result.stop_reason, said(result)[-1])
    assert result.stop_reason == "Stop message received"

    limit = MaxMessageTermination(1)
    message = TextMessage(content="one", source="user")
    stop = await limit([message])
    print(stop.content, stop.source, limit.terminated)
    try:
        await limit([message])
    except TerminatedException:
        print("It must be reset first.")
    await limit.reset()
    assert (await limit([message])).content == stop.content


asyncio.run(main())
