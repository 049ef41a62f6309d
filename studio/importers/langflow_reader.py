"""Components of Langflow as participants: agents, models, and what chooses a branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.canvas import CanvasNode, is_unset
from studio.importers.canvas_reading import accepted, agent_node
from studio.importers.components import ASSISTANT, USER_PROXY, agent_tool, assignments, component, config_of, step
from studio.importers.expressions import Unsupported, escaped, negated
from studio.importers.findings import Report
from studio.importers.langflow_documents import entries, rows
from studio.importers.langflow_edges import connect, is_looped
from studio.importers.langflow_flow import LangflowReading, constant
from studio.importers.langflow_kinds import (
    CHAT_INPUTS,
    HUMANS,
    IF_ELSE,
    MODEL_FIELDS,
    OUTPUTS,
    SMART_ROUTERS,
    STRUCTURED,
    TOOL_FIELD,
    answers,
    branches,
    is_agent,
    is_model,
    is_part,
)
from studio.importers.langflow_models import langflow_client
from studio.importers.langflow_texts import USER, Text, as_expression, as_template, only_speaker
from studio.importers.langflow_tools import add_tool
from studio.importers.ready_tools import calculator, current_date_time
from studio.importers.tools import Toolset
from studio.importers.workflow import Edge, Node, alternatives

MAX_AGENT_TOOLS, MAX_LEVELS = 50, 5
"""Agents that are tools, counted as often as they are used; and tools of tools."""
_NONE = "NONE"
_CLASSIFY = "Choose the category that fits the text best. If none fits, choose NONE."
_OPERATORS: Mapping[str, str] = {"equals": "{0} == {1}", "not equals": "{0} != {1}", "contains": "{1} in {0}"}
_TYPES: Mapping[str, str] = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "list": "array",
}


class FlowReader:
    """Reads a flow."""

    def __init__(self, reading: LangflowReading) -> None:
        self._all = reading
        self._canvas = reading.canvas
        self._report: Report = reading.report
        self._flow = reading.flow
        self._tools_left = MAX_AGENT_TOOLS

    def read(self) -> None:
        """Add all nodes and edges to the workflow.

        Raises:
            InvalidDocument: Nothing in it answers.
        """
        nodes = [node for node in self._canvas.nodes.values() if self._takes_part(node)]
        if not any(answers(node) for node in nodes):
            raise InvalidDocument(
                "The flow has no agent and no language model that answers: it only moves data.",
                fix="Choose a flow with an agent. Documents, embeddings and vector stores have no counterpart here.",
            )
        for node in nodes:
            self._declare(node)
        for node in nodes:
            self._add(node)
        for node in self._canvas.nodes.values():
            if node.kind in OUTPUTS:
                self._output(node)
            elif node.kind in CHAT_INPUTS:
                self._start(node)
        connect(self._all)
        self._all.end()
        self._all.notes()
        self._all.tell_others()

    def _takes_part(self, node: CanvasNode) -> bool:
        """Whether a node is a participant, and not only a tool or a model of one, or connected with nothing."""
        if not answers(node) and not branches(node):
            return False
        after = [edge for edge in self._canvas.edges if edge.source == node.id]
        if after:
            return any(not is_part(edge) for edge in after)
        return not is_model(node) or bool(self._all.incoming(node))

    def _declare(self, node: CanvasNode) -> None:
        """A participant without what is in it: texts name nodes that come later."""
        if node.kind in IF_ELSE:
            made = Node(node.label, node.place, step(), is_router=True)
        elif node.kind in HUMANS:
            made = Node(node.label, node.place, component(USER_PROXY, description="Chooses an action."), tells=False)
        else:
            made = agent_node(node, tells=node.kind not in SMART_ROUTERS)
        self._all.add(node, made)
        self._all.reported.add(node.id)

    def _add(self, node: CanvasNode) -> None:
        before = len(self._report.findings)
        if node.kind in IF_ELSE:
            self._if_else(node)
            self._all.conclude(node, "If-Else", before)
        elif node.kind in HUMANS:
            self._human(node)
        elif node.kind in SMART_ROUTERS:
            self._smart_router(node)
        else:
            name = self._all.names[node.id]
            self._hearing(node, name, self._all.text(node, "input_value", name))
            self._assistant(node, name, ())
            kind = "Agent" if is_agent(node) else "Structured output" if node.kind in STRUCTURED else "Model"
            self._all.conclude(node, kind, before)

    def _start(self, node: CanvasNode) -> None:
        self._all.say("exact", node, "Start", "")
        for name in ("input_value", "files"):
            if not is_unset(node.inputs.get(name)):
                why = "The message of a run takes its place." if name == "input_value" else "Files stay behind."
                what = f"`{name}` of “{node.label}”"
                self._report.add("dropped", node.inside(name), what, why, fix="Give it to the run.")

    def _output(self, node: CanvasNode) -> None:
        """What leaves the flow; a step says it where it is not the answer of an agent."""
        if not self._all.incoming(node, "input_value"):
            return
        said = self._all.text(node, "input_value", "")
        speaker = only_speaker(said)
        part = self._flow.nodes[speaker].part if speaker else None
        if part is not None and part["provider"] == ASSISTANT:
            self._all.say("exact", node, "Output", str(speaker))
            return
        made = step(message=as_template(said, self._flow.variable_of))
        name = self._all.add(node, Node(node.label, node.place, made, tells=False))
        self._all.reported.discard(node.id)
        self._all.say("exact", node, "Output", name)

    # --- agents and models ---

    def _hearing(self, node: CanvasNode, name: str, said: Text) -> None:
        """An agent hears its input alone: the user, one other, or a text that is made for it."""
        made = self._flow.nodes[name]
        speaker = only_speaker(said)
        part = self._flow.nodes[speaker].part if speaker else None
        is_agents = part is not None and part["provider"] == ASSISTANT and not is_looped(self._all.canvas, node.id)
        if said == USER:
            made.hears = "user"
        elif speaker and is_agents:
            made.hears = (speaker,)
        elif said:
            made.hears, made.prompts = "nothing", [as_template(said, self._flow.variable_of)]
        else:
            made.hears = "user"
            why = "It has no input there. Here, it hears the message of a run."
            self._report.add("asked", node.inside("input_value"), f"Input of {name}", why, became=name)

    def _assistant(self, node: CanvasNode, name: str, above: tuple[str, ...]) -> None:
        """Complete an agent.

        Args:
            above: The agents that it is a tool of.
        """
        prompt = "system_message" if is_model(node) else "system_prompt"
        tools = self._tools(node, name, above)
        client = self._client(node, name)
        self._all.fill(name, self._all.template(node, prompt, name), client, tools, self._schema(node, name))
        limit = constant(node, "max_iterations")
        part = self._flow.nodes[name].part
        assert part is not None, "an agent is a participant"
        is_number = isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit < 1_000
        if is_number and (tools.tools or tools.workbenches):
            config_of(part)["max_tool_iterations"] = limit
        self._tell_memory(node, name)

    def _tell_memory(self, node: CanvasNode, name: str) -> None:
        if constant(node, "n_messages") not in (None, 0, "") and is_agent(node):
            why = "In the source, it reads earlier runs of its session. A team begins each run without them."
            self._report.add("dropped", node.inside("n_messages"), f"Chat history of {name}", why, became=name)
        for edge in self._all.incoming(node, "memory", "external_memory", "chat_memory"):
            source = self._canvas.nodes[edge.source]
            why = "There is no such memory here. An agent remembers the conversation of a run."
            self._all.say("dropped", source, "Memory", name, why)

    def _client(self, node: CanvasNode, name: str) -> JsonObject:
        """The client of the model that a node has, or that is connected with it."""
        source = next((self._canvas.nodes[each.source] for each in self._all.incoming(node, *MODEL_FIELDS)), None)
        if source is None:
            return langflow_client(node.kind, node.inputs, self._report, node.place, name)
        before = len(self._report.findings)
        made = langflow_client(source.kind, source.inputs, self._report, source.place, name)
        if source.id not in self._all.names:
            is_same = len(self._report.findings) == before
            why = "" if is_same else "See what is said of its settings."
            self._all.say("exact" if is_same else "approximated", source, "Model", name, why)
        return made

    def _tools(self, node: CanvasNode, name: str, above: tuple[str, ...]) -> Toolset:
        found = Toolset()
        for edge in self._all.incoming(node, TOOL_FIELD):
            source = self._canvas.nodes[edge.source]
            if is_agent(source):
                self._agent_tool(source, found, name, (*above, node.id))
            elif source.id in self._all.names and not is_part(edge):
                continue
            else:
                self._all.reported.add(source.id)
                add_tool(source, found, self._report, name)
        if constant(node, "add_current_date_tool") is True:
            found.add(current_date_time())
        if constant(node, "add_calculator_tool") is True:
            found.add(calculator())
        return found

    def _agent_tool(self, node: CanvasNode, found: Toolset, owner: str, above: tuple[str, ...]) -> None:
        """An agent that another calls."""
        what = f"Tool “{node.label}” of {owner}"
        self._tools_left -= 1
        if node.id in above or self._tools_left < 0 or len(above) > MAX_LEVELS:
            too_many = f"More than {MAX_AGENT_TOOLS} agents are tools, or {MAX_LEVELS} in a row are tools of tools."
            why = "It would call itself." if node.id in above else too_many
            self._report.add("dropped", node.place, what, why, became=owner)
            self._all.reported.add(node.id)
            return
        name = self._flow.add(agent_node(node))
        self._assistant(node, name, above)
        made = self._flow.nodes.pop(name)
        assert made.part is not None, "it was made above"
        described = next((each.get("description") for _, each in rows(node, "tools_metadata")), None)
        config = config_of(made.part)
        if isinstance(described, str) and described.strip():
            config["description"] = described[:1_000]
        found.add(agent_tool(component(ASSISTANT, name=name, **config)))
        self._report.findings = [
            replace(each, became=owner) if each.became == name else each for each in self._report.findings
        ]
        why = f"It is the tool `{name}`, which takes a task."
        self._report.add("approximated", node.place, what, why, became=owner)
        self._all.reported.add(node.id)

    def _schema(self, node: CanvasNode, name: str) -> JsonObject | None:
        """The schema of a structured answer, where a flow uses one."""
        ports = {edge.port for edge in self._canvas.edges if edge.source == node.id}
        fields = rows(node, "output_schema")
        if not fields or not (node.kind in STRUCTURED or "structured_response" in ports):
            return None
        properties: JsonObject = {}
        for _, each in fields:
            key, kind = each.get("name"), _TYPES.get(str(each.get("type") or "str").lower(), "string")
            if not isinstance(key, str) or not key.strip():
                continue
            own: JsonObject = {"type": kind}
            whole = {"type": "array", "items": own} if str(each.get("multiple")).lower() == "true" else own
            described = each.get("description")
            more: JsonObject = {"description": described} if isinstance(described, str) and described else {}
            properties[key.strip()] = {**whole, **more}
        why = "The model is given the schema, and answers one object. There, it can be a list."
        self._report.add("approximated", node.inside("output_schema"), f"Schema of {name}", why, became=name)
        return {"type": "object", "properties": properties, "required": list[JsonValue](properties)}

    # --- branches ---

    def _if_else(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        asked = self._condition(node, name)
        if is_looped(self._canvas, node.id):
            asked = self._counted(node, name, asked)
        holds = Edge(name, condition=asked)
        self._all.exits[node.id] = {"true_result": [holds], "false_result": [Edge(name, otherwise=True)]}

    def _condition(self, node: CanvasNode, name: str) -> str:
        operator = node.text("operator") or "equals"
        sides = [self._all.text(node, each, name) for each in ("input_text", "match_text")]
        try:
            if operator not in _OPERATORS:
                raise Unsupported(f"there is no operator like `{operator[:80]}`")
            written = [as_expression(each, self._flow.variable_of) for each in sides]
            grouped = [f"({each})" if " + " in each else each for each in written]
            asked = accepted(_OPERATORS[operator].format(*grouped), is_condition=True)
        except Unsupported as error:
            why = f"It cannot be one here: {error}. The branch *True* is never taken."
            fix = "Write the condition of the edge."
            self._report.add("dropped", node.inside("operator"), f"Condition of {name}", why, fix=fix, became=name)
            return "false"
        if constant(node, "case_sensitive") is False:
            why = "Capital and small letters differ here."
            self._report.add("approximated", node.inside("case_sensitive"), f"Condition of {name}", why, became=name)
        return asked

    def _counted(self, node: CanvasNode, name: str, asked: str) -> str:
        """The condition with the limit of passes, for which the step counts."""
        limit = constant(node, "max_iterations")
        most = limit if isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit < 1_000_000 else 10
        counted = self._all.variable(f"{name}_passes", 0)
        made = self._flow.nodes[name]
        made.part, made.is_router = step(assignments=assignments([(counted, f"{counted} + 1")])), False
        if node.text("default_route") == "true_result":
            return f"({asked}) or {counted} >= {most}"
        return f"({asked}) and {negated(f'{counted} >= {most}')}"

    def _human(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        made = self._flow.nodes[name]
        listed = entries(node, constant(node, "decisions"))
        named = [each.strip() for each in listed if isinstance(each, str)]
        choices = list(dict.fromkeys(each for each in named if each)) or ["Approve", "Reject"]
        assert made.part is not None, "a person is a participant"
        config_of(made.part)["choices"] = list[JsonValue](choices)
        made.prompts = [self._all.template(node, "prompt", name) or "Choose an action."]
        exits = {f"branch_{each.lower().replace(' ', '_')}": [Edge(name, said=each)] for each in choices}
        self._all.exits[node.id] = {**exits, "branch_fallback": [Edge(name, otherwise=True)]}
        why = "A person chooses; the question is a message before the answer. There is no time limit."
        self._report.add("approximated", node.place, f"Human input “{node.label}”", why, became=name)

    def _smart_router(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        routes = [each for _, each in rows(node, "routes")]
        options = [str(each.get("route_category") or "").strip() for each in routes]
        known = list(dict.fromkeys(each for each in options if each and each != _NONE))
        lines = [
            f"- {each}: {shown}" if (shown := str(one.get("route_description") or "").strip()) else f"- {each}"
            for each, one in zip(options, routes, strict=True)
            if each
        ]
        said = self._all.template(node, "input_text", name)
        more = node.text("custom_prompt").strip()
        own = more.replace("{input_text}", "the text").replace("{routes}", ", ".join(known))
        made = self._flow.nodes[name]
        made.hears = "nothing"
        listed = "\n".join(map(escaped, lines))
        made.prompts = [f"Text: {said}\n\nCategories:\n{listed}" + (f"\n\n{escaped(own)}" if own else "")]
        choices = list[JsonValue]([*known, _NONE])
        schema: JsonObject = {
            "type": "object",
            "properties": {"output": {"type": "string", "enum": choices}},
            "required": ["output"],
        }
        self._all.fill(name, _CLASSIFY, self._client(node, name), Toolset(), schema)
        chosen = self._flow.variable_of(name)
        edges = alternatives(name, [f"{chosen}.output == {each!r}" if each else "false" for each in options])
        ports = [*(f"category_{at}_result" for at in range(1, len(options) + 1)), "default_result"]
        self._all.exits[node.id] = {port: [edge] for port, edge in zip(ports, edges, strict=True)}
        why = "It chooses with structured output, and the prompt around its categories is worded differently."
        self._report.add("approximated", node.place, f"Smart router “{node.label}”", why, became=name)
