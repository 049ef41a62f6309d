"""Export, read, export: the component is the same, and so is the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from studio.code import export_python, parse_python
from studio.components import Component, JsonObject, component_classes, load_component, validate_component
from studio.galleries import Entry, parse_gallery
from studio.services.builtin_galleries import builtin_galleries
from tests.code import envelopes, generated
from tests.conformance.facts import example_files, published_files

SHIPPED = [entry for each in builtin_galleries() for entry in each.gallery.entries]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
HEALTH = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
OURS = [cls for cls in component_classes() if cls.__module__.startswith("studio.")]
NOT_KEPT = {"lost_comment", "lost_note", "unused_variable"}


def assert_same(document: JsonObject) -> None:
    component = load_component(document)
    code = export_python(component)
    reading = parse_python(code)
    again = load_component(reading.component)
    assert again.dump_component() == component.dump_component()
    assert export_python(again) == code
    assert not reading.errors
    assert not NOT_KEPT & {finding.code for finding in reading.findings}


def assert_each_same(text: bytes) -> int:
    """Check all of a file that can be exported, and tell how many that were."""
    reports = [(each.entry.component, each.status) for each in parse_gallery(text).check().entries]
    known = [component for component, status in reports if status == "loaded"]
    for component in known:
        assert_same(component)
    return len(known)


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: f"{entry.group}-{entry.label}")
def test_every_shipped_component_is_read_back(entry: Entry):
    assert_same(entry.component)
    component = load_component(entry.component)
    assert parse_python(export_python(component)).component == component.dump_component()


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.stem)
def test_what_autogen_dumped_is_read_back(path: Path):
    document = json.loads(path.read_text())
    if validate_component(document).is_runnable:
        assert_same(document)


@pytest.mark.slow
@pytest.mark.parametrize("path", published_files(), ids=lambda path: path.stem)
def test_what_autogen_published_is_read_back(path: Path):
    assert assert_each_same(path.read_bytes()) or "default" not in path.name


def test_what_a_dump_leaves_out_is_read_back():
    provider = "autogen_ext.memory.chromadb.ChromaDBVectorMemory"
    embedding: JsonObject = {"function_type": "custom", "params": {"a": None, "b": []}}
    code = export_python(load_component({"provider": provider, "config": {"embedding_function_config": embedding}}))
    config = cast("JsonObject", parse_python(code).component["config"])
    assert config["embedding_function_config"] == embedding


@pytest.mark.slow
@pytest.mark.timeout(120)
@settings(max_examples=40, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(envelopes.teams)
def test_any_team_is_read_back(team: JsonObject):
    assert_same(team)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(st.one_of(envelopes.conditions, envelopes.models, envelopes.functions, envelopes.workbenches))
def test_any_part_is_read_back(part: JsonObject):
    assert_same(part)


@pytest.mark.slow
@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
@settings(max_examples=15, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(data=st.data())
def test_a_component_of_any_class_is_read_back(cls: type[Component], data: st.DataObject):
    document = data.draw(generated.components(cls))
    if validate_component(document).is_runnable:
        assert_same(document)
