"""A flow of Langflow on its way to a team: what the text of each field is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.code.conversion import Verdict
from studio.components import JsonObject
from studio.importers.canvas import CanvasEdge, CanvasNode
from studio.importers.canvas_reading import CanvasReading, accepted
from studio.importers.components import config_of, step
from studio.importers.expressions import INPUT, Unsupported
from studio.importers.langflow_documents import GLOBAL, NOTE, rows
from studio.importers.langflow_kinds import (
    CHAT_INPUTS,
    HISTORIES,
    HUMANS,
    IF_ELSE,
    JOINS,
    LOOPS,
    PARSERS,
    PASSING,
    PROMPTS,
    SMART_ROUTERS,
    is_part,
    is_text,
)
from studio.importers.langflow_texts import USER, Said, Text, Variable, as_expression, as_template, filled, joined
from studio.importers.langflow_tools import is_store, parameters, why_not
from studio.importers.names import Names
from studio.importers.tools import report_stand_in, stand_in
from studio.importers.workflow import Node

_ITEM, _DONE = "item", "done"
"""Outputs of a loop."""


@dataclass
class LangflowReading(CanvasReading):
    """A flow on its way to a team.

    Args:
        reported: Nodes of which the report says something already.
    """

    note_kinds: Sequence[str] = (NOTE,)
    reported: set[str] = field(default_factory=set[str])
    _known: dict[tuple[str, str], Text] = field(default_factory=dict[tuple[str, str], Text])
    _reading: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _globals: dict[str, str] = field(default_factory=dict[str, str])
    _taken: Names = field(default_factory=lambda: Names(INPUT))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.flow.names = Names(INPUT)

    def incoming(self, node: CanvasNode, *names: str) -> list[CanvasEdge]:
        """The edges into one of these fields of a node, or into any."""
        edges = self.canvas.incoming.get(node.id, ())
        return [each for each in edges if not names or each.field in names]

    def template(self, node: CanvasNode, name: str, owner: str) -> str:
        """The text of a field as a template over context variables."""
        return as_template(self.text(node, name, owner), self.flow.variable_of)

    def text(self, node: CanvasNode, name: str, owner: str) -> Text:
        """What the text of a field is made of: what edges bring, else its own value."""
        edges = self.incoming(node, name)
        if edges:
            brought = (self._output(self.canvas.nodes[each.source], each.port, owner) for each in edges)
            return joined(each for at, one in enumerate(brought) for each in (("\n",) if at else (), one))
        return self._value(node, name, owner)

    def _value(self, node: CanvasNode, name: str, owner: str) -> Text:
        value = node.inputs.get(name)
        if isinstance(value, dict) and isinstance(value.get(GLOBAL), str):
            return (Variable(self._global(str(value[GLOBAL]), node, name, owner)),)
        if isinstance(value, list):
            return joined((f"{each}\n",) for each in value if isinstance(each, str | int | float))
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        return joined([(str(value),)]) if is_plain else ()

    def variable(self, wanted: str, value: JsonValue) -> str:
        """A context variable with this value, and a name near to the wanted one."""
        name = self._taken.free(wanted, "value")
        while name in self.flow.kept.values():
            name = self._taken.free(wanted, "value")
        self.flow.state[name] = value
        return name

    def _global(self, named: str, node: CanvasNode, name: str, owner: str) -> str:
        """Our variable for a global variable."""
        if named not in self._globals:
            self._globals[named] = self.variable(named, "")
            why = "Its value is kept by Langflow and not in the file."
            what = f"Global variable `{named[:80]}`"
            self.report.add("asked", node.inside(name), what, why, fix="Set the context variable.", became=owner)
        return self._globals[named]

    # --- outputs ---

    def _output(self, node: CanvasNode, port: str, owner: str) -> Text:
        """The text that leaves a node."""
        key = (node.id, port)
        if key in self._reading:
            why = "It leads back to itself without a component that answers."
            self.report.add("dropped", node.place, f"Text of “{node.label}”", why, became=owner)
            return ()
        if key not in self._known:
            self._reading.add(key)
            try:
                self._known[key] = self._made(node, port, owner)
            finally:
                self._reading.discard(key)
        return self._known[key]

    def _made(self, node: CanvasNode, port: str, owner: str) -> Text:
        kind = node.kind
        if kind in CHAT_INPUTS:
            return USER
        if kind in PROMPTS:
            return self._prompt(node, owner)
        if kind in LOOPS:
            return self._loop(node, port, owner)
        if kind in HISTORIES:
            why = "It is empty, since a run does not remember earlier runs."
            self.say("approximated", node, "Message history", owner, why)
            return ()
        if kind in JOINS:
            apart = self.text(node, "delimiter", owner)
            self.say("exact", node, "Text", owner)
            return joined([self.text(node, "text1", owner), apart, self.text(node, "text2", owner)])
        if kind in PARSERS:
            return self._parser(node, owner)
        if kind in PASSING:
            self.say("exact", node, "Text", owner)
            return self.text(node, PASSING[kind], owner)
        if kind in (*IF_ELSE, *SMART_ROUTERS, *HUMANS):
            return self._routed(node, port, owner)
        return (Said(self.names[node.id] if node.id in self.names else self._step(node)),)

    def say(self, verdict: Verdict, node: CanvasNode, what: str, owner: str, why: str = "", fix: str = "") -> None:
        """Say once what became of a node."""
        if node.id not in self.reported:
            self.reported.add(node.id)
            self.report.add(verdict, node.place, f"{what} “{node.label}”", why, fix=fix, became=owner)

    def _prompt(self, node: CanvasNode, owner: str) -> Text:
        """A prompt with what its variables are."""

        def value_of(name: str) -> Text | None:
            if name in node.inputs or self.incoming(node, name):
                return self.text(node, name, owner)
            what, why = f"`{{{name}}}` in “{node.label}”", "The file has no value for it."
            self.report.add("asked", node.inside("template"), what, why, fix="Write it.", became=owner)
            return None

        made = filled(node.text("template"), value_of, is_mustache=node.inputs.get("use_double_brackets") is True)
        self.say("exact", node, "Prompt", owner)
        return made

    def _parser(self, node: CanvasNode, owner: str) -> Text:
        """A text made of data; where its pattern has one place, what comes in stands there."""
        whole = self.text(node, PARSERS[node.kind], owner)
        pattern = node.text("pattern") or node.text("template") or "{text}"
        if node.text("mode") == "Stringify" or pattern == "{text}":
            self.say("exact", node, "Parser", owner)
            return whole
        places: list[str] = []

        def value_of(name: str) -> Text:
            places.append(name)
            return whole

        made = filled(pattern, value_of)
        why = "Fields of data are not known here. All that comes in stands where its pattern has them."
        self.say("approximated", node, "Parser", owner, why, fix="Check the text.")
        return made if len(places) == 1 else whole

    def _loop(self, node: CanvasNode, port: str, owner: str) -> Text:
        """What a loop gives: to its body the whole list, and to what comes after it the answer of its body."""
        why = "Team Studio has no loop over a list. The inner nodes run once, with the whole list as the item."
        self.say("approximated", node, "Loop", owner, why, fix="Tell the agents to work through the list.")
        if port != _DONE:
            return self.text(node, "data", owner)
        back = [each for each in self.incoming(node) if each.field != "data"]
        return joined(self._output(self.canvas.nodes[each.source], each.port, owner) for each in back)

    def _routed(self, node: CanvasNode, port: str, owner: str) -> Text:
        """What a node that chooses an output says there."""
        if node.kind in HUMANS:
            return self.text(node, "prompt", owner)
        if node.kind in IF_ELSE:
            case = {"true_result": "true_case_message", "false_result": "false_case_message"}.get(port, "message")
            return (
                self.text(node, case, owner)
                or self.text(node, "message", owner)
                or self.text(node, "input_text", owner)
            )
        replaced = self.text(node, "message", owner)
        own = dict(enumerate((each.get("output_value") for _, each in rows(node, "routes")), 1))
        number = port.removeprefix("category_").removesuffix("_result")
        given = own.get(int(number)) if number.isascii() and number.isdigit() and len(number) < 4 else None
        is_own = isinstance(given, str) and given.strip() not in ("", "None")
        return replaced or ((str(given),) if is_own else self.text(node, "input_text", owner))

    # --- components that are code ---

    def _step(self, node: CanvasNode) -> str:
        """A step that calls a stand-in for a component, and for those before it that only prepare its data."""
        made = step()
        name = self.add(node, Node(node.label, node.place, made, tells=False))
        self.reported.add(node.id)
        arguments: dict[str, str] = {}
        for edge in self._brought(node, name):
            given = self._output(self.canvas.nodes[edge.source], edge.port, name)
            try:
                if edge.field.isidentifier() and edge.field not in arguments:
                    arguments[edge.field] = accepted(as_expression(given, self.flow.variable_of))
            except Unsupported as error:
                what = f"Argument `{edge.field[:80]}` of {name}"
                why = f"Its value cannot be computed here: {error}."
                self.report.add("dropped", node.inside(edge.field), what, why, became=name)
        why = why_not(node)
        properties: JsonObject = {each: {"type": "string"} for each in arguments}
        schema: JsonObject = parameters(properties) if properties else {"properties": properties}
        config = config_of(made)
        config["tool"] = stand_in(name, f"{node.label} of Langflow.", schema, why)
        config["arguments"] = [{"name": each, "expression": text} for each, text in arguments.items()]
        self._tell_step(node, name, why)
        return name

    def _tell_step(self, node: CanvasNode, name: str, why: str) -> None:
        what = f"Component “{node.label}”"
        if is_store(node):
            fix = "Replace the stand-in by a memory or a tool that reads them."
            self.report.add("asked", node.place, what, f"{why} A stand-in takes its place.", fix=fix, became=name)
        else:
            report_stand_in(self.report, node.place, what, why, name)

    def _brought(self, node: CanvasNode, name: str) -> list[CanvasEdge]:
        """The edges that bring a text to a component, or to those before it that are code, too."""
        found: list[CanvasEdge] = []
        seen, todo = {node.id}, [node]
        while todo:
            for edge in self.incoming(todo.pop()):
                source = self.canvas.nodes[edge.source]
                if is_text(source) or source.id in self.names:
                    found += [] if is_part(edge) else [edge]
                elif source.id not in seen:
                    seen.add(source.id)
                    todo.append(source)
                    why = f"It prepares data for “{node.label}”, which is not imported."
                    self.say("dropped", source, "Component", name, why)
        return found

    def tell_others(self) -> None:
        """Tell of nodes that nothing was said of."""
        for node in self.canvas.nodes.values():
            if node.kind not in self.note_kinds and node.id not in self.reported:
                why = "Nothing that answers reads it." if is_text(node) else why_not(node)
                self.say("dropped", node, "Component", "", why)


def constant(node: CanvasNode, name: str) -> JsonValue:
    """The value of a field, where it is no global variable."""
    value = node.inputs.get(name)
    return None if isinstance(value, dict) and GLOBAL in value else value
