"""Configurations of Agent Spec. They are written for these tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MODEL = "{component_type: OpenAiConfig, id: m, name: m, model_id: gpt-4.1}"
AGENT = """\
component_type: Agent
agentspec_version: 25.4.1
id: a
name: Weather Agent
description: Knows the weather.
inputs:
- {title: city name, type: string, default: Rome}
- {title: unit, type: string}
outputs: []
llm_config:
  component_type: OpenAiConfig
  id: m
  name: m
  model_id: gpt-4.1
  default_generation_parameters: {temperature: 0.5, max_tokens: 100}
system_prompt: 'Tell the weather of {{ city name }} in {{unit}}. Keep {braces}.'
tools:
- component_type: RemoteTool
  id: t1
  name: get_weather
  description: Gets the weather.
  url: https://weather.example:8443/api/{{city}}
  http_method: GET
  query_params: {unit: '{{unit}}'}
  headers: {Accept: text/plain}
  sensitive_headers: {X-Api-Key: hidden}
  inputs: [{title: city, type: string}, {title: unit, type: string, default: C}]
- {component_type: ServerTool, id: t2, name: look up, inputs: [{title: what, type: string}]}
- {component_type: ClientTool, id: t3, name: ask, inputs: []}
toolboxes:
- component_type: MCPToolBox
  id: b
  name: box
  client_transport: {component_type: StdioTransport, id: s, name: s, command: weather, args: [serve]}
human_in_the_loop: true
"""


def flow(nodes: Mapping[str, str], edges: Sequence[tuple[str, str, str]], data: Sequence[str] = ()) -> str:
    """A flow of these nodes; an edge is a node, its branch and the next node, data is `a.x > b.y`."""
    lines = ["component_type: Flow", "name: The flow", "id: f", "agentspec_version: 25.4.1"]
    lines += ["start_node: {$component_ref: start}", "nodes:"]
    lines += [f"- {{$component_ref: {name}}}" for name in nodes]
    lines += ["control_flow_connections:"]
    for at, (source, branch, target) in enumerate(edges):
        lines.append(
            f"- {{component_type: ControlFlowEdge, id: c{at}, name: c{at}, from_node: {{$component_ref: {source}}}, "
            f"from_branch: {branch or 'null'}, to_node: {{$component_ref: {target}}}}}"
        )
    lines += ["data_flow_connections:" if data else "data_flow_connections: []"]
    for at, each in enumerate(data):
        (source, output), (target, given) = (side.strip().split(".") for side in each.split(">"))
        lines.append(
            f"- {{component_type: DataFlowEdge, id: d{at}, name: d{at}, source_node: {{$component_ref: {source}}}, "
            f"source_output: {output}, destination_node: {{$component_ref: {target}}}, destination_input: {given}}}"
        )
    lines += ["$referenced_components:"]
    lines += [f"  {name}: {{id: {name}, name: {name}, {text}}}" for name, text in nodes.items()]
    return "\n".join(lines) + "\n"


TEXT = "{title: %s, type: string}"
START = "component_type: StartNode, inputs: [{title: task, type: string}], outputs: [{title: task, type: string}]"
END = "component_type: EndNode, outputs: [], branches: []"
WRITE = (
    f"component_type: LlmNode, llm_config: {MODEL}, prompt_template: 'Write about {{{{task}}}}. Was: {{{{text}}}}', "
    "inputs: [{title: task, type: string}, {title: text, type: string, default: nothing}], "
    "outputs: [{title: text, type: string, default: nothing}]"
)
JUDGE = (
    f"component_type: LlmNode, llm_config: {MODEL}, prompt_template: 'Is it good? {{{{text}}}}', "
    "inputs: [{title: text, type: string}], outputs: [{title: verdict, type: string}]"
)
BRANCH = "component_type: BranchingNode, inputs: [{title: value, type: string}], mapping: {'yes': good, 'no': bad}"
SAY = "component_type: OutputMessageNode, message: 'Done: {{text}}', inputs: [{title: text, type: string}]"
LOOP = flow(
    {"start": START, "write": WRITE, "judge": JUDGE, "branch": BRANCH, "say": SAY, "end": END},
    [
        ("start", "", "write"),
        ("write", "next", "judge"),
        ("judge", "", "branch"),
        ("branch", "good", "say"),
        ("branch", "bad", "write"),
        ("branch", "default", "say"),
        ("say", "", "end"),
    ],
    [
        "start.task > write.task",
        "write.text > write.text",
        "write.text > judge.text",
        "judge.verdict > branch.value",
        "write.text > say.text",
    ],
)
PEOPLE = "\n".join(
    f"  {name}: {{component_type: Agent, id: {name}, name: {name}, description: '', llm_config: {MODEL}, "
    f"system_prompt: You are {name}., tools: []}}"
    for name in ("anna", "bert", "carl")
)
SWARM = f"""\
component_type: Swarm
id: s
name: Clinic
first_agent: {{$component_ref: anna}}
relationships:
- [{{$component_ref: anna}}, {{$component_ref: bert}}]
- [{{$component_ref: bert}}, {{$component_ref: anna}}]
handoff: HOW
$referenced_components:
{PEOPLE}
"""
MANAGER = f"""\
component_type: ManagerWorkers
id: w
name: Office
group_manager: {{$component_ref: anna}}
workers: [{{$component_ref: bert}}, {{$component_ref: carl}}, {{component_type: OciAgent, id: o, name: far}}]
$referenced_components:
{PEOPLE}
"""
SPEC_SAMPLES = {"agent": AGENT, "loop": LOOP, "swarm": SWARM.replace("HOW", "always"), "manager": MANAGER}
