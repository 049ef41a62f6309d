"""Random teams and random edits of them, for the tests of what compares and merges."""

from __future__ import annotations

import copy
from typing import cast

from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject

NAMES = ["writer", "critic", "editor", "judge", "planner", "tester"]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab \n", max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcn"), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON: what holds for it holds for every component."""


def agent(name: str, **config: JsonValue) -> JsonObject:
    model: JsonObject = {"provider": "x.Model", "component_type": "model", "config": {"model": "m", "temperature": 0.2}}
    filled: JsonObject = {"name": name, "model_client": model, "system_message": "You help.", "tools": [], **config}
    return {"provider": "x.Agent", "component_type": "agent", "config": filled}


def tool(name: str) -> JsonObject:
    return {"provider": "x.Tool", "component_type": "tool", "config": {"name": name}}


def limit(count: int) -> JsonObject:
    config: JsonObject = {"max_messages": count}
    return {"provider": "x.MaxMessageTermination", "component_type": "termination", "config": config}


def team(*members: JsonObject, **config: JsonValue) -> JsonObject:
    filled: JsonObject = {"participants": [*members], "termination_condition": limit(4), **config}
    return {"provider": "x.RoundRobin", "component_type": "team", "label": "Pair", "config": filled}


def members_of(component: JsonValue) -> list[JsonObject]:
    config = cast("JsonObject", cast("JsonObject", component)["config"])
    return cast("list[JsonObject]", config["participants"])


def names_in(component: JsonValue) -> list[str]:
    return [str(config_of(member)["name"]) for member in members_of(component)]


def config_of(component: JsonObject) -> JsonObject:
    return cast("JsonObject", component["config"])


teams = st.lists(st.sampled_from(NAMES), min_size=1, unique=True).map(lambda names: team(*map(agent, names)))


@st.composite
def edited(draw: st.DrawFn, base: JsonObject) -> JsonObject:
    """The team after a few edits of one person: add, remove, move, change a field, give a tool."""
    changed = copy.deepcopy(base)
    members = members_of(changed)
    for kind in draw(st.lists(st.sampled_from(["add", "remove", "move", "field", "tool", "limit"]), max_size=5)):
        index = draw(st.integers(0, len(members) - 1)) if members else 0
        if kind == "add":
            members.insert(index, agent(draw(st.sampled_from(["new", "newer", *NAMES]))))
        elif kind == "limit":
            config_of(changed)["termination_condition"] = limit(draw(st.integers(1, 3)))
        elif not members:
            continue
        elif kind == "remove":
            members.pop(index)
        elif kind == "move":
            members.insert(draw(st.integers(0, len(members) - 1)), members.pop(index))
        elif kind == "field":
            config_of(members[index])["system_message"] = draw(st.sampled_from(["Be brief.", "Be kind.", ""]))
        else:
            cast("list[JsonObject]", config_of(members[index])["tools"]).append(tool(draw(st.sampled_from("pqr"))))
    return changed
