"""Exported scripts build what they were made from, read well, and run."""

from __future__ import annotations

import ast
import os
import runpy
import tempfile
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.code import export_python
from studio.components import Component, JsonObject, load_component
from studio.galleries import parse_gallery, shipped_galleries
from tests.code import envelopes

SHIPPED = [entry for file in shipped_galleries() for entry in parse_gallery(file.read_bytes()).entries]
AUTOGEN_FILES = Path(os.environ.get("AUTOGEN_FILES") or Path(__file__).parents[3] / "shared" / "autogen" / "files")


def rebuilt(code: str) -> Component:
    """Execute a script, not as a program, and call its builder."""
    ast.parse(code)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "exported.py"
        file.write_text(code, encoding="utf-8")
        names = runpy.run_path(str(file), run_name="exported")
        builder = next(value for name, value in names.items() if name.startswith("build_"))
        return cast("Component", builder())


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(envelopes.teams)
def test_an_exported_team_builds_the_same_json(team: JsonObject):
    component = load_component(team)
    code = export_python(component)
    assert rebuilt(code).dump_component() == component.dump_component()


@settings(deadline=None)
@given(st.one_of(envelopes.conditions, envelopes.models, envelopes.functions, envelopes.workbenches))
def test_an_exported_part_builds_the_same_json(part: JsonObject):
    component = load_component(part)
    assert rebuilt(export_python(component)).dump_component() == component.dump_component()


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: f"{entry.group}-{entry.label}")
def test_every_shipped_component_can_be_exported(entry: object):
    component = load_component(cast("JsonObject", getattr(entry, "component")))  # noqa: B009
    assert rebuilt(export_python(component)).dump_component() == component.dump_component()
