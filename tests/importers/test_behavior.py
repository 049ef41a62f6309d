"""An imported team does what the original did: the same agents are asked in the same order, and hear the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import distributions
from typing import Any
from unittest.mock import patch

import pytest

from studio.components import JsonObject, envelopes, load_component
from studio.importers import bundle_of, import_bundle
from studio.importers.crewai_texts import COWORKER_OUTPUT
from studio.teams import Team
from tests.fakes.openai_server import OpenAIServer
from tests.importers.agent_framework_samples import FRAMEWORK_SAMPLES, FrameworkSample
from tests.importers.agent_framework_scripts import SCRIPT_SAMPLES, ScriptSample
from tests.importers.classic_samples import RECORDED_SAMPLES
from tests.importers.crewai_samples import CREW_SAMPLES, CrewSample
from tests.importers.record_agent_framework import RECORDED as RECORDED_WORKFLOWS
from tests.importers.record_agent_framework import original as workflow_original
from tests.importers.record_agent_framework_scripts import RECORDED as RECORDED_SCRIPTS
from tests.importers.record_agent_framework_scripts import original as script_original
from tests.importers.record_classic import RECORDED as RECORDED_CLASSIC
from tests.importers.record_classic import installed_samples
from tests.importers.record_classic import original as classic_original
from tests.importers.record_crewai import RECORDED as RECORDED_CREWS
from tests.importers.record_crewai import original as crew_original
from tests.importers.record_originals import RECORDED, original
from tests.importers.samples import SAMPLES, Said, Sample
from tests.importers.transcripts import ScriptedModels, Turn

ORIGINALS: dict[str, list[Turn]] = json.loads(RECORDED.read_text("utf-8"))
CLASSIC_ORIGINALS: dict[str, list[Turn]] = json.loads(RECORDED_CLASSIC.read_text("utf-8"))
CREW_ORIGINALS: dict[str, list[Turn]] = json.loads(RECORDED_CREWS.read_text("utf-8"))
WORKFLOW_ORIGINALS: dict[str, list[Turn]] = json.loads(RECORDED_WORKFLOWS.read_text("utf-8"))
SCRIPT_ORIGINALS: dict[str, list[Turn]] = json.loads(RECORDED_SCRIPTS.read_text("utf-8"))
COWORKERS = ("delegate_work_to_coworker", "ask_question_to_coworker", "researcher", "writer")
SELECTION = "role play"
"""A word of the question who speaks next, of which the rest is worded differently."""
HAS_CREWAI = any(distributions(name="crewai"))
HAS_FRAMEWORK = any(distributions(name="agent-framework-declarative"))
HAS_ORCHESTRATIONS = any(distributions(name="agent-framework-orchestrations"))
HAS_SDK = any(distributions(name="openai-agents"))
by_crew = pytest.mark.parametrize("sample", CREW_SAMPLES, ids=lambda sample: sample.name)
by_classic_name = pytest.mark.parametrize("sample", RECORDED_SAMPLES, ids=lambda sample: sample.name)
by_workflow = pytest.mark.parametrize("sample", FRAMEWORK_SAMPLES, ids=lambda sample: sample.name)
by_script = pytest.mark.parametrize("sample", SCRIPT_SAMPLES, ids=lambda sample: sample.name)
by_name = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


async def imported(sample: Sample, server: OpenAIServer) -> list[Turn]:
    """What the models of the imported team are asked."""
    return await asked({"sample.py": sample.code}, sample.answers, sample.task, server)


async def asked(
    files: Mapping[str, str], answers: Mapping[str, Sequence[str | Said]], task: str, server: OpenAIServer
) -> list[Turn]:
    models = ScriptedModels(answers)
    server.always(models)
    document = import_bundle(bundle_of({name: text.encode() for name, text in files.items()})).team
    for _, part in envelopes(document):
        if str(part["provider"]).endswith("OpenAIChatCompletionClient"):
            config: JsonObject = part["config"]  # pyright: ignore[reportAssignmentType]
            config["base_url"] = server.url
    team = load_component(document)
    assert isinstance(team, Team)
    async for _ in team.run_stream(task):
        pass
    return models.turns


@by_name
async def test_the_team_asks_its_models_what_the_original_asked(
    sample: Sample, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    turns = await imported(sample, server)
    assert [_told(turn) for turn in turns] == [_told(turn) for turn in ORIGINALS[sample.name]]
    for ours, theirs in zip(turns, ORIGINALS[sample.name], strict=True):
        assert [text for text in ours["heard"] if not _is_handoff(text)] == [
            text for text in theirs["heard"] if not _is_handoff(text)
        ]


@pytest.mark.skipif(not HAS_SDK, reason="needs the package openai-agents")
@by_name
def test_the_recordings_are_what_the_sdk_does(sample: Sample):
    assert original(sample) == ORIGINALS[sample.name]


@by_classic_name
async def test_the_team_asks_its_models_what_autogen_asked(
    sample: Sample, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    turns = await imported(sample, server)
    assert [_classic(turn) for turn in turns] == [_classic(turn) for turn in CLASSIC_ORIGINALS[sample.name]]


@pytest.mark.skipif(not installed_samples(), reason="needs the package autogen-agentchat 0.2, or ag2")
def test_the_recordings_are_what_autogen_does():
    for sample in installed_samples():
        assert classic_original(sample) == CLASSIC_ORIGINALS[sample.name]


@by_crew
async def test_the_team_asks_its_models_what_crewai_asked(
    sample: CrewSample, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with patch("builtins.input", side_effect=sample.said) as person:
        turns = await asked(sample.files, sample.ours or sample.answers, sample.task, server)
    assert [_crew(turn, sample) for turn in turns] == [_crew(turn, sample) for turn in CREW_ORIGINALS[sample.name]]
    assert person.call_count == len(sample.said)


@pytest.mark.skipif(not HAS_CREWAI, reason="needs the package crewai")
@by_crew
def test_the_recordings_are_what_crewai_does(sample: CrewSample):
    assert crew_original(sample) == CREW_ORIGINALS[sample.name]


@by_workflow
async def test_the_team_asks_its_models_what_agent_framework_asked(
    sample: FrameworkSample, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    """There, an agent also hears the last answer a second time, as its input; the report says so."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    turns = await asked(sample.files, sample.answers, sample.task, server)
    theirs = WORKFLOW_ORIGINALS[sample.name]
    assert [_spoken(turn) for turn in turns] == [{**turn, "heard": _once(turn["heard"])} for turn in theirs]
    report = import_bundle(bundle_of({name: text.encode() for name, text in sample.files.items()})).findings
    is_otherwise = any(turn["heard"] != _once(turn["heard"]) for turn in theirs)
    assert any("a second time" in each.why for each in report) is is_otherwise


