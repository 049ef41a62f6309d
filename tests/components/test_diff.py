"""What changed between two documents, as a person reads it."""

from __future__ import annotations

import copy
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject, diff, summary
from studio.components.comparison.matching import same
from tests.components.teams_at_random import agent, config_of, edited, json_values, limit, members_of, team, teams, tool


def sentences(before: JsonValue, after: JsonValue) -> list[str]:
    return [change.sentence for change in diff(before, after)]


def test_a_field_deep_inside_reads_as_a_sentence():
    before, after = team(agent("critic")), team(agent("critic"))
    model = cast("JsonObject", config_of(members_of(after)[0])["model_client"])
    config_of(model)["temperature"] = 0.7
    [change] = diff(before, after)
    assert change.sentence == "critic’s model client: temperature 0.2 → 0.7"
    assert change.where == "/config/participants/0/config/model_client/config/temperature"
    assert change.words == ("critic", "model client", "temperature")
    assert (change.before, change.after) == (0.2, 0.7)


def test_an_agent_put_in_front_is_one_change():
    after = team(agent("first"), agent("writer", tools=[tool("search")]), agent("critic"))
    before = team(agent("writer", tools=[tool("search")]), agent("critic"))
    assert sentences(before, after) == ["agent first added"]
    assert sentences(after, before) == ["agent first removed"]


def test_another_order_is_told_as_a_move():
    before, after = team(*map(agent, "abcd")), team(*map(agent, "dabc"))
    [change] = diff(before, after)
    assert (change.kind, change.sentence) == ("moved", "agent d moved from place 4 to 1")
    assert (change.where_before, change.where) == ("/config/participants/3", "/config/participants/0")


def test_another_name_is_told_as_a_renaming_and_other_changes_apart():
    before, after = team(agent("critic"), agent("writer")), team(agent("judge", tools=[tool("x")]), agent("writer"))
    assert sentences(before, after) == ["critic renamed to judge", "judge: tool x added"]


def test_a_tool_given_to_another_agent_was_moved():
    before = team(agent("a", tools=[tool("search")]), agent("b"))
    after = team(agent("a"), agent("b", tools=[tool("search")]))
    assert sentences(before, after) == ["tool search moved from a to b"]


def test_a_long_text_is_told_to_be_shown_by_line():
    before, after = team(agent("a", system_message="One.\nTwo.")), team(agent("a", system_message="One.\nThree."))
    [change] = diff(before, after)
    assert change.has_long_text
    assert change.sentence == "a: system message changed"


def test_a_long_text_that_is_gone_was_not_written():
    before = team(agent("a", system_message="One.\nTwo."))
    for now in (None, ""):
        assert sentences(before, team(agent("a", system_message=now))) == ["a: system message cleared"]
    assert sentences(team(agent("a", system_message="")), before) == ["a: system message added"]


@pytest.mark.slow
def test_of_very_many_new_names_the_work_does_not_grow_with_the_square():
    """Each pair of 2,000 agents compared would take minutes; those that stand in the same place still are one."""
    before, after = (team(*(agent(f"{word}{index}") for index in range(2_000))) for word in ("old", "new"))
    assert sentences(before, after)[:2] == ["old0 renamed to new0", "old1 renamed to new1"]


def test_another_type_of_component_is_one_change():
    before, after = team(agent("a")), team(agent("a"))
    other: JsonObject = {"provider": "x.OtherModel", "component_type": "model", "config": {"model": "n"}}
    config_of(members_of(after)[0])["model_client"] = other
    assert sentences(before, after) == ["a: model client m → n"]


def test_conditions_without_names_are_told_apart_by_type():
    def stop(*conditions: JsonObject) -> JsonObject:
        return {"provider": "x.Or", "component_type": "termination", "config": {"conditions": [*conditions]}}

    text: JsonObject = {
        "provider": "x.TextMentionTermination",
        "component_type": "termination",
        "config": {"text": "A"},
    }
    changed = copy.deepcopy(text)
    config_of(changed)["text"] = "B"
    found = sentences(
        team(termination_condition=stop(limit(4), text)), team(termination_condition=stop(changed, limit(5)))
    )
    assert "termination condition’s max message: max messages 4 → 5" in found
    assert "termination condition’s text mention: text A → B" in found


def test_what_is_equal_to_python_only_is_a_change():
    assert sentences({"a": 1, "b": True, "c": 0}, {"a": 1.0, "b": 1, "c": 0}) == ["a 1 → 1.0", "b on → 1"]


def test_a_summary_counts_what_it_leaves_out():
    changes = diff({"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 2, "c": 2})
    assert summary(changes, most=2) == "a 1 → 2; b 1 → 2, and 1 more"
    assert summary([]) == ""


@given(json_values, json_values)
def test_documents_have_changes_exactly_when_they_differ(one: JsonValue, other: JsonValue):
    assert diff(one, one) == []
    assert bool(diff(one, other)) == (not same(one, other))


@given(st.data(), teams)
def test_every_place_that_is_told_exists(data: st.DataObject, before: JsonObject):
    after = data.draw(edited(before))
    for change in diff(before, after):
        assert change.kind == "added" or exists(before, change.where_before)
        assert change.kind == "removed" or exists(after, change.where)
        assert change.sentence


def exists(document: JsonValue, pointer: str) -> bool:
    here = document
    for step in pointer.split("/")[1:]:
        if isinstance(here, list) and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return False
    return True


def graph_of(*names: str, **targets: str) -> JsonObject:
    nodes: JsonObject = {
        name: {"name": name, "edges": [{"target": targets[name]}] if name in targets else []} for name in names
    }
    whole = team(*(agent(name) for name in names))
    config_of(whole)["graph"] = {"nodes": nodes}
    return whole


def test_who_joins_and_leaves_a_graph_is_told_by_name():
    assert sentences(graph_of("writer"), graph_of("writer", "critic")) == [
        "agent critic added",
        "critic joined the graph",
    ]
    assert "critic left the graph" in sentences(graph_of("writer", "critic"), graph_of("writer"))


def test_an_edge_is_told_by_its_ends():
    before, after = graph_of("writer", "critic"), graph_of("writer", "critic", writer="critic")
    assert sentences(before, after) == ["edge writer → critic added"]
