"""A talk with a person, turn by turn, with tools, a context of few messages and reflection; group chat; a chain."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_core.model_context import BufferedChatCompletionContext
from scripting import calls, model, said, told, typed


def weather(city: str) -> str:
    return f"{city}: 22 degrees"


async def talk():
    helper = AssistantAgent(
        "helper",
        system_message="You can call tools.",
        model_client=model("Hello.", calls(("weather", {"city": "Oslo"})), "It is mild in Oslo."),
        tools=[weather],
        reflect_on_tool_use=True,
        model_context=BufferedChatCompletionContext(buffer_size=10),
    )
    typed("Hi", "Weather in Oslo?", "exit")
    while (text := input("")) != "exit":
        response = await helper.on_messages([TextMessage(content=text, source="user")], CancellationToken())
        print("helper:", response.chat_message.to_text())
    assert response.chat_message.to_text() == "It is mild in Oslo."


async def group_chat():
    client = model("A story.", "More.", "A longer story.", "APPROVE")
    writer = AssistantAgent("writer", description="A writer.", model_client=client)
    critic = AssistantAgent("critic", description="A critic.", model_client=client)
    stop = TextMentionTermination("APPROVE", sources=["critic"])
    team = RoundRobinGroupChat([writer, critic], termination_condition=stop, max_turns=12)
    result = await told(team.run_stream(task="A story about a robot."))
    assert said(result)[-1] == "APPROVE"
    print(UserProxyAgent("person").description)


async def chain():
    first = AssistantAgent("first", model_client=model("one"))
    second = AssistantAgent("second", model_client=model("two"))
    result = await first.run(task="Begin.")
    result = await second.run(task=[*result.messages, TextMessage(content="Go on.", source="user")])
    print(said(result))
    assert said(result) == ["Begin.", "one", "Go on.", "two"]


asyncio.run(talk())
asyncio.run(group_chat())
asyncio.run(chain())
