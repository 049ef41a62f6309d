"""Flows of Flowise: Agentflow V2, sequential flows, supervisors with workers, and chatflows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import UnknownSource, bundle_of, import_bundle, import_foreign
from studio.importers.flowise_texts import plain
from studio.services.imports import layout_of
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.canvases import parts, read, said, told

MODEL = {"modelName": "gpt-4o", "temperature": "0.5", "streaming": True, "topP": ""}


def node(name: str, kind: str, label: str = "", at: tuple[float, float] = (0, 0), **inputs: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": name,
        "name": kind,
        "label": label or name,
        "baseClasses": [],
        "category": "C",
        "inputs": inputs,
    }
    return {"id": name, "type": "agentFlow", "position": {"x": at[0], "y": at[1]}, "data": data}


def edge(source: str, target: str, port: str = "out", field: str = "sequentialNode") -> dict[str, Any]:
    return {
        "source": source,
        "target": target,
        "sourceHandle": f"{source}-output-{port}-X|Y",
        "targetHandle": f"{target}-input-{field}-X",
    }


def agent(name: str, label: str, system: str = "", at: tuple[float, float] = (0, 0), **inputs: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}] if system else []
    texts: dict[str, Any] = {"agentModel": "chatOpenAI", "agentModelConfig": MODEL, "agentMessages": messages}
    made = node(name, "agentAgentflow", label, at)
    made["data"]["inputs"] = {
        "agentEnableMemory": True,
        **texts,
        **{f"agent{key}": each for key, each in inputs.items()},
    }
    return made


START = node("start_0", "startAgentflow", "Start", startInputType="chatInput")


def flow(nodes: Sequence[dict[str, Any]], edges: Sequence[tuple[str, ...] | dict[str, Any]]) -> dict[str, Any]:
    listed = [edge(*each) if isinstance(each, tuple) else each for each in edges]
    return {"description": "D", "nodes": list(nodes), "edges": listed}


ROUTED = flow(
    [
        START,
        node(
            "conditionAgentAgentflow_0",
            "conditionAgentAgentflow",
            "Route",
            conditionAgentModel="chatOpenAI",
            conditionAgentModelConfig=MODEL,
            conditionAgentInstructions="<p>Choose.</p>",
            conditionAgentInput="<p>{{ question }}</p>",
            conditionAgentScenarios=[{"scenario": "It's a refund"}, {"scenario": "Other {x}"}],
        ),
        agent("agentAgentflow_0", "Refund Agent", "<p>Refund.</p>", at=(100.4, 40)),
        agent("agentAgentflow_1", "Other Agent", "Be kind.", at=(100.4, 140)),
    ],
    [
        ("start_0", "conditionAgentAgentflow_0"),
        ("conditionAgentAgentflow_0", "agentAgentflow_0", "0"),
        ("conditionAgentAgentflow_0", "agentAgentflow_1", "1"),
    ],
)


# --- behavior ---


@pytest.mark.parametrize(("answer", "speaker"), [("It's a refund", "Refund_Agent"), ("Other {x}", "Other_Agent")])
async def test_a_condition_agent_leads_to_the_agent_of_its_scenario(answer: str, speaker: str):
    answers = {"Route": [json.dumps({"output": answer})], speaker: ["Done."]}
    spoken = await said(read(ROUTED), answers)
    assert [source for source, _ in spoken] == ["Route_prompt", "Route", speaker]
    assert "Input: Help!" in spoken[0][1]
    assert "- Other {x}" in spoken[0][1]


async def test_a_loop_goes_back_as_often_as_it_says_and_then_gives_its_fallback():
    loop = node(
        "loop_0",
        "loopAgentflow",
        "Again",
        loopBackToNode="a_0-A",
        maxLoopCount="2",
        fallbackMessage="Enough, {{ a_0 }}.",
    )
    document = flow([START, agent("a_0", "A"), loop], [("start_0", "a_0"), ("a_0", "loop_0")])
    spoken = await said(read(document), {"A": ["1", "2", "3"]})
    assert spoken == [("A", "1"), ("A", "2"), ("A", "3"), ("Again_end", "Enough, 3.")]


async def test_state_that_an_agent_sets_decides_a_condition():
    start = node("start_0", "startAgentflow", startState=[{"key": "kind", "value": ""}])
    fields = [{"key": "kind", "type": "enum", "enumValues": "cook, clean"}]
    asks = agent("a_0", "A", StructuredOutput=fields, UpdateState=[{"key": "kind", "value": "{{ output.kind }}"}])
    condition = {
        "type": "string",
        "value1": "<p>{{ $flow.state.kind }}</p>",
        "operation": "equal",
        "value2": "<p>cook</p>",
    }
    checks = node("c_0", "conditionAgentflow", "Check", conditions=[condition])
    replies = [
        node(f"r_{at}", "directReplyAgentflow", f"R{at}", directReplyMessage=f"{at}: {{{{ $flow.state.kind }}}}")
        for at in (0, 1)
    ]
    edges = [("start_0", "a_0"), ("a_0", "c_0"), ("c_0", "r_0", "0"), ("c_0", "r_1", "1")]
    imported = read(flow([start, asks, checks, *replies], edges))
    for kind, reply in (("cook", ("R0", "0: cook")), ("clean", ("R1", "1: clean"))):
        spoken = await said(imported, {"A": [json.dumps({"kind": kind})]})
        assert spoken[-1] == reply


async def test_all_that_the_start_leads_to_answer():
    document = flow([START, agent("a", "A"), agent("b", "B")], [("start_0", "a"), ("start_0", "b")])
    spoken = await said(read(document), {"A": ["1"], "B": ["2"]})
    assert sorted(spoken) == [("A", "1"), ("B", "2")]


async def test_a_supervisor_chooses_workers_until_it_finishes():
    leader = node("s_0", "supervisor", "S", supervisorName="Boss", supervisorPrompt="Lead {team_members}.")
    works = [
        node(
            f"w_{name}",
            "worker",
            name,
            workerName=f"The {name}",
            workerPrompt="At {firm}.",
            promptValues='{"firm": "F"}',
        )
        for name in ("one", "two")
    ]
    document = flow(
        [leader, *works], [edge("s_0", "w_one", field="supervisor"), edge("s_0", "w_two", field="supervisor")]
    )
    imported = read(document)
    found = parts(imported)
    assert found["Boss"]["system_message"] == "Lead The_one, The_two."
    assert found["The_one"]["system_message"].startswith("At F.")
    choices = [
        json.dumps({"reasoning": "", "next": each, "instructions": ""}) for each in ("The_two", "The_one", "FINISH")
    ]
    spoken = await said(imported, {"Boss": choices, "The_one": ["1"], "The_two": ["2"]})
    assert [each for each in spoken if each[0].startswith("The")] == [("The_two", "2"), ("The_one", "1")]


async def test_a_sequential_flow_loops_while_its_condition_on_the_messages_holds():
    less = [
        {
            "variable": "$flow.state.messages.length",
            "operation": "Less Than or Equal To",
            "value": "3",
            "output": "Go On",
        }
    ]
    nodes = [
        node("start", "seqStart"),
        node("w", "seqLLMNode", llmNodeName="Writer", systemMessagePrompt="Write."),
        node("c", "seqCondition", conditionName="Check", conditionUI=json.dumps(less)),
        node("t", "seqLLMNode", llmNodeName="Teacher", systemMessagePrompt="Grade."),
        node("l", "seqLoop", loopToName="writer"),
        node("e", "seqEnd"),
    ]
    edges = [("start", "w"), ("w", "c"), ("c", "t", "goOn"), ("c", "e", "end"), ("t", "l")]
    spoken = await said(read(flow(nodes, edges)), {"Writer": ["w1", "w2"], "Teacher": ["t1"]})
    assert [text for _, text in spoken] == ["w1", "t1", "w2"]


def test_branches_at_the_same_time_are_told_as_different():
    nodes = [
        node("start", "seqStart"),
        *(node(name, "seqLLMNode", llmNodeName=name, systemMessagePrompt="Write.") for name in ("a", "b", "c")),
        node("e", "seqEnd"),
    ]
    edges = [("start", "a"), ("a", "b"), ("a", "c"), ("b", "e"), ("c", "e")]
    assert "approximated: Branches after “a”" in told(read(flow(nodes, edges)))
    assert not [each for each in told(read(flow(nodes, edges[:2] + edges[3:4]))) if "Branches" in each]


async def test_chains_read_the_answers_of_those_before_them():
    nodes = [
        node("m", "chatOpenAI", modelName="gpt-4o"),
        node("p1", "promptTemplate", template="Do {x}", promptValues='{"x": "{{question}}"}'),
        node("c1", "llmChain", chainName="First"),
        node("p2", "promptTemplate", template="Then {x} {{y}}", promptValues='{"x": "{{c1.data.instance}}"}'),
        node("c2", "llmChain", chainName="Last"),
    ]
    edges = [
        edge(*each) for each in (("m", "c1", "o", "model"), ("m", "c2", "o", "model"), ("p1", "c1", "o", "prompt"))
    ]
    edges += [edge("c1", "p2", "o", "promptValues"), edge("p2", "c2", "o", "prompt")]
    spoken = await said(read(flow(nodes, edges)), {"First": ["one"], "Last": ["two"]}, "it")
    assert spoken == [("First_prompt", "Do it"), ("First", "one"), ("Last_prompt", "Then one {{y}}"), ("Last", "two")]


# --- parts ---


def test_models_take_numbers_that_are_texts_and_leave_out_what_is_empty():
    config = parts(read(flow([START, agent("a", "A")], [("start_0", "a")])))["A"]["model_client"]["config"]
    assert config == {"model": "gpt-4o", "temperature": 0.5}


def test_a_setting_of_zero_is_kept():
    exact = {**MODEL, "temperature": 0}
    config = parts(read(flow([START, agent("a", "A", ModelConfig=exact)], [("start_0", "a")])))["A"]
    assert config["model_client"]["config"]["temperature"] == 0


def test_javascript_stays_behind_and_is_told():
    tools = [
        {
            "agentSelectedTool": "customTool",
            "agentSelectedToolConfig": {"customToolName": "look up", "customToolFunc": "return 1"},
        }
    ]
    code = node("f_0", "customFunctionAgentflow", "Code", customFunctionJavascriptFunction="require('child_process')")
    imported = read(flow([START, agent("a", "A", Tools=tools), code], [("start_0", "a"), ("a", "f_0")]))
    assert "child_process" not in json.dumps(imported.team)
    assert "return 1" not in json.dumps(imported.team)
    assert {"approximated: Tool `look_up` of A", "approximated: Node “Code”"} <= set(told(imported))
    assert "NotImplementedError" in parts(imported)["Code"]["tool"]["config"]["source_code"]


def test_keys_become_references_and_never_stand_in_the_team():
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
    server = json.dumps({"command": "npx", "args": ["-y", "x"], "env": {"API_KEY": key}})
    tools = [{"agentSelectedTool": "customMCP", "agentSelectedToolConfig": {"mcpServerConfig": server}}]
    imported = read(flow([START, agent("a", "A", f"Use {key}.", Tools=tools)], [("start_0", "a")]))
    assert key not in json.dumps(imported.as_json())
    assert parts(imported)["A"]["workbench"][0]["config"]["server_params"]["command"] == "npx"


def test_cards_and_notes_stand_where_they_stood():
    document = json.loads(json.dumps(ROUTED))
    document["nodes"].append(node("note", "stickyNoteAgentflow", at=(10, 10), note="Mind this."))
    layout: Any = layout_of(read(document))
    assert layout["pins"]["Refund_Agent"] == {"x": 180, "y": 80}
    assert layout["pins"].keys() == parts(read(document)).keys(), "a step that the import adds has a place, too"
    places = [(each["x"], each["y"]) for each in layout["pins"].values()]
    for at, (x, y) in enumerate(places):
        assert not [each for each in places[:at] if abs(each[0] - x) < 200 and abs(each[1] - y) < 70]
    assert layout["notes"]["note-4"]["text"] == "Mind this."
    assert "Imported from Flowise" in layout["notes"]["import"]["text"]


def test_findings_have_their_places():
    tools = [{"agentSelectedTool": "calculator"}, {"agentSelectedTool": "serpAPI"}]
    imported = read(flow([START, agent("a", "A", Tools=tools)], [("start_0", "a")]))
    places = {each.what: str(each.place) for each in imported.findings}
    assert places["Tool `serpAPI` of A"] == "Desk.json/nodes/1/data/inputs/agentTools/1"
    assert next(each for each in imported.findings if each.what == "Agent “A”").became == "/config/participants/0"


def test_texts_of_the_editor_are_markdown_and_others_stay():
    assert (
        plain("<p>A &amp; <strong>b</strong></p><ol><li><p>one</p></li><li>two</li></ol>")
        == "A & **b**\n\n1.  one\n2.  two"
    )
    assert plain("Use <b>tags</b> & {x}") == "Use <b>tags</b> & {x}"


def test_an_iteration_runs_once_with_the_whole_list_and_says_so():
    inner = {**agent("a", "A", UserMessage="{{ $iteration.item }}"), "parentNode": "i"}
    loop = node("i", "iterationAgentflow", "Each", iterationInput='[{"item": 1}]')
    imported = read(flow([START, loop, inner], [("start_0", "i")]))
    assert "approximated: Iteration “Each”" in told(imported)
    assert parts(imported)["A_prompt"]["message"] == "{Each_items}"


# --- what it finds and refuses ---


def test_an_export_of_everything_gives_its_first_flow_and_names_the_others():
    routed = {"name": "Desk", "flowData": json.dumps(ROUTED)}
    imported = read({"ChatFlow": [{"name": "Chat", "flowData": json.dumps(ROUTED)}], "AgentFlowV2": [routed]})
    assert imported.team["label"] == "Desk"
    assert "dropped: Flow “Chat”" in told(imported)
    assert imported.source == "flowise"
    assert import_foreign("x.json", json.dumps(ROUTED).encode()) is not None


def test_a_custom_tool_alone_is_refused_with_what_to_do():
    with pytest.raises(InvalidDocument, match="custom tool of Flowise, which is JavaScript") as refused:
        read({"name": "now", "description": "", "iconSrc": "", "schema": "[]", "func": "return 1"})
    assert "Import the flow" in refused.value.fix


def test_flows_without_agents_or_with_too_many_nodes_are_refused():
    with pytest.raises(InvalidDocument, match="no agent and no chain"):
        read(flow([node("p", "pinecone")], []))
    with pytest.raises(TooLarge, match="more than 300 nodes"):
        read(flow([node(str(at), "agentAgentflow") for at in range(301)], []))
    with pytest.raises(UnknownSource):
        read({"nodes": [{"data": {"name": "x"}}], "edges": []})


def test_the_command_writes_a_team_that_passes_the_check(studio: Studio, tmp_path: Path):
    source, team = tmp_path / "Desk.json", tmp_path / "team.json"
    source.write_text(json.dumps(ROUTED))
    assert studio("import", source, "--out", team).code == 0
    assert studio("check", team).code == 0


TEXTS = ("{{ a }}", "{{{", "<p>{{ $flow.state.x }}", "[{}]", "$flow.state.messages", "a-A", "\u202e{x}", "1e999")
FIELDS = ("role", "content", "key", "value", "type", "scenario", "url", "command", "output", "operation", "variable")
WILD = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=6,
)
NODES = [
    START,
    ROUTED["nodes"][1],
    agent("a", "A", UserMessage="", UpdateState=[], StructuredOutput=[], Tools=[], MemoryType="", MemoryWindowSize=1),
    node("l", "loopAgentflow", loopBackToNode="a-A", maxLoopCount=1, loopUpdateState=[]),
    node("c", "conditionAgentflow", conditions=[]),
    node("h", "humanInputAgentflow", humanInputDescription="", humanInputEnableFeedback=True),
    {**node("i", "iterationAgentflow", iterationInput=""), "parentNode": "i"},
    node("t", "toolAgentflow", toolInputArgs=[], toolAgentflowSelectedTool=""),
    node("n", "stickyNoteAgentflow", note=""),
    node("q", "seqLLMNode", promptValues="{}", updateStateMemoryUI="[]", systemMessagePrompt="{a}", llmNodeName="q"),
    node("qc", "seqCondition", conditionUI="[]"),
    node("ql", "seqLoop", loopToName="q"),
    node("s", "supervisor", supervisorPrompt="", recursionLimit=1),
    node("w", "worker", workerPrompt="{a}", promptValues="", workerName=""),
    node("b", "toolAgent", systemMessage="", maxIterations=1),
]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_value_at_any_field_breaks_the_import(data: st.DataObject):
    drawn = data.draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=5))
    chosen: list[Any] = [json.loads(json.dumps(each)) for each in drawn]
    for each in chosen:
        for key in each["data"]["inputs"]:
            if data.draw(st.booleans()):
                each["data"]["inputs"][key] = data.draw(WILD)
    names = st.sampled_from([each["id"] for each in chosen])
    ports = st.sampled_from(["0", "1", "out"])
    text = json.dumps(flow(chosen, data.draw(st.lists(st.tuples(names, names, ports), max_size=6))))
    try:
        imported = import_bundle(bundle_of({"a.json": text.encode()}))
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()


def test_large_and_deep_files_are_refused_or_read_in_bounded_time():
    many = [agent(f"a_{at}", "A") for at in range(250)]
    dense = [(f"a_{one}", f"a_{other}") for one in range(40) for other in range(40)]
    imported = read(flow([START, *many], [("start_0", "a_0"), *dense]))
    assert any(each.verdict == "dropped" for each in imported.findings)
    with pytest.raises(StudioError):
        import_bundle(bundle_of({"a.json": b'{"nodes": ' + b"[" * 5_000 + b'"baseClasses"'}))
