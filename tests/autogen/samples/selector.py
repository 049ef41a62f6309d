"""A model chooses who speaks: by a prompt of one's own, by a function first, and among candidates."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from scripting import calls, model, speakers, told

PROMPT = """Pick who works next.

{roles}

So far:
{history}

Choose one of {participants}. The planner goes first.
"""


def search(query: str) -> str:
    """Search the archive."""
    return f"{query}: 214" if "2007" in query else f"{query}: 398"


def change(start: float, end: float) -> float:
    """Per cent from one number to another."""
    return round((end - start) / start * 100, 2)


def agents():
    planner = AssistantAgent(
        "planner", description="Plans first.", model_client=model("1. searcher : both seasons", "So, 85.98. TERMINATE")
    )
    searches = (calls(("search", {"query": "season 2007"})), calls(("search", {"query": "season 2008"})))
    searcher = AssistantAgent("searcher", description="Searches.", model_client=model(*searches), tools=[search])
    sums = model(calls(("change", {"start": 214, "end": 398})))
    analyst = AssistantAgent("analyst", description="Calculates.", model_client=sums, tools=[change])
    return [planner, searcher, analyst]


def team(*choices, **options):
    stop = TextMentionTermination("TERMINATE") | MaxMessageTermination(max_messages=25)
    return SelectorGroupChat(agents(), model_client=model(*choices), termination_condition=stop, **options)


def planner_after_each(messages):
    return "planner" if messages[-1].source != "planner" else None


def candidates(messages):
    last = messages[-1]
    if last.source == "user":
        return ["planner"]
    if last.source == "planner" and "searcher" in last.to_text():
        return ["searcher", "analyst"]
    if {"searcher", "analyst"} <= {message.source for message in messages}:
        return ["planner"]
    return ["planner", "searcher", "analyst"]


def turns(result):
    return [name for place, name in enumerate(speakers(result)) if place == 0 or speakers(result)[place - 1] != name]


async def main():
    chosen = team("planner", "searcher", "searcher", "analyst", "planner", selector_prompt=PROMPT,
                  allow_repeated_speaker=True)  # fmt: skip
    result = await told(chosen.run_stream(task="How much more in 2008?"))
    assert turns(result) == ["user", "planner", "searcher", "analyst", "planner"]

    await chosen.reset()
    chosen = team("searcher", selector_func=planner_after_each, selector_prompt=PROMPT, allow_repeated_speaker=True)
    result = await told(chosen.run_stream(task="How much more in 2008?"))
    assert turns(result) == ["user", "planner", "searcher", "planner"]

    chosen = team("searcher", "It must be the analyst now.", candidate_func=candidates)
    result = await told(chosen.run_stream(task="How much more in 2008?"))
    assert turns(result) == ["user", "planner", "searcher", "analyst", "planner"]


asyncio.run(main())
