"""Scripts for Microsoft Agent Framework ask the models there what the studio asks them here."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from studio.agents import AssistantAgent, RegexGuardrail, StepAgent
from studio.components import Component, SecretRef, load_component
from studio.conditions import MaxMessageTermination, StopMessageTermination, TextMentionTermination
from studio.exporters import CannotExport, Exported, export_team
from studio.exporters.agent_framework_helpers import HELPERS
from studio.models import OpenAIChatCompletionClient, ReplayChatCompletionClient
from studio.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat
from studio.tools import FunctionTool
from studio.tools.mcp import McpWorkbench, SseServerParams, StdioServerParams
from tests.exporters.originals import digest, our_turns, python_of, recorded, sample_team, their_turns
from tests.exporters.record import exported_samples, exported_shipped
from tests.exporters.samples import SAMPLES, Sample
from tests.fakes.openai_server import OpenAIServer

RECORDED = recorded("agent-framework")
SAMPLES_THERE = [sample for sample in SAMPLES if sample.name in RECORDED["samples"]]
REFUSED = {"nested", "society"}
OTHERWISE = {"magentic", "structured", "remembering"}
"""Of which the report says that they are approximated, and why."""
by_name = pytest.mark.parametrize("sample", SAMPLES_THERE, ids=lambda sample: sample.name)
needs_framework = pytest.mark.skipif(
    not python_of("agent-framework"),
    reason="needs agent-framework 1.23, or AGENT_FRAMEWORK_PYTHON with a Python that has it",
)


def writer(**config: Any) -> AssistantAgent:
    return AssistantAgent(name="writer", model_client=OpenAIChatCompletionClient(model="gpt-4o-mini"), **config)


def exported(component: Component) -> Exported:
    return export_team(load_component(component.dump_component()), "agent-framework")


def dropped(of: Exported) -> set[str]:
    return {each.place.pointer for each in of.findings if each.verdict == "dropped"}


@by_name
def test_a_team_asks_its_models_what_agent_framework_asked_them(sample: Sample, server: OpenAIServer):
    theirs = RECORDED["samples"][sample.name]["turns"]
    ours = our_turns(sample, server)
    assert len(ours) == len(theirs)
    assert (ours == theirs) is (sample.name not in OTHERWISE)


@by_name
def test_what_differs_there_is_in_the_report(sample: Sample):
    counts = export_team(sample_team(sample), "agent-framework").counts
    assert counts["dropped"] == 0
    if sample.name in OTHERWISE:
        assert counts["approximated"] > 0


def test_the_samples_that_agent_framework_cannot_have_are_refused():
    assert {sample.name for sample in SAMPLES} - RECORDED["samples"].keys() == REFUSED
    assert {sample.name for sample, _ in exported_samples("agent-framework")} == RECORDED["samples"].keys()


def test_the_scripts_are_those_that_agent_framework_ran():
    found = {sample.name: digest(script) for sample, script in exported_samples("agent-framework")}
    assert found == {name: each["script"] for name, each in RECORDED["samples"].items()}, "record again: see record.py"
    shipped = dict(exported_shipped("agent-framework"))
    assert {name: digest(each) for name, each in shipped.items()} == RECORDED["shipped"], "record again: see record.py"
    for each in shipped.values():
        compile(each.code, "script", "exec")
        assert not re.search(r"^\s*(from|import) studio", each.code, re.MULTILINE)


@needs_framework
@pytest.mark.slow
@pytest.mark.timeout(180)
@by_name
def test_agent_framework_asks_what_was_recorded(sample: Sample, server: OpenAIServer, tmp_path: Path):
    assert their_turns(sample, "agent-framework", server, tmp_path) == RECORDED["samples"][sample.name]["turns"]


def test_a_script_holds_only_the_helpers_that_it_uses():
    team = RoundRobinGroupChat(participants=[writer()], max_turns=1)
    tree = ast.parse(exported(team).code)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert defined & HELPERS.keys() == {"in_turn"}


def test_the_lines_of_helpers_fit():
    assert [each.name for each in HELPERS.values() if max(map(len, each.source.splitlines())) > 100] == []


def test_what_agent_framework_lacks_is_left_out_with_a_finding_and_a_comment():
    agent = writer(keep_as="draft", input_guardrails=[RegexGuardrail(name="no numbers", pattern="[0-9]")])
    condition = StopMessageTermination() | MaxMessageTermination(max_messages=3)
    team = RoundRobinGroupChat(participants=[agent], termination_condition=condition, context_variables={"draft": ""})
    script = exported(team)
    assert dropped(script) == {
        "/config/context_variables",
        "/config/participants/0/config/keep_as",
        "/config/participants/0/config/input_guardrails",
        "/config/termination_condition/config/conditions/0",
    }
    said = " ".join(line.strip(" #") for line in script.code.splitlines() if line.strip().startswith("#"))
    for name in ("keep_as", "input_guardrails", "StopMessageTermination", "context_variables"):
        assert name in said


def test_a_participant_that_agent_framework_lacks_refuses_the_export():
    team = RoundRobinGroupChat(participants=[writer(), StepAgent(name="step", message="Go on")], max_turns=2)
    with pytest.raises(CannotExport, match="StepAgent") as caught:
        exported(team)
    assert caught.value.where == "/config/participants/1"


def test_what_a_model_is_asked_with_is_an_option_of_the_agent():
    client = OpenAIChatCompletionClient(
        model="gpt-4o-mini", api_key=SecretRef("secret:my-key"), temperature=0.5, parallel_tool_calls=False
    )
    script = exported(AssistantAgent(name="writer", model_client=client))
    assert 'api_key=os.environ["MY_KEY"]' in script.code
    assert '{"temperature": 0.5, "allow_multiple_tool_calls": False}' in script.code
    assert script.counts["asked"] == 1


def test_a_model_that_the_studio_finds_by_its_name_gets_its_address():
    code = exported(AssistantAgent(name="w", model_client=OpenAIChatCompletionClient(model="gemini-2.0-flash"))).code
    assert 'base_url="https://generativelanguage.googleapis.com/v1beta/openai/"' in code
    assert 'api_key=os.environ["GEMINI_API_KEY"]' in code


def test_an_edge_on_a_variable_is_always_taken_and_the_report_and_the_script_say_so():
    builder = (
        DiGraphBuilder()
        .add_node(writer())
        .add_node(second := AssistantAgent(name="second", model_client=writer().model_client))
    )
    builder.add_edge("writer", second)
    document: Any = GraphFlow(participants=builder.get_participants(), graph=builder.build()).dump_component()
    document["config"]["graph"]["nodes"]["writer"]["edges"][0]["context_condition"] = "ready"
    script = export_team(load_component(document), "agent-framework")
    assert dropped(script) == {"/config/graph/nodes/writer/edges/0/context_condition"}
    assert "always taken" in script.code.replace("\n", " ").replace("# ", "")


def test_servers_of_tools_are_connected_to_as_far_as_there_is_a_class():
    known = McpWorkbench(server_params=StdioServerParams(command="uvx", args=["{env:SERVER}"]))
    unknown = McpWorkbench(server_params=SseServerParams(url="http://localhost:8000/sse"))
    script = exported(writer(workbench=[known, unknown]))
    assert 'command="uvx", args=[os.environ["SERVER"]]' in " ".join(script.code.split())
    assert dropped(script) == {"/config/workbench/1"}


def test_a_tool_with_more_than_its_function_stays_text_and_one_that_needs_the_studio_is_left_out():
    many = FunctionTool(name="two", description="", source_code="import math\n\ndef pair() -> str:\n    return '2'\n")
    ours = FunctionTool(name="told", description="", source_code="def told() -> str:\n    emit('x')\n    return ''\n")
    script = exported(writer(tools=[many, ours]))
    assert """function_from("import math\\n\\ndef pair() -> str:\\n    return '2'\\n", "pair")""" in script.code
    assert dropped(script) == {"/config/tools/1"}


def test_a_text_that_tools_may_give_is_looked_for_in_messages_only_and_the_report_says_so():
    tool = FunctionTool(name="two", description="", source_code="def two() -> str:\n    return '2'\n")
    team = RoundRobinGroupChat(
        participants=[writer(tools=[tool])], termination_condition=TextMentionTermination(text="2")
    )
    (finding,) = [each for each in exported(team).findings if each.verdict == "approximated"]
    assert finding.place.pointer == "/config/termination_condition"


def test_a_scripted_model_replies_with_text_and_is_refused_if_it_calls_tools():
    document: Any = writer().dump_component()
    document["config"]["model_client"] = ReplayChatCompletionClient(chat_completions=["Hi"]).dump_component()
    assert 'ScriptedClient(["Hi"])' in export_team(load_component(document), "agent-framework").code
    call = {"id": "1", "name": "two", "arguments": "{}"}
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    reply = {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    document["config"]["model_client"]["config"]["chat_completions"] = [reply]
    with pytest.raises(CannotExport, match="calls tools"):
        export_team(load_component(document), "agent-framework")
