"""The person in the team."""

from __future__ import annotations

import asyncio

import pytest

from studio import effects
from studio.agents import InputFailed, UserProxyAgent
from studio.agents.user_proxy import InputFunction
from studio.messages import CancellationToken, HandoffMessage, TextMessage, UserInputRequestedEvent
from tests.teams.scripted import CountingWorld, said


async def test_the_question_is_announced_before_it_is_asked():
    world = CountingWorld("fine")
    with effects.use(world):
        stream = UserProxyAgent(name="human").run_stream(task="How are you?")
        items = [await anext(stream), await anext(stream)]
        assert isinstance(items[1], UserInputRequestedEvent)
        assert world.asked == []
        answer = await anext(stream)
        await stream.aclose()
    assert isinstance(answer, TextMessage)
    assert answer.content == "fine"
    assert world.questions[0].request_id == items[1].request_id


async def test_a_handoff_is_answered_with_a_handoff_back():
    world = CountingWorld("done")
    with effects.use(world):
        task = HandoffMessage(content="please", source="a", target="human")
        result = await UserProxyAgent(name="human").run(task=task)
    last = result.messages[-1]
    assert isinstance(last, HandoffMessage)
    assert (last.target, last.content) == ("a", "done")


async def test_a_handoff_to_somebody_else_is_an_error():
    task = HandoffMessage(content="please", source="a", target="b")
    with pytest.raises(InputFailed, match="Handoff message target does not match agent name: a"):
        await UserProxyAgent(name="human").run(task=task)


def ask_at_once(prompt: str) -> str:
    return f"{prompt}True"


async def ask_later(prompt: str, token: CancellationToken | None) -> str:
    await asyncio.sleep(0)
    return f"{prompt}{token is not None}"


@pytest.mark.parametrize("function", [ask_at_once, ask_later])
async def test_a_script_may_answer_with_a_function_of_its_own(function: InputFunction):
    world = CountingWorld()
    with effects.use(world):
        result = await UserProxyAgent("human", input_func=function).run(task="go")
    assert said(result.messages)[-1] == ("human", "Enter your response: True")
    assert world.asked == ["input"]


async def test_no_answer_is_an_error_of_the_run():
    def nobody(_prompt: str) -> str:
        raise EOFError("no terminal")

    with pytest.raises(InputFailed, match="Failed to get user input: no terminal"):
        await UserProxyAgent("human", input_func=nobody).run(task="go")
