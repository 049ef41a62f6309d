"""A person takes part in a team and types the answer."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import model, said, told, typed


async def main():
    poet = AssistantAgent("poet", model_client=model("Waves, waves.", "Waves, and one gull."))
    person = UserProxyAgent("person", input_func=input)
    team = RoundRobinGroupChat([poet, person], termination_condition=TextMentionTermination("APPROVE"))
    typed("More birds.", "APPROVE")
    result = await told(team.run_stream(task="Two words about the sea."))
    assert said(result)[1:] == ["Waves, waves.", "", "More birds.", "Waves, and one gull.", "", "APPROVE"] or (
        [message.to_text() for message in result.messages if message.type == "TextMessage"]
        == ["Two words about the sea.", "Waves, waves.", "More birds.", "Waves, and one gull.", "APPROVE"]
    )

    async def from_a_page(prompt, cancellation_token=None):
        print("asked:", prompt)
        return "APPROVE at once"

    person = UserProxyAgent("person", description="Reads and judges.", input_func=from_a_page)
    team = RoundRobinGroupChat([person], termination_condition=TextMentionTermination("APPROVE"))
    result = await told(team.run_stream(task="Well?"))
    assert result.stop_reason == "Text 'APPROVE' mentioned"


asyncio.run(main())
