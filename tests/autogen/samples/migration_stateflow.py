"""A group chat whose next speaker follows from the state of the talk."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from scripting import calls, model, speakers, told


def search(query: str) -> str:
    """Search."""
    return f"found {query}"


def team():
    planner = AssistantAgent(
        "planner", description="Plans.", model_client=model("Search both.", "Sum up.", "TERMINATE")
    )
    searcher = AssistantAgent(
        "searcher", model_client=model(calls(("search", {"query": "a"}))), tools=[search], description="Searches."
    )
    analyst = AssistantAgent("analyst", description="Analyses.", model_client=model("It adds up."))
    flow = {"user": "planner", "searcher": "planner", "analyst": "planner"}

    def next_speaker(messages):
        last = messages[-1]
        if last.source == "planner":
            return "searcher" if "Search" in last.to_text() else "analyst"
        return flow[last.source]

    return SelectorGroupChat(
        [planner, searcher, analyst],
        model_client=model("never asked"),
        termination_condition=TextMentionTermination("TERMINATE") | MaxMessageTermination(max_messages=25),
        selector_func=next_speaker,
    )


async def main():
    result = await told(team().run_stream(task="How much?"))
    assert speakers(result) == ["user", "planner", *["searcher"] * 3, "planner", "analyst", "planner"]


asyncio.run(main())
