"""Scripts for AutoGen build there what the studio has, and run there as here."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from studio.autogen.names import MODULES, names_in
from studio.components import component_classes, load_component
from studio.exporters import export_team
from studio.exporters.autogen_classes import autogen_class
from tests.exporters.originals import (
    Play,
    comparable,
    digest,
    expected_json,
    in_autogen,
    our_turns,
    python_of,
    recorded,
    sample_team,
    shipped,
    their_turns,
)
from tests.exporters.samples import SAMPLES, Sample
from tests.fakes.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
SHIPPED = shipped()
RECORDED = recorded("autogen")
by_name = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
needs_autogen = pytest.mark.skipif(
    not python_of("autogen"), reason="needs autogen-agentchat 0.7.5, or AUTOGEN_PYTHON with a Python that has it"
)


@by_name
def test_a_team_asks_its_models_what_autogen_asked_them(sample: Sample, server: OpenAIServer):
    assert our_turns(sample, server) == RECORDED["samples"][sample.name]["turns"]


@by_name
def test_the_script_is_the_one_that_autogen_ran(sample: Sample):
    exported = export_team(sample_team(sample), "autogen")
    assert digest(exported) == RECORDED["samples"][sample.name]["script"], "record again: see record.py"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_script_of_a_shipped_component_is_the_one_that_autogen_built(name: str):
    exported = export_team(load_component(SHIPPED[name]), "autogen")
    assert digest(exported) == RECORDED["shipped"][name], "record again: see record.py"
    assert not re.search(r"^\s*(from|import) studio", exported.code, re.MULTILINE)


@needs_autogen
@pytest.mark.slow
@pytest.mark.timeout(180)
@by_name
def test_autogen_asks_what_was_recorded(sample: Sample, server: OpenAIServer, tmp_path: Path):
    assert their_turns(sample, "autogen", server, tmp_path) == RECORDED["samples"][sample.name]["turns"]


@needs_autogen
@pytest.mark.slow
@pytest.mark.timeout(360)
def test_autogen_builds_the_same_json():
    parts = {name: load_component(document) for name, document in SHIPPED.items()}
    parts |= {sample.name: sample_team(sample) for sample in SAMPLES}
    exports = {name: export_team(part, "autogen") for name, part in parts.items()}
    found = in_autogen({name: Play(exported) for name, exported in exports.items()})
    differing = {
        name: (comparable(found[name]["built"]), expected)
        for name, part in parts.items()
        if comparable(found[name]["built"]) != (expected := expected_json(part, exports[name]))
    }
    assert differing == {}


@needs_autogen
@pytest.mark.slow
def test_the_recorded_classes_are_those_of_the_installed_autogen(tmp_path: Path):
    script = (ROOT / "scripts/record_autogen_classes.py").read_text("utf-8")
    copy = tmp_path / "scripts" / "record.py"
    (tmp_path / "studio" / "exporters").mkdir(parents=True)
    copy.parent.mkdir()
    copy.write_text(script, encoding="utf-8")
    subprocess.run([python_of("autogen"), str(copy)], check=True, capture_output=True, timeout=120)
    installed = json.loads((tmp_path / "studio/exporters/autogen_classes.json").read_text("utf-8"))
    known = json.loads((ROOT / "studio/exporters/autogen_classes.json").read_text("utf-8"))
    assert installed["release"] == known["release"]
    assert installed["models"] == known["models"]
    for place, recorded_class in installed["classes"].items():  # packages that are not installed here are not compared
        assert known["classes"][place] == recorded_class, place


def test_every_offered_class_is_recorded_where_the_import_hook_has_it():
    """Other than what came after 0.7.5, and a server that is no component there."""
    later = {
        "DockerJupyterServer",
        "ChatCompletionClientSampler",
        "McpSessionHost",
        "StaticRootsProvider",
        "StdioElicitor",
    }
    unrecorded = {
        cls.__name__
        for cls in component_classes()
        if cls.provider.startswith("autogen_") and cls.is_offered and autogen_class(cls) is None
    }
    assert unrecorded - later == set()
    hooked = {f"{module}.{each.shown}" for module in MODULES for each in names_in(module)}
    for cls in component_classes():
        known = autogen_class(cls)
        if known and cls.is_offered:
            assert f"{known.module}.{known.name}" in hooked, cls.provider
