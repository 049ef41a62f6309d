"""Agents and workflows in the YAML of Agent Framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError
from studio.importers import Imported, bundle_of, import_bundle, name_for
from studio.importers.expressions import Unsupported
from studio.importers.importing import import_foreign
from studio.importers.power_fx import PowerFx
from studio.tools.expression import VariableExpression
from tests.importers.agent_framework_samples import CLERK, WORKFLOW


def read(given: str | Mapping[str, str]) -> Imported:
    files = {"agent.yaml": given} if isinstance(given, str) else given
    return import_bundle(bundle_of({name: text.encode() for name, text in files.items()}))


def actions(*lines: str) -> Imported:
    return read("\n".join(["actions:", "  - {kind: SendActivity, activity: Begin.}", *(f"  {line}" for line in lines)]))


def config(imported: Imported) -> dict[str, Any]:
    found: Any = imported.team["config"]
    return found


def agents(imported: Imported) -> dict[str, Any]:
    return {each["config"]["name"]: each["config"] for each in config(imported)["participants"]}


def edges(imported: Imported, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = config(imported)["graph"]["nodes"][name]["edges"]
    return found


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("text", [CLERK, WORKFLOW])
def test_files_are_found_by_their_content_and_make_valid_teams(text: str):
    imported = import_foreign(name_for(text), text.encode())
    assert imported is not None
    assert imported.source == "agent-framework"
    assert validate_component(imported.team).errors == ()
    assert read(text).as_json()["team"] == imported.team


def test_an_agent_keeps_its_text_its_model_its_tools_and_its_form():
    imported = read(CLERK)
    clerk = agents(imported)["Clerk"]
    assert (clerk["system_message"], clerk["description"]) == ("Sell bread.", "Sells bread.")
    assert clerk["model_client"]["config"] == {"model": "gpt-4.1-mini", "temperature": 0.5, "top_p": 0.9}
    assert clerk["workbench"][0]["config"]["server_params"]["url"] == "https://shop.example/mcp"
    assert "def price(item: str)" in clerk["tools"][0]["config"]["source_code"]
    schema = clerk["structured_message_factory"]["config"]["json_schema"]
    assert schema["required"] == ["IsSold"]
    assert schema["properties"]["text"] == {"type": "string", "description": "What is said."}
    assert "approximated: Key of Clerk" in told(imported)
    assert "sk-secret" not in str(imported.as_json())


def test_branches_and_jumps_are_edges_with_conditions():
    imported = read({"a.yaml": WORKFLOW, "b.yaml": CLERK})
    assert agents(imported)["Clerk"]["keep_as"] == "Sale"
    sold, _, again = edges(imported, "Clerk")
    assert sold["context_condition"] == "Sale.IsSold and (not not Sale.text)"
    assert agents(imported)[sold["target"]]["message"] == "Sold, {Sale[text]}."
    assert "Count < 3" in again["context_condition"]
    assert again["target"] == "set_Count"
    assert config(imported)["context_variables"]["Count"] == 0


def test_an_agent_of_another_file_is_asked_and_answers_with_what_is_read_of_it():
    imported = read(WORKFLOW)
    assert "asked: Agent “Clerk”" in told(imported)
    schema = agents(imported)["Clerk"]["structured_message_factory"]["config"]["json_schema"]
    assert schema["properties"] == {"IsSold": {"type": "boolean"}, "text": {"type": "string"}}


def test_a_person_talks_with_an_agent_until_the_loop_ends():
    when = '=Upper(System.LastMessage.Text) <> "EXIT"'
    imported = actions(f"- {{kind: InvokeAzureAgent, agent: {{name: A}}, input: {{externalLoop: {{when: '{when}'}}}}}}")
    graph = config(imported)["graph"]["nodes"]
    assert graph["person"]["edges"] == [{"target": "Keep"}]
    assert [each["target"] for each in graph["Keep"]["edges"]] == ["A"]
    assert any(each.get("context_condition") == "last_message != 'EXIT'" for each in edges(imported, "A"))
    assert any(each.startswith("approximated: Condition of Loop of A") for each in told(imported))


def test_a_condition_that_cannot_be_read_is_a_variable_that_is_asked():
    imported = actions(
        "- {kind: If, id: odd, condition: '=Mod(Local.x, 2) = 1', then: [{kind: SendActivity, activity: Odd.}]}",
        "- {kind: SendActivity, activity: End.}",
    )
    assert config(imported)["context_variables"]["odd_holds"] is False
    assert "asked: Branch “odd”" in told(imported)


def test_tools_of_steps_are_stand_ins_and_other_actions_are_told():
    imported = actions(
        "- {kind: InvokeFunctionTool, functionName: look, arguments: {a: =Local.x}, output: {result: Local.y}}",
        "- {kind: ResetVariable, variable: Local.x}",
        "- {kind: GotoAction, actionId: nowhere}",
    )
    look = agents(imported)["look"]
    assert "NotImplementedError" in look["tool"]["config"]["source_code"]
    assert (look["arguments"], look["keep_as"]) == ([{"name": "a", "expression": "x"}], "y")
    assert {"dropped: Action `ResetVariable`", "asked: Jump"} <= set(told(imported))


@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [
        ('=Local.a = "x" && Local.b <> 2', {"a": "x", "b": 3}, True),
        ('=Or(Local.a = "x", Local.a = "y")', {"a": "y"}, True),
        ('=!IsBlank(Find("GOLD", Upper(MessageText(Local.a))))', {"a": "the GOLD star"}, True),
        ('=!IsBlank(Find("GOLD", MessageText(Local.a)))', {"a": "silver"}, False),
        ("=Not(Local.a.b) And Not(Local.a.c)", {"a": {"b": False, "c": False}}, True),
        ("=CountRows(Local.a) = 1", {"a": ["x"]}, True),
        ('=Local.a = "say ""hi"""', {"a": 'say "hi"'}, True),
        ("=Local.a >= 2 || Local.a <= -2", {"a": -3}, True),
        ("=true", {}, True),
    ],
)
def test_power_fx_means_the_same(text: str, variables: dict[str, object], expected: bool):
    assert bool(VariableExpression(PowerFx("last").condition(text)).value(variables)) is expected


@pytest.mark.parametrize("text", ["=", "=Mod(1, 2)", "=Env.KEY", "=__import__('os')", "=Local", "=" + "(" * 900, "={}"])
def test_power_fx_that_is_not_read_is_refused(text: str):
    with pytest.raises(Unsupported):
        PowerFx("last").condition(text)


@pytest.mark.parametrize(
    "text",
    [
        "kind: Workflow\ntrigger: 1",
        "kind: Prompt\nname: !!python/name:os.system x",
        "kind: Prompt\nname: a\nx: &x [*x]",
        "kind: Workflow\nactions: " + "[" * 5_000,
        "actions:\n" + "\n".join("- kind: SendActivity\n  activity: a" for _ in range(400)),
    ],
)
def test_hostile_and_empty_files_are_refused_with_what_to_do(text: str):
    with pytest.raises(StudioError) as error:
        read(text)
    assert getattr(error.value, "fix", "")


def test_files_without_an_agent_are_refused():
    with pytest.raises(InvalidDocument, match="neither an agent nor a workflow"):
        import_bundle(bundle_of({"a.yaml": b"kind: Other"}), "agent-framework")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(WORKFLOW.split("\n")), st.text(max_size=30))
def test_any_line_can_be_another_and_the_team_is_valid_or_refused(line: str, other: str):
    try:
        imported = read(WORKFLOW.replace(line, other) if line else f"{WORKFLOW}{other}")
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
