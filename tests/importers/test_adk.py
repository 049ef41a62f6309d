"""Agents in the YAML of Google's ADK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import load_component, validate_component
from studio.errors import StudioError
from studio.importers import Imported, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from studio.messages import TextMessage
from studio.teams import Team
from tests.fakes.openai_server import OpenAIServer
from tests.importers.adk_samples import BOTH, COOK, LINE, PIPELINE, ROOT, TEAM
from tests.importers.transcripts import ScriptedModels


def read(files: Mapping[str, str]) -> Imported:
    return import_bundle(bundle_of({name: text.encode() for name, text in files.items()}))


def agents(imported: Imported) -> dict[str, Any]:
    config: Any = imported.team["config"]
    return {each["config"]["name"]: each["config"] for each in config["participants"]}


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("text", [ROOT, COOK, "name: a\nmodel: gemini-2.5-pro\ninstruction: Help.\n"])
def test_files_are_found_by_their_content_and_make_valid_teams(text: str):
    imported = import_foreign(name_for(text), text.encode())
    assert imported is not None
    assert imported.source == "adk"
    assert validate_component(imported.team).errors == ()


def test_agents_below_an_agent_are_a_swarm_with_the_handoffs_that_are_allowed():
    imported = read(TEAM)
    assert {name: [each["target"] for each in config["handoffs"]] for name, config in agents(imported).items()} == {
        "desk": ["cook", "baker"],
        "cook": ["desk"],
        "baker": ["desk", "cook"],
    }
    desk = agents(imported)["desk"]
    assert desk["system_message"] == "Send {who} on. Keep {{braces here}}."
    assert desk["model_client"]["config"]["temperature"] == 0.2
    assert agents(imported)["cook"]["keep_as"] == "dish"
    assert imported.team["config"]["context_variables"] == {"dish": "", "who": ""}  # pyright: ignore
    assert {
        "dropped: Model setting `top_k` of desk",
        "dropped: `before_agent_callbacks` of desk",
        "asked: Sub-agent `project.agents.other`",
    } <= set(told(imported))


def test_tools_are_servers_and_stand_ins():
    cook = agents(read({"cook.yaml": COOK}))["cook"]
    assert [each["config"]["name"] for each in cook["tools"]] == ["google_search", "weigh"]
    assert all("NotImplementedError" in each["config"]["source_code"] for each in cook["tools"])
    assert cook["workbench"][0]["config"]["server_params"]["command"] == "pantry"


async def test_agents_in_a_row_at_once_and_in_a_loop_answer_in_this_order(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    plain = {name: text.partition("tools:")[0] for name, text in PIPELINE.items()}
    imported = read(plain)
    assert "exact: Loop “again”" in told(imported)
    with OpenAIServer() as server:
        models = ScriptedModels({"You cook.": ["Soup"], "You bake Soup.": ["1", "2", "3", "4", "5"]})
        server.always(models)
        for config in agents(imported).values():
            if "model_client" in config:
                config["model_client"]["config"]["base_url"] = server.url
        team = load_component(imported.team)
        assert isinstance(team, Team)
        said = [item async for item in team.run_stream("Bread?")]
    result: Any = said[-1]
    spoken = [each.source for each in result.messages if isinstance(each, TextMessage)]
    assert (spoken[:2], set(spoken[2:4]), spoken[4:7]) == (["user", "cook"], {"left", "right"}, ["baker"] * 3)


SELF = "agent_class: LoopAgent\nname: x\nsub_agents: [{config_path: root_agent.yaml}]\n"
DAMAGED = (
    {"root_agent.yaml": ROOT},
    {"root_agent.yaml": SELF},
    {"root_agent.yaml": SELF.replace("Loop", "Sequential"), "b.yaml": SELF},
    {"root_agent.yaml": LINE, "both.yaml": BOTH.replace("left.yaml", "root_agent.yaml").replace("right", "both")},
    {"root_agent.yaml": LINE.replace("cook.yaml", "/etc/passwd").replace("both.yaml", "../" * 50 + "x.yaml")},
    {"root_agent.yaml": LINE.replace("[{", "{").replace("}]", "}").replace("}, {", ", ")},
    {"root_agent.yaml": "agent_class: LlmAgent\n"},
    {"root_agent.yaml": "agent_class: ParallelAgent\nname: 7\nsub_agents: 7\n"},
    {"root_agent.yaml": "agent_class: LoopAgent\nmax_iterations: 99999999999\nsub_agents: [[]]\n"},
    {"root_agent.yaml": COOK.replace("name: cook", "name: [a, b]")},
    {"root_agent.yaml": COOK.replace("name: cook", "name: 'class'")},
    {"root_agent.yaml": COOK.replace("name: cook", "name: '__import__(1)'")},
    {"root_agent.yaml": COOK.replace("output_key: dish", "output_key: 'x; y'")},
    {"root_agent.yaml": COOK.replace("output_key: dish", "output_key: class")},
    {"root_agent.yaml": COOK.replace("You cook.", "'" + "{" * 5_000 + "'")},
    {"root_agent.yaml": COOK.replace("You cook.", "'{__class__} {class} {user} {message} {0.x} {a.b}'")},
    {"root_agent.yaml": COOK.replace("Knows food.", "!!python/name:os.system x")},
    {"root_agent.yaml": COOK + "x: &x [*x]\n"},
    {"root_agent.yaml": COOK.replace("google_search", "AgentTool\n  args: {agent: {config_path: root_agent.yaml}}")},
    {"root_agent.yaml": COOK.replace("[serve]", "{a: b}").replace("pantry", "[7]")},
    {"root_agent.yaml": ROOT.replace("{temperature: 0.2, top_k: 3}", "[temperature]")},
)


@pytest.mark.parametrize("files", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_and_hostile_files_make_a_valid_team_or_are_refused_with_what_to_do(files: Mapping[str, str]):
    try:
        imported = read(files)
    except StudioError as refusal:
        errors = () if getattr(refusal, "fix", "") else (refusal,)
    else:
        errors = validate_component(imported.team).errors
    assert errors == ()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*COOK.split("\n"), *ROOT.split("\n")]), st.text(max_size=30))
def test_any_line_can_be_another_and_the_team_is_valid_or_refused(line: str, other: str):
    files = {"root_agent.yaml": ROOT, "cook.yaml": COOK}
    try:
        imported = read({name: text.replace(line, other) if line else f"{text}{other}" for name, text in files.items()})
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
