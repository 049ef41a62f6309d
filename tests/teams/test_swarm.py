"""Swarms: who is handed the word, and who may be handed it."""

from __future__ import annotations

from typing import cast

import pytest
from pydantic import ValidationError

from studio.agents import AssistantAgent, ChatAgent, Handoff
from studio.components import JsonObject, load_component
from studio.conditions import HandoffTermination, TextMentionTermination
from studio.messages import CreateResult, HandoffMessage, TaskResult
from studio.teams import RoundRobinGroupChat, Swarm, UnknownHandoffTarget
from tests.teams.scripted import agent, said, wishes


def to(*targets: str, then: tuple[str, ...] = ()) -> list[str | CreateResult]:
    return [*(wishes((f"transfer_to_{target}", "{}")) for target in targets), *then]


def speaker(name: str, *replies: str | CreateResult, handoffs: tuple[str, ...] = ()) -> AssistantAgent:
    return agent(name, *replies, handoffs=[Handoff(target=target) for target in handoffs])


def spoken(result: TaskResult) -> list[str]:
    return [message.source for message in result.messages if message.is_chat]


def asking_the_user() -> Swarm:
    alice = speaker("alice", *to("user", then=("Thanks.",)), handoffs=("user",))
    return Swarm(
        participants=[alice, agent("bob", "bob")],
        termination_condition=HandoffTermination(target="user") | TextMentionTermination(text="Thanks"),
    )


async def test_a_handoff_to_the_user_ends_the_run_and_an_answer_to_an_agent_goes_on():
    team = asking_the_user()
    assert (await team.run(task="go")).stop_reason == "Handoff to user from alice detected."
    with pytest.raises(UnknownHandoffTarget, match="The existing handoff target user is not one of the participants"):
        await team.run(task="My name is Eve.")
    result = await team.run(task=HandoffMessage(source="user", target="alice", content="Eve."))
    assert said(result.messages)[:2] == [("user", "Eve."), ("alice", "Thanks.")]


async def test_an_answer_for_nobody_is_refused_also_where_the_task_is_not_shown():
    team = asking_the_user()
    await team.run(task="go")
    with pytest.raises(UnknownHandoffTarget, match="The existing handoff target user"):
        await team.run(task="My name is Eve.", output_task_messages=False)


async def test_the_saved_speaker_is_the_one_who_was_last_given_the_word():
    team = asking_the_user()
    await team.run(task="go")
    states = cast("dict[str, JsonObject]", (await team.save_state())["agent_states"])
    assert states["SwarmGroupChatManager"]["current_speaker"] == "alice"


async def test_a_task_for_nobody_is_refused_before_anything_happens():
    team = asking_the_user()
    with pytest.raises(ValueError, match="The target zed is not one of the participants"):
        await team.run(task=HandoffMessage(source="user", target="zed", content="?"))
    handoffs = [HandoffMessage(source="user", target=name, content="?") for name in (team.participants[0].name, "zed")]
    with pytest.raises(ValueError, match="The target zed is not one of the participants"):
        await team.run(task=handoffs)
    assert list(team.thread) == []


async def test_a_swarm_that_was_saved_goes_on_with_the_one_who_had_the_word():
    def make() -> Swarm:
        return Swarm(participants=[speaker("a", *to("b"), handoffs=("b",)), agent("b", "1", "2")], max_turns=2)

    first = make()
    await first.run(task="go")
    second = load_component(first.dump_component(), Swarm)
    await second.load_state(await first.save_state())
    assert spoken(await second.run()) == ["b", "b"]


async def test_a_reset_gives_the_word_to_the_first_again():
    team = Swarm(participants=[speaker("a", *to("b", "b"), handoffs=("b",)), agent("b", "1", "2")], max_turns=2)
    await team.run(task="go")
    await team.reset()
    assert spoken(await team.run(task="again"))[:2] == ["user", "a"]


def test_the_first_must_be_able_to_hand_over():
    class Mute(ChatAgent):
        """Says nothing of use."""

    with pytest.raises(ValidationError, match="must be able to produce a handoff messages"):
        Swarm(participants=[Mute(name="mute"), agent("b")])


async def test_a_nested_team_speaks_when_it_is_handed_the_word():
    desk = RoundRobinGroupChat(name="desk", participants=[agent("x", "x1"), agent("y", "y1")], max_turns=2)
    team = Swarm(participants=[speaker("a", *to("desk"), handoffs=("desk",)), desk], max_turns=2)
    assert spoken(await team.run(task="go")) == ["user", "a", "x", "y"]


async def test_handoffs_inside_a_nested_swarm_stay_inside():
    inner = Swarm(
        name="inner",
        participants=[speaker("x", *to("y"), handoffs=("y",)), speaker("y", *to("b"), handoffs=("b",))],
        termination_condition=HandoffTermination(target="b"),
    )
    outer = Swarm(
        participants=[speaker("a", *to("inner"), handoffs=("inner",)), inner, agent("b", "done")], max_turns=3
    )
    result = await outer.run(task="go")
    assert spoken(result) == ["user", "a", "x", "y", "b"]
    assert result.messages[-1].to_text() == "done"
