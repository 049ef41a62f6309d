"""An agent's state goes to JSON and into another agent, or back into the same one."""

import asyncio
import json
import tempfile
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from scripting import heard, model


async def ask(agent, text):
    response = await agent.on_messages([TextMessage(content=text, source="user")], CancellationToken())
    print(response.chat_message.to_text())


async def main():
    poet = AssistantAgent("poet", model_client=model("Blue lake.", "A joke.", "The same joke."))
    await ask(poet, "A line about the lake.")
    state = await poet.save_state()
    print(json.dumps(state, sort_keys=True))

    other = AssistantAgent("poet", model_client=model("It was: Blue lake."))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "poet.json"
        path.write_text(json.dumps(state))
        await other.load_state(json.loads(path.read_text()))
    await ask(other, "What was the line?")
    assert (await heard(other))[1] == "Blue lake."

    await ask(poet, "Tell me a joke.")
    await poet.load_state(state)
    await ask(poet, "Tell me a joke.")
    assert len(await heard(poet)) == 4


asyncio.run(main())
