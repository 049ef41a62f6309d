"""Agents hand over to each other and to the user, who answers with a handoff back."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import HandoffTermination, TextMentionTermination
from autogen_agentchat.messages import HandoffMessage
from autogen_agentchat.teams import Swarm
from scripting import calls, model, said, told, typed


def repair(boat: str) -> str:
    """Repair a boat."""
    return f"{boat} repaired"


async def main():
    clerk = AssistantAgent(
        "clerk",
        model_client=model(calls(("transfer_to_shipwright", {})), "All done. TERMINATE"),
        handoffs=["shipwright", "user"],
        system_message="Hand repairs to the shipwright.",
    )
    shipwright = AssistantAgent(
        "shipwright",
        model_client=model(
            calls(("transfer_to_user", {})), calls(("repair", {"boat": "Nancy"})), calls(("transfer_to_clerk", {}))
        ),
        handoffs=["clerk", "user"],
        tools=[repair],
    )
    stop = HandoffTermination(target="user") | TextMentionTermination("TERMINATE")
    team = Swarm([clerk, shipwright], termination_condition=stop)
    typed("It is the Nancy.")
    result = await told(team.run_stream(task="Repair my boat."))
    last, rounds = result.messages[-1], 1
    while isinstance(last, HandoffMessage) and last.target == "user":
        answer = HandoffMessage(source="user", target=last.source, content=input(""))
        result = await told(team.run_stream(task=answer))
        last, rounds = result.messages[-1], rounds + 1
    assert rounds == 2 and "Nancy repaired" in said(result) and said(result)[-1] == "All done. TERMINATE"


asyncio.run(main())
