"""Teams as configurations of Agent Spec: what they are there, what is asked, and that they are read back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from studio.agents import AgentTool, AssistantAgent, MessageFilterAgent, StepAgent
from studio.components import Component, SecretRef, load_component, validate_component
from studio.conditions import MaxMessageTermination
from studio.exporters import CannotExport, Exported, export_team
from studio.importers import Imported, bundle_of, import_bundle
from studio.models import (
    AnthropicChatCompletionClient,
    AzureOpenAIChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
)
from studio.teams import RoundRobinGroupChat
from studio.tools import FunctionTool, HttpTool
from studio.tools.mcp import McpWorkbench, StdioServerParams, StreamableHttpServerParams
from tests.exporters.originals import python_of, sample_team
from tests.exporters.samples import SAMPLES, Sample
from tests.importers.agent_spec_samples import AGENT, MANAGER, SWARM

LOAD = Path(__file__).parent / "load_in_agent_spec.py"
REFUSED = {"selector", "magentic", "nested", "society"}
KEPT = [sample for sample in SAMPLES if sample.name not in REFUSED]
MODEL = OpenAIChatCompletionClient(model="gpt-4o-mini")


def exported(component: Component) -> Exported:
    return export_team(load_component(component.dump_component()), "agent-spec")


def document(component: Component) -> Any:
    return json.loads(exported(component).code)


def back(found: Exported) -> Imported:
    imported = import_bundle(bundle_of({"agent.json": found.code.encode()}))
    assert validate_component(imported.team).errors == ()
    return imported


def told(found: Exported) -> dict[str, str]:
    return {each.place.pointer: each.verdict for each in found.findings}


def agent(**config: Any) -> AssistantAgent:
    known: dict[str, Any] = {"name": "writer", "model_client": MODEL, "system_message": "Write.", **config}
    return AssistantAgent(**known)


def graph(*conditions: dict[str, Any], **config: Any) -> Component:
    """Two agents after one, with these conditions on the edges."""
    parts = [agent(**config), agent(name="good"), agent(name="bad")]
    nodes: dict[str, Any] = {each.name: {"name": each.name, "edges": list[Any]()} for each in parts}
    nodes["writer"]["edges"] = [
        {"target": name, **each} for name, each in zip(("good", "bad"), conditions, strict=True)
    ]
    team: Any = {
        "provider": "autogen_agentchat.teams.GraphFlow",
        "config": {
            "participants": [each.dump_component() for each in parts],
            "graph": {"nodes": nodes, "default_start_node": "writer"},
            "context_variables": {"draft": None},
        },
    }
    return load_component(team)


# --- whole teams ---


@pytest.mark.parametrize("sample", KEPT, ids=lambda sample: sample.name)
def test_what_is_exported_is_read_back(sample: Sample):
    found = exported(sample_team(sample))
    ours: Any = sample_team(sample).dump_component()
    theirs: Any = back(found).team
    assert {each["config"]["name"] for each in theirs["config"]["participants"]} <= {
        each["config"]["name"] for each in ours["config"]["participants"]
    }
    assert found.counts["asked"] >= 1, "a key is never in a configuration"


@pytest.mark.parametrize("text", [AGENT, SWARM, MANAGER, AGENT.replace("gpt-4.1", "a-model/of-one's-own")])
def test_what_an_import_had_exactly_is_still_there_after_an_export(text: str):
    first = import_bundle(bundle_of({"agent.yaml": text.encode()}))
    second = back(exported(load_component(first.team)))
    assert settled(second.team) == settled(first.team)


def settled(value: Any) -> Any:
    """A team without labels, without code of stand-ins, and without keys, which are asked."""
    if isinstance(value, list):
        return [settled(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    entries = cast("dict[str, Any]", value)
    return {
        name: settled(each)
        for name, each in entries.items()
        if name not in ("label", "source_code", "global_imports") and not str(each).startswith("env:")
    }


@pytest.mark.skipif(
    not python_of("agent-spec"), reason="needs pyagentspec 26.3, or AGENT_SPEC_PYTHON with a Python that has it"
)
def test_agent_spec_itself_loads_them_and_they_follow_its_schema():
    texts = {sample.name: exported(sample_team(sample)).code for sample in KEPT}
    texts["choice"] = exported(graph({"condition": "yes"}, {"otherwise": True})).code
    texts["parts"] = exported(everything()).code
    workers = graph({"condition": "yes"}, {"otherwise": True}, tools=[AgentTool(agent=agent(name="helper"))])
    texts["workers"] = exported(workers).code
    done = subprocess.run(
        [python_of("agent-spec"), LOAD], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    kinds = json.loads(done.stdout)
    assert {name: kind for name, kind in kinds.items() if ":" in kind} == {}
    assert (kinds["swarm"], kinds["agents-as-tools"], kinds["graph"]) == ("Swarm", "ManagerWorkers", "Flow")


@pytest.mark.parametrize("sample", [each for each in SAMPLES if each.name in REFUSED], ids=lambda sample: sample.name)
def test_teams_that_agent_spec_lacks_are_refused(sample: Sample):
    with pytest.raises(CannotExport, match="Agent Spec has no"):
        exported(sample_team(sample))


def test_a_round_robin_is_a_flow_of_one_round_and_says_what_is_left_out():
    parts: list[Any] = [agent(), agent(name="critic")]
    once = exported(RoundRobinGroupChat(participants=parts, max_turns=2))
    assert set(told(once).values()) == {"exact"}
    ending = MaxMessageTermination(max_messages=9)
    found = exported(RoundRobinGroupChat(participants=parts, termination_condition=ending, max_turns=8))
    assert told(found)[""] == "approximated"
    assert told(found)["/config/termination_condition"] == "dropped"
    flow = json.loads(found.code)
    assert [each["$component_ref"] for each in flow["nodes"]] == ["flow start", "writer", "critic", "flow end"]


# --- choices ---


def test_an_edge_on_a_text_compares_the_whole_answer_there():
    found = exported(graph({"condition": "yes"}, {"otherwise": True}))
    flow = json.loads(found.code)
    choice = flow["$referenced_components"]["choice after writer"]
    assert (choice["mapping"], choice["branches"]) == ({"yes": "branch_0"}, ["branch_0", "default"])
    assert told(found)["/config/graph/nodes/writer/edges/0/condition"] == "approximated"
    assert flow["data_flow_connections"][0]["source_output"] == "answer"
    assert str(back(found).team["provider"]).endswith("GraphFlow")


def test_an_edge_on_a_value_that_is_kept_is_exact():
    found = exported(graph({"context_condition": "draft == 'yes'"}, {"otherwise": True}, keep_as="draft"))
    assert "/config/graph/nodes/writer/edges/0/context_condition" not in told(found)
    edges = json.loads(found.code)["control_flow_connections"]
    ways = {(each["from_branch"], each["to_node"]["$component_ref"]) for each in edges}
    assert {("branch_0", "good"), ("default", "bad")} <= ways


def test_edges_that_are_no_choice_by_one_value_are_refused():
    for one, other in (({}, {}), ({"context_condition": "draft > 3"}, {"otherwise": True}), ({"condition": "a"}, {})):
        with pytest.raises(CannotExport, match="one edge") as refused:
            exported(graph(one, other))
        assert str(refused.value.where).startswith("/config/graph/nodes/writer/edges")


# --- agents ---


def everything() -> RoundRobinGroupChat:
    """An agent with parts of each kind."""

    properties: Any = {"city": {"type": "string"}, "unit": {"type": "string"}}
    source = "def add(a: int, b: int = 1) -> int:\n    return a + b\n"
    tools: list[Any] = [
        FunctionTool(name="add", description="Adds.", source_code=source),
        HttpTool(
            name="weather",
            host="weather.example",
            port=8443,
            scheme="https",
            path="/api/{city}",
            method="GET",
            headers={"X-Key": "env:WEATHER", "Accept": "text/plain"},
            json_schema={"type": "object", "properties": properties, "required": ["city"]},
        ),
    ]
    servers: list[Any] = [
        McpWorkbench(server_params=StdioServerParams(command="uvx", args=["fetch", "{env:TOKEN}"], env={"A": "b"})),
        McpWorkbench(server_params=StreamableHttpServerParams(url="https://mcp.example/mcp")),
    ]
    made = agent(
        system_message="Use {tone}. Keep {{braces}}.",
        system_message_holds_variables=True,
        tools=tools,
        workbench=servers,
        keep_as="draft",
    )
    return RoundRobinGroupChat(participants=[made], max_turns=1, context_variables={"tone": "kindness", "draft": ""})


def test_instructions_name_inputs_and_other_braces_stay():
    found = document(everything())
    assert found["component_type"] == "Agent"
    assert found["system_prompt"] == "Use {{tone}}. Keep {braces}."
    assert found["inputs"] == [{"title": "tone", "type": "string", "default": "kindness"}]
    plain = document(agent(system_message="Say {{x}}."))
    assert plain["inputs"] == [{"title": "x", "type": "string", "default": "{{x}}"}]


def test_tools_are_asked_sent_or_reached_and_secrets_stay_behind():
    exporting = exported(everything())
    found = json.loads(exporting.code)
    add, weather = found["tools"]
    assert (add["component_type"], [each["title"] for each in add["inputs"]]) == ("ServerTool", ["a", "b"])
    assert weather["url"] == "https://weather.example:8443/api/{{city}}"
    assert weather["query_params"] == {"unit": "{{unit}}"}
    assert weather["headers"] == {"Accept": "text/plain"}
    stdio, http = (each["client_transport"] for each in found["toolboxes"])
    assert (stdio["component_type"], stdio["args"], stdio["env"]) == ("StdioTransport", ["fetch"], {"A": "b"})
    assert http["component_type"] == "StreamableHTTPTransport"
    asked = {pointer for pointer, verdict in told(exporting).items() if verdict == "asked"}
    at = "/config/participants/0/config"
    assert asked == {
        f"{at}/tools/0",
        f"{at}/tools/1/config/headers/X-Key",
        f"{at}/workbench/0/config/server_params/args/1",
    }
    assert told(exporting)[f"{at}/keep_as"] == "dropped"
    imported: Any = back(exporting).team
    listed = imported["config"]["participants"][0]["config"]["tools"]
    assert [each["config"]["name"] for each in listed] == ["add", "weather"]


def test_what_an_agent_lacks_there_is_left_out_and_a_filter_is_told():
    heard: Any = {"per_source": [{"source": "user"}]}
    made = MessageFilterAgent(name="writer", wrapped_agent=agent(), filter=heard)
    found = exported(RoundRobinGroupChat(participants=[made], max_turns=1))
    assert told(found)["/config/participants/0/config/filter"] == "dropped"
    step = StepAgent(name="step", message="Go on")
    with pytest.raises(CannotExport, match="StepAgent") as refused:
        exported(RoundRobinGroupChat(participants=[agent(), step], max_turns=2))
    assert refused.value.where == "/config/participants/1"


def test_agents_that_are_tools_are_workers():
    helper = agent(name="helper", description="Helps.")
    found = document(RoundRobinGroupChat(participants=[agent(tools=[AgentTool(agent=helper)])], max_turns=1))
    assert found["component_type"] == "ManagerWorkers"
    assert [each["name"] for each in found["workers"]] == ["helper"]
    assert found["group_manager"]["tools"] == []


# --- models ---


@pytest.mark.parametrize(
    ("client", "kind", "version"),
    [
        (OpenAIChatCompletionClient(model="gpt-4o", temperature=0.5), "OpenAiConfig", "25.4.2"),
        (OpenAIChatCompletionClient(model="x", base_url="http://localhost:9/v1"), "OpenAiCompatibleConfig", "25.4.2"),
        (OllamaChatCompletionClient(model="llama3"), "OllamaConfig", "25.4.2"),
        (AnthropicChatCompletionClient(model="claude-sonnet-4-5"), "LlmConfig", "26.1.2"),
        (
            AzureOpenAIChatCompletionClient(
                model="gpt-4o", azure_deployment="d", azure_endpoint="https://x.example", api_version="2024-06-01"
            ),
            "LlmConfig",
            "26.1.2",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_models_are_those_of_their_service(client: Any, kind: str, version: str):
    found = document(agent(model_client=client))
    assert (found["llm_config"]["component_type"], found["agentspec_version"]) == (kind, version)
    given: Any = found["llm_config"]["default_generation_parameters"]
    temperature = getattr(client, "temperature", None)
    assert temperature is None or given["temperature"] == temperature


def test_keys_are_asked_and_never_written():
    secret = OpenAIChatCompletionClient(model="gpt-4o", api_key=SecretRef("secret:my-key"))
    found = exported(agent(model_client=secret))
    assert told(found)["/config/model_client/config/api_key"] == "asked"
    assert "my-key" not in found.code
