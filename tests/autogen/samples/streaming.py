"""Words as they come: chunks first, then the whole message, then the result."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.messages import ModelClientStreamingChunkEvent, TextMessage
from scripting import line, model


async def main():
    poet = AssistantAgent(
        "poet", model_client=model("Two cities: Lima, Quito"), system_message="Be brief.", model_client_stream=True
    )
    kinds, ids = [], set()
    async for message in poet.run_stream(task="Name two cities in South America."):
        kinds.append(type(message).__name__)
        if isinstance(message, ModelClientStreamingChunkEvent):
            ids.add(message.full_message_id)
            print(repr(message.content))
        elif isinstance(message, TaskResult):
            print(len(message.messages), message.stop_reason)
        else:
            print(line(message))
            last = message
    assert kinds == ["TextMessage", *["ModelClientStreamingChunkEvent"] * 4, "TextMessage", "TaskResult"]
    assert isinstance(last, TextMessage) and ids == {last.id}


asyncio.run(main())
