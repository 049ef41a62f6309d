"""An agent hands over to the user, which ends the run; the user answers with the next one."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Handoff
from autogen_agentchat.conditions import HandoffTermination, TextMentionTermination
from autogen_agentchat.messages import HandoffMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import calls, model, told


async def main():
    client = model(calls(("transfer_to_user", {})), "Then take an umbrella. TERMINATE")
    lazy = AssistantAgent(
        "lazy",
        model_client=client,
        handoffs=[Handoff(target="user", message="Please tell me.")],
        system_message="Ask the user whenever you do not know.",
    )
    stop = HandoffTermination(target="user") | TextMentionTermination("TERMINATE")
    team = RoundRobinGroupChat([lazy], termination_condition=stop)
    result = await told(team.run_stream(task="Do I need an umbrella?"))
    last = result.messages[-1]
    assert isinstance(last, HandoffMessage) and (last.target, last.content) == ("user", "Please tell me.")

    result = await told(team.run_stream(task="It is raining."))
    assert result.stop_reason == "Text 'TERMINATE' mentioned"


asyncio.run(main())
