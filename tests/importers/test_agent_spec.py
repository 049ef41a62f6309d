"""Configurations of the Open Agent Specification: agents, flows, swarms, and managers with workers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import load_component, validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from studio.importers.models import is_local
from studio.messages import TaskResult
from studio.teams import Team
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.agent_spec_samples import AGENT, END, LOOP, MANAGER, MODEL, SPEC_SAMPLES, START, SWARM, flow
from tests.web.documents import replay_model


def read(given: str | Mapping[str, str], name: str = "spec.yaml") -> Imported:
    files = {name: given} if isinstance(given, str) else given
    return import_bundle(bundle_of({each: text.encode() for each, text in files.items()}))


def parts(imported: Imported) -> dict[str, Any]:
    """Participants by name, without the filters around agents."""
    config: Any = imported.team["config"]
    return {
        each["config"]["name"]: each["config"].get("wrapped_agent", each)["config"] for each in config["participants"]
    }


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("text", SPEC_SAMPLES.values(), ids=list(SPEC_SAMPLES))
def test_samples_make_valid_teams_each_time_the_same(text: str):
    imported = read(text)
    assert imported.source == "agent-spec"
    assert validate_component(imported.team).errors == ()
    assert read(text).as_json() == imported.as_json()


def test_an_agent_with_its_tools_and_its_inputs():
    imported = read(AGENT)
    config: Any = imported.team["config"]
    agent = parts(imported)["Weather_Agent"]
    assert agent["system_message"] == "Tell the weather of {city_name} in {unit}. Keep {{braces}}."
    assert config["context_variables"] == {"city_name": "Rome", "unit": ""}
    assert agent["model_client"]["config"] == {"model": "gpt-4.1", "temperature": 0.5, "max_tokens": 100}
    http, server, client = (each["config"] for each in agent["tools"])
    assert (http["host"], http["port"], http["path"], http["method"]) == ("weather.example", 8443, "/api/{city}", "GET")
    assert http["headers"] == {"Accept": "text/plain", "X-Api-Key": "env:GET_WEATHER_X_API_KEY"}
    assert http["json_schema"]["required"] == ["city"]
    assert (server["name"], client["name"]) == ("look_up", "ask")
    assert "NotImplementedError" in server["source_code"]
    assert agent["workbench"][0]["config"]["server_params"]["command"] == "weather"
    assert sorted(told(imported)) == sorted(
        [
            "approximated: Agent “Weather Agent”",
            "exact: Input `city name`",
            "asked: Input `unit`",
            "asked: Header `X-Api-Key` of get_weather",
            "exact: Tool `get_weather` of Weather_Agent",
            "asked: Tool `look up` of Weather_Agent",
            "approximated: Tool `ask` of Weather_Agent",
            "exact: MCPToolBox `box` of Weather_Agent",
            "approximated: `human_in_the_loop` of Weather_Agent",
        ]
    )
    assert "hidden" not in json.dumps(imported.as_json())


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"unit: '{{unit}}'": "unit: metric"}, "approximated"),
        ({"query_params: {unit: '{{unit}}'}": "query_params: {}"}, "approximated"),
        ({"https://weather.example:8443": "https://{{city}}.example"}, "approximated"),
        ({"https://weather.example:8443": "https://me:word@weather.example"}, "approximated"),
        ({"https://weather.example:8443": "file:///etc"}, "approximated"),
        ({"https://weather.example:8443": "https://weather.example:99999"}, "approximated"),
        ({"http_method: GET": "http_method: TRACE"}, "approximated"),
    ],
)
def test_a_request_that_differs_is_told(change: Mapping[str, str], verdict: str):
    text = AGENT
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    assert f"{verdict}: Tool `get_weather` of Weather_Agent" in told(read(text))


async def test_a_flow_runs_through_its_loop_and_branches():
    imported = read(LOOP)
    config: Any = imported.team["config"]
    assert imported.team["provider"].endswith("GraphFlow")  # type: ignore[union-attr]
    assert config["context_variables"] == {"input_task": "", "write": "nothing", "judge": ""}
    answers = {"write": ["One", "Two"], "judge": ["no", "yes"]}
    for each in parts(imported).values():
        if "model_client" in each:
            each["model_client"] = replay_model(*answers[each["name"]])
    team = load_component(imported.team)
    assert isinstance(team, Team)
    items = [each async for each in team.run_stream("cats") if not isinstance(each, TaskResult)]
    assert [each.to_text() for each in items if each.is_chat and each.source != "user"] == [
        "Write about cats. Was: nothing",
        "One",
        "Is it good? One",
        "no",
        "Write about cats. Was: One",
        "Two",
        "Is it good? Two",
        "yes",
        "Done: Two",
    ]


def test_each_node_of_a_flow_is_told_once():
    findings = [each.what for each in read(LOOP).findings if "“" in each.what and "Node" in each.what]
    assert sorted(findings) == [
        "BranchingNode “branch”",
        "EndNode “end”",
        "LlmNode “judge”",
        "LlmNode “write”",
        "OutputMessageNode “say”",
        "StartNode “start”",
    ]


def test_flows_in_flows_are_laid_out_and_tools_are_steps():
    sub = (
        "component_type: FlowNode, subflow: {component_type: Flow, id: g, name: g, start_node: {$component_ref: s2}, "
        "nodes: [{$component_ref: s2}, {$component_ref: tool}, {$component_ref: e2}], control_flow_connections: ["
        "{component_type: ControlFlowEdge, from_node: {$component_ref: s2}, to_node: {$component_ref: tool}}, "
        "{component_type: ControlFlowEdge, from_node: {$component_ref: tool}, to_node: {$component_ref: e2}}], "
        "data_flow_connections: [{component_type: DataFlowEdge, source_node: {$component_ref: s2}, "
        "source_output: task, "
        "destination_node: {$component_ref: tool}, destination_input: q}]}"
    )
    tool = (
        "component_type: ToolNode, inputs: [{title: q, type: string}], outputs: [{title: r, type: string}], "
        "tool: {component_type: ServerTool, id: t, name: look, inputs: [{title: q, type: string}]}"
    )
    text = flow(
        {"start": START, "sub": sub, "end": END, "s2": START, "tool": tool, "e2": END},
        [("start", "", "sub"), ("sub", "next", "end")],
        ["start.task > sub.task"],
    )
    text = text.replace("- {$component_ref: s2}\n- {$component_ref: tool}\n- {$component_ref: e2}\n", "")
    imported = read(text)
    assert list(parts(imported)) == ["start", "tool"]
    assert parts(imported)["tool"]["arguments"] == [{"name": "q", "expression": "input_task"}]
    assert "approximated: ToolNode “tool”" in told(imported)
    circle = text.replace("$component_ref: s2}, {$component_ref: tool}", "$component_ref: s2}, {$component_ref: sub}")
    with pytest.raises(InvalidDocument, match="contains itself"):
        read(circle)


def test_people_are_asked_and_agents_read_their_inputs():
    agent = (
        f"component_type: AgentNode, inputs: [{{title: city, type: string}}], agent: {{component_type: Agent, id: g, "
        f"name: Guide, llm_config: {MODEL}, system_prompt: 'Show {{{{city}}}}.', tools: []}}"
    )
    ask = "component_type: InputMessageNode, message: 'Which city?', outputs: [{title: city, type: string}]"
    start = "component_type: StartNode"
    text = flow(
        {"start": start, "ask": ask, "guide": agent, "end": END},
        [("start", "", "ask"), ("ask", "", "guide"), ("guide", "", "end")],
        ["ask.city > guide.city"],
    )
    imported = read(text)
    assert list(parts(imported)) == ["ask_prompt", "ask", "ask_answer", "guide"]
    assert parts(imported)["ask_answer"]["assignments"] == [{"name": "ask", "expression": "message"}]
    assert parts(imported)["guide"]["system_message"] == "Show {ask}."


def test_answers_of_agents_are_kept_for_nodes_that_come_later():
    agent = (
        f"component_type: AgentNode, outputs: [{{title: topic, type: string}}], agent: {{component_type: Agent, id: g, "
        f"name: Sorter, llm_config: {MODEL}, system_prompt: Sort., tools: []}}"
    )
    say = "component_type: OutputMessageNode, message: 'It is {{topic}}', inputs: [{title: topic, type: string}]"
    text = flow(
        {"start": "component_type: StartNode", "sort": agent, "say": say, "end": END},
        [("start", "", "sort"), ("sort", "", "say"), ("say", "", "end")],
        ["sort.topic > say.topic", "sort.topic > end.topic"],
    )
    imported = read(text)
    assert parts(imported)["sort"]["keep_as"] == "sort"
    assert parts(imported)["say"]["message"] == "It is {sort[topic]}"
    assert "approximated: EndNode “end”" in told(imported)


@pytest.mark.parametrize("how", ["always", "optional", "true"])
def test_a_swarm_hands_over_by_its_relationships(how: str):
    imported = read(SWARM.replace("HOW", how))
    assert list(parts(imported)) == ["anna", "bert"]
    assert parts(imported)["anna"]["handoffs"] == ["bert"]
    assert "approximated: Swarm “Clinic”" in told(imported)


def test_a_swarm_without_handoffs_and_a_manager_call_agents():
    anna = parts(read(SWARM.replace("HOW", "never")))["anna"]
    assert [each["config"]["agent"]["config"]["name"] for each in anna["tools"]] == ["bert"]
    imported = read(MANAGER)
    anna = parts(imported)["anna"]
    assert [each["config"]["agent"]["config"]["name"] for each in anna["tools"]] == ["bert", "carl"]
    assert "dropped: OciAgent “far” of anna" in told(imported)


def test_references_can_be_in_another_file():
    main = "component_type: Agent\nname: One\nllm_config: {$component_ref: llm}\nsystem_prompt: Hi\ntools: []\n"
    shared = f"$referenced_components:\n  llm: {MODEL}\n"
    both = read({"main.yaml": main, "shared.yaml": shared})
    assert parts(both)["One"]["model_client"]["config"]["model"] == "gpt-4.1"
    assert "asked: Model of One" in told(read(main))
    with pytest.raises(InvalidDocument, match="only referenced components") as refused:
        read(shared)
    assert "Flow, Agent" in refused.value.fix


def test_models_elsewhere_are_asked_and_keys_stay():
    key = "sk-" + "a1B2c3D4" * 5
    for address, base in (
        ("http://localhost:8000", "http://localhost:8000/v1"),
        ("http://localhost.evil.example", None),
    ):
        text = AGENT.replace("component_type: OpenAiConfig", "component_type: VllmConfig").replace(
            "model_id: gpt-4.1", f"model_id: m\n  url: {address}\n  api_key: {key}"
        )
        imported = read(text)
        assert parts(imported)["Weather_Agent"]["model_client"]["config"].get("base_url") == base
        assert key not in json.dumps(imported.as_json())
        assert ("asked: Model of Weather_Agent" in told(imported)) is (base is None)
    assert not is_local("http://127.0.0.1.evil.example")
    oci = AGENT.replace("OpenAiConfig", "OciGenAiConfig")
    assert "asked: Model of Weather_Agent" in told(read(oci))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$referenced_components:\n  a: {type: Agent, name: A}\n", "form of a draft"),
        ("component_type: OciAgent\nname: A\n", "type OciAgent"),
        ("$component_ref: x\n$referenced_components: {x: {$component_ref: x}}\n", "only referenced|draft"),
        ("component_type: Flow\nnodes: []\n", "no start node"),
        ("component_type: Swarm\nfirst_agent: 7\n", "has no agent"),
        ("component_type: ManagerWorkers\nworkers: []\n", "manager of"),
        ("component_type: Agent\nname: !!python/name:os.system x\n", "tag"),
        ("component_type: Agent\nx: " + "[" * 500, "nested|YAML"),
    ],
)
def test_what_is_no_team_is_refused_with_the_reason(text: str, said: str):
    with pytest.raises(StudioError, match=said):
        read(text)


def test_components_of_autogen_are_not_taken_for_it():
    component = json.dumps({"provider": "x.Y", "component_type": "team", "config": {}})
    with pytest.raises(UnknownSource):
        read(component, "a.json")
    assert import_foreign("a.json", component.encode()) is None
    assert name_for(AGENT) == "pasted.yaml"
    found = import_foreign("pasted.yaml", AGENT.encode())
    assert found is not None
    assert found.source == "agent-spec"


def test_the_command_reads_it(studio: Studio, tmp_path: Path):
    source, out = tmp_path / "flow.yaml", tmp_path / "team.json"
    source.write_text(LOOP)
    assert studio("import", str(source), "--out", str(out)).code == 0
    assert studio("check", str(out)).code == 0


def test_bombs_are_refused():
    bomb = "".join(f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9))
    with pytest.raises(TooLarge):
        read(f"{AGENT}x0: &x0 [a, a]\n{bomb}")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 70_000)
    | st.sampled_from(["", "a", "{{a}}", "{{", "yes", "http://a.b/{{x}}", "\u202e"])
    | st.sampled_from([{"$component_ref": name} for name in ("start", "write", "judge", "branch", "nobody")]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["title", "type", "default", "name", "id", "component_type", "agent", "tool", "a"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=4,
)
_FIELDS = [
    "start_node",
    "nodes",
    "control_flow_connections",
    "data_flow_connections",
    "name",
    "inputs",
    "outputs",
    "component_type",
    "llm_config",
    "tools",
    "toolboxes",
    "first_agent",
    "relationships",
    "handoff",
    "workers",
]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(SPEC_SAMPLES)),
    st.dictionaries(st.sampled_from(_FIELDS), _VALUES, min_size=1, max_size=3),
    st.sampled_from(["", "write", "branch", "anna"]),
)
def test_any_value_in_any_field_gives_a_valid_team_or_a_refusal(sample: str, changes: dict[str, Any], inside: str):
    document = _plain(SPEC_SAMPLES[sample])
    place = document.get("$referenced_components", {}).get(inside, document)
    place.update(changes)
    try:
        imported = read(json.dumps(document), "a.json")
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()


def _plain(text: str) -> Any:
    from studio.importers.parts import Budget, yaml_part

    return yaml_part("a.yaml", text, Budget()).plain()
