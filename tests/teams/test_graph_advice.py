"""What graphs and swarms tell their author before they are run, and where."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from studio.agents import AssistantAgent, Participant, UserProxyAgent
from studio.components import advice_kinds, load_packages, validate_component
from studio.conditions import HandoffTermination, MaxMessageTermination, TerminationCondition
from studio.errors import Finding
from studio.teams import DiGraph, DiGraphNode, GraphFlow, Swarm
from tests.teams.graphs import LOOP, Edges, edge
from tests.teams.scripted import agent

TEN = MaxMessageTermination(max_messages=10)


def flow(edges: Edges, start: str | None = None, members: str | None = None) -> GraphFlow:
    nodes = {name: DiGraphNode(name=name, edges=out) for name, out in edges.items()}
    graph = DiGraph(nodes=nodes, default_start_node=start)
    return GraphFlow(participants=[agent(name) for name in members or edges], graph=graph, termination_condition=TEN)


def swarm(handoffs: dict[str, list[str]], stop: TerminationCondition = TEN) -> Swarm:
    members: list[Participant] = [agent(name, handoffs=targets) for name, targets in handoffs.items()]
    return Swarm(participants=members, termination_condition=stop)


def advice(team: GraphFlow | Swarm) -> list[Finding]:
    """What is said about the structure; what any team may be told is left out."""
    load_packages()
    own = {
        *("edge_to_nobody", "not_in_graph", "node_without_agent", "no_start", "no_end", "never_reached"),
        *("never_ready", "no_way_out", "mixed_edges", "mixed_group"),
        *("handoff_to_nobody", "nobody_hands_over", "keeps_the_word"),
    }
    assert own <= set(advice_kinds)
    return [each for each in validate_component(team.dump_component()).warnings if each.code in own]


NODES = "/config/graph/nodes"

GRAPHS: list[tuple[str, GraphFlow, list[tuple[str, str]]]] = [
    ("fine", flow({"A": [edge("B")], "B": []}), []),
    (
        "edge_to_nobody",
        flow({"A": [edge("B"), edge("X")], "B": []}),
        [("edge_to_nobody", f"{NODES}/A/edges/1")],
    ),
    (
        "start_is_nobody",
        flow({"A": [edge("B")], "B": []}, start="X"),
        [("edge_to_nobody", "/config/graph/default_start_node")],
    ),
    ("not_in_graph", flow({"A": [edge("B")], "B": []}, members="ABC"), [("not_in_graph", "/config/participants/2")]),
    ("node_without_agent", flow({"A": [edge("B")], "B": []}, members="A"), [("node_without_agent", f"{NODES}/B")]),
    (
        "no_start",
        flow({"A": [edge("B")], "B": [edge("A", "x"), edge("C", "y")], "C": []}),
        [("no_start", "/config/graph")],
    ),
    (
        "no_end",
        flow({"A": [edge("B")], "B": [edge("B", "x")]}, start="A"),
        [("no_end", "/config/graph"), ("never_ready", f"{NODES}/B/edges/0")],
    ),
    ("never_reached", flow({"A": [edge("B")], "B": [], "C": []}, start="A"), [("never_reached", f"{NODES}/C")]),
    ("deadlock", flow(LOOP), [("never_ready", f"{NODES}/C/edges/0")]),
    (
        "no_way_out",
        flow({"A": [edge("B")], "B": [edge("A", group="again", activation_condition="any")], "C": []}, start="A"),
        [("never_reached", f"{NODES}/C"), ("no_way_out", f"{NODES}/B/edges/0")],
    ),
    (
        "mixed_edges",
        flow({"A": [edge("B", "x"), edge("C")], "B": [], "C": []}),
        [("mixed_edges", f"{NODES}/A/edges/1")],
    ),
    (
        "mixed_group",
        flow({"A": [edge("C", activation_condition="any")], "B": [edge("C")], "C": []}),
        [("mixed_group", f"{NODES}/B/edges/0")],
    ),
]


@pytest.mark.parametrize(("team", "expected"), [each[1:] for each in GRAPHS], ids=[each[0] for each in GRAPHS])
def test_a_graph_tells_where_it_cannot_go_on(team: GraphFlow, expected: list[tuple[str, str]]) -> None:
    assert [(each.code, each.where) for each in advice(team)] == expected


def test_an_edge_that_was_kept_is_named_by_its_place_among_all_edges() -> None:
    team = flow({"A": [edge("X"), edge("B")], "B": [edge("C", "x")], "C": [edge("B", "y"), edge("D", "z")], "D": []})
    where = [each.where for each in advice(team)]
    assert where == [f"{NODES}/A/edges/0", f"{NODES}/C/edges/0"]


def test_names_with_slashes_are_escaped_in_pointers() -> None:
    team = flow({"A": [edge("B")], "B": [], "a/b": [edge("nobody")]}, members="AB")
    assert [each.where for each in advice(team) if each.code == "edge_to_nobody"] == [f"{NODES}/a~1b/edges/0"]


@pytest.mark.parametrize(
    ("team", "code"),
    [
        (flow({"A": [edge("B")], "B": []}, members="ABC"), "not_in_graph"),
        (flow({"Aa": [edge("Bb")], "Bbb": []}, start="Aa"), "edge_to_nobody"),
        (flow(LOOP), "never_ready"),
        (flow({"A": [edge("C", activation_condition="any")], "B": [edge("C")], "C": []}), "mixed_group"),
        (flow({"A": [edge("B")], "B": [edge("A", "x"), edge("C", "y")], "C": []}), "no_start"),
    ],
)
def test_a_remedy_that_is_offered_removes_what_it_is_for(team: GraphFlow, code: str) -> None:
    document = team.dump_component()
    finding = next(each for each in validate_component(document).warnings if each.code == code)
    place, _, key = finding.fixes[0].pointer.rpartition("/")
    here: Any = document
    for step in place.split("/")[1:]:
        here = here[int(step) if step.isdecimal() else step]
    here[key] = finding.fixes[0].value
    assert code not in {each.code for each in validate_component(document).warnings}


def test_what_a_graph_refuses_to_run_is_told_before() -> None:
    for _, team, expected in GRAPHS:
        told = {code for code, _ in expected}
        try:
            team.graph.graph_validate()
        except ValueError:
            assert told, "it is refused without a word"


def test_a_swarm_tells_of_handoffs_to_nobody() -> None:
    found = advice(swarm({"a": ["b", "user"], "b": ["a", "c"]}))
    assert [(each.code, each.where) for each in found] == [
        ("handoff_to_nobody", "/config/participants/0/config/handoffs/1"),
        ("handoff_to_nobody", "/config/participants/1/config/handoffs/1"),
    ]


def test_a_handoff_at_which_a_swarm_stops_is_none_to_nobody() -> None:
    stop = HandoffTermination(target="user") | TEN
    assert advice(swarm({"a": ["b", "user"], "b": ["a"]}, stop)) == []


def test_a_swarm_tells_who_never_gets_the_word_and_who_keeps_it() -> None:
    found = advice(swarm({"a": ["b"], "b": [], "c": ["a"]}))
    assert [(each.code, each.where) for each in found] == [
        ("keeps_the_word", "/config/participants/1"),
        ("nobody_hands_over", "/config/participants/2"),
    ]


def test_a_person_hands_back_to_whoever_handed_over() -> None:
    members: list[Participant] = [
        agent("a", handoffs=["user_proxy", "b"]),
        UserProxyAgent("user_proxy"),
        agent("b", handoffs=["a"]),
    ]
    assert advice(Swarm(participants=members, termination_condition=TEN)) == []


def test_an_agent_alone_may_keep_the_word() -> None:
    alone = AssistantAgent("a", agent("x").model_client, handoffs=["user"])
    stop = HandoffTermination(target="user")
    assert advice(Swarm(participants=[alone], termination_condition=stop)) == []


def test_a_node_whose_name_is_not_its_key_does_not_silence_the_rest():
    nodes = {"a": DiGraphNode(name="writer", edges=[edge("b"), edge("b", activation_condition="any"), edge("x")])}
    graph = DiGraph(nodes={**nodes, "b": DiGraphNode(name="b", edges=[])})
    told = advice(GraphFlow(participants=[agent("a"), agent("b")], graph=graph, termination_condition=TEN))
    assert [(each.code, each.where) for each in told] == [
        ("edge_to_nobody", "/config/graph/nodes/a/edges/2"),
        ("mixed_group", "/config/graph/nodes/a/edges/1"),
    ]


@pytest.mark.slow
def test_who_can_speak_at_the_end_of_a_long_way_is_found_in_one_go():
    """From the last node to the first, which is the worst order to look at them in."""
    names = [f"n{index}" for index in range(10_000)]
    nodes = {name: DiGraphNode(name=name, edges=[edge(before)]) for before, name in itertools.pairwise(names)}
    graph = DiGraph(nodes={"n0": DiGraphNode(name="n0"), **nodes}, default_start_node=names[-1])
    assert list(graph.deadlocks()) == []
