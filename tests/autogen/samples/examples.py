"""The guide's larger examples in small: a report from two tools, a review of papers, a plan by four agents."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.tools import FunctionTool
from scripting import calls, model, speakers, told


def search(query: str, num_results: int = 2, max_chars: int = 500) -> list:
    """Search the web."""
    return [{"title": f"{query} {place}", "body": "text"[:max_chars]} for place in range(num_results)]


def analyse(ticker: str) -> dict:
    """Analyse a share."""
    import statistics

    prices = [10.0, 12.0, 11.0]
    return {"ticker": ticker, "mean": statistics.mean(prices), "trend": "upward" if prices[-1] > prices[0] else "down"}


async def report():
    searcher = AssistantAgent(
        "searcher", model_client=model(calls(("search", {"query": "airline", "num_results": 1}))),
        tools=[FunctionTool(search, description="Search the web.")],
    )  # fmt: skip
    analyst = AssistantAgent(
        "analyst", model_client=model(calls(("analyse", {"ticker": "AAL"}))),
        tools=[FunctionTool(analyse, description="Analyse a share.")],
    )  # fmt: skip
    writer = AssistantAgent("writer", model_client=model("A report. TERMINATE"))
    team = RoundRobinGroupChat([analyst, searcher, writer], max_turns=3)
    result = await told(team.run_stream(task="Report on an airline."))
    assert result.stop_reason == "Maximum number of turns 3 reached."


async def plan():
    texts = {"planner": "Three days.", "local": "See the stupa.", "language": "Say namaste.", "summary": "TERMINATE"}
    agents = [AssistantAgent(name, model_client=model(text), description=text) for name, text in texts.items()]
    team = RoundRobinGroupChat(agents, termination_condition=TextMentionTermination("TERMINATE"))
    result = await told(team.run_stream(task="Plan a trip to Nepal."))
    assert speakers(result) == ["user", *texts]


asyncio.run(report())
asyncio.run(plan())
