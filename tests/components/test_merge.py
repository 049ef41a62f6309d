"""Two people's changes of one document, brought together."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject, diff, merge
from studio.components.comparison.matching import same
from tests.components.teams_at_random import (
    agent,
    config_of,
    edited,
    json_values,
    limit,
    members_of,
    names_in,
    team,
    teams,
    tool,
)

BASE = team(agent("writer"), agent("critic"))


@given(json_values, json_values)
def test_with_nothing_changed_on_one_side_the_other_side_is_the_merge(base: JsonValue, changed: JsonValue):
    for merged in (merge(base, changed, base), merge(base, base, changed), merge(base, changed, changed)):
        assert not merged.conflicts
        assert same(merged.value, changed)


@given(st.data(), teams)
def test_with_every_conflict_decided_for_one_side_that_side_loses_nothing(data: st.DataObject, base: JsonObject):
    mine, theirs = data.draw(edited(base)), data.draw(edited(base))
    told = merge(base, mine, theirs).conflicts
    merged = merge(base, mine, theirs, {conflict.id: "mine" for conflict in told})
    assert not merged.conflicts
    wanted = {name for name in names_in(mine) if name not in names_in(base)}
    assert wanted <= set(names_in(merged.value))
    renamed = set(names_in(base)) - set(names_in(theirs))  # or removed
    for member in members_of(mine):
        name = str(config_of(member)["name"])
        if member not in members_of(base) and names_in(mine).count(name) == 1 and name not in renamed:
            assert holds(merged.value, member, base)


def holds(merged: JsonValue, member: JsonObject, base: JsonObject) -> bool:
    """Whether the merge has this agent with the text and the tools that one side gave it."""
    name, config = str(config_of(member)["name"]), config_of(member)
    old = [config_of(each)["system_message"] for each in members_of(base) if config_of(each)["name"] == name]
    own = [config_of(each) for each in members_of(merged) if config_of(each)["name"] == name]
    text = config["system_message"]
    has_text = text in [*old, "You help."] or any(each["system_message"] == text for each in own)
    tools = cast("list[JsonObject]", config["tools"])
    kept = [each for each in own if all(one in cast("list[JsonObject]", each["tools"]) for one in tools)]
    return has_text and bool(kept)


@given(st.data(), teams)
def test_without_conflicts_what_both_added_and_changed_is_there(data: st.DataObject, base: JsonObject):
    mine, theirs = data.draw(edited(base)), data.draw(edited(base))
    merged = merge(base, mine, theirs)
    if merged.conflicts:
        return
    for side, other in ((mine, theirs), (theirs, mine)):
        for change in diff(base, side):
            if change.kind == "added" and change.where.count("/") == 3:
                name = str(config_of(cast("JsonObject", change.after))["name"])
                assert name in names_in(merged.value) or name not in names_in(other)
            if change.where.endswith("/max_messages"):
                condition = cast("JsonObject", config_of(cast("JsonObject", merged.value))["termination_condition"])
                assert config_of(condition)["max_messages"] == change.after


@given(st.data(), st.sampled_from(["", "Be brief."]), st.integers(1, 9))
def test_edits_of_different_places_may_come_in_either_order(data: st.DataObject, text: str, count: int):
    mine = team(agent("writer", system_message=text), agent("critic"))
    theirs = team(agent("writer"), agent("critic", tools=[tool(data.draw(st.sampled_from("pq")))]), max_turns=count)
    one, other = merge(BASE, mine, theirs), merge(BASE, theirs, mine)
    assert not one.conflicts
    assert same(one.value, other.value)
    assert same(one.value, team(agent("writer", system_message=text), members_of(theirs)[1], max_turns=count))


def test_agents_that_both_added_both_stay():
    merged = merge(
        BASE, team(*map(agent, ["writer", "critic", "mine"])), team(*map(agent, ["theirs", "writer", "critic"]))
    )
    assert not merged.conflicts
    assert names_in(merged.value) == ["theirs", "writer", "critic", "mine"]


def test_a_renamed_agent_takes_the_other_sides_edit():
    merged = merge(
        BASE, team(agent("author"), agent("critic")), team(agent("writer", description="W"), agent("critic"))
    )
    assert not merged.conflicts
    assert config_of(members_of(merged.value)[0])["name"] == "author"
    assert config_of(members_of(merged.value)[0])["description"] == "W"


def test_the_same_field_changed_differently_is_a_conflict_with_its_words():
    mine, theirs = (
        team(agent("writer", system_message="A"), agent("critic")),
        team(agent("writer", system_message="B"), agent("critic")),
    )
    [conflict] = merge(BASE, mine, theirs).conflicts
    assert conflict.label == "writer: system message"
    assert conflict.where == "/config/participants/0/config/system_message"
    assert (conflict.base, conflict.mine, conflict.theirs) == ("You help.", "A", "B")
    for side, value in (("mine", mine), ("theirs", theirs)):
        decided = merge(BASE, mine, theirs, {conflict.id: "mine" if side == "mine" else "theirs"})
        assert not decided.conflicts
        assert same(decided.value, value)


def test_what_one_removed_and_the_other_changed_is_a_conflict_and_stays_until_decided():
    mine, theirs = team(agent("writer")), team(agent("writer"), agent("critic", description="New"))
    merged = merge(BASE, mine, theirs)
    [conflict] = merged.conflicts
    assert conflict.label == "critic"
    assert "mine" not in conflict.as_json()
    assert names_in(merged.value) == ["writer", "critic"]
    assert names_in(merge(BASE, mine, theirs, {conflict.id: "mine"}).value) == ["writer"]


def test_two_orders_are_a_conflict():
    base, mine, theirs = team(*map(agent, "abc")), team(*map(agent, "bca")), team(*map(agent, "cba"))
    [conflict] = merge(base, mine, theirs).conflicts
    assert conflict.label == "participants order"
    assert conflict.mine == ["b", "c", "a"]
    assert names_in(merge(base, mine, theirs, {conflict.id: "mine"}).value) == ["b", "c", "a"]


def test_one_moves_and_the_other_edits():
    merged = merge(
        BASE, team(agent("critic"), agent("writer")), team(agent("writer"), agent("critic", description="D"))
    )
    assert not merged.conflicts
    assert names_in(merged.value) == ["critic", "writer"]
    assert config_of(members_of(merged.value)[0])["description"] == "D"


def test_the_same_name_added_twice_with_another_config_is_asked_about():
    mine, theirs = (
        team(agent("writer"), agent("critic"), agent("new", description="A")),
        team(agent("writer"), agent("critic"), agent("new", description="B")),
    )
    [conflict] = merge(BASE, mine, theirs).conflicts
    assert conflict.label == "new"
    assert "base" not in conflict.as_json()


def test_two_limits_are_a_conflict():
    mine, theirs = team(agent("a"), termination_condition=limit(5)), team(agent("a"), termination_condition=limit(6))
    [conflict] = merge(team(agent("a")), mine, theirs).conflicts
    assert conflict.label == "termination condition: max messages"


def test_what_both_added_where_nothing_was_both_stays():
    mine, theirs = team(agent("a"), model_info={"x": 1}, tags=["p"]), team(agent("a"), model_info={"y": 1}, tags=["q"])
    merged = merge(team(agent("a"), tags=None), mine, theirs)
    assert not merged.conflicts
    config = config_of(cast("JsonObject", merged.value))
    assert (config["model_info"], config["tags"]) == ({"y": 1, "x": 1}, ["q", "p"])


class Counted(str):
    """A key that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        type(self).compared += 1
        return str.__eq__(self, other)


def test_the_work_of_merging_grows_with_the_document_and_not_with_its_square():
    keys = [Counted(f"key {index}") for index in range(500)]
    base: JsonObject = dict.fromkeys(keys, 0)
    merged = merge(base, {"mine": 1, **base}, {**dict(reversed(base.items())), "theirs": 1})
    assert len(cast("JsonObject", merged.value)) == 502
    assert Counted.compared < 20 * len(keys)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("ab", "axb", "axb"),
        ("amb", "axb", "amxb"),
        ("mab", "xab", "mxab"),
        ("ba", "axb", "bax"),
        ("m", "xy", "mxy"),
        ("", "x", "x"),
    ],
)
def test_what_only_one_side_has_comes_after_what_it_follows_there(first: str, second: str, both: str):
    base: list[JsonValue] = [letter for letter in "ab" if letter in first]
    merged = merge(base, list(second), list(first))
    assert cast("list[str]", merged.value) == list(both)
