"""The JSON in which OpenAI's Agent Builder keeps a workflow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.pointers import escape
from studio.errors import InvalidDocument, TooLarge
from studio.importers.agents_sdk import SETTINGS_LEFT
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    OPENAI_AGENT,
    USER_PROXY,
    assignments,
    component,
    mcp_workbench,
    step,
    structured,
)
from studio.importers.expressions import INPUT, Answer, Expressions, Known, Unsupported, cel, escaped, literal
from studio.importers.findings import NO_SETTING, SEE_PARTS, Imported, Location, Report
from studio.importers.finishing import finished
from studio.importers.guardrails import Check, checks_in, put_before
from studio.importers.models import client, is_openai
from studio.importers.names import word
from studio.importers.tools import report_stand_in, stand_in
from studio.importers.workflow import MAX_NODES, START, Edge, Node, TeamBuilder, Workflow, alternatives

SOURCE = "agent-builder-json"
PREFIX = "builtins."
APPROVE, REJECT = "Approve", "Reject"
MAX_NESTED = 10
"""Loops in loops."""
_PLACE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_AT_OPENAI = ("web_search", "web_search_preview", "file_search", "code_interpreter", "image_generation")


def import_json(document: JsonObject, file: str) -> Imported:
    """The team of a workflow.

    Raises:
        InvalidDocument: It has no list of nodes.
        TooLarge: It has too many.
    """
    report = Report()
    reader = _GraphReader(file, report)
    for variable in _objects(document.get("state_vars")):
        name = str(variable.get("name") or "")
        if name.isidentifier():
            reader.flow.state[name] = variable.get("default")
            report.add("exact", Location(file, pointer="/state_vars"), f"State {name}")
    after = reader.graph(document, "", [Edge(START)])
    reader.flow.connect(after, None)
    builder = TeamBuilder(reader.flow, str(document.get("name") or ""))
    return finished(SOURCE, builder.team(), report)


class _GraphReader:
    """Reads a graph of nodes, and the graphs inside of loops."""

    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.flow = Workflow(report)
        self.expressions = Expressions(self.flow.variable_of)
        self._depth = 0
        self._count = 0

    def graph(self, graph: Mapping[str, JsonValue], where: str, into: Sequence[Edge]) -> list[Edge]:
        """Read a graph that these edges lead to; the open edges at its end."""
        nodes = graph.get("nodes")
        if not isinstance(nodes, list):
            raise InvalidDocument("The workflow has no list of nodes.", fix="Choose the JSON of a whole workflow.")
        self._count += len(nodes)
        if self._count > MAX_NODES:
            raise TooLarge(f"The workflow has more than {MAX_NODES} nodes.", fix="Import its parts one by one.")
        if self._depth >= MAX_NESTED:
            self.report.add("dropped", Location(self.file, pointer=where), "Loop", "It is nested too deeply.")
            return list(into)
        self._depth += 1
        reading = _Reading(self, graph, where)
        ends = reading.read(into)
        self._depth -= 1
        return ends


class _Reading:
    """One graph: its nodes by id, each with its name in the team."""

    def __init__(self, reader: _GraphReader, graph: Mapping[str, JsonValue], where: str) -> None:
        self._reader = reader
        self._flow = reader.flow
        self._report = reader.report
        self._expressions = reader.expressions
        self._graph = graph
        self._where = where
        self._nodes: dict[str, JsonObject] = {}
        self._at: dict[str, str] = {}
        for index, node in enumerate(cast("list[JsonValue]", graph["nodes"])):
            if isinstance(node, dict):
                self._nodes[str(node.get("id"))] = node
                self._at[str(node.get("id"))] = f"{where}/nodes/{escape(str(index))}"
        self._entry: dict[str, str] = {}
        self._exits: dict[str, dict[str, list[Edge]]] = {}
        self._ends: list[Edge] = []
        self._checks: list[tuple[str, list[Check]]] = []

    def read(self, into: Sequence[Edge]) -> list[Edge]:
        start = str(self._graph.get("start_node_id") or "")
        order = self._order(start)
        for node in [*order, *(each for each in self._nodes if each not in order)]:
            self._place_input(node)
            self._add(node)
        first = start if start in self._nodes else next(iter(self._nodes), "")
        if first:
            self._flow.connect(into, self._entry[first])
        for edge in _objects(self._graph.get("edges")):
            source, target = str(edge.get("source_node_id")), str(edge.get("target_node_id"))
            port = str(edge.get("source_port_id") or "out")
            if source in self._exits and target in self._entry:
                exits = self._exits[source]
                self._flow.connect(exits.pop(port, None) or exits.get("", []), self._entry[target])
        for exits in self._exits.values():
            open_edges = [edge for edges in exits.values() for edge in edges]
            if len(exits) > 1 or not self._leaves(open_edges):
                self._ends += [edge for edge in open_edges if edge not in self._ends]
        self._checks_before()
        return self._ends if self._nodes else list(into)

    def _leaves(self, edges: Sequence[Edge]) -> bool:
        """Whether an edge of this node leads on already."""
        return any(self._flow.out_of(edge.source) for edge in edges)

    def _order(self, start: str) -> list[str]:
        found: list[str] = []
        todo = [start]
        while todo:
            node = todo.pop(0)
            if node in self._nodes and node not in found:
                found.append(node)
                todo += [
                    str(each.get("target_node_id"))
                    for each in _objects(self._graph.get("edges"))
                    if str(each.get("source_node_id")) == node
                ]
        return found

    def _place_input(self, node: str) -> None:
        """Let `input` mean what the node before gives, through nodes that only choose."""
        seen: set[str] = set()
        before = node
        self._expressions.names["input"] = Known(INPUT)
        while before not in seen:
            seen.add(before)
            sources = [
                str(each.get("source_node_id"))
                for each in _objects(self._graph.get("edges"))
                if str(each.get("target_node_id")) == before
            ]
            if not sources or sources[0] not in self._nodes:
                break
            before = sources[0]
            given = self._expressions.names.get(f"node {before}")
            if given is not None:
                self._expressions.names["input"] = given
                return
        self._expressions.names.pop("input", None)

    # --- nodes ---

    def _add(self, node: str) -> None:
        given = self._nodes[node]
        kind = str(given.get("node_type") or "").removeprefix(PREFIX)
        label = str(given.get("label") or kind or "Node")
        config = _object(given.get("config"))
        place = Location(self._reader.file, pointer=self._at[node])
        match kind:
            case "Agent":
                self._agent(node, label, config, place)
            case "IfElse":
                self._branch(node, label, config, place)
            case "While":
                self._loop(node, label, config, place)
            case "BinaryApproval":
                self._approval(node, label, config, place)
            case "Guardrails":
                self._guardrails(node, label, config, place)
            case "SetState":
                self._set_state(node, label, config, place)
            case "Transform":
                self._transform(node, label, config, place)
            case "End":
                self._end(node, label, config, place)
            case "tool.FileSearch" | "tool.MCP":
                self._tool(node, label, kind, config, place)
            case _:
                if kind not in ("Start", "Note"):
                    why = f"Team Studio has nothing like a node of the type {kind!r}."
                    self._report.add("dropped", place, f"Node “{label}”", why)
                self._passes(node, label, place)

    def _passes(self, node: str, label: str, place: Location) -> str:
        name = self._flow.add(Node(label, place, None), f"pass_{word(label)}")
        self._entry[node] = name
        self._exits[node] = {"": [Edge(name)]}
        return name

    def _named(self, node: str, made: Node, wanted: str = "") -> str:
        name = self._flow.add(made, wanted)
        self._entry[node] = name
        self._exits[node] = {"": [Edge(name)]}
        return name

    def _agent(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        name = self._flow.names.free(label)
        prompts = [text for each in _objects(config.get("messages")) for text in self._message(each, place, name)]
        part = self._agent_part(config, label, place, name)
        reads = config.get("reads_from_history") is not False
        tells = config.get("writes_to_history") is not False
        made = Node(label, place, part, "all" if reads else "nothing", tells=tells, prompts=prompts, name=name)
        self._flow.nodes[name] = made
        self._entry[node] = name
        self._exits[node] = {"": [Edge(name)]}
        self._expressions.names[f"node {node}"] = Answer(name)

    def _agent_part(self, config: JsonObject, label: str, place: Location, owner: str) -> JsonObject:
        before = len(self._report.findings)
        given_text = self._described(config, place, owner)
        text = str(given_text.get("system_message") or "")
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        given_text["description"] = first[:200] or f"The agent {label}."
        model = self._text_of(config.get("model"))
        tools, workbenches, hosted = self._tools(config, place, owner)
        answers = self._answer_format(config)
        settings: dict[str, JsonValue] = {
            "temperature": config.get("temperature"),
            "top_p": config.get("top_p"),
            "max_tokens": config.get("max_output_tokens"),
        }
        if tools:
            settings["parallel_tool_calls"] = config.get("parallel_tool_calls")
        reasoning = _object(config.get("reasoning"))
        if reasoning.get("effort"):
            settings["reasoning_effort"] = reasoning["effort"]
        settings = {name: value for name, value in settings.items() if value is not None}
        self._dropped(config, place, owner)
        if hosted and not (tools or workbenches or answers) and is_openai(model or ""):
            part = component(
                OPENAI_AGENT,
                description=given_text["description"],
                model=model,
                instructions=text,
                tools=cast("JsonValue", hosted),
            )
        else:
            for each in hosted:
                kind = str(each.get("type")).removesuffix("_preview")
                why = "OpenAI runs this tool; an agent with other tools or a schema cannot use it here."
                report_stand_in(self._report, place, f"Tool `{kind}` of {owner}", why, owner)
                schema: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
                tools.append(stand_in(kind, f"The {kind.replace('_', ' ')} of OpenAI.", schema, why))
            given_text["model_client"] = client(model, settings, self._report, place, owner)
            if tools:
                given_text["tools"] = cast("JsonValue", tools)
            if workbenches:
                given_text["workbench"] = cast("JsonValue", workbenches)
            if tools or workbenches:
                given_text |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
            if answers is not None:
                given_text |= {"structured_message_factory": answers, "reflect_on_tool_use": False}
            part = component(ASSISTANT, **given_text)
        is_same = all(each.verdict in ("exact", "asked") for each in self._report.findings[before:])
        why = SETTINGS_LEFT if is_same and reasoning.get("summary") else "" if is_same else SEE_PARTS
        self._report.add("exact" if is_same else "approximated", place, f"Agent “{label}”", why, became=owner)
        return part

    def _described(self, config: JsonObject, place: Location, owner: str) -> JsonObject:
        """The instructions."""
        given = _object(config.get("instructions")).get("expression") if config.get("instructions") else None
        if not isinstance(given, str) or not given.strip():
            return {"system_message": None}
        text = literal(given)
        if text is not None and not _PLACE.search(text):
            return {"system_message": text or None}
        try:
            template = self._filled(text) if text is not None else self._expressions.template(cel(given))
        except Unsupported as error:
            why = f"They hold an expression that is not read here: {error}. It stands there as it is written."
            self._report.add("approximated", place, f"Instructions of {owner}", why, became=owner)
            return {"system_message": text if text is not None else given}
        return {"system_message": template, "system_message_holds_variables": True}

    def _filled(self, text: str) -> str:
        """A text with `{{path}}` as a template."""
        pieces: list[str] = []
        last = 0
        for found in _PLACE.finditer(text):
            pieces += [escaped(text[last : found.start()]), self._expressions.template(cel(found[1]))]
            last = found.end()
        return "".join([*pieces, escaped(text[last:])])

    def _message(self, message: JsonObject, place: Location, owner: str) -> list[str]:
        """The texts of a message that an agent hears after the conversation."""
        if message.get("role") == "assistant":
            why = "A message in the name of the model is sent as a message of a user."
            self._report.add("approximated", place, f"Message of {owner}", why, became=owner)
        texts = [
            str(each.get("text")) for each in _objects(message.get("content")) if isinstance(each.get("text"), str)
        ]
        found: list[str] = []
        for text in texts:
            try:
                found.append(self._filled(text))
            except Unsupported as error:
                why = f"It holds a place that is not read here: {error}."
                self._report.add("approximated", place, f"Message of {owner}", why, became=owner)
                found.append(escaped(text))
        return found

    def _tools(
        self, config: JsonObject, place: Location, owner: str
    ) -> tuple[list[JsonObject], list[JsonObject], list[JsonObject]]:
        tools: list[JsonObject] = []
        workbenches: list[JsonObject] = []
        hosted: list[JsonObject] = []
        for tool in _objects(config.get("tools")):
            kind, name = str(tool.get("type") or "function"), str(tool.get("name") or "")
            address = tool.get("server_url")
            if kind == "mcp" and isinstance(address, str) and address.startswith(("http://", "https://")):
                workbenches.append(mcp_workbench({"type": "StreamableHttpServerParams", "url": address}))
                self._report.add("exact", place, f"MCP server of {owner}", became=owner)
            elif kind == "mcp":
                why = "It is a connector of OpenAI, or names no address."
                self._report.add(
                    "dropped", place, f"MCP server of {owner}", why, fix="Add an MCP server.", became=owner
                )
            elif kind in _AT_OPENAI:
                hosted.append({**tool, "type": "web_search_preview" if kind == "web_search" else kind})
            elif name:
                why = "The workflow has no code for it."
                report_stand_in(self._report, place, f"Tool `{name}` of {owner}", why, owner)
                tools.append(stand_in(name, str(tool.get("description") or ""), tool.get("parameters"), why))
            else:
                self._report.add("dropped", place, f"Tool of {owner}", f"There is no tool {kind!r} here.", became=owner)
        return tools, workbenches, hosted

    def _answer_format(self, config: JsonObject) -> JsonObject | None:
        wanted = _object(_object(config.get("text")).get("format"))
        schema = wanted.get("schema")
        if (
            wanted.get("type") != "json_schema"
            or not isinstance(schema, dict)
            or not isinstance(schema.get("properties"), dict)
        ):
            return None
        return structured(schema, word(str(wanted.get("name") or "")))

    def _dropped(self, config: JsonObject, place: Location, owner: str) -> None:
        names = [name for name in ("widget_config", "show_progress_to_user") if config.get(name)]
        verbosity = _object(config.get("text")).get("verbosity")
        names += ["text.verbosity"] if verbosity not in (None, "medium") else []
        if names:
            shown = ", ".join(f"`{name}`" for name in names)
            self._report.add("dropped", place, f"Settings {shown} of {owner}", NO_SETTING, became=owner)

    def _branch(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        router = self._named(node, Node(label, place, step(), is_router=True), "if_else")
        cases = _objects(config.get("cases"))
        conditions = [self._condition(case.get("predicate"), place, label) for case in cases]
        *edges, otherwise = alternatives(router, conditions)
        exits = {str(case.get("output_port_id")): [edge] for case, edge in zip(cases, edges, strict=True)}
        fallback = str(_object(config.get("fallback")).get("output_port_id") or "fallback")
        self._exits[node] = {**exits, fallback: [otherwise]}
        if all(condition is not None for condition in conditions):
            self._report.add("exact", place, f"Branch “{label}”", became=router)

    def _condition(self, predicate: JsonValue, place: Location, label: str) -> str | None:
        text = str(_object(predicate).get("expression") or "")
        try:
            return self._expressions.condition(cel(text))
        except Unsupported as error:
            why = f"`{text[:80]}` cannot be a condition here: {error}. Its branch is always taken."
            self._report.add("dropped", place, f"Condition of “{label}”", why, fix="Write the condition of the edge.")
            return None

    def _loop(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        router = self._named(node, Node(label, place, step()), "loop")
        into, out = alternatives(router, [self._condition(config.get("condition"), place, label)])
        body = _object(config.get("body"))
        if _objects(body.get("nodes")):
            ends = self._reader.graph(body, f"{self._at[node]}/config/body", [into])
            self._flow.connect(ends, router)
        self._exits[node] = {"out": [out]}
        self._report.add("exact", place, f"Loop “{label}”", became=router)

    def _approval(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        question = str(config.get("message") or "")
        prompts = self._message({"content": [{"text": question}]}, place, label) if question else []
        part = component(USER_PROXY, description="Approves or rejects.", choices=[APPROVE, REJECT])
        name = self._named(node, Node(label, place, part, tells=False, prompts=prompts), "approval")
        self._exits[node] = {"on_approve": [Edge(name, said=APPROVE)], "on_reject": [Edge(name, otherwise=True)]}
        why = "A person chooses between two answers; the question is a message before them."
        self._report.add("approximated", place, f"Approval “{label}”", why, became=name)

    def _guardrails(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        name = self._passes(node, label, place)
        self._exits[node] = {"on_pass": [Edge(name)]}
        self._checks.append((node, checks_in(config.get("guardrails"), place)))
        for edge in _objects(self._graph.get("edges")):
            if str(edge.get("source_node_id")) == node and edge.get("source_port_id") in ("on_fail", "on_error"):
                target = self._nodes.get(str(edge.get("target_node_id"))) or {}
                if target.get("node_type") != f"{PREFIX}End":
                    why = "When a guardrail trips the run ends; what would follow is not imported."
                    self._report.add("dropped", place, f"Branch for what is blocked by “{label}”", why)

    def _checks_before(self) -> None:
        """Give the checks of guardrails to the agents that follow them."""
        for node, checks in self._checks:
            put_before(self._flow, self._agent_after(node), checks, self._report)

    def _agent_after(self, node: str) -> str | None:
        seen: set[str] = set()
        todo = [self._entry[node]]
        while todo:
            name = todo.pop(0)
            part = self._flow.nodes[name].part
            if part is not None and part["provider"] == ASSISTANT:
                return name
            if name not in seen:
                seen.add(name)
                todo += [edge.target for edge in self._flow.out_of(name) if edge.target is not None]
        return None

    def _set_state(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        pairs: list[tuple[str, str]] = []
        for each in _objects(config.get("assignments")):
            name = str(each.get("name") or "")
            text = str(_object(each.get("expression")).get("expression") or "")
            try:
                if not name.isidentifier():
                    raise Unsupported(f"{name!r} cannot be the name of a variable")
                pairs.append((name, self._expressions.expression(cel(text))))
                self._flow.state.setdefault(name, None)
            except Unsupported as error:
                why = f"`{name}` cannot be computed here: {error}."
                self._report.add("dropped", place, f"Node “{label}”", why, fix="Set the variable in a step.")
        self._assigns(node, label, pairs, place)

    def _assigns(self, node: str, label: str, pairs: Sequence[tuple[str, str]], place: Location) -> None:
        if not pairs:
            self._passes(node, label, place)
            self._report.add("exact", place, f"Node “{label}” that sets nothing")
            return
        name = self._named(node, Node(label, place, step(assignments=assignments(pairs))))
        self._report.add("exact", place, f"Node “{label}”", became=name)

    def _transform(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        text = str(_object(config.get("expr")).get("expression") or "")
        try:
            value = self._expressions.expression(cel(text))
        except Unsupported as error:
            why = f"It cannot be computed here: {error}."
            self._report.add("dropped", place, f"Node “{label}”", why, fix="Set the variable in a step.")
            self._passes(node, label, place)
            return
        variable = self._flow.names.free(label.lower(), "value")
        self._assigns(node, label, [(variable, value)], place)
        self._expressions.names[f"node {node}"] = Known(variable)

    def _end(self, node: str, label: str, config: JsonObject, place: Location) -> None:
        """The end of a branch. What the answer before it is not already is said by a step."""
        text = str(_object(config.get("expr")).get("expression") or "")
        before = self._expressions.names.get("input")
        self._exits[node] = {}
        is_checked = "guardrails" in text or "safe_text" in text or (before is None and "input" in text)
        if text.strip() in ("", "input") or is_checked or (isinstance(before, Answer) and _is_answer(text)):
            name = self._flow.add(Node(label, place, None), "pass_end")
            self._entry[node] = name
            self._flow.connect([Edge(name)], None)
            self._report.add("exact", place, f"Node “{label}”")
            return
        try:
            value = self._expressions.expression(cel(text))
            part = step(assignments=assignments([("output", value)]), message="{output}")
        except Unsupported as error:
            why = f"What it returns cannot be put together here: {error}. The last answer stands."
            self._report.add("approximated", place, f"Node “{label}”", why)
            part = None
        name = self._flow.add(Node(label, place, part), "end")
        self._entry[node] = name
        self._flow.connect([Edge(name)], None)
        if part is not None:
            self._report.add("exact", place, f"Node “{label}”", became=name)

    def _tool(self, node: str, label: str, kind: str, config: JsonObject, place: Location) -> None:
        tool = "file_search" if kind == "tool.FileSearch" else "mcp_tool"
        why = f"The node “{label}” of Agent Builder ran at OpenAI."
        query = str(_object(config.get("query")).get("expression") or "")
        arguments: list[tuple[str, str]] = []
        if kind == "tool.FileSearch":
            try:
                arguments = [("query", self._expressions.expression(cel(query)))]
            except Unsupported:
                arguments = [("query", repr(query))]
            given_text = "The files of its vector store stay at OpenAI."
            self._report.add(
                "asked", place, f"Vector store of “{label}”", given_text, fix="Save the files before the service ends."
            )
        schema: JsonObject = {
            "properties": {name: {"type": "string"} for name, _ in arguments},
            "required": [name for name, _ in arguments],
        }
        part = step(tool=stand_in(tool, f"{label} of OpenAI.", schema, why), arguments=assignments(arguments))
        name = self._named(node, Node(label, place, part), tool)
        report_stand_in(self._report, place, f"Node “{label}”", why, name)
        self._expressions.names[f"node {node}"] = Answer(name)

    def _text_of(self, value: JsonValue) -> str | None:
        """The text of `{expression: "\"TEXT\"", format: cel}` or a bare one."""
        if isinstance(value, str):
            return value
        given = _object(value).get("expression")
        return literal(given) if isinstance(given, str) else None


def _is_answer(text: str) -> bool:
    """Whether an expression is the answer of the agent before it: fields of `input` and nothing else."""
    paths = re.findall(r"[\w.]+", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))
    return bool(paths) and all(path.startswith(("input.output_text", "input.output_parsed")) for path in paths)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _objects(value: JsonValue) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
