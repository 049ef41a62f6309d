"""Magentic-One: plan, instruct, plan anew, answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio import effects
from studio.agents import Participant
from studio.components import load_component
from studio.conditions import TextMentionTermination
from studio.errors import RunFailed
from studio.messages import SelectSpeakerEvent, TaskResult
from studio.models import ReplayChatCompletionClient
from studio.teams import MagenticOneGroupChat, RoundRobinGroupChat
from tests.teams.scripted import ABLE, CountingWorld, agent, said, scripted


def ledger(speaker: str = "w", *, done: bool = False, progress: bool = True, instruction: str = "do it") -> str:
    def entry(answer: object) -> dict[str, object]:
        return {"reason": "because", "answer": answer}

    return json.dumps(
        {
            "is_request_satisfied": entry(done),
            "is_in_loop": entry(False),
            "is_progress_being_made": entry(progress),
            "next_speaker": entry(speaker),
            "instruction_or_question": entry(instruction),
        }
    )


def team(*replies: str, people: list[Participant] | None = None, **config: Any) -> MagenticOneGroupChat:
    people = people or [agent("w", "w1", "w2", "w3"), agent("v", "v1")]
    return MagenticOneGroupChat(participants=people, model_client=scripted(*replies), **config)


def texts(result: TaskResult) -> list[tuple[str, str]]:
    short = {"MagenticOneOrchestrator": "boss"}
    return [(short.get(source, source), text.strip().split("\n")[0]) for source, text in said(result.messages)]


PLAN = ("boss", "We are working to address the following user request:")


async def test_the_task_is_shown_before_the_model_is_asked():
    world = CountingWorld()
    with effects.use(world):
        async for item in team("F", "P").run_stream(task="go"):
            assert (said([item]) if not isinstance(item, TaskResult) else item, world.asked) == ([("user", "go")], [])
            break


async def test_a_plan_an_instruction_and_an_answer():
    result = await team("F", "P", ledger(), ledger(done=True), "The end.", emit_team_events=True).run(task="go")
    assert [pair for pair in texts(result) if pair[0] != "boss" or pair[1][0] != "["] == [
        ("user", "go"),
        PLAN,
        ("boss", "do it"),
        ("w", "w1"),
        ("boss", "The end."),
    ]
    assert [message.content for message in result.messages if isinstance(message, SelectSpeakerEvent)] == [["w"]]
    assert result.stop_reason == "because"


@pytest.mark.parametrize(
    "unusable",
    [
        "no JSON",
        "[]",
        "{}",
        ledger("nobody"),
        "```python\n1\n```",
        f"```json\n{ledger()}\n```\n```json\n{ledger()}\n```",
    ],
    ids=["text", "list", "empty", "nobody", "python", "two"],
)
async def test_an_answer_that_cannot_be_used_is_asked_for_again(unusable: str):
    result = await team("F", "P", unusable, f"```json\n{ledger(done=True)}\n```", "The end.").run(task="go")
    assert texts(result) == [("user", "go"), PLAN, ("boss", "The end.")]


async def test_after_ten_unusable_answers_the_run_fails():
    with pytest.raises(RunFailed, match="Failed to parse ledger information after multiple retries"):
        await team("F", "P", *["?"] * 10, ledger()).run(task="go")


async def test_a_single_participant_need_not_be_named():
    people: list[Participant] = [agent("w", "w1")]
    replies = ("F", "P", ledger("?"), ledger("?", done=True), "The end.")
    assert ("w", "w1") in texts(await team(*replies, people=people).run(task="go"))


async def test_without_progress_there_is_a_new_plan_and_everybody_forgets():
    replies = ("F", "P", ledger(), ledger(progress=False), "F2", "P2", ledger(done=True), "The end.")
    team_of_two = team(*replies, max_stalls=1)
    result = await team_of_two.run(task="go")
    assert texts(result)[-3:] == [("w", "w1"), PLAN, ("boss", "The end.")]
    assert "F2" in team_of_two.thread[0].to_text()
    assert [source for source, _ in said(team_of_two.thread)] == ["MagenticOneOrchestrator"] * 2


async def test_a_run_that_a_condition_ended_goes_on_without_a_new_task():
    stopped = team(
        *("F", "P", ledger(), ledger(done=True), "The end."), termination_condition=TextMentionTermination(text="w1")
    )
    assert (await stopped.run(task="go")).stop_reason == "Text 'w1' mentioned"
    assert texts(await stopped.run()) == [("boss", "The end.")]


async def test_a_saved_state_goes_on_with_its_plan():
    first = team("F", "P", ledger(), termination_condition=TextMentionTermination(text="w1"))
    await first.run(task="go")
    second = team(ledger("v"), ledger(done=True), "The end.")
    await second.load_state(await first.save_state())
    assert texts(await second.run()) == [("boss", "do it"), ("v", "v1"), ("boss", "The end.")]


async def test_a_run_without_any_task_says_what_is_missing():
    with pytest.raises(ValueError, match="needs a task"):
        await team("F").run()


async def test_a_reset_forgets_task_and_rounds():
    once = team("F", "P", ledger(done=True), "The end.")
    await once.run(task="go")
    await once.reset()
    state = await once.save_state()
    assert '"task": ""' in json.dumps(state)
    assert '"n_rounds": 0' in json.dumps(state)


async def test_a_team_may_be_a_participant():
    desk = RoundRobinGroupChat(name="desk", participants=[agent("x", "x1"), agent("y", "y1")], max_turns=2)
    replies = ("F", "P", ledger("desk"), ledger(done=True), "The end.")
    result = await team(*replies, people=[desk, agent("w")]).run(task="go")
    assert texts(result)[2:] == [("boss", "do it"), ("x", "x1"), ("y", "y1"), ("boss", "The end.")]


@pytest.mark.parametrize(
    ("ability", "asked_for"),
    [
        ({}, "LedgerEntry"),
        ({"structured_output": False}, True),
        ({"structured_output": False, "json_output": False}, None),
    ],
    ids=["schema", "json", "text"],
)
async def test_the_form_of_the_answer_is_what_the_model_can_give(ability: dict[str, bool], asked_for: object):
    info = {**ABLE, **ability}
    client = ReplayChatCompletionClient.model_validate(
        {"chat_completions": ["F", "P", ledger(done=True), "The end."], "model_info": info}
    )
    world = CountingWorld()
    with effects.use(world):
        await MagenticOneGroupChat(participants=[agent("w")], model_client=client).run(task="go")
    body = world.bodies[2]
    assert isinstance(body, dict)
    wanted = body["json_output"]
    assert (wanted["name"] if isinstance(wanted, dict) else wanted) == asked_for
    assert "description" not in str(wanted), "AutoGen tells the model the names alone"


def test_an_absent_limit_of_rounds_means_none_in_json_and_twenty_in_python():
    made = team("F")
    document = made.dump_component()
    assert made.max_turns == 20
    config = document["config"]
    assert isinstance(config, dict)
    del config["max_turns"]
    assert load_component(document, MagenticOneGroupChat).max_turns is None
