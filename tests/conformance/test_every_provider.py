"""Every component goes out as it came in, whatever its fields hold and whatever stands inside it."""

from __future__ import annotations

import json
from typing import Any, cast, get_args, get_origin

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.agents import UserProxyAgent
from studio.components import Component, JsonObject, component_classes, load_component, template, validate_component
from tests.code import generated

OURS = [cls for cls in component_classes() if cls.provider and cls.__module__.startswith("studio.")]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
HEALTH = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
SIMPLE = ("AssistantAgent", "ReplayChatCompletionClient", "RoundRobinGroupChat", "FunctionTool")
"""What stands inside others where anything fits."""


@st.composite
def documents(draw: st.DrawFn, cls: type[Component]) -> JsonObject:
    """A component with everything inside that it needs."""
    document = draw(generated.components(cls))
    config = cast("JsonObject", document["config"])
    needed = {name: field.annotation for name, field in cls.model_fields.items() if field.is_required()}
    parts = {name: draw(part(annotation)) for name, annotation in needed.items() if lacks(config, name, annotation)}
    return {**document, "config": {**config, **parts}}


def lacks(config: JsonObject, name: str, annotation: Any) -> bool:
    """Whether a field must still be filled: a slot as it comes from the palette is empty."""
    item: object = get_args(annotation)[0] if get_origin(annotation) is list else None
    is_slot = isinstance(item, type) and issubclass(item, Component)
    return name not in config or (is_slot and config[name] == [])


def part(annotation: Any) -> st.SearchStrategy[Any]:
    """What fits a field that must be filled."""
    if get_origin(annotation) is list:
        [item] = get_args(annotation)
        person = [st.just(template(UserProxyAgent))] if issubclass(UserProxyAgent, item) else []
        return st.tuples(part(item), *person).map(list)
    if not (isinstance(annotation, type) and issubclass(annotation, Component)):
        return generated.values(annotation)
    fitting = [cls for cls in OURS if issubclass(cls, annotation)]
    simple = [cls for cls in fitting if cls.__name__ in SIMPLE] or fitting
    return st.sampled_from(simple).flatmap(documents)


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
@settings(max_examples=3, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(st.data())
def test_what_was_loaded_is_dumped_and_loads_as_the_same(cls: type[Component], data: st.DataObject):
    document = data.draw(documents(cls))
    assume(not validate_component(document).errors)
    loaded = load_component(document)
    dumped = loaded.dump_component()
    assert json.loads(json.dumps(dumped)) == dumped
    again = load_component(dumped)
    assert fields(again) == fields(loaded)
    assert again.dump_component() == dumped


def fields(component: Component) -> JsonValue:
    """All fields with their values, whether or not a dump would tell them."""
    return without_nulls(component.model_dump(mode="json"))


def without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def test_a_null_that_means_something_else_than_the_default_is_kept():
    config: JsonObject = {"name": "ask", "host": "example.org", "port": 80, "json_schema": {"type": "object"}}
    tool: JsonObject = {"provider": "autogen_ext.tools.http.HttpTool", "config": {**config, "return_type": None}}
    dumped = cast("JsonObject", load_component(tool).dump_component()["config"])
    assert dumped["return_type"] is None
    assert "return_type" not in cast("JsonObject", without_nulls(dumped))
