"""What the console gives back: a team's result, an agent's, or a response; with counts on demand."""

import asyncio
from contextlib import redirect_stdout
from io import StringIO

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.ui import Console
from autogen_core import CancellationToken
from scripting import model, show


async def shown(stream, **options):
    out = StringIO()
    with redirect_stdout(out):
        result = await Console(stream, **options)
    return result, out.getvalue()


async def main():
    agent = AssistantAgent("echo", model_client=model("one", "two", "three", "four streamed words here"))
    result, text = await shown(agent.run_stream(task="Speak."), output_stats=True)
    assert isinstance(result, TaskResult) and "---------- TextMessage (echo) ----------\none\n" in text
    show(result)

    result, text = await shown(RoundRobinGroupChat([agent], max_turns=1).run_stream(task="Speak."))
    assert isinstance(result, TaskResult) and "---------- TextMessage (user) ----------\nSpeak.\n" in text
    show(result)

    ask = [TextMessage(content="Speak.", source="user")]
    result, text = await shown(agent.on_messages_stream(ask, CancellationToken()), output_stats=True)
    assert isinstance(result, Response) and "three" in text
    show(result)

    streaming = AssistantAgent("echo", model_client=model("four streamed words here"), model_client_stream=True)
    result, text = await shown(streaming.run_stream(task="Speak."))
    assert text.count("four streamed words here") == 1
    show(result)
    try:
        await shown(nothing())
    except ValueError:
        print("no result")


async def nothing():
    for _ in ():
        yield


asyncio.run(main())
