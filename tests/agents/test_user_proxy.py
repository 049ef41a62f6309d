"""The person in the team."""

from __future__ import annotations

import asyncio

import pytest

from studio import effects
from studio.agents import InputFailed, UserProxyAgent
from studio.agents.user_proxy import InputFunction
from studio.messages import CancellationToken, HandoffMessage, StopMessage, TextMessage, UserInputRequestedEvent
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


def done(text: str) -> TextMessage:
    return TextMessage(content=text, source="a")


async def test_never_answers_by_itself_until_the_others_are_done():
    world = CountingWorld()
    person = UserProxyAgent("human", human_input_mode="NEVER", default_auto_reply="Go on.")
    with effects.use(world):
        first = await person.run(task=done("What now?"))
        last = await person.run(task=done("All done. TERMINATE"))
    assert said(first.messages)[1:] == [("human", "Go on.")]
    assert isinstance(last.messages[-1], StopMessage)
    assert world.asked == []


async def test_terminate_asks_only_when_the_others_are_done():
    world = CountingWorld("one more thing", "")
    person = UserProxyAgent("human", human_input_mode="TERMINATE")
    with effects.use(world):
        assert said((await person.run(task=done("working"))).messages)[-1] == ("human", "")
        assert said((await person.run(task=done("TERMINATE"))).messages)[-1] == ("human", "one more thing")
        ended = await person.run(task=done("TERMINATE"))
    assert isinstance(ended.messages[-1], StopMessage)
    assert len(world.questions) == 2


async def test_always_asks_and_takes_exit_for_the_end():
    world = CountingWorld("", "exit")
    person = UserProxyAgent("human", human_input_mode="ALWAYS", default_auto_reply="Fine.")
    with effects.use(world):
        assert said((await person.run(task="?")).messages)[-1] == ("human", "Fine.")
        assert isinstance((await person.run(task="?")).messages[-1], StopMessage)


async def test_own_answers_in_a_row_are_limited():
    world = CountingWorld("here I am")
    person = UserProxyAgent("human", human_input_mode="TERMINATE", max_consecutive_auto_reply=1)
    with effects.use(world):
        texts = [said((await person.run(task=done("?"))).messages)[-1][1] for _ in range(3)]
    assert texts == ["", "here I am", ""]
    silent = UserProxyAgent("human", human_input_mode="NEVER", max_consecutive_auto_reply=0)
    assert isinstance((await silent.run(task="?")).messages[-1], StopMessage)


async def test_without_a_mode_nothing_is_different_from_autogen():
    world = CountingWorld("exit")
    person = UserProxyAgent("human")
    with effects.use(world):
        assert said((await person.run(task=done("TERMINATE"))).messages)[-1] == ("human", "exit")
    assert person.dump_component()["config"] == {"name": "human", "description": "A human user"}
