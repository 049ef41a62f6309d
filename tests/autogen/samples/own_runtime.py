"""A team in a runtime of the script's own, made, started and stopped by it."""

import asyncio
from typing import Literal

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import BaseTextChatMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import AgentId, SingleThreadedAgentRuntime
from scripting import model, told


class Whisper(BaseTextChatMessage):
    """A message of our own."""

    type: Literal["Whisper"] = "Whisper"


async def main():
    runtime = SingleThreadedAgentRuntime(tracer_provider=None)
    runtime.start()
    agents = [AssistantAgent(name, model_client=model("Here.", "Still here.")) for name in ("ann", "bob")]
    team = RoundRobinGroupChat(agents, max_turns=2, runtime=runtime, custom_message_types=[Whisper])
    await told(team.run_stream(task="Who is there?"))
    await team.reset()
    await told(team.run_stream(task="And now?"))
    await runtime.stop()
    print(AgentId("team", "one"), AgentId.from_str("team/one") == AgentId("team", "one"))


asyncio.run(main())
