"""An assistant with one tool, reflection on its result, and streamed words."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from scripting import calls, model, said, show, told


async def tide(harbour: str) -> str:
    """Say when the next high tide is."""
    return f"High tide in {harbour}: 14:20"


async def main():
    client = model(calls(("tide", {"harbour": "Brest"})), "Be at the quay by two.")
    pilot = AssistantAgent(
        name="pilot",
        model_client=client,
        tools=[tide],
        system_message="You advise sailors.",
        reflect_on_tool_use=True,
        model_client_stream=True,
    )
    result = await told(pilot.run_stream(task="When can we leave Brest?"))
    assert said(result)[-1] == "Be at the quay by two."
    assert "High tide in Brest: 14:20" in said(result)[2]

    client.reset()
    chunks = []
    async for item in pilot.run_stream(task="And once more?"):
        if isinstance(item, ModelClientStreamingChunkEvent):
            chunks.append(item.content)
    print(chunks)
    assert "".join(chunks) == "Be at the quay by two."
    await client.close()
    show(result)


asyncio.run(main())
