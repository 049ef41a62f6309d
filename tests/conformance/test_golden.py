"""Transcripts that AutoGen 0.7 recorded: the same component and task must give the same here.

Compared are events (without ids and times, but with which ids are equal), prompts to the models, questions to the
person, stop reasons, errors and saved states.
"""

from __future__ import annotations

import re
from contextlib import aclosing
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.conditions import ExternalTermination
from studio.models import ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat
from tests.conformance.facts import MISSING, ROOT, golden_folder
from tests.conformance.transcript import comparable, form_of, play, read, unknown_parts
from tests.teams.scripted import agent

DEVIATIONS = dict(
    re.findall(r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs" / "reference" / "autogen.md").read_text(), re.MULTILINE)
)
"""Golden file to the fault of AutoGen that is mended here: the page is the list."""


def transcripts() -> list[object]:
    found = sorted(path for path in golden_folder().glob("*.json") if not path.name.startswith("driven_"))
    return list(found) or [pytest.param(Path(), marks=pytest.mark.skip(reason=MISSING), id="missing")]


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
async def test_a_recorded_transcript_happens_again(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # where executors put their files
    golden = read(path)
    if unknown := unknown_parts(golden["component"]):
        pytest.skip(f"no {', '.join(unknown)} yet")
    played = await play(golden)
    if path.stem not in DEVIATIONS:
        assert recorded_form(played, golden) == expected_form(golden)
    else:
        assert recorded_form(played, golden) != expected_form(golden), "no longer deviates: take it off the list"


def expected_form(golden: JsonObject) -> JsonValue:
    """What must happen, from a golden file."""
    if "load_error" in golden:
        return {"load_error": _message(golden["load_error"]).rstrip(".")}
    runs = [_expected_run(run) for run in cast("list[JsonObject]", golden["runs"])]
    prompts = golden.get("user_prompts", [])
    return comparable({"runs": runs, "user_prompts": prompts, "final_state": _state(golden, golden)})


def _expected_run(run: JsonObject) -> JsonValue:
    if "op" in run:
        return {key: run[key] for key in ("op", "state") if key in run}
    kept: JsonObject = {"events": run["events"], "model_calls": run["model_calls"]}
    return {**kept, "error": _message(run["error"])} if "error" in run else kept


def recorded_form(played: JsonObject, golden: JsonObject) -> JsonValue:
    """What happened, in the form of `expected_form`."""
    if "load_error" in played:
        return {"load_error": str(played["load_error"]).rstrip(".")}
    return comparable({**played, "final_state": _state(played, golden)})


def _state(record: JsonObject, golden: JsonObject) -> JsonValue:
    # After an error AutoGen keeps messages as unread that the agent has read; its team is of no further use.
    failed = any("error" in run for run in cast("list[JsonObject]", golden["runs"]))
    return None if failed else record.get("final_state")


def _message(error: JsonValue) -> str:
    """The text of an error; AutoGen's teams wrap it as "Type: text" in a RuntimeError."""
    body = cast("dict[str, str]", error)
    text = body["message"].replace("No more mock responses available", ReplayChatCompletionClient.at_the_end)
    return re.sub(r"^(\w+Error: )+", "", text) if body["type"] == "RuntimeError" else text


async def test_a_stop_from_outside_happens_as_recorded():
    path = golden_folder() / "driven_external.json"
    if not path.is_file():
        pytest.skip(MISSING)
    golden = read(path)
    condition = ExternalTermination()
    team = RoundRobinGroupChat(
        participants=[agent("a", "1", "2", "3"), agent("b", "1", "2")], termination_condition=condition
    )
    events: list[JsonValue] = []
    async with aclosing(team.run_stream(task="go")) as items:
        async for item in items:
            events.append(form_of(item))
            if len(events) == 3:
                condition.set()
    assert comparable(events) == comparable(golden["external_set_after_3_events"])
    condition.set()
    events = [form_of(item) async for item in team.run_stream(task="second")]
    assert comparable(events) == comparable(golden["external_set_before_start"])
