"""Graphs: which can be run, and what is said about the others."""

from __future__ import annotations

import pytest

from studio.components import load_component, validate_component
from studio.messages import BaseChatMessage, TextMessage
from studio.teams import DiGraphBuilder, DiGraphEdge, GraphFlow, InvalidGraph
from tests.teams.graphs import LOOP, Edges, edge, graph
from tests.teams.scripted import agent

"""B waits for both A and C, and C for B."""

REFUSED: list[tuple[str, Edges, str | None, str]] = [
    ("no_nodes", {}, None, r"Graph has no nodes\."),
    ("no_start", {"A": [edge("A", "x")]}, None, "Graph must have at least one start node"),
    ("no_leaf", {"A": [edge("B", "x")], "B": [edge("B", "y")]}, None, "Graph must have at least one leaf node"),
    (
        "mixed",
        {"A": [edge("B", "x"), edge("C")], "B": [], "C": []},
        None,
        r"Node 'A' has a mix of conditional and unconditional edges\.",
    ),
    (
        "conflict",
        {"A": [edge("C", activation_condition="any")], "B": [edge("C")], "C": []},
        None,
        r"Conflicting activation conditions for target 'C' group 'C': "
        r"'any' \(from node 'A'\) and 'all' \(from node 'B'\)",
    ),
    (
        "endless",
        {"A": [edge("B")], "B": [edge("C")], "C": [edge("A")], "D": []},
        "A",
        "Cycle detected without exit condition: A -> B -> C -> A",
    ),
    ("unknown", {"A": [edge("Z")]}, None, "Node 'A' has an edge to 'Z', which is not a node of the graph"),
    (
        "deadlock",
        LOOP,
        None,
        "Node 'B' can never run: its activation group 'B' also waits for 'C', which only runs after 'B'",
    ),
]


@pytest.mark.parametrize(
    ("edges", "start", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_graph_that_cannot_be_run_is_refused(edges: Edges, start: str | None, message: str):
    with pytest.raises(InvalidGraph, match=message):
        graph(edges, start).graph_validate()


def test_the_refusal_of_a_loop_in_the_group_of_the_entry_names_the_remedy():
    with pytest.raises(InvalidGraph) as caught:
        graph(LOOP).graph_validate()
    assert caught.value.fix == (
        "Give the edge from 'C' to 'B' an `activation_group` of its own, "
        "or set `activation_condition` to 'any' on all edges of the group 'B'."
    )


@pytest.mark.parametrize(
    "edges",
    [
        {**LOOP, "C": [edge("B", group="back")]},
        {**LOOP, "A": [edge("B", activation_condition="any")], "C": [edge("B", activation_condition="any")]},
        {"A": [edge("B")], "B": [edge("B", "again", group="loop"), edge("C", "done")], "C": []},
        {"A": [edge("B"), edge("C")], "B": [edge("D")], "C": [edge("D")], "D": [], "Apart": []},
    ],
    ids=["own_group", "any", "self_loop", "join_and_island"],
)
def test_a_graph_that_can_be_run_is_accepted(edges: Edges):
    graph(edges).graph_validate()


def test_a_loop_back_to_the_start_node_is_accepted():
    graph({"A": [edge("B")], "B": [edge("A", "again"), edge("C", "done")], "C": []}, start="A").graph_validate()


def test_start_nodes_come_in_the_order_of_definition_and_as_sets_like_leaf_nodes():
    islands = graph({name: [edge("end")] for name in "dacb"} | {"end": []})
    assert islands.ordered_start_nodes() == ["d", "a", "c", "b"]
    starts, leaves = islands.get_start_nodes(), islands.get_leaf_nodes()
    assert (type(starts), starts, type(leaves), leaves) == (set, {"a", "b", "c", "d"}, set, {"end"})


def test_a_long_chain_is_no_matter():
    chain = {f"n{index}": [edge(f"n{index + 1}")] for index in range(3_000)} | {"n3000": []}
    graph(chain).graph_validate()


def test_a_condition_may_be_a_function_that_has_no_json():
    def is_short(message: BaseChatMessage) -> bool:
        return len(message.to_text()) < 3

    short = DiGraphEdge.model_validate({"target": "B", "condition": is_short})
    assert short.check_condition(TextMessage(content="no", source="A"))
    assert not short.check_condition(TextMessage(content="maybe", source="A"))
    assert short.model_dump() == {
        "target": "B",
        "condition": None,
        "activation_group": "B",
        "activation_condition": "all",
    }


def test_a_builder_gives_a_checked_graph_and_its_participants():
    a, b, c = agent("a"), agent("b"), agent("c")
    builder = DiGraphBuilder().add_node(a).add_node(b).add_node(c)
    built = builder.add_edge(a, b, condition="x").add_edge("a", "c", condition="y").set_entry_point(a).build()
    assert [edge.target for edge in built.nodes["a"].edges] == ["b", "c"]
    assert (built.default_start_node, builder.get_participants()) == ("a", [a, b, c])


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [("z", "a", "Source node 'z' must be added"), ("a", "z", "Target node 'z' must be added")],
)
def test_a_builder_refuses_edges_of_unknown_nodes(source: str, target: str, message: str):
    with pytest.raises(ValueError, match=message):
        DiGraphBuilder().add_node(agent("a")).add_edge(source, target)


def test_a_builder_refuses_an_unknown_start():
    with pytest.raises(ValueError, match="Start node 'z' must be added before setting as entry point"):
        DiGraphBuilder().set_entry_point("z")


def test_a_graph_under_construction_loads_and_the_check_says_what_is_wrong():
    team = GraphFlow(participants=[agent(name) for name in "ABCE"], graph=graph(LOOP))
    document = team.dump_component()
    assert load_component(document, GraphFlow) == team
    report = validate_component(document)
    assert report.ok
    assert [(each.where, each.message[:16]) for each in report.warnings if each.where.startswith("/config/graph")] == [
        ("/config/graph/nodes/C/edges/0", "`B` never speaks")
    ]
