"""After any sequence of the builder's commands, undoing all gives the first document and redoing all the last.

Hypothesis chooses; the commands and the history are the modules that the page runs.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.agents import AssistantAgent
from studio.components import catalogue, template
from studio.conditions import (
    HandoffTermination,
    MaxMessageTermination,
    OrTerminationCondition,
    TextMentionTermination,
)
from studio.galleries import parse_gallery
from studio.models import ReplayChatCompletionClient
from studio.teams import GraphFlow, Swarm
from tests.frontend.conftest import ROOT, Ask

JS = ROOT / "frontend/static/js/builder/document"
RETURNS_A_COMMAND = re.compile(
    r"/\*\*(?:(?!\*/).)*?@returns \{[^}]*Command(?:(?!\*/).)*?\*/\s*export function (\w+)", re.DOTALL
)


def shipped_teams() -> list[dict[str, Any]]:
    gallery = parse_gallery((ROOT / "gallery/team-studio/gallery.json").read_text())
    return [dict(team) for team in gallery.components["teams"]]


def built_teams() -> list[dict[str, Any]]:
    """A graph with edges, a swarm with handoffs and groups of conditions, which the gallery may not have."""
    handoffs: dict[str, list[str]] = {"a": ["b"], "b": ["c", "a"], "c": []}
    agents: list[dict[str, Any]] = []
    for name, targets in handoffs.items():
        agent: dict[str, Any] = dict(template(AssistantAgent))
        own = {"name": name, "handoffs": targets, "model_client": template(ReplayChatCompletionClient)}
        agents.append({**agent, "config": {**agent["config"], **own}})
    group = TextMentionTermination(text="a") & MaxMessageTermination(max_messages=3)
    limits = MaxMessageTermination(max_messages=9), HandoffTermination(target="user")
    ends = OrTerminationCondition(conditions=[group, *limits])
    nodes = {name: {"name": name, "edges": [{"target": to} for to in targets]} for name, targets in handoffs.items()}
    config: dict[str, Any] = {"participants": agents, "termination_condition": ends.dump_component()}
    graph = {"nodes": nodes, "default_start_node": "a"}
    return [{**template(GraphFlow), "config": {**config, "graph": graph}}, {**template(Swarm), "config": config}]


SET_UP = [["dismiss", 0, 0], ["setMock", 0, 1], ["addNote", 0, 1, 2], ["groupParts", 0, 1, 2]]
"""What others take back or change."""
FINDING = {"verdict": "asked", "what": "A key.", "why": "", "fix": "", "place": "crew.yaml:3:1"}
LAYOUT = {"pins": {"a": {"x": 1, "y": 2}}, "imported": {"": [FINDING], "/participants/a": [FINDING]}}
DOCUMENTS = [*built_teams(), *shipped_teams()]


@pytest.fixture(scope="module")
def commands(undo_driver: Ask) -> list[str]:
    return undo_driver({"catalogue": catalogue()})["commands"]


def test_every_command_is_driven(commands: list[str]):
    written = {name for file in sorted(JS.glob("*.js")) for name in RETURNS_A_COMMAND.findall(file.read_text())}
    assert len(written) > 20
    assert written - set(commands) == set()


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_undoing_all_gives_the_first_document_and_redoing_all_the_last(
    undo_driver: Ask, commands: list[str], data: st.DataObject
):
    component = data.draw(st.sampled_from(DOCUMENTS), "document")
    numbers = st.integers(0, 60)
    step = st.tuples(st.sampled_from([*commands, "undo", "redo"]), st.lists(numbers, min_size=3, max_size=6))
    steps = [[name, *chosen] for name, chosen in data.draw(st.lists(step, min_size=1, max_size=30), "steps")]
    document = {"name": "Team", "component": component, "layout": LAYOUT}
    answer = undo_driver({"document": document, "steps": steps})
    assert "error" not in answer, answer["error"]
    assert answer["undone"] == answer["first"] == json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    assert answer["redone"] == answer["last"]
    assert answer["isSameBack"]
    assert answer["isSameForth"]
    assert answer["isSameKept"]


def test_the_driven_commands_do_change_documents(undo_driver: Ask, commands: list[str]):
    """Or the property above would hold for nothing."""
    document = {"name": "Team", "component": DOCUMENTS[0], "layout": LAYOUT}
    idle = set(commands)
    for seed in range(40):
        steps = [[name, 7 * seed, seed, seed + 1, 2 * seed, seed // 2, 1] for name in sorted(idle)]
        for step in steps:
            answer = undo_driver({"document": document, "steps": [*SET_UP, step]})
            idle -= set(answer.get("done", [])[len(SET_UP) :])
    assert idle - {"dismiss"} == set()
