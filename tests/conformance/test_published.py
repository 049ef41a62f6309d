"""Everything that AutoGen published loads, is reported with its place, or is kept; and goes back out unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, envelopes, load_component, parse_document, validate_component
from tests.conformance.facts import example_files, published_files

NEGATIVES = {
    # A Python literal in AutoGen's own test, copied with its escapes: the tool's source is one line of backslashes.
    "doc_packages_autogen-agentchat_tests_test_assistant_agent_01.json": ["/config/tools/0/config/source_code"],
}
"""Published files that are deliberately wrong, and where."""

OPEN_KEYS = {"api_key", "password"}
"""Fields that AutoGen writes in the open in some places; here never more than a reference is written."""


@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.stem)
def test_what_autogen_dumped_comes_back_unchanged(path: Path):
    document = parse_document(path.read_bytes())
    assert _without_unset(load_component(document).dump_component()) == _without_unset(document)


@pytest.mark.parametrize("path", published_files(), ids=lambda path: path.stem)
def test_every_component_of_a_published_file_is_loaded_kept_or_placed(path: Path):
    document = parse_document(path.read_bytes())
    for where, envelope in outermost(document):
        report = validate_component(envelope)
        places = {part.where for part in report.parts}
        assert places, f"{path.name}{where}"
        for finding in report.errors:
            assert any(finding.where.startswith(place) for place in places), finding
        assert [where + finding.where for finding in report.errors] == NEGATIVES.get(path.name, [])


def outermost(document: JsonValue) -> list[tuple[str, JsonObject]]:
    """The components of a document that are not inside another."""
    found: list[tuple[str, JsonObject]] = []
    for where, envelope in envelopes(document):
        if not any(where.startswith(f"{outer}/") for outer, _ in found):
            found.append((where, envelope))
    return found


def _without_unset(value: JsonValue) -> JsonValue:
    """Leave out what need not be equal.

    Nulls: AutoGen leaves unset fields out, except where its own loader demands them. Descriptions of envelopes: where
    AutoGen writes none, we write the component's help.
    """
    if isinstance(value, dict):
        skipped = {"description"} if "provider" in value else set[str]()
        plain = {key: "env:" if key in OPEN_KEYS else item for key, item in value.items() if isinstance(item, str)}
        kept = {**value, **plain}
        return {key: _without_unset(item) for key, item in kept.items() if item is not None and key not in skipped}
    if isinstance(value, list):
        return [_without_unset(item) for item in value]
    if isinstance(value, str) and (value == "**********" or value.startswith("env:")):
        return "a key"  # AutoGen's mask becomes a reference to where such a key usually is
    return value
