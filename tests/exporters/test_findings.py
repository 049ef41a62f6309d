"""What an export says of what the target lacks, and that no text of a team becomes code."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from studio.agents import AssistantAgent, RegexGuardrail, StepAgent
from studio.code.conversion import MAX_FINDINGS
from studio.components import Component, SecretRef, load_component
from studio.conditions import ContextVariableTermination, MaxMessageTermination
from studio.exporters import CannotExport, export_team
from studio.models import OpenAIChatCompletionClient, ReplayChatCompletionClient
from studio.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, Swarm
from studio.tools import FunctionTool

EVIL = """x"); import os; os.system('true') #\n\u2028\"\"\"\\''' \u202e {0} %s"""


def writer(**config: Any) -> AssistantAgent:
    return AssistantAgent(name="writer", model_client=ReplayChatCompletionClient(chat_completions=["Hi"]), **config)


def verdicts(component: Component) -> dict[str, str]:
    findings = export_team(load_component(component.dump_component()), "autogen").findings
    return {each.place.pointer: each.verdict for each in findings}


def test_every_part_is_in_the_report_once():
    team = RoundRobinGroupChat(participants=[writer()], max_turns=1)
    assert verdicts(team) == {
        "": "exact",
        "/config/participants/0": "exact",
        "/config/participants/0/config/model_client": "exact",
    }


def test_what_autogen_lacks_is_left_out_with_a_finding_a_comment_and_a_line_at_the_top():
    rail = RegexGuardrail(name="no numbers", pattern="[0-9]")
    agent = writer(keep_as="draft", input_guardrails=[rail], system_message_holds_variables=True)
    conditions = ContextVariableTermination(condition="draft") | MaxMessageTermination(max_messages=3)
    team = RoundRobinGroupChat(participants=[agent], termination_condition=conditions, context_variables={"draft": ""})
    exported = export_team(load_component(team.dump_component()), "autogen")
    dropped = {each.place.pointer for each in exported.findings if each.verdict == "dropped"}
    assert dropped == {
        "/config/context_variables",
        "/config/participants/0/config/keep_as",
        "/config/participants/0/config/input_guardrails",
        "/config/participants/0/config/system_message_holds_variables",
        "/config/termination_condition/config/conditions/0",
    }
    said = " ".join(line.strip(" #") for line in exported.code.splitlines() if line.strip().startswith("#"))
    for name in ("keep_as", "input_guardrails", "ContextVariableTermination"):
        assert name in said
        assert name in str(ast.get_docstring(ast.parse(exported.code))), "it is said at the top, too"
    assert "ContextVariableTermination(" not in exported.code


def test_a_report_that_is_full_says_so_and_calls_nothing_else_exact():
    agent = writer(keep_as="draft")
    names = (f"writer_{n}" for n in range(MAX_FINDINGS + 5))
    team = RoundRobinGroupChat(participants=[agent.model_copy(update={"name": name}) for name in names], max_turns=1)
    *kept, last = export_team(load_component(team.dump_component()), "autogen").findings
    assert [each.verdict for each in kept] == ["dropped"] * MAX_FINDINGS
    assert "There are more" in last.why


def test_an_edge_on_a_variable_is_always_taken_and_the_report_says_so():
    first, second = writer(), AssistantAgent(name="second", model_client=writer().model_client)
    builder = DiGraphBuilder().add_node(first).add_node(second)
    builder.add_edge(first, second)
    document: Any = GraphFlow(participants=builder.get_participants(), graph=builder.build()).dump_component()
    document["config"]["graph"]["nodes"]["writer"]["edges"][0]["context_condition"] = "ready"
    exported = export_team(load_component(document), "autogen")
    (dropped,) = [each for each in exported.findings if each.verdict == "dropped"]
    assert dropped.place.pointer == "/config/graph/nodes/writer/edges/0/context_condition"
    assert "always taken" in dropped.why
    assert "always taken" in exported.code.replace("\n", " ").replace("# ", "")


def test_a_participant_that_autogen_lacks_refuses_the_export():
    step = StepAgent(name="step", message="Go on")
    team = RoundRobinGroupChat(participants=[writer(), step], max_turns=2)
    with pytest.raises(CannotExport, match="StepAgent") as caught:
        export_team(load_component(team.dump_component()), "autogen")
    assert caught.value.where == "/config/participants/1"


def test_a_team_within_a_swarm_refuses_the_export():
    inner = RoundRobinGroupChat(name="inner", participants=[writer()], max_turns=1)
    able = AssistantAgent(name="able", model_client=OpenAIChatCompletionClient(model="gpt-4o-mini"), handoffs=["inner"])
    with pytest.raises(CannotExport, match="agents only"):
        export_team(load_component(Swarm(participants=[able, inner], max_turns=2).dump_component()), "autogen")


def test_a_secret_of_the_store_is_asked_for_and_a_header_reads_the_environment():
    model = OpenAIChatCompletionClient(
        model="some-new-model", api_key=SecretRef("secret:my-key"), default_headers={"X-Token": "Bearer {env:TOKEN}!"}
    )
    exported = export_team(load_component(model.dump_component()), "autogen")
    assert 'api_key=os.environ["MY_KEY"]' in exported.code
    assert '"Bearer " + os.environ["TOKEN"] + "!"' in exported.code
    assert exported.counts["asked"] == 1
    assert exported.counts["approximated"] == 1  # AutoGen must be told what the model can do
    assert "model_info=" in exported.code


@pytest.mark.parametrize("target", ["python", "autogen", "agent-framework"])
def test_no_text_of_a_team_becomes_code(target: Any):
    tool = FunctionTool(name="t", description=EVIL, source_code="def t() -> str:\n    return ''\n")
    agent = AssistantAgent(
        name="writer",
        description=EVIL,
        system_message=EVIL,
        keep_as="draft",
        tools=[tool],
        model_client=OpenAIChatCompletionClient(model=EVIL, base_url="http://127.0.0.1:9/v1"),
    )
    agent.annotate(label=EVIL, description=EVIL)
    team = RoundRobinGroupChat(name=EVIL, description=EVIL, participants=[agent], max_turns=1)
    team.annotate(label=EVIL)
    code = export_team(team, target).code
    assert "\u202e" not in code  # what turns the direction of text is written out, or is a space
    tree = ast.parse(code)
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert EVIL in texts
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "os.system" not in called


def test_a_condition_of_which_nothing_is_left_is_left_out_as_a_whole():
    condition = ContextVariableTermination(condition="a") | ContextVariableTermination(condition="b")
    team = RoundRobinGroupChat(participants=[writer()], termination_condition=condition, max_turns=3)
    exported = export_team(load_component(team.dump_component()), "autogen")
    assert "termination_condition" not in "".join(
        line for line in exported.code.splitlines() if not line.strip().startswith("#")
    )
    assert exported.counts["dropped"] == 1
