"""Nodes of Dify that call no model, as steps: code, templates, tools, requests, retrieval, and what sets variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import CanvasNode
from studio.importers.canvas_reading import accepted
from studio.importers.canvas_state import StateReading
from studio.importers.canvas_texts import Resolve, expression
from studio.importers.components import assignments, config_of
from studio.importers.dify_texts import PLACES, literal, names_within, selector
from studio.importers.dify_tools import code_tool, is_clock, packages_of, template_tool, why_absent
from studio.importers.expressions import Unsupported
from studio.importers.findings import Location
from studio.importers.names import word
from studio.importers.ready_tools import current_date_time
from studio.importers.tools import report_stand_in, stand_in

_WHY: Mapping[str, str] = {
    "http-request": "The request with its address, headers and keys is not imported.",
    "knowledge-retrieval": "The documents of this knowledge stay at Dify.",
    "document-extractor": "Files are not imported.",
    "list-operator": "It works on lists of files or values, for which there is no step here.",
}
_OPERATIONS: Mapping[str, str] = {
    "over-write": "{1}",
    "set": "{1}",
    "append": "{0} + [{1}]",
    "extend": "{0} + {1}",
    "+=": "{0} + {1}",
    "-=": "{0} - {1}",
    "*=": "{0} * {1}",
    "/=": "{0} / {1}",
}
"""What sets a variable; taking items out of lists has no counterpart."""


class StepReader:
    """Reads the nodes of a workflow that call no model.

    Args:
        resolver: Gives what the references in a node stand for.
    """

    def __init__(self, reading: StateReading, resolver: Callable[[CanvasNode], Resolve]) -> None:
        self._all = reading
        self._report = reading.report
        self._flow = reading.flow
        self._resolver = resolver

    @staticmethod
    def is_aggregator(node: CanvasNode) -> bool:
        """Whether a node takes the first of several values; older files have another name for it."""
        return node.kind == "variable-aggregator" or (node.kind == "variable-assigner" and "variables" in node.inputs)

    def declare(self, node: CanvasNode) -> None:
        """The variables of what a node gives."""
        if node.kind == "code":
            outputs = node.inputs.get("outputs")
            fields = outputs if isinstance(outputs, dict) else {}
            self._variable(node.id, self._all.names[node.id], dict.fromkeys(fields, ""))
        elif self.is_aggregator(node):
            for name, _ in self._groups(node):
                self._variable(f"{node.id}.{name}.output" if name else f"{node.id}.output", name or node.label, "")

    def _variable(self, reference: str, wanted: str, value: JsonValue) -> None:
        name = self._all.taken.free(f"{wanted}_value", "value")
        self._all.variables[reference] = name
        self._flow.state[name] = value

    def read(self, node: CanvasNode) -> None:
        """Complete the step of a node."""
        before = len(self._report.findings)
        if self.is_aggregator(node):
            self._aggregate(node)
            return
        match node.kind:
            case "code":
                self._code(node)
            case "template-transform":
                self._template(node)
            case "assigner" | "variable-assigner":
                self._assign(node)
                self._all.conclude(node, "Assignment", before)
            case _:
                self._tool(node)

    def _config(self, node: CanvasNode) -> JsonObject:
        part = self._flow.nodes[self._all.names[node.id]].part
        assert part is not None, "a step is a participant"
        return config_of(part)

    def _arguments(self, node: CanvasNode) -> dict[str, str]:
        """The values that a node is given, by name, as expressions."""
        found: dict[str, str] = {}
        owner = self._all.names[node.id]
        for place, each in node.items("variables"):
            name = each.get("variable")
            if not isinstance(name, str) or not name:
                continue
            try:
                found[name] = self._expression(f"{{{{#{selector(each.get('value_selector'))}#}}}}", node)
            except Unsupported as error:
                why = f"Its value is not known here: {error}."
                fix = "Set it in the step."
                self._report.add("asked", place, f"Variable `{name[:80]}` of {owner}", why, fix=fix, became=owner)
                found[name] = "''"
        return found

    def _expression(self, text: str, node: CanvasNode) -> str:
        return accepted(expression(text, PLACES, self._resolver(node)))

    # --- functions ---

    def _code(self, node: CanvasNode) -> None:
        name, arguments = self._all.names[node.id], self._arguments(node)
        code, variable = node.text("code"), self._all.variables[node.id]
        is_python = node.text("code_language") == "python3"
        function = word(f"run_{name}") if name.isascii() else f"run_node_{word(node.id) or 'code'}"
        made = (
            code_tool(function, f"Runs the code of {node.label}.", code, list(arguments), variable)
            if is_python
            else None
        )
        what = f"Code “{node.label}”"
        if made is None:
            why = "Its Python cannot be read." if is_python else "It is JavaScript, which is not imported."
            self._stand_in(node, what, arguments, why)
            return
        config = self._config(node)
        config["tool"] = made
        config["arguments"] = assignments(list(arguments.items()))
        packages = packages_of(code)
        if packages:
            why = f"It imports {', '.join(packages)[:200]}, which must be installed where the team runs."
            self._report.add("approximated", node.place, what, why, fix="Install it, or change the code.", became=name)
        else:
            self._report.add("exact", node.place, what, became=name)

    def _template(self, node: CanvasNode) -> None:
        """A template of Jinja, which the sandbox fills in when the team runs."""
        name, arguments = self._all.names[node.id], self._arguments(node)
        function = word(f"fill_{name}") if name.isascii() else f"fill_node_{word(node.id) or 'template'}"
        made = template_tool(function, f"Fills in the template of {node.label}.", node.text("template"))
        what = f"Template “{node.label}”"
        values = "{" + ", ".join(f"{key!r}: {value}" for key, value in arguments.items()) + "}"
        try:
            written = accepted(values)
        except Unsupported:
            made = None
            written = ""
        if made is None:
            self._stand_in(node, what, arguments, "It is too long for one step.")
            return
        config = self._config(node)
        config["tool"] = made
        config["arguments"] = assignments([("values", written)])
        self._report.add("exact", node.place, what, became=name)

    def _stand_in(self, node: CanvasNode, what: str, arguments: Mapping[str, str], why: str) -> None:
        name = self._all.names[node.id]
        given = {key: value for key, value in arguments.items() if key.isidentifier() and not key.startswith("_")}
        properties: JsonObject = {key: {"type": "string"} for key in given}
        schema: JsonObject = {"properties": properties, "required": list[JsonValue](properties)}
        config = self._config(node)
        config["tool"] = stand_in(
            word(node.text("tool_name") or node.label) or "tool", f"{node.label} of Dify.", schema, why
        )
        config["arguments"] = assignments(list(given.items()))
        report_stand_in(self._report, node.place, what, why, name)

    def _tool(self, node: CanvasNode) -> None:
        """A step that calls a stand-in, with the values that the node names."""
        name = self._all.names[node.id]
        provider, wanted = node.text("provider_name") or node.text("provider_id"), node.text("tool_name")
        if node.kind == "tool" and is_clock(provider, wanted):
            self._config(node)["tool"] = current_date_time()
            why = "It is a tool of our own that does the same in UTC."
            self._report.add("approximated", node.place, f"Tool “{node.label}”", why, became=name)
            return
        arguments: dict[str, str] = {}
        for place, key, value in self._given(node):
            try:
                arguments[key] = self._expression(value, node)
            except Unsupported as error:
                why = f"Its value cannot be computed here: {error}."
                self._report.add("dropped", place, f"Argument `{key[:80]}` of {name}", why, became=name)
        if node.kind == "knowledge-retrieval":
            what = f"Knowledge “{node.label}”"
            fix = "Replace the stand-in by a tool that searches them."
            self._report.add("asked", node.place, f"Documents of “{node.label}”", _WHY[node.kind], fix=fix, became=name)
        else:
            what = f"Node “{node.label}”"
        why = _WHY.get(node.kind) or why_absent(provider, wanted, node.text("provider_type"))
        self._stand_in(node, what, arguments, why)

    def _given(self, node: CanvasNode) -> Sequence[tuple[Location, str, str]]:
        """The arguments of a node: place, name and text."""
        found: list[tuple[Location, str, str]] = []
        if node.kind == "tool":
            given = node.inputs.get("tool_parameters")
            for key, each in given.items() if isinstance(given, dict) else ():
                value = each.get("value") if isinstance(each, dict) else each
                text = f"{{{{#{selector(value)}#}}}}" if isinstance(value, list) else value
                if isinstance(text, str) and text:
                    found.append((node.inside("tool_parameters", key), key, text))
        elif node.kind == "http-request":
            references = list(dict.fromkeys(PLACES.findall(str(node.inputs))))
            named = names_within([each for each in references if not each.startswith("env.")])
            found = [(node.place, key, f"{{{{#{each}#}}}}") for key, each in named.items()]
        else:
            key = {"knowledge-retrieval": "query_variable_selector", "list-operator": "variable"}.get(node.kind)
            key = key or "variable_selector"
            if wanted := selector(node.inputs.get(key)):
                found = [(node.inside(key), "query", f"{{{{#{wanted}#}}}}")]
        return found

    # --- variables ---

    def _assign(self, node: CanvasNode) -> None:
        """Set variables of the conversation."""
        pairs: list[tuple[str, str]] = []
        items = [each for _, each in node.items("items")]
        if not items:
            mode = node.text("write_mode") or "over-write"
            items = [
                {
                    "variable_selector": node.inputs.get("assigned_variable_selector"),
                    "operation": mode,
                    "input_type": "variable",
                    "value": node.inputs.get("input_variable_selector"),
                }
            ]
        for each in items:
            operation = str(each.get("operation") or "over-write")
            is_constant = each.get("input_type") == "constant"
            self.assign(
                pairs,
                selector(each.get("variable_selector")),
                each.get("value"),
                node,
                operation,
                is_constant=is_constant,
            )
        if pairs:
            self._config(node)["assignments"] = assignments(pairs)

    def assign(
        self,
        pairs: list[tuple[str, str]],
        reference: str,
        value: JsonValue,
        node: CanvasNode,
        operation: str = "set",
        *,
        is_constant: bool = False,
    ) -> None:
        """Add what a node sets; what cannot be computed here is told.

        Args:
            reference: The variable.
            value: A list of names, or the value itself where it is constant.
        """
        owner = self._all.names[node.id]
        try:
            variable = self._all.variables.get(reference)
            if variable is None:
                raise Unsupported("the file has no such variable")
            if operation == "clear":
                empty = self._flow.state.get(variable)
                cleared = "[]" if isinstance(empty, list) else "0" if isinstance(empty, int | float) else "''"
                pairs.append((variable, cleared))
                return
            if operation not in _OPERATIONS:
                raise Unsupported(f"there is no operation like `{operation[:80]}`")
            constant = self._constant(value, node)
            written = constant if is_constant else self._expression(f"{{{{#{selector(value)}#}}}}", node)
            pairs.append((variable, accepted(_OPERATIONS[operation].format(variable, written))))
        except Unsupported as error:
            why = f"Its value cannot be computed here: {error}."
            what = f"Variable `{reference[:80]}` set by {owner}"
            self._report.add("dropped", node.place, what, why, fix="Set it in a step.", became=owner)

    def _constant(self, value: JsonValue, node: CanvasNode) -> str:
        if isinstance(value, str) and PLACES.search(value):
            return self._expression(value, node)
        return literal(value)

    def _groups(self, node: CanvasNode) -> Sequence[tuple[str, Sequence[str]]]:
        """The groups of an aggregator with what they take; one without a name where there are none."""
        advanced = node.inputs.get("advanced_settings")
        groups = advanced.get("groups") if isinstance(advanced, dict) and advanced.get("group_enabled") else None
        if isinstance(groups, list):
            return [(str(each.get("group_name")), _selectors(each)) for each in groups if isinstance(each, dict)]
        return [("", _selectors(node.inputs))]

    def _aggregate(self, node: CanvasNode) -> None:
        """Let each node whose value can be the one set the variable, since only the branch that ran has any."""
        is_same = True
        for group, references in self._groups(node):
            variable = self._all.variables[f"{node.id}.{group}.output" if group else f"{node.id}.output"]
            for each in references:
                source = self._all.canvas.nodes.get(each.partition(".")[0])
                try:
                    if source is None or source.id not in self._all.names or list(self._all.exits[source.id]) != [""]:
                        raise Unsupported("no node before it gives this value")
                    self._after(source, variable, self._expression(f"{{{{#{each}#}}}}", node))
                except Unsupported as error:
                    is_same = False
                    why = f"Its value is not known: {error}."
                    self._report.add("dropped", node.place, f"Value `{each[:80]}` of “{node.label}”", why)
        verdict = "exact" if is_same else "approximated"
        why = "" if is_same else "Some of its values stay behind."
        self._report.add(verdict, node.place, f"Aggregator “{node.label}”", why)

    def _after(self, source: CanvasNode, variable: str, written: str) -> None:
        """Set a variable after a node, besides what is set there already."""
        last = self._all.exits[source.id][""]
        named = last[0].source if len(last) == 1 else ""
        config = config_of(self._flow.nodes[named].part or {"config": {}}) if named in self._flow.nodes else {}
        listed = config.get("assignments")
        if named != self._all.names[source.id] and isinstance(listed, list):
            listed += assignments([(variable, written)])
        else:
            self._all.then(source, [(variable, written)])


def _selectors(given: Mapping[str, JsonValue]) -> Sequence[str]:
    listed = given.get("variables")
    return [found for each in (listed if isinstance(listed, list) else []) if (found := selector(each))]
