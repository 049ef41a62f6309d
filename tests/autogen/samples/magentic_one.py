"""A Magentic-One team plans, asks its only member, and answers; the ready-made team has four members."""

import asyncio
import json

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import MagenticOneGroupChat
from scripting import as_json, model, said, told


def ledger(is_done, instruction):
    answers = {
        "is_request_satisfied": is_done,
        "is_in_loop": False,
        "is_progress_being_made": True,
        "next_speaker": "Prover",
        "instruction_or_question": instruction,
    }
    return json.dumps({name: {"reason": "so it is", "answer": answer} for name, answer in answers.items()})


async def main():
    orchestrator = model(
        "Facts: none.",
        "Plan: ask the prover.",
        ledger(False, "Prove it, please."),
        ledger(True, ""),
        "It is proved, by descent.",
    )
    prover = AssistantAgent("Prover", description="Proves things.", model_client=model("By descent."))
    team = MagenticOneGroupChat([prover], model_client=orchestrator)
    result = await told(team.run_stream(task="Prove it."))
    assert said(result)[-1] == "It is proved, by descent."
    assert "Prove it, please." in said(result) and "By descent." in said(result)
    dumped = as_json(team)
    print(dumped["provider"], dumped["config"]["max_turns"], dumped["config"]["max_stalls"])


asyncio.run(main())
