"""Exported scripts build what they were made from, read well, and run."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from studio.code import export_python
from studio.components import Component, JsonObject, load_component
from studio.errors import ConfigError
from studio.galleries import Entry, parse_gallery
from studio.services.builtin_galleries import builtin_galleries
from tests.code import envelopes
from tests.code.duet import SCRIPT, TEAM

SHIPPED = [entry for each in builtin_galleries() for entry in each.gallery.entries]
AUTOGEN = Path(__file__).parents[3] / "shared" / "autogen"
AUTOGEN_FILES = Path(os.environ.get("AUTOGEN_FILES") or AUTOGEN / "files")
AUTOGEN_EXAMPLES = Path(os.environ.get("AUTOGEN_EXAMPLES") or AUTOGEN / "examples")
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
HEALTH = (HealthCheck.too_slow, HealthCheck.data_too_large)


def rebuilt(code: str) -> Component:
    """Execute a script, not as a program, and call its builder."""
    ast.parse(code)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "exported.py"
        file.write_text(code, encoding="utf-8")
        names = runpy.run_path(str(file), run_name="exported")
        builder = next(value for name, value in names.items() if name.startswith("build_"))
        return cast("Component", builder())


def assert_rebuilt(component: Component) -> None:
    assert rebuilt(export_python(component)).dump_component() == component.dump_component()


@pytest.mark.slow
@pytest.mark.timeout(120)
@settings(max_examples=40, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(envelopes.teams)
def test_an_exported_team_builds_the_same_json(team: JsonObject):
    assert_rebuilt(load_component(team))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=HEALTH)
@given(st.one_of(envelopes.conditions, envelopes.models, envelopes.functions, envelopes.workbenches))
def test_an_exported_part_builds_the_same_json(part: JsonObject):
    assert_rebuilt(load_component(part))


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: f"{entry.group}-{entry.label}")
def test_every_shipped_component_can_be_exported(entry: Entry):
    assert_rebuilt(load_component(entry.component))


@pytest.mark.skipif(not AUTOGEN_FILES.is_dir(), reason="the published AutoGen files are not on this machine")
@pytest.mark.parametrize("file", sorted(AUTOGEN_FILES.glob("*default*.json")), ids=lambda file: file.stem)
def test_what_autogen_published_is_exported_unless_a_part_is_opaque(file: Path):
    exported = 0
    for found in parse_gallery(file.read_bytes()).check().entries:
        component = load_component(found.entry.component)
        if found.status == "loaded":
            assert_rebuilt(component)
            exported += 1
        else:
            with pytest.raises(ConfigError, match="not installed"):
                export_python(component)
    assert exported


@pytest.mark.skipif(not AUTOGEN_EXAMPLES.is_dir(), reason="AutoGen's examples are not on this machine")
@pytest.mark.parametrize("file", sorted(AUTOGEN_EXAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_what_autogen_dumped_is_exported_unless_a_part_is_opaque(file: Path):
    (found,) = parse_gallery(file.read_bytes()).check().entries
    component = load_component(found.entry.component)
    if found.status == "loaded":
        assert_rebuilt(component)
    else:
        with pytest.raises(ConfigError, match="not installed"):
            export_python(component)


def test_a_script_reads_as_a_person_would_write_it():
    assert export_python(load_component(TEAM)) == SCRIPT


@pytest.mark.parametrize("entry", [entry for entry in SHIPPED if entry.group == "teams"], ids=lambda entry: entry.label)
def test_a_formatter_and_a_linter_have_nothing_to_say(entry: Entry):
    code = export_python(load_component(entry.component))
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--line-length", "100", "-"]
    formatted = subprocess.run([*ruff, "format", *options], input=code, capture_output=True, text=True, check=True)
    assert formatted.stdout == code
    rules = ["--select", "F,I,B,UP,N,PT"]
    subprocess.run([*ruff, "check", *rules, *options], input=code, capture_output=True, text=True, check=True)


def test_a_key_in_the_open_never_reaches_the_script():
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o-mini", "api_key": "sk-very-secret"},
    }
    code = export_python(load_component(model))
    assert "sk-very-secret" not in code
    assert 'env("OPENAI_API_KEY")' in code


def test_an_opaque_part_is_refused_with_its_place():
    team = cast("JsonObject", {**TEAM, "config": {"participants": [{"provider": "os.system", "config": {}}]}})
    with pytest.raises(ConfigError, match="'system'") as caught:
        export_python(load_component(team))
    assert caught.value.where == "/config/participants/0"


@pytest.mark.parametrize("source", envelopes.ODD_SOURCES)
def test_source_that_a_plain_def_would_change_or_run_stays_text(source: str):
    name = source.partition("def ")[2].partition("(")[0]
    tool: JsonObject = {
        "provider": "autogen_core.tools.FunctionTool",
        "config": {"name": name, "description": "d", "source_code": source, "global_imports": []},
    }
    tree = ast.parse(export_python(load_component(tool)))
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert defined == ["build_component"]


@pytest.mark.slow
def test_a_script_that_lacks_a_secret_says_so_in_one_sentence(tmp_path: Path):
    script = tmp_path / "duet.py"
    script.write_text(SCRIPT, encoding="utf-8")
    lacking = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    done = subprocess.run(
        [sys.executable, str(script), "Speak."], capture_output=True, text=True, cwd=tmp_path, env=lacking
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The secret 'env:OPENAI_API_KEY' has no value. ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_an_exported_script_runs_and_prints_the_run(tmp_path: Path):
    entry = next(entry for entry in SHIPPED if entry.label == "Stargazing night")
    script = tmp_path / "stargazing.py"
    code = export_python(load_component(entry.component))
    script.write_text(code.replace("delay_s=0.04", "delay_s=0.0"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, "Plan", "a night"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Plan a night" in done.stdout
    assert "walking_time -> 2 h 00 min" in done.stdout
    assert done.stdout.count("Home: the same way down") == 1
    assert "Text 'PLAN READY' mentioned" in done.stdout
