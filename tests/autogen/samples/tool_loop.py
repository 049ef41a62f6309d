"""Several rounds of tools before the answer, and several tools at once."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from scripting import calls, model, said, show


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def double(a: int) -> int:
    """Double a number."""
    return 2 * a


async def main():
    client = model(calls(("add", {"a": 2, "b": 3}), ("double", {"a": 4})), calls(("double", {"a": 5})), "10 and 8.")
    clerk = AssistantAgent("clerk", model_client=client, tools=[add, double], max_tool_iterations=10)
    result = await clerk.run(task="Add 2 and 3, double it, and double 4.")
    show(result)
    assert [message.type for message in result.messages] == [
        "TextMessage",
        *["ToolCallRequestEvent", "ToolCallExecutionEvent"] * 2,
        "TextMessage",
    ]

    client = model(calls(("add", {"a": 1, "b": 1})), calls(("add", {"a": 2, "b": 2})))
    clerk = AssistantAgent(
        "clerk",
        model_client=client,
        tools=[add],
        max_tool_iterations=2,
        tool_call_summary_format="{tool_name}({arguments}) = {result}",
    )
    result = await clerk.run(task="Keep adding.")
    show(result)
    assert said(result)[-1] == 'add({"a": 2, "b": 2}) = 4'

    client = model(calls(("nothing_such", {})), calls(("add", {"a": "many"})))
    clerk = AssistantAgent("clerk", model_client=client, tools=[add])
    for _ in range(2):
        result = await clerk.run(task="Go wrong.")
        print([done.is_error for done in result.messages[2].content], said(result)[-1].splitlines()[0][:40])
        assert result.messages[2].content[0].is_error


asyncio.run(main())
