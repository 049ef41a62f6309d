"""Exported scripts run in AutoGen as AutoGen ran the component, or as the studio runs the team."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from studio.components import Component, JsonObject, load_component, walk
from studio.exporters import export_team
from studio.exporters.autogen_classes import autogen_class
from studio.services.builtin_galleries import builtin_galleries
from studio.teams import GraphFlow
from tests.conformance.facts import MISSING, golden_folder
from tests.conformance.transcript import answers_in, comparable, play, read
from tests.exporters.originals import Play, in_autogen, python_of

pytestmark = [
    pytest.mark.skipif(
        not python_of("autogen"), reason="needs autogen-agentchat 0.7.5, or AUTOGEN_PYTHON with a Python that has it"
    ),
    pytest.mark.slow,
    pytest.mark.timeout(360),
]
TASK: JsonObject = {"task": "Begin."}
ANSWERS = ("Yes, and shorter.", *("APPROVE",) * 10)
PLACE_IN_DOCS = re.compile(r"errors\.pydantic\.dev/[\d.]+/")
FOLDER_OF_CODE = re.compile(r"/tmp/[\w-]+/tmp_code")


def test_exported_scripts_give_the_transcripts_that_autogen_recorded():
    paths = [path for path in sorted(golden_folder().glob("*.json")) if not path.name.startswith("driven_")]
    if not paths:
        pytest.skip(MISSING)
    golden = {path.stem: found for path in paths if "load_error" not in (found := read(path))}
    found = _played({name: _play(load_component(each["component"]), each) for name, each in golden.items()})
    differing = [name for name, each in golden.items() if _transcript(found[name]) != _transcript(each["runs"])]
    assert differing == []
    assert len(golden) > 80


def test_ready_teams_say_in_autogen_what_they_say_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    teams = {name: team for name, team in _scripted_teams() if all(map(_is_in_autogen, walk(team)))}
    found = _played({name: _play(team, {"runs": [TASK]}, ANSWERS) for name, team in teams.items()})
    differing: dict[str, Any] = {}
    for name, team in teams.items():
        [theirs] = found[name]
        played: Any = asyncio.run(play({"component": team.dump_component(), "runs": [{**TASK, **theirs}]}))
        ours, autogens = _said(played["runs"][0], team), _said(theirs, team)
        if ours != autogens:
            differing[name] = ours, autogens
    assert differing == {}
    assert len(teams) >= 34


def _played(plays: dict[str, Play]) -> dict[str, Any]:
    """What AutoGen makes of each; a script that does not even load, such as for want of a package, is named."""
    found = in_autogen(plays)
    assert {name: each for name, each in found.items() if "played" not in each} == {}
    return {name: each["played"] for name, each in found.items()}


def _play(component: Component, transcript: JsonObject, answers: tuple[str, ...] = ()) -> Play:
    steps = [
        {key: step[key] for key in ("task", "op") if key in step}
        for step in cast("list[JsonObject]", transcript["runs"])
    ]
    return Play(export_team(component, "autogen"), steps, answers or answers_in(transcript))


def _scripted_teams() -> Iterator[tuple[str, Component]]:
    """The teams that come with the studio, with the recorded replies of their models."""
    for each in builtin_galleries():
        for entry in each.gallery.entries:
            if entry.group == "teams":
                yield f"{each.gallery.id}/{entry.label}", load_component(entry.component)


def _is_in_autogen(part: tuple[str, Component]) -> bool:
    return autogen_class(type(part[1])) is not None


def _transcript(runs: Any) -> Any:
    """All that happened, in the form of the recordings."""
    assert isinstance(runs, list), runs
    kept: list[Any] = []
    for run in cast("list[dict[str, Any]]", runs):
        step = {key: run[key] for key in ("op", "state", "events") if key in run}
        if "error" in run:
            step["error"] = PLACE_IN_DOCS.sub("", run["error"]["message"].split("\nTraceback")[0])
        kept.append(step)
    return comparable(kept)


def _said(run: Any, team: Component) -> Any:
    """What was said in a run, without streamed chunks; in a graph, where some speak side by side, in any order."""
    events = [
        json.loads(FOLDER_OF_CODE.sub("tmp_code", json.dumps(each)))
        for each in run["events"]
        if "full_message_id" not in each
    ]
    found: Any = comparable(events)
    if isinstance(team, GraphFlow):
        found = sorted(json.dumps(each) for each in _without_ids(found))
    return found, "error" in run


def _without_ids(events: Any) -> Iterator[Any]:
    for each in events:
        yield {key: sorted(value) if key == "sources" else value for key, value in each.items() if key != "id"}
