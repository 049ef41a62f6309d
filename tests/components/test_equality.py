"""Two components are equal when they are the same class and say the same, whatever either has done so far."""

from __future__ import annotations

import copy
import pickle
from typing import Any, cast

import pytest
from pydantic import JsonValue, ValidationError

from studio.components import Component, JsonObject, catalogue, find_class, load_component, load_packages
from studio.conditions import MaxMessageTermination
from studio.messages import TextMessage

load_packages()
PALETTE = [entry for entry in catalogue() if find_class(str(entry["provider"])).__module__.startswith("studio.")]
MODEL: JsonObject = {
    "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
    "config": {"model": "gpt-4o"},
}
PERSON: JsonObject = {"provider": "autogen_agentchat.agents.UserProxyAgent", "config": {"name": "a"}}
LIMIT: JsonObject = {
    "provider": "autogen_agentchat.conditions.MaxMessageTermination",
    "config": {"max_messages": 3},
}
FIRST_CHOICE = {"model": MODEL, "agent": PERSON, "termination": LIMIT}
GRAPH: JsonObject = {"nodes": {"a": {"name": "a", "edges": []}}}


def complete(entry: JsonObject) -> JsonObject:
    """A new component from the palette, with something in each place that must not stay empty."""
    document = copy.deepcopy(cast("JsonObject", entry["template"]))
    config = cast("JsonObject", document["config"])
    for slot in cast("list[JsonObject]", entry["slots"]):
        if slot["required"]:
            part = fitting(cast("list[str]", slot["accepts"]))
            config[str(slot["field"])] = list[JsonValue](several(part)) if slot["many"] else part
    return (
        {**document, "config": {**config, "graph": GRAPH, "participants": [PERSON]}} if "graph" in config else document
    )


def fitting(kinds: list[str]) -> JsonObject:
    chosen = next((FIRST_CHOICE[kind] for kind in kinds if kind in FIRST_CHOICE), None)
    return chosen or complete(next(entry for entry in PALETTE if entry["component_type"] in kinds))


def several(part: JsonObject) -> list[JsonObject]:
    config = cast("JsonObject", part["config"])
    return [part, {**part, "config": {**config, "name": "b"}} if "name" in config else part]


@pytest.mark.parametrize("entry", PALETTE, ids=[str(entry["label"]) for entry in PALETTE])
def test_loading_the_same_twice_gives_equal_components(entry: JsonObject):
    document = complete(entry)
    first = load_component(document)
    assert first == load_component(document)
    assert first != load_component({**document, "label": "Another"})


async def test_what_a_component_did_does_not_count():
    used, new = (MaxMessageTermination(max_messages=3) for _ in range(2))
    await used([TextMessage(content="One.", source="a")])
    assert used == new
    assert used != MaxMessageTermination(max_messages=4)


async def test_copies_have_a_run_time_state_of_their_own():
    used = MaxMessageTermination(max_messages=2).annotate(label="Mine")
    await used([TextMessage(content="One.", source="a")])
    copies = [copy.copy(used), copy.deepcopy(used), used.model_copy(), pickle.loads(pickle.dumps(used))]
    for copied in copies:
        assert copied == used
        assert await copied([TextMessage(content="Two.", source="a")]) is not None
        await copied.reset()
    assert not used.terminated
    assert await used([TextMessage(content="Two.", source="a")]) is not None


def test_what_is_no_attribute_is_told_as_of_any_object():
    made = MaxMessageTermination(max_messages=2)
    with pytest.raises(AttributeError, match="no attribute '_nothing'"):
        _ = cast("Any", made)._nothing
    with pytest.raises(ValidationError, match="frozen"):
        cast("Any", made).max_messages = 3


def test_an_unknown_component_equals_its_copy_only():
    document: JsonObject = {"provider": "elsewhere.Thing", "config": {"size": 1}}
    assert load_component(document) == load_component(copy.deepcopy(document))
    assert load_component(document) != load_component({**document, "config": {"size": 2}})
    assert load_component(document) != cast("Component | str", "elsewhere.Thing")
