"""Teams that follow a graph: steps, joins, cycles, and what is kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, cast

import pytest
from pydantic import JsonValue

from studio.agents import MessageFilterAgent, MessageFilterConfig, Participant, PerSourceFilter
from studio.components import JsonObject, load_component
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.messages import SelectSpeakerEvent, TaskResult
from studio.teams import GraphFlow, InvalidGraph, RoundRobinGroupChat
from tests.teams.graphs import Edges, edge, graph
from tests.teams.scripted import agent, said

DIAMOND: Edges = {"A": [edge("B"), edge("C")], "B": [edge("D")], "C": [edge("D")], "D": []}
CYCLE: Edges = {"A": [edge("B")], "B": [edge("C", "again"), edge("E", "done")], "C": [edge("B", group="back")], "E": []}


def flow(edges: Edges, **config: Any) -> GraphFlow:
    people: list[Participant] = [agent(name, *[f"{name}{number}" for number in range(1, 6)]) for name in edges]
    return GraphFlow(participants=people, graph=graph(edges), **config)


SCRIPT = {"A": ["a"], "B": ["again", "again", "done"], "C": ["c1", "c2"], "E": ["e"]}


def cycling(skipped: Sequence[str] = (), **config: Any) -> GraphFlow:
    """A team that goes round twice; of those skipped, by source, the replies are gone already."""
    people: list[Participant] = [agent(name, *replies[skipped.count(name) :]) for name, replies in SCRIPT.items()]
    return GraphFlow(participants=people, graph=graph(CYCLE, "A"), **config)


def spoken(result: TaskResult) -> str:
    return " ".join(message.to_text() for message in result.messages if message.source != "user")


async def test_start_nodes_speak_in_the_order_of_definition():
    team = flow({"Z": [], "M": [], "A": []})
    assert spoken(await team.run(task="go")) == "Z1 M1 A1"


async def test_a_choice_of_several_speakers_is_told_as_one_event():
    result = await flow(DIAMOND, emit_team_events=True).run(task="go")
    chosen = [message.content for message in result.messages if isinstance(message, SelectSpeakerEvent)]
    assert chosen == [["A"], ["B", "C"], ["D"]]


async def test_telling_choices_is_written_only_where_it_is_wished():
    config = cast("JsonObject", flow(DIAMOND).dump_component()["config"])
    assert "emit_team_events" not in config
    told = flow(DIAMOND, emit_team_events=True)
    assert load_component(told.dump_component(), GraphFlow) == told


async def test_a_turn_limit_counts_steps_and_the_next_run_goes_on():
    team = flow(DIAMOND, max_turns=2)
    first = await team.run(task="go")
    assert (spoken(first), first.stop_reason) == ("A1 B1 C1", "Maximum number of turns 2 reached.")
    second = await team.run()
    assert (spoken(second), second.stop_reason) == ("D1", "Digraph execution is complete")


async def test_a_condition_sees_what_everybody_in_a_step_said():
    people: list[Participant] = [agent("A", "a"), agent("B", "DONE"), agent("C", "c"), agent("D", "d")]
    condition = TextMentionTermination(text="DONE")
    result = await GraphFlow(participants=people, graph=graph(DIAMOND), termination_condition=condition).run(task="go")
    assert (spoken(result), result.stop_reason) == ("a DONE c", "Text 'DONE' mentioned")


@pytest.mark.parametrize("count", range(2, 8))
async def test_a_state_saved_in_mid_cycle_goes_on_where_it_was(count: int):
    first = cycling(termination_condition=MaxMessageTermination(max_messages=count))
    before = [message.source for message in (await first.run(task="go")).messages]
    second = cycling(before, max_turns=20)
    await second.load_state(await first.save_state())
    after = await second.run()
    assert before + [message.source for message in after.messages] == ["user", *"ABCBCBE"]
    assert after.stop_reason == "Digraph execution is complete"


async def test_what_a_node_has_said_counts_though_the_run_was_left_before_it_was_shown():
    team = flow(DIAMOND)
    async with aclosing(team.run_stream(task="go")) as items:
        async for item in items:
            if not isinstance(item, TaskResult) and item.source == "B":
                break
    states = cast("dict[str, JsonObject]", (await team.save_state())["agent_states"])
    assert states["GraphManager"]["ready"] == ["D"]
    result = await team.run()
    assert (spoken(result), result.stop_reason) == ("D1", "Digraph execution is complete")


async def test_a_node_that_failed_is_ready_again():
    people: list[Participant] = [agent("A", "a"), agent("B", "b"), agent("C"), agent("D", "d")]
    team = GraphFlow(participants=people, graph=graph(DIAMOND))
    with pytest.raises(ValueError, match="The script has no more replies"):
        await team.run(task="go")
    states = cast("dict[str, JsonObject]", (await team.save_state())["agent_states"])
    assert "C" in cast("list[JsonValue]", states["GraphManager"]["ready"])


async def test_a_cycle_needs_a_limit():
    with pytest.raises(InvalidGraph, match="A termination condition is required for cyclic graphs") as caught:
        await cycling().run(task="go")
    assert caught.value.where == "/config/graph"


async def test_a_team_may_be_a_node():
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", "x1"), agent("y", "yes")], max_turns=2)
    people: list[Participant] = [agent("A", "a"), inner, agent("B", "b"), agent("C", "c")]
    edges: Edges = {"A": [edge("inner")], "inner": [edge("B", "yes"), edge("C", "no")], "B": [], "C": []}
    result = await GraphFlow(participants=people, graph=graph(edges)).run(task="go")
    assert (spoken(result), result.stop_reason) == ("a x1 yes b", "Digraph execution is complete")


async def test_a_graph_may_be_a_node_of_a_graph():
    inner = GraphFlow(
        name="inner",
        participants=[agent(name, name) for name in "xyz"],
        graph=graph(
            {
                "x": [edge("z")],
                "y": [edge("z")],
                "z": [],
            }
        ),
    )
    edges: Edges = {"A": [edge("inner"), edge("B")], "inner": [edge("C")], "B": [edge("C")], "C": []}
    people: list[Participant] = [agent("A", "a"), inner, agent("B", "b"), agent("C", "c")]
    result = await GraphFlow(participants=people, graph=graph(edges)).run(task="go")
    assert sorted(spoken(result).split()) == ["a", "b", "c", "x", "y", "z"]
    assert said(result.messages)[-1] == ("C", "c")


async def test_a_filter_decides_what_a_node_hears():
    inner = agent("C", "c")
    heard = MessageFilterConfig(per_source=[PerSourceFilter(source="B", position="last", count=1)])
    people: list[Participant] = [
        agent("A", "a"),
        agent("B", "b"),
        MessageFilterAgent(name="C", wrapped_agent=inner, filter=heard),
    ]
    edges: Edges = {"A": [edge("B")], "B": [edge("C")], "C": []}
    await GraphFlow(participants=people, graph=graph(edges)).run(task="go")
    context = cast("JsonObject", (await inner.save_state())["llm_context"])
    assert [message["content"] for message in cast("list[JsonObject]", context["messages"])] == ["b", "c"]
