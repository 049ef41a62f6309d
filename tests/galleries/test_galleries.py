"""Galleries of every shape are read, checked and written back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.galleries import AUTOGEN_GROUPS, parse_gallery

STOP: JsonObject = {
    "provider": "autogen_agentchat.conditions.MaxMessageTermination",
    "component_type": "termination",
    "version": 1,
    "component_version": 1,
    "description": "Stop early.",
    "label": "Early stop",
    "config": {"max_messages": 2},
}
UNKNOWN: JsonObject = {"provider": "elsewhere.Thing", "component_type": "agent", "config": {"api": [1, None]}}


def places(document: JsonValue) -> dict[str, str]:
    return {entry.where: entry.group for entry in parse_gallery(document).entries}


def test_the_last_format_is_read():
    gallery = parse_gallery({"id": "g", "name": "G", "components": {"terminations": [STOP], "agents": []}})
    assert (gallery.id, gallery.name) == ("g", "G")
    assert gallery.components["terminations"] == [STOP]
    assert gallery.counts == {"terminations": 1}


def test_the_format_of_early_2025_is_read():
    document: JsonValue = {"name": "G", "items": {"teams": [UNKNOWN], "components": {"terminations": [STOP]}}}
    assert places(document) == {"/items/teams/0": "teams", "/items/components/terminations/0": "terminations"}


@pytest.mark.parametrize(
    ("document", "where"),
    [
        (STOP, ""),
        ([STOP], "/0"),
        ({"components": [STOP]}, "/components/0"),
        ({"config": {"name": "G", "components": {"terminations": [STOP]}}}, "/config/components/terminations/0"),
        ({"id": 3, "user_id": "x", "component": STOP}, "/component"),
        ({"status": True, "data": [{"component": STOP}]}, "/data/0/component"),
        ([{"config": {"components": {"terminations": [STOP]}}}], "/0/config/components/terminations/0"),
    ],
)
def test_a_component_is_found_in_any_wrapping_with_its_place(document: JsonValue, where: str):
    assert places(document) == {where: "terminations"}


def test_yaml_is_read():
    gallery = parse_gallery("provider: elsewhere.Model\ncomponent_type: model\nconfig:\n  model: m\n", name="file")
    assert gallery.counts == {"models": 1}
    assert not gallery.is_collection


def test_components_of_december_2024_are_named_and_not_converted():
    old: JsonObject = {"name": "team", "team_type": "RoundRobinGroupChat", "participants": [{"agent_type": "x"}]}
    gallery = parse_gallery({"name": "G", "items": {"teams": [old], "components": {"terminations": [STOP]}}})
    (finding,) = gallery.rejected
    assert (finding.code, finding.where) == ("pre_provider_format", "/items/teams/0")
    assert "December 2024" in finding.message
    assert not gallery.check().ok
    assert parse_gallery(old).rejected[0].where == ""


def test_what_is_no_component_is_reported_at_its_place():
    gallery = parse_gallery({"components": {"agents": ["text", {"label": "x"}], "terminations": [STOP]}})
    assert [finding.where for finding in gallery.rejected] == ["/components/agents/0", "/components/agents/1"]


@pytest.mark.parametrize("text", ["{}", "[]", '{"a": 1}', '{"config": {}}', "nothing", '{"components"', '"text"'])
def test_a_document_without_components_is_refused(text: str):
    with pytest.raises(InvalidDocument):
        parse_gallery(text)


def test_an_empty_gallery_is_a_gallery():
    assert parse_gallery({"name": "Empty", "components": {}}).counts == {}


def test_a_document_that_is_too_deep_or_too_large_is_refused():
    with pytest.raises(InvalidDocument, match="levels"):
        parse_gallery("[" * 10_000 + "]" * 10_000)
    with pytest.raises(TooLarge):
        parse_gallery(b" " * 50_000_000)
    with pytest.raises(InvalidDocument, match="alias"):
        parse_gallery("a: &a\n  b: *a\n")


def test_dumping_gives_autogens_format_and_keeps_everything_else():
    document: JsonObject = {
        "id": "g",
        "name": "G",
        "url": None,
        "created": "2025",
        "metadata": {"author": "A", "version": "2", "theme": "x"},
        "components": {"terminations": [STOP], "agents": [UNKNOWN], "gadgets": [UNKNOWN]},
    }
    dumped = parse_gallery(document).dump()
    groups = dumped["components"]
    assert isinstance(groups, dict)
    assert [*groups] == [*AUTOGEN_GROUPS, "gadgets"]
    assert groups["agents"] == groups["gadgets"] == [UNKNOWN]
    assert dumped["metadata"] == document["metadata"]
    assert dumped["created"] == "2025"
    assert parse_gallery(json.dumps(dumped)).dump() == dumped


def test_the_report_tells_what_is_loaded_opaque_and_wrong_with_places():
    wrong: JsonObject = {**STOP, "config": {"max_messages": "many"}}
    report = parse_gallery({"components": {"terminations": [STOP, wrong], "agents": [UNKNOWN]}}).check()
    assert [entry.status for entry in report.entries] == ["loaded", "wrong", "opaque"]
    assert report.counts == {"loaded": 1, "opaque": 1, "wrong": 1}
    (error,) = report.entries[1].report.errors
    assert error.where == "/components/terminations/1/config/max_messages"
    assert report.entries[1].report.parts[0].where == "/components/terminations/1"
    assert json.loads(json.dumps(report.as_json()))["counts"] == report.counts


FILES = Path(os.environ.get("AUTOGEN_FILES") or Path(__file__).parents[3] / "shared" / "autogen" / "files")
NO_COMPONENTS = {"MANIFEST.json"}
"""A list of the other files."""
NEGATIVES = {
    "doc_packages_autogen-agentchat_tests_test_assistant_agent_01.json": (
        "cut out of a Python string: line ends in the tool's source are a backslash and an n, which is not Python"
    ),
}
"""Files that hold something wrong on purpose, with what it is."""


@pytest.mark.skipif(not FILES.is_dir(), reason="the published AutoGen files are not on this machine")
@pytest.mark.parametrize("file", sorted(set(FILES.glob("*.json"))), ids=lambda file: file.stem)
def test_every_file_that_autogen_published_is_read_and_reported(file: Path):
    if file.name in NO_COMPONENTS:
        with pytest.raises(InvalidDocument):
            parse_gallery(file.read_bytes())
        return
    gallery = parse_gallery(file.read_bytes(), name=file.stem)
    report = gallery.check()
    wrong = {
        entry.entry.where: [finding.message for finding in entry.report.errors]
        for entry in report.entries
        if entry.status == "wrong"
    }
    assert (wrong == {}) == (file.name not in NEGATIVES), wrong
    assert not gallery.rejected
    assert len(report.entries) == sum(gallery.counts.values()) > 0
    assert parse_gallery(gallery.dump()).components == gallery.components


@pytest.mark.skipif(not FILES.is_dir(), reason="the published AutoGen files are not on this machine")
def test_the_published_files_are_all_here():
    named = {item["file"] for item in json.loads((FILES / "MANIFEST.json").read_text())}
    assert named == {file.name for file in FILES.glob("*.json")} - NO_COMPONENTS
