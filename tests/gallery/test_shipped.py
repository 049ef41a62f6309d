"""The gallery that comes with the studio: everything in it loads, goes out unchanged, and runs without a key."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import aclosing
from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, component_classes, load_component
from studio.effects import HumanQuestion, LiveEffects, use
from studio.galleries import Entry
from studio.messages import (
    BaseMessage,
    HandoffMessage,
    ModelClientStreamingChunkEvent,
    TaskResult,
    ToolCallExecutionEvent,
    UserInputRequestedEvent,
)
from studio.services.builtin_galleries import builtin_galleries
from studio.teams import Team

[GALLERY] = [each.gallery for each in builtin_galleries() if each.gallery.id == "team-studio"]
TEAMS = [entry for entry in GALLERY.entries if entry.group == "teams"]


def at_once(value: JsonValue) -> JsonValue:
    """The component without pauses between its scripted words."""
    if isinstance(value, dict):
        return {key: at_once(item) for key, item in value.items() if key != "delay_s"}
    return [at_once(item) for item in value] if isinstance(value, list) else value


async def played(label: str, answers: Sequence[str] = ()) -> list[BaseMessage | TaskResult]:
    """Everything that a shipped team gives when it runs, with a person who gives these answers."""
    component = next(entry.component for entry in TEAMS if entry.label == label)
    team = load_component(at_once(component), expected=Team)
    waiting = list(answers)

    async def answer(_question: HumanQuestion) -> str:
        return waiting.pop(0)

    seen: list[BaseMessage | TaskResult] = []
    with use(LiveEffects(answer)):
        async with aclosing(team.run_stream(task="Please begin.")) as stream:
            async for item in stream:
                seen.append(item)
    return seen


def result_of(seen: Sequence[BaseMessage | TaskResult]) -> TaskResult:
    assert isinstance(seen[-1], TaskResult)
    return seen[-1]


def speakers(result: TaskResult) -> list[str]:
    return [message.source for message in result.messages if message.is_chat]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith("_KEY")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("entry", GALLERY.entries, ids=lambda entry: f"{entry.group}-{entry.label}")
def test_each_component_loads_and_goes_out_unchanged(entry: Entry):
    assert load_component(entry.component).dump_component() == entry.component


def test_nothing_in_it_is_opaque_wrong_or_worth_a_warning():
    report = GALLERY.check()
    assert report.counts["loaded"] == len(GALLERY.entries)
    assert [finding.message for entry in report.entries for finding in entry.report.warnings] == []


def test_every_condition_can_be_taken_from_it():
    known = {cls.provider for cls in component_classes() if cls.component_type == "termination"}
    assert {str(item["provider"]) for item in GALLERY.components["terminations"]} == known


def test_teams_need_no_host_and_no_secret():
    entries = [entry for entry in GALLERY.check().entries if entry.entry.group == "teams"]
    kinds = {capability.kind for entry in entries for capability in entry.report.capabilities}
    assert kinds == {"python"}


async def test_the_critic_has_the_writer_try_again_and_then_approves():
    seen = await played("Writer and critic")
    result = result_of(seen)
    assert speakers(result) == ["user", "writer", "critic", "writer", "critic"]
    assert "APPROVED" in (result.stop_reason or "")
    assert sum(isinstance(item, ModelClientStreamingChunkEvent) for item in seen) > 50


@pytest.mark.slow
async def test_the_selector_chooses_and_the_tool_is_really_called():
    result = result_of(await played("Stargazing night"))
    assert speakers(result) == ["user", "guide", "timekeeper", "scribe"]
    (executed,) = [message for message in result.messages if isinstance(message, ToolCallExecutionEvent)]
    assert [(item.content, item.is_error) for item in executed.content] == [("2 h 00 min", False)]
    assert result.stop_reason == "Text 'PLAN READY' mentioned"


async def test_the_letter_waits_for_a_person_and_goes_out_when_approved():
    seen = await played("Letter with approval", ["Say when it begins.", "APPROVE"])
    result = result_of(seen)
    assert sum(isinstance(item, UserInputRequestedEvent) for item in seen) == 2
    assert speakers(result) == ["user", "secretary", "you", "secretary", "you"]
    assert result.stop_reason == "Text 'APPROVE' mentioned"


async def test_a_person_who_never_approves_ends_the_letter_too():
    result = result_of(await played("Letter with approval", ["Change it."] * 4))
    assert "Maximum number of messages 9 reached" in (result.stop_reason or "")


async def test_the_news_desk_works_before_the_editor_does():
    result = result_of(await played("Newsroom"))
    assert speakers(result) == ["user", "reporter", "fact_checker", "editor"]
    assert result.stop_reason == "'editor' answered"


async def test_the_help_desk_hands_the_customer_on_and_takes_the_case_back():
    result = result_of(await played("Help desk"))
    handed_to = [message.target for message in result.messages if isinstance(message, HandoffMessage)]
    assert handed_to == ["technician", "accounts", "front_desk"]
    assert result.stop_reason == "Text 'CASE CLOSED' mentioned"


async def test_the_reviewer_sends_the_report_back_once_before_it_is_published():
    result = result_of(await played("Incident report"))
    assert speakers(result) == ["user", "analyst", "writer", "reviewer", "writer", "reviewer", "publisher"]
    assert result.stop_reason == "Digraph execution is complete"


async def test_the_orchestrator_plans_asks_both_and_answers():
    result = result_of(await played("Open question with a plan"))
    boss = "MagenticOneOrchestrator"
    assert speakers(result) == ["user", boss, boss, "surveyor", boss, "cost_analyst", boss]
    assert str(result.messages[-1].to_text()).startswith("Renew the heating first")


async def test_the_coordinator_asks_both_experts_and_answers_itself():
    result = result_of(await played("Coordinator with experts"))
    executed = [message for message in result.messages if isinstance(message, ToolCallExecutionEvent)]
    assert [item.name for message in executed for item in message.content] == ["rules_expert", "budget_expert"]
    assert result.messages[-1].source == "coordinator"


async def test_the_panel_discusses_and_answers_as_one():
    result = result_of(await played("Panel with one voice"))
    assert speakers(result) == ["user", "advocate", "sceptic", "advocate", "sceptic", "panel", "planner"]
    assert result.stop_reason == "'planner' answered"


def test_there_is_a_team_of_every_kind_to_begin_with():
    known = {cls.provider for cls in component_classes() if cls.component_type == "team"}
    assert {str(entry.component["provider"]) for entry in TEAMS} == known


@pytest.mark.parametrize("entry", TEAMS, ids=lambda entry: entry.label)
def test_each_team_says_when_to_take_it(entry: Entry):
    assert re.match(r"(When|For) [^.]+: [^.]+\. ", str(entry.component["description"]))


@pytest.mark.parametrize("entry", TEAMS, ids=lambda entry: entry.label)
def test_each_team_says_what_it_shows_and_what_to_try(entry: Entry):
    assert "Try: " in str(entry.component["description"])
    participants = cast("list[JsonObject]", cast("JsonObject", entry.component["config"])["participants"])
    assert participants