@pytest.mark.skipif(not HAS_FRAMEWORK, reason="needs the package agent-framework-declarative")
@by_workflow
def test_the_recordings_are_what_agent_framework_does(sample: FrameworkSample):
    assert workflow_original(sample) == WORKFLOW_ORIGINALS[sample.name]


@by_script
async def test_the_team_asks_its_models_what_a_script_of_agent_framework_asked(
    sample: ScriptSample, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    """After a handoff, the agent also hears a sentence about it here; the report says so."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    turns = await asked({"team.py": sample.code}, sample.answers, sample.task, server)
    for turn in turns:
        turn["heard"] = [text for text in turn["heard"] if not text.startswith("Transferred to ")]
    assert _in_any_order(turns, sample) == _in_any_order(SCRIPT_ORIGINALS[sample.name], sample)


@pytest.mark.skipif(not HAS_ORCHESTRATIONS, reason="needs the package agent-framework-orchestrations")
@by_script
def test_the_recordings_are_what_scripts_of_agent_framework_do(sample: ScriptSample):
    assert _in_any_order(script_original(sample), sample) == _in_any_order(SCRIPT_ORIGINALS[sample.name], sample)


def _in_any_order(turns: list[Turn], sample: ScriptSample) -> list[Turn]:
    return sorted(turns, key=lambda turn: turn["instructions"]) if sample.is_at_once else turns


def _spoken(turn: Turn) -> Turn:
    """A turn with JSON as Agent Framework writes it."""
    return {**turn, "heard": [text.replace('":"', '": "') for text in turn["heard"]]}


def _once(texts: Sequence[str]) -> list[str]:
    return [text for at, text in enumerate(texts) if at == 0 or text != texts[at - 1]]


def _crew(turn: Turn, sample: CrewSample) -> tuple[Any, ...]:
    """Who is asked, what it may call, and what it has heard, but for what the report of an import says.

    Coworkers are tools of their own here, and the context that one is given is in the text of its task. After feedback,
    an agent also sees its earlier answer. JSON has spaces between its parts.
    """
    earlier = {answer for each in sample.answers.values() for answer in each} if sample.feedback else set[str | Said]()
    heard = [_without_context(text) if COWORKER_OUTPUT in text else text for text in turn["heard"]]
    heard = [
        text.replace('": ', '":').replace('", "', '","').replace(', "', ',"') for text in heard if text not in earlier
    ]
    tools = {"coworkers" if sample.ours and name in COWORKERS else name for name in turn["tools"]}
    return turn["instructions"], tools, turn["has_format"], heard


def _without_context(text: str) -> str:
    before, _, after = text.partition("\n\nThis is the context you're working with:\n")
    return before + after[after.find("\n\n") :] if after else text


def _classic(turn: Turn) -> tuple[Any, ...]:
    """Who is asked, what it may call, and what it has heard; of a selection only that it is one."""
    if SELECTION in turn["instructions"]:
        return (SELECTION,)
    heard = [text.replace("Context: \n", "Context:\n") for text in turn["heard"] if not _is_handoff(text)]
    return *_told(turn), heard


def _told(turn: Turn) -> tuple[Any, ...]:
    """Who is asked, what it may call, and whether its answer has a form."""
    return turn["instructions"], turn["tools"], turn["has_format"]


def _is_handoff(text: str) -> bool:
    """What is heard of a handoff is worded in another way: the report of an import says so."""
    return text.startswith(("Transferred to ", '{"assistant":', '{"assistant": '))
