"""Importing executes, opens, starts and contacts nothing, whatever the files hold."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.importers.adk_samples import COOK, LINE
from tests.importers.agent_framework_samples import CLERK, WORKFLOW
from tests.importers.agent_framework_scripts import AGENT as FRAMEWORK_AGENT
from tests.importers.agent_framework_scripts import GRAPH, IN_TURN, LED, MAGENTIC, SEQUENCE
from tests.importers.agent_framework_scripts import HANDOFFS as FRAMEWORK_HANDOFFS
from tests.importers.agent_spec_samples import AGENT, LOOP
from tests.importers.classic_samples import GROUP, NESTED, PATTERN, PROXY
from tests.importers.classic_samples import TOOLS as CLASSIC_TOOLS
from tests.importers.crewai_samples import (
    AGENTS_YAML,
    CONTEXT,
    FLOW,
    HIERARCHICAL,
    JSON_CREW,
    PROJECT,
    SEQUENTIAL,
    STRUCTURED,
    TASKS_YAML,
)
from tests.importers.crewai_samples import TOOLS as CREW_TOOLS
from tests.importers.dify_samples import app, llm, written
from tests.importers.dify_samples import node as dify_node
from tests.importers.dify_samples import start as dify_start
from tests.importers.langflow_samples import CHAIN, flow, note
from tests.importers.langflow_samples import agent as flow_agent
from tests.importers.langflow_samples import node as flow_node
from tests.importers.letta_samples import ONE, letta_file
from tests.importers.letta_samples import agent as letta_agent
from tests.importers.letta_samples import tool as letta_tool
from tests.importers.markdown_samples import PLANNER, REVIEWER
from tests.importers.n8n_samples import CHAT
from tests.importers.n8n_samples import node as n8n_node
from tests.importers.n8n_samples import workflow as n8n_workflow
from tests.importers.pydantic_ai_samples import CLERK as SPEC
from tests.importers.samples import AGENT_TOOLS, HANDOFFS, ROUTER, STATE, TOOLS
from tests.importers.watched import samples
from tests.importers.workflows import agent, case, cel, node, workflow

ROOT = Path(__file__).parents[2]


def scripts(trace: Path) -> dict[str, str]:
    """Code in every place of a script that an importer looks at."""
    do = f"open({str(trace)!r}, 'w').close()"
    system = f"__import__('os').system('touch {trace}')"
    circle = "\n".join(f"a{at} = a{(at + 1) % 9}" for at in range(9))
    doubled = "\n".join(f"x{at} = [x{at + 1}, x{at + 1}]\ny{at} = y{at + 1} + y{at + 1}" for at in range(90))
    return (
        classic_scripts(do, system, doubled)
        | agents(do, system)
        | crews(do, system, doubled)
        | dify_apps(do, system)
        | framework_scripts(do, system, doubled)
        | {
            "module.py": f"{do}\n{ROUTER}\n{system}\n",
            "instructions.py": ROUTER.replace('"Sort the question."', f'f"{{{system}}}"'),
            "class.py": ROUTER.replace("category: str", f"category: str = {do}\n  x = {system}"),
            "annotation.py": ROUTER.replace("category: str", f"category: {system}"),
            "condition.py": ROUTER.replace('if sort_category == "cook"', f"if {system}"),
            "state.py": STATE.replace('"limit": 5', f'"limit": {system}').replace(
                "len(workflow", f"({system}) or len(workflow"
            ),
            "set_state.py": STATE.replace('"Hello, " + workflow["input_as_text"]', f"{do} + (9 ** 9 ** 9)"),
            "decorator.py": TOOLS.replace("@function_tool", f"@({system}) or function_tool"),
            "default.py": TOOLS.replace("number: float", f"number: float = {do}"),
            "helper.py": TOOLS.replace("LIMIT = 100", f"LIMIT = {system}"),
            "import.py": TOOLS.replace("import math", "import antigravity\nimport this as math"),
            "name.py": HANDOFFS.replace('name="Cook"', f"name={system}"),
            "handoff.py": HANDOFFS.replace("agent=baker", f"agent=(baker, {do})[0]"),
            "tool.py": AGENT_TOOLS.replace('tool_name="to_spanish"', f"tool_name={system}"),
            "deep.py": "from agents import Agent\nx = " + "(" * 5_000 + ")" * 5_000,
            "names.py": f"from agents import Agent\n{circle}\na0 = Agent(name=a1)",
            "doubled.py": f"from agents import Agent\n{doubled}\na = Agent(name=x0, instructions=y0, tools=x0)",
            "self.py": "from agents import Agent\na = Agent(tools=[b.as_tool()])\nb = Agent(tools=[a.as_tool()])\n",
            "long.py": 'from agents import Agent\na = Agent(name="A", instructions="' + "x" * 400_000 + '")\n',
        }
    )


def classic_scripts(do: str, system: str, doubled: str) -> dict[str, str]:
    """The same in scripts and notebooks of AutoGen 0.2 and AG2."""
    cells: JsonValue = [{"cell_type": "code", "source": text} for text in (f"!touch {do}", f"%run {do}", system, PROXY)]
    ending = 'lambda message: "TERMINATE" in message.get("content", "")'
    return {
        "classic.py": f"{do}\n{PROXY}\n{system}\nmain({system})\n",
        "classic.ipynb": json.dumps({"nbformat": 4, "cells": cells}),
        "classic_ending.py": PROXY.replace(ending, f"lambda message: {system} or {do}"),
        "classic_config.py": PROXY.replace('"gpt-4.1"', system).replace('"none"', do),
        "classic_file.py": PROXY.replace('[{"model"', 'autogen.config_list_from_json("/etc/passwd") or [{"model"'),
        "classic_decorator.py": CLASSIC_TOOLS.replace("@proxy", f"@({system}) or proxy"),
        "classic_default.py": CLASSIC_TOOLS.replace("number: float", f"number: {system} = {do}"),
        "classic_limit.py": CLASSIC_TOOLS.replace("LIMIT = 100", f"LIMIT = {system}"),
        "classic_group.py": GROUP.replace('"round_robin"', f"lambda last, group: {system}"),
        "classic_template.py": GROUP.replace("max_round=6", f'select_speaker_message_template=f"{{{system}}}"'),
        "classic_nested.py": NESTED.replace('"Check the text."', f"lambda *all: {system}"),
        "classic_itself.py": NESTED.replace('"recipient": writer', '"recipient": lead'),
        "classic_pattern.py": PATTERN.replace('"tries": 0', f'"tries": {system}').replace("${tries} > 2", system),
        "classic_result.py": PATTERN.replace('message=f"Noted {topic}."', f"message={system}"),
        "classic_doubled.py": f"{PROXY}\n{doubled}\na = autogen.AssistantAgent(x0, system_message=y0, llm_config=x0)",
    }


def framework_scripts(do: str, system: str, doubled: str) -> dict[str, str]:
    """The same in scripts of Agent Framework."""
    head = "from agent_framework import Agent\n"
    return {
        "framework.py": f"{do}\n{FRAMEWORK_AGENT}\n{system}\nmain({system})\n",
        "framework_text.py": FRAMEWORK_AGENT.replace('"Sell bread."', f'f"{{{system}}} {{{do}}}"'),
        "framework_decorator.py": FRAMEWORK_AGENT.replace("@tool(", f"@({system}) or tool("),
        "framework_default.py": FRAMEWORK_AGENT.replace("times: int = 1", f"times: {system} = {do}"),
        "framework_limit.py": FRAMEWORK_AGENT.replace("LIMIT = 100", f"LIMIT = {system}"),
        "framework_form.py": FRAMEWORK_AGENT.replace("amount: float", f"amount: {system} = {do}"),
        "framework_server.py": FRAMEWORK_AGENT.replace('command="shop"', f'command="touch", env={{"A": {system}}}'),
        "framework_client.py": SEQUENCE.replace("OpenAIChatClient(", f"({system} or {do} or OpenAIChatClient)("),
        "framework_members.py": SEQUENCE.replace("[writer, editor]", f"[writer, {system}, *({do},)]"),
        "framework_select.py": IN_TURN.replace("% len(names)", f"% {system}"),
        "framework_ending.py": LED.replace("orchestrator_agent", f"termination_condition={system}, orchestrator_agent"),
        "framework_rounds.py": LED.replace("with_max_rounds(6)", f"with_max_rounds({do})"),
        "framework_handoff.py": FRAMEWORK_HANDOFFS.replace("[writer, critic]", f"[writer, {do}]"),
        "framework_stall.py": MAGENTIC.replace("max_stall_count=2", f"max_stall_count={system}"),
        "framework_edge.py": GRAPH.replace("condition=is_good", f"condition=lambda message: {system}"),
        "framework_executor.py": GRAPH.replace("target=first", f"target=({do})"),
        "framework_itself.py": f"{head}a = Agent(c, tools=[b.as_tool(), b.as_tool()])\n"
        "b = Agent(c, tools=[a.as_tool(), a.as_tool()])",
        "framework_circle.py": f"{head}a, b = b\nb, a = a\ndef f(x): return f(x)\n"
        "SequentialBuilder(participants=[a, f(b)])",
        "framework_doubled.py": f"{head}{doubled}\na = Agent(x0, y0, name=x0, tools=x0)\na.run(x0)",
    }


def crews(do: str, system: str, doubled: str) -> dict[str, str]:
    """The same in scripts of CrewAI."""
    return {
        "crew.py": f"{do}\n{SEQUENTIAL}\n{system}\nmain({system})\n",
        "crew_role.py": SEQUENTIAL.replace('role="Writer"', f'role=f"{{{system}}}"'),
        "crew_task.py": SEQUENTIAL.replace('"Write about {topic}."', f"{system} or {do}"),
        "crew_model.py": SEQUENTIAL.replace('llm="gpt-4.1"', f"llm=LLM({system}, model={do})"),
        "crew_context.py": CONTEXT.replace("context=[research]", f"context=[{system}, check]"),
        "crew_decorator.py": CREW_TOOLS.replace('@tool("half of")', f"@({system}) or tool({do})"),
        "crew_tool.py": CREW_TOOLS.replace('name: str = "root_of"', f"name: str = {system}").replace("LIMIT = 100", do),
        "crew_run.py": CREW_TOOLS.replace("self, number: float", f"self, number: {system} = {do}"),
        "crew_schema.py": STRUCTURED.replace("is_sure: bool", f"is_sure: {system} = {do}"),
        "crew_format.py": STRUCTURED.replace("output_pydantic=Facts", f"output_json={system}"),
        "crew_process.py": HIERARCHICAL.replace("Process.hierarchical", f"({system}, 'hierarchical')[1]"),
        "crew_guard.py": SEQUENTIAL.replace('expected_output="A text"', f"expected_output='A', guardrail={system}"),
        "crew_inputs.py": SEQUENTIAL.replace("inputs=inputs", f"inputs={{'topic': {system}}}"),
        "crew_knowledge.py": SEQUENTIAL.replace(
            'role="Writer"', "role='W', knowledge_sources=[Text(file_paths=['/etc/passwd', '../../x.txt'])]"
        ),
        "crew_server.py": SEQUENTIAL.replace('role="Writer"', f"role='W', mcps=[{system}, 'http://a.b/{do}']"),
        "crew_itself.py": "from crewai import Agent, Crew\n"
        f"def f(a): return f(f({system}))\nCrew(agents=[f(f)], tasks=f({do}))",
        "crew_doubled.py": f"from crewai import Agent\n{doubled}\na = Agent(role=x0, goal=y0, tools=x0, llm=y0)\n",
    }


def crew_documents(do: str, system: str) -> dict[str, str]:
    """The same in YAML and JSON of CrewAI; a slash in a name is a folder."""
    applied = f'!!python/object/apply:os.system ["{system}"]'
    bomb = "".join(f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9))
    project = {"crew.py": PROJECT, "agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML}
    return {
        "crew_agents.yaml": AGENTS_YAML.replace("role: Writer", f"role: {applied}"),
        "crew_name.yaml": AGENTS_YAML.replace("role: Writer", f"role: !!python/name:os.system x\n  x: {system}"),
        "crew_template.yaml": AGENTS_YAML.replace(
            "role: Writer", f'role: "{{{system}}} {{__class__}} {{0.x}} {{{{%}}}}"'
        ),
        "crew_tools.yaml": AGENTS_YAML.replace(
            "role: Writer", f"role: W\n  tools: [os:system, {{python: os.system}}, '{system}']"
        ),
        "crew_bomb.yaml": f"{AGENTS_YAML}x0: &x0 [a, a]\n{bomb}",
        "crew_circle.yaml": f"{AGENTS_YAML}x: &x\n  <<: *x\n  y: [*x]\n",
        "crew_deep.yaml": AGENTS_YAML + "x: " + "[" * 50_000,
        "crew_long.yaml": AGENTS_YAML + "x: [" + "1," * 100_000 + "]",
        "crew_config.yaml": TASKS_YAML.replace("agent: writer", f"agent: {system}\n  output_pydantic: {system}"),
        "crew_flow.yaml": FLOW.replace("${state.topic}", f"${{{system}}} ${{state.__class__}} ${{9 ** 9 ** 9}}"),
        "crew_flow_code.yaml": _flow(f"code, ref: 'os:system', with: {{cmd: '{do}'}}".replace("'", '"')),
        "crew_flow_script.yaml": _flow(f"script, code: {json.dumps(system)}"),
        "crew_flow_tool.yaml": _flow("tool, ref: 'os:system'"),
        "crew_flow_path.yaml": _flow("crew, from_declaration: '../../../../etc/passwd'"),
        "crew_json.jsonc": JSON_CREW.replace(
            '["researcher", "writer"]', f'["../../../etc/passwd", {{"python": "os.system"}}, {json.dumps(system)}]'
        ),
        "crew_comment.jsonc": JSON_CREW + "/*" * 100_000 + ", //" * 100_000,
    } | {f"crew_project/{name}": f"{text}\n# {do}\n" for name, text in project.items()}


def dify_apps(do: str, system: str) -> dict[str, str]:
    """The same in apps of Dify: code, templates and requests."""
    code = f"{do}\n\ndef main(x={system}):\n    {do}\n"
    nodes = [
        dify_start(),
        llm("1", "W", f"{{{{#{system}#}}}} {{{{ {system} }}}}"),
        dify_node("c", "code", code=code, code_language="python3", variables=[], outputs={}),
        dify_node("t", "template-transform", template=f"{{{{ {system} }}}}{{% include '/etc/passwd' %}}", variables=[]),
        dify_node("h", "http-request", url="http://127.0.0.1:9/x", method="get", headers="", params=""),
    ]
    text = written(app(nodes, [("100", "1"), ("1", "c"), ("c", "t"), ("t", "h")]))
    applied = f'!!python/object/apply:os.system ["{system}"]'
    return {"dify.yml": text, "dify_tag.yml": text.replace("title: Start", f"title: {applied}", 1)}


def agents(do: str, system: str) -> dict[str, str]:
    """The same in agents in Markdown, in those of Letta, and in Agent Spec."""
    code = f"{do}\n@({system})\ndef stock(x={do}): {system}\n{do}"
    applied = f'!!python/object/apply:os.system ["{system}"]'
    return {
        "agent.md": f"---\nname: a\ndescription: {applied}\nhooks: {{Stop: {json.dumps(do)}}}\n---\n!`{system}`",
        "agent_servers.md": PLANNER.replace("type: http", f"type: stdio\n    command: {json.dumps(system)}"),
        "agent_tools.md": REVIEWER.replace("Read, Grep", f"os.system, {system}, mcp__{do}__x"),
        "letta.af": ONE.replace('"custom"', json.dumps(system)).replace("Her name is Ada.", "{system.__class__}"),
        "letta_code.af": letta_file(letta_agent("a"), tools=[letta_tool(0, "stock", code=code)]),
        "adk.yaml": COOK.replace("project.tools.weigh", "os.system").replace("pantry", json.dumps(system)),
        "adk_tag.yaml": COOK.replace("Knows food.", applied).replace("google_search", json.dumps(do)),
        "adk_line/root_agent.yaml": LINE.replace("cook.yaml", "../../../../etc/passwd").replace("both.yaml", system),
        "pydantic.yaml": SPEC.replace("Helps the customers of a shop.", applied).replace(
            "WebSearch", json.dumps(system)
        ),
        "pydantic_text.yaml": SPEC.replace("{{customer}}", "{{customer.__class__}} {{#if " + do + "}}"),
        "framework.yaml": CLERK.replace("Sells bread.", applied).replace("price", json.dumps(do)),
        "framework_flow.yaml": WORKFLOW.replace("=Local.Count + 1", f"{json.dumps('=' + system)}"),
        "framework_text.yaml": WORKFLOW.replace("{Local.Sale.text}", "{__class__} {Local.__class__.x}"),
        "framework_self.yaml": WORKFLOW.replace("actionId: first", "actionId: sold"),
        "spec_name.yaml": AGENT.replace("name: Weather Agent", f"name: {applied}"),
        "spec_prompt.yaml": AGENT.replace("{{ city name }}", f"{{{{{json.dumps(system)[1:-1]}}}}}".replace("'", "''")),
        "spec_tool.yaml": AGENT.replace("name: look up", f"name: {json.dumps(do)}"),
        "spec_server.yaml": AGENT.replace("command: weather", f"command: {json.dumps(system)}"),
        "spec_file.yaml": AGENT.replace("https://weather.example:8443", "file:///etc/passwd"),
        "spec_flow.yaml": LOOP.replace("'yes': good", f"{json.dumps(system)}: good"),
        "spec_circle.yaml": "$component_ref: a\n$referenced_components:\n  a: {$component_ref: a}",
    }


def _flow(call: str) -> str:
    """A flow with a method that does this, too."""
    return f"{FLOW}  run:\n    listen: research\n    do: {{call: {call}}}\n"


def flows(trace: Path) -> dict[str, JsonValue]:
    """The same in flows of Langflow, whose components bring their code along."""
    system = f"__import__('os').system('touch {trace}')"
    coded = flow_node("x", f"X(); {system}", system, query=system)
    coded["data"]["node"]["template"]["code"] = {"type": "code", "value": system}
    coded["data"]["node"]["edited"] = True
    server = flow_node("t", "MCPTools", command=system, mcp_server={"value": {"config": {"command": system}}})
    offered = [{"name": f"a(); {system}", "args": {"x=1): pass": {"type": system}}, "description": system}]
    tool = flow_node("u", "Tool", tools_metadata=offered)
    asked = flow_node("i", "ConditionalRouter", input_text=system, match_text=f"' + {system} + '", operator=system)
    edges = [
        ("x", "out", "a", "input_value"),
        ("t", "component_as_tool", "a", "tools"),
        ("u", "component_as_tool", "a", "tools"),
        ("a", "response", "i", "input_text"),
    ]
    hostile = flow_agent("a", system, f"{{{system}}}", output_schema=[{"name": system, "type": system}])
    return {
        "langflow.json": flow([coded, server, tool, asked, hostile, note("n", system)], edges),
        "list.json": [CHAIN],
    }


def n8n_workflows(system: str) -> dict[str, JsonValue]:
    """The same in a workflow of n8n: expressions, code and addresses."""
    nodes = [
        CHAT,
        n8n_node(
            "A", "agent", promptType="define", text=f"={{{{ {system} }}}}", options={"systemMessage": f"={system}"}
        ),
        n8n_node("Code", "toolCode", language="python", pythonCode=system, name=f"a(); {system}"),
        n8n_node("Request", "toolHttpRequest", url="http://127.0.0.1:9/x"),
        n8n_node("Server", "mcpClientTool", endpointUrl="http://127.0.0.1:9/mcp"),
        n8n_node("Gmail", "gmailTool", to=f"={{{{ $fromAI('x=1): pass', '{system}') }}}}"),
        n8n_node("Parser", "outputParserStructured", inputSchema='{"$ref": "file:///etc/passwd"}'),
    ]
    tools = [(name, "ai_tool", "A") for name in ("Code", "Request", "Server", "Gmail")]
    return {
        "n8n.json": n8n_workflow(
            nodes, [("When chat message received", "main", "A"), ("Parser", "ai_outputParser", "A"), *tools]
        )
    }


def documents(trace: Path) -> dict[str, JsonValue]:
    """The same in the JSON of a workflow."""
    system = f"__import__('os').system('touch {trace}')"
    edges = [("start", "out", "a")]
    deep: JsonValue = {"nodes": [agent("w", "W.")], "edges": [], "start_node_id": "w"}
    for _ in range(30):
        deep = {"nodes": [node("l", "While", condition=cel("state.x"), body=deep)], "edges": [], "start_node_id": "l"}
    skill: JsonValue = {"title": system, "content": f"{system}\n@({system})\ndef run(x={system}): {system}\n"}
    coder: JsonValue = {"type": "assistant", "config": {"name": system, "llm_config": system}, "skills": [skill, 7]}
    proxy: JsonValue = {"type": "userproxy", "config": {"code_execution_config": "local", "default_auto_reply": system}}
    return {
        "old-studio.json": [[{"sender": proxy, "receiver": coder}]],
        "instructions.json": workflow([agent("a", f"{{{{{system}}}}} {{{{state.__class__.__init__}}}}")], edges),
        "model.json": workflow([agent("a", "A.", model=cel(system))], edges),
        "condition.json": workflow(
            [node("a", "IfElse", cases=[case("case-0", system), case("c", "state.__class__")])], edges
        ),
        "assignment.json": workflow(
            [node("a", "SetState", assignments=[{"name": "x", "expression": cel(system)}])], edges
        ),
        "name.json": workflow([{**agent("a", "A."), "label": f"{system}; DROP"}], edges, {"__class__": 1, "x y": 2}),
        "tool.json": workflow(
            [agent("a", "A.", tools=[{"name": "a(); import os", "parameters": {"properties": {"x=1): pass": {}}}}])],
            edges,
        ),
        "loops.json": workflow([node("a", "While", condition=cel("state.x"), body=deep)], edges),
        "circle.json": workflow(
            [agent("a", "A."), agent("b", "B.")], [*edges, ("a", "on_result", "b"), ("b", "on_result", "a")]
        ),
        "itself.json": workflow([node("a", "Guardrails", guardrails=[])], [*edges, ("a", "on_pass", "a")]),
        "wrong.json": {
            "nodes": [{"node_type": "builtins.Agent", "config": [1], "id": {}}, 7],
            "edges": "x",
            "state_vars": 3,
        },
        "schema.json": workflow(
            [
                agent(
                    "a",
                    "A.",
                    text={
                        "format": {
                            "type": "json_schema",
                            "schema": {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
                        }
                    },
                )
            ],
            edges,
        ),
    }


def _others(trace: Path) -> dict[str, JsonValue]:
    return documents(trace) | flows(trace) | n8n_workflows(f"__import__('os').system('touch {trace}')")


@pytest.mark.slow
def test_importing_does_nothing_but_read(tmp_path: Path):
    trace, folder = tmp_path / "trace", tmp_path / "files"
    folder.mkdir()
    hostile = scripts(trace) | {name: json.dumps(each) for name, each in _others(trace).items()}
    for name, text in (samples() | hostile).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with zipfile.ZipFile(folder / "crew.zip", "w") as archive:
        for name in ("../crew.py", "/agents.yaml", "crew.py"):
            archive.writestr(name, SEQUENTIAL)
    with zipfile.ZipFile(folder / "harmless-crew.zip", "w") as archive:  # unpacking imports an encoding of Python's own
        archive.writestr("crew.py", SEQUENTIAL)
    with zipfile.ZipFile(folder / "crew_long.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("crew.py", SEQUENTIAL)
        archive.writestr("agents.yaml", AGENTS_YAML + "x" * 10_000_000)
    done = subprocess.run(
        [sys.executable, "-m", "tests.importers.watched", folder], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"read {len([*folder.iterdir()])}\n"
    assert not trace.exists()
