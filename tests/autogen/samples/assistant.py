"""An assistant with a tool: a whole result, a result by the message door, and the tool as a model is told it."""

import asyncio
import json

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool
from scripting import calls, heard, model, said, show


async def look_up(word: str, language: str = "en") -> str:
    """Find a word in the dictionary."""
    return f"{word} ({language}): a thing to look up"


async def main():
    client = model(calls(("look_up", {"word": "fjord"})), calls(("look_up", {"word": "firth", "language": "sco"})))
    scholar = AssistantAgent(
        name="scholar", model_client=client, tools=[look_up], system_message="Use tools to answer."
    )
    result = await scholar.run(task="What is a fjord?")
    show(result)
    assert said(result)[-1] == "fjord (en): a thing to look up"

    token = CancellationToken()
    response = await scholar.on_messages([TextMessage(content="And a firth?", source="user")], token)
    show(response)
    assert [message.type for message in response.inner_messages] == ["ToolCallRequestEvent", "ToolCallExecutionEvent"]
    await scholar.on_reset(token)
    print(await heard(scholar), scholar.name, scholar.description)

    tool = FunctionTool(look_up, description="Find a word in the dictionary.")
    print(json.dumps(tool.schema, sort_keys=True))
    print(tool.name, await tool.run_json({"word": "bay"}, token))
    print(tool.return_value_as_string(3.5))
    await client.close()


asyncio.run(main())
