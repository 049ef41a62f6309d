"""An agent that is a team inside."""

from __future__ import annotations

from contextlib import aclosing
from typing import cast

from studio import effects
from studio.agents import Handoff
from studio.components import JsonObject, load_component, walk
from studio.conditions import MaxMessageTermination
from studio.messages import TaskResult
from studio.teams import RoundRobinGroupChat, SocietyOfMindAgent, Swarm, Team
from tests.teams.scripted import CountingWorld, agent, said, scripted


def society(*answers: str, team: Team | None = None) -> SocietyOfMindAgent:
    inner = team or RoundRobinGroupChat(participants=[agent("x", "x1", "x2"), agent("y", "y1", "y2")], max_turns=2)
    return SocietyOfMindAgent(name="society", team=inner, model_client=scripted(*answers))


async def test_what_the_team_says_is_shown_and_put_into_one_answer():
    world = CountingWorld()
    with effects.use(world):
        result = await society("All in all.").run(task="go")
    assert said(result.messages) == [("user", "go"), ("x", "x1"), ("y", "y1"), ("society", "All in all.")]
    asked = world.bodies[-1]
    assert isinstance(asked, dict)
    messages = cast("list[JsonObject]", asked["messages"])
    assert [message["content"] for message in messages[1:-1]] == ["x1", "y1"]


async def test_conditions_outside_do_not_see_what_happens_inside():
    outer = RoundRobinGroupChat(
        participants=[society("one"), agent("z", "z1")], termination_condition=MaxMessageTermination(max_messages=3)
    )
    result = await outer.run(task="go")
    assert [message.source for message in result.messages] == ["user", "x", "y", "society", "z"]
    assert [message.source for message in outer.thread] == ["user", "society", "z"]


async def test_the_team_forgets_but_is_told_of_earlier_messages():
    thinker = society("one", "two")
    await thinker.run(task="first")
    assert said(thinker.team.thread) == []
    world = CountingWorld()
    with effects.use(world):
        await thinker.run(task="second")
    assert "first" in str(world.bodies[0])


async def test_a_swarm_inside_is_not_confused_by_earlier_messages():
    swarm = Swarm(participants=[agent("x", "x1", "x2", handoffs=[Handoff(target="y")]), agent("y")], max_turns=1)
    thinker = society("one", "two", team=swarm)
    await thinker.run(task="first")
    assert said((await thinker.run(task="second")).messages)[1:] == [("x", "x2"), ("society", "two")]


async def test_after_a_turn_that_was_broken_off_the_team_begins_anew():
    thinker = society("one")
    async with aclosing(thinker.run_stream(task="first")) as items:
        async for item in items:
            if not isinstance(item, TaskResult) and item.source == "x":
                break
    result = await thinker.run(task="second")
    assert said(result.messages) == [("user", "second"), ("x", "x2"), ("y", "y1"), ("society", "one")]


def test_what_works_inside_is_part_of_the_tree():
    thinker = society("one")
    loaded = load_component(thinker.dump_component(), SocietyOfMindAgent)
    assert loaded == thinker
    assert "/config/team/config/participants/1" in [where for where, _ in walk(loaded)]
