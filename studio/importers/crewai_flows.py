"""Flows of CrewAI in YAML or JSON as graphs: methods that start, and methods that listen to others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.components import assignments, config_of, step
from studio.importers.crewai_agents import AgentMaker
from studio.importers.crewai_crews import Crew
from studio.importers.crewai_documents import CrewDocuments, agent_of, crew_of_json
from studio.importers.crewai_teams import CrewBuilder, variables_of
from studio.importers.crewai_texts import question
from studio.importers.expressions import Expressions, Known, Unsupported, cel, escaped
from studio.importers.findings import NO_SETTING, SEE_PARTS, Report
from studio.importers.names import Names, word
from studio.importers.parts import Part
from studio.importers.workflow import START, Edge, Node, TeamBuilder, Workflow

_PLACE = re.compile(r"\$\{([^{}]*)\}")
_OUTPUT = re.compile(r"\boutputs\.(\w+)")
_STATE = re.compile(r"\bstate\.([A-Za-z_]\w*)")
_RAW = re.compile(r"(\boutputs\.\w+)\.raw\b")
_READ = ("schema", "name", "description", "state", "methods")
_METHOD_READ = ("start", "listen", "router", "emit", "do", "description")
_WITHOUT: Mapping[str, str] = {
    "code": "Python that it names is not in the flow, and is not looked up.",
    "script": "Its Python is not imported.",
    "tool": "Tools that a flow calls by themselves are not imported.",
    "each": "There is no step for each item of a list.",
}
"""Why a method is left out, by what it calls."""


class FlowReader:
    """Makes the team of a flow."""

    def __init__(self, documents: CrewDocuments, agents: AgentMaker, report: Report) -> None:
        self._documents = documents
        self._agents = agents
        self._report = report
        self._file = ""
        self._crews: dict[str, Crew] = {}
        self._open: dict[str, list[Edge]] = {}
        """By method, the edges that lead on from it."""
        self._last: dict[str, str] = {}
        """By method, the participant whose answer is its output."""
        self._entries: dict[str, str] = {}

    def team(self, name: str, part: Part) -> JsonObject:
        """The graph of a flow.

        Raises:
            InvalidDocument: It has no method that can be read.
        """
        self._file = name
        methods = {key: each for key, each in _entries_of(part.get("methods")) if each.entries is not None}
        if not methods:
            raise InvalidDocument(f"The flow in {name!r} has no methods.", fix="Choose the YAML of a whole flow.")
        self._crews = {key: crew for key, each in methods.items() if (crew := self._crew(each)) is not None}
        state = dict(self._state(part.get("state")))
        taken = {*state, *(each for crew in self._crews.values() for each in variables_of(crew))}
        self._flow = Workflow(self._report, names=Names(*taken))
        self._flow.state |= state
        self._expressions = Expressions(self._flow.variable_of)
        for key, each in methods.items():
            self._add(key, each)
        self._connect(methods)
        for key, each in _entries_of(part):
            if key not in _READ and not each.is_off:
                self._report.add("dropped", each.place, f"`{key}` of the flow", NO_SETTING)
        why = "The agents read their tasks and the context variables, and not the message that begins a run."
        fix = "Change the context variables of the team."
        self._report.add("approximated", part.place, "Message of a run", why, fix=fix)
        title = part.get("name")
        return TeamBuilder(self._flow, title.text if title is not None else "").team()

    def _state(self, part: Part | None) -> Iterator[tuple[str, JsonValue]]:
        """Context variables for the state."""
        given = dict(_entries_of(part.get("default") if part is not None else None))
        described = dict(_entries_of(part.get("json_schema", "properties") if part is not None else None))
        for name, each in {**described, **given}.items():
            if not name.isidentifier():
                self._report.add("dropped", each.place, f"State `{name}`", "It is not a name of a variable.")
                continue
            if name in given:
                self._report.add("exact", each.place, f"State `{name}`")
            else:
                why = "Its value is not in the files. It is empty in the context variables of the team."
                self._report.add("asked", each.place, f"State `{name}`", why, fix="Set its value there.")
            yield name, given[name].plain() if name in given else ""

    # --- methods ---

    def _crew(self, method: Part) -> Crew | None:
        """The crew that a method runs."""
        call = method.get("do", "call")
        if call is None or call.text != "crew":
            return None
        inline, path = method.get("do", "with"), method.get("do", "from_declaration")
        try:
            if inline is not None:
                return crew_of_json(self._documents, self._file, inline)
            folder = PurePosixPath(self._file).parent / (path.text if path is not None else "")
            for name in (str(folder), *(str(folder / each) for each in ("crew.jsonc", "crew.json"))):
                if path is not None and path.text and self._documents.has(name):
                    return crew_of_json(self._documents, name, self._documents.part(name))
        except InvalidDocument as error:
            self._report.add("asked", method.place, "Crew of the flow", error.what, fix=error.fix)
        return None

    def _add(self, name: str, method: Part) -> None:
        """The participants of a method, behind a node that only passes on."""
        before = len(self._report.findings)
        entry = self._flow.add(Node(name, method.place, None), f"{name}_entry")
        self._entries[name] = entry
        call = method.get("do", "call")
        kind = call.text if call is not None else ""
        edges: list[Edge] | None = None
        if kind == "crew" and name in self._crews:
            edges = self._run_crew(self._crews[name], method, [Edge(entry)])
        elif kind == "agent":
            edges = self._run_agent(name, method, entry)
        elif kind == "expression":
            edges = self._evaluate(name, method, entry)
        if edges is None:
            why = _WITHOUT.get(kind, "What it does cannot be read.")
            fix = "Add an agent or a step in its place."
            self._report.add("dropped", method.place, f"Method `{name}`", why, fix=fix)
        self._open[name] = edges if edges is not None else [Edge(entry)]
        for key, each in _entries_of(method):
            if key not in _METHOD_READ and not each.is_off:
                self._report.add(
                    "dropped", each.place, f"`{key}` of the method `{name}`", "It has no counterpart here."
                )
        if edges is not None:
            self._last[name] = edges[0].source
            is_same = all(each.verdict in ("exact", "asked") for each in self._report.findings[before:])
            verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
            self._report.add(verdict, method.place, f"Method `{name}`", why, became=edges[0].source)

    def _run_crew(self, crew: Crew, method: Part, edges: list[Edge]) -> list[Edge]:
        """A step that sets the inputs of a crew, and its tasks."""
        wanted = variables_of(crew)
        inputs = dict(crew.inputs) | dict(_entries_of(method.get("do", "inputs")))
        pairs: list[tuple[str, str]] = []
        for key, part in inputs.items():
            name = key.replace("-", "_")
            expression = self._expression(part)
            if name not in wanted:
                self._report.add("dropped", part.place, f"Input `{key}`", "No text names it.")
            elif expression is None:
                why = "Its value cannot be read."
                self._report.add("asked", part.place, f"Input `{key}`", why, fix="Set it in a step.")
            elif expression != name:
                pairs.append((name, expression))
        for name in wanted:
            self._flow.state.setdefault(name, "")
        if pairs:
            inner = self._flow.add(
                Node(f"Inputs of {crew.name}", method.place, step(assignments=assignments(pairs))), "inputs"
            )
            self._flow.connect(edges, inner)
            edges = [Edge(inner)]
        return CrewBuilder(self._flow, self._agents, self._report).add(crew, edges)

    def _run_agent(self, name: str, method: Part, entry: str) -> list[Edge] | None:
        """One agent, which hears its input alone."""
        given = method.get("do", "with")
        if given is None or given.entries is None:
            return None
        agent = agent_of(name, given, given.place)
        inner = {key: part for key, part in agent.given.items() if key not in ("input", "response_format")}
        node = self._flow.names.free(name)
        part = self._agents.assistant(agent_of(name, Part(given.place, entries=inner), given.place), node)
        form = self._agents.answer_format(agent.given.get("response_format"), node)
        if form is not None:
            config_of(part).update(structured_message_factory=form, reflect_on_tool_use=False)
        has_tools = bool(config_of(part).get("tools") or config_of(part).get("workbench"))
        said = question(self._template(agent.given.get("input"), entry), has_tools=has_tools)
        self._flow.nodes[node] = Node(agent.role, given.place, part, "nothing", prompts=[said], name=node)
        self._flow.connect([Edge(entry)], node)
        return [Edge(node)]

    def _evaluate(self, name: str, method: Part, entry: str) -> list[Edge] | None:
        """A step that keeps the value of an expression."""
        written = method.get("do", "expr")
        expression = self._read(written.text) if written is not None else None
        if expression is None:
            return None
        variable = self._flow.names.free(f"{word(name)}_output")
        node = self._flow.add(Node(name, method.place, step(assignments=assignments([(variable, expression)]))), name)
        self._flow.kept[node] = variable
        self._flow.connect([Edge(entry)], node)
        return [Edge(node)]

    # --- expressions ---

    def _read(self, text: str) -> str | None:
        """An expression of the flow as one over context variables; None where it cannot be one."""
        outputs = {
            name: self._flow.variable_of(self._last[name]) for name in _OUTPUT.findall(text) if name in self._last
        }
        self._expressions.names["outputs"] = Known(outputs)
        for name in _STATE.findall(text):
            self._flow.state.setdefault(name, "")
        try:
            return self._expressions.expression(cel(_RAW.sub(r"\1", text)))
        except Unsupported:
            return None

    def _expression(self, part: Part) -> str | None:
        """The value of an input, which may be `${…}`."""
        whole = _PLACE.fullmatch(part.text.strip()) if part.text else None
        if whole is not None:
            return self._read(whole[1])
        if part.text and _PLACE.search(part.text):
            return None
        try:
            return self._expressions.expression(ast.Constant(part.value))
        except Unsupported:
            return None

    def _template(self, part: Part | None, owner: str) -> str:
        """A text with places for variables; what cannot be read stays as it is."""
        pieces = _PLACE.split(part.text) if part is not None else []
        found: list[str] = []
        for at, piece in enumerate(pieces):
            expression = self._read(piece) if at % 2 else None
            if at % 2 == 0:
                found.append(escaped(piece))
            elif expression is not None and expression.isidentifier():
                found.append(f"{{{expression}}}")
            else:
                place = part.place if part is not None else self._flow.nodes[owner].place
                why = f"`${{{piece}}}` cannot be a variable here."
                self._report.add("asked", place, f"Input of {owner}", why, fix="Write what belongs there.")
                found.append(escaped(f"${{{piece}}}"))
        return "".join(found)

    # --- edges ---

    def _connect(self, methods: Mapping[str, Part]) -> None:
        """Edges from the start, and from each method to those that listen to it."""
        starts = [
            name for name, method in methods.items() if (given := method.get("start")) is not None and not given.is_off
        ]
        first = START
        if len(starts) > 1:
            first = self._flow.add(Node("Start", methods[starts[0]].place, step()), "start")
            self._flow.edges.append(Edge(START, first))
        self._flow.edges += [Edge(first, self._entries[name]) for name in starts]
        heard: set[str] = set()
        for name, method in methods.items():
            condition = method.get("listen")
            events, waits = _events(condition)
            self._flow.nodes[self._entries[name]].waits_for_all = waits
            for event in events:
                sources = self._sources(event, methods)
                heard |= {each for each, _ in sources}
                if not sources and condition is not None:
                    why = f"Nothing in the flow gives `{event}`."
                    self._report.add("dropped", condition.place, f"Event of the method `{name}`", why)
                for _, edges in sources:
                    self._flow.connect(edges, self._entries[name])
            if waits:
                self._wait(name)
        for name, method in methods.items():
            if name not in heard:
                self._flow.connect(self._open[name], None)
            elif _routes(method):
                self._flow.connect([Edge(self._open[name][0].source, otherwise=True)], None)

    def _wait(self, name: str) -> None:
        """Let what follows the entry of a method wait for all, since the entry itself is taken out."""
        for edge in self._flow.out_of(self._entries[name]):
            if edge.target is not None:
                self._flow.nodes[edge.target].waits_for_all = True

    def _sources(self, event: str, methods: Mapping[str, Part]) -> list[tuple[str, list[Edge]]]:
        """The methods that give an event, with the edges that lead on from there."""
        found: list[tuple[str, list[Edge]]] = []
        if event in methods:
            found.append((event, list(self._open[event])))
        for name, method in methods.items():
            given = method.get("emit")
            emitted = [each.text for each in given.all_of()] if given is not None else [event]
            if event not in methods and event in emitted and _routes(method) and name in self._last:
                last = self._last[name]
                found.append((name, [Edge(last, condition=f"{self._flow.variable_of(last)} == {event!r}")]))
        return found


def _routes(method: Part) -> bool:
    given = method.get("router")
    return given is not None and given.value is True


def _events(part: Part | None) -> tuple[Sequence[str], bool]:
    """The events of a condition, and whether all are needed. Conditions within conditions count as their events."""
    if part is None:
        return (), False
    waits = part.get("and") is not None
    found: list[str] = []
    todo = [part]
    while todo and len(found) < 1_000:
        each = todo.pop(0)
        if each.text:
            found.append(each.text)
        todo += [*(each.items or ()), *(each.entries or {}).values()]
    return list(dict.fromkeys(found)), waits


def _entries_of(part: Part | None) -> Iterator[tuple[str, Part]]:
    yield from ((part.entries if part is not None else None) or {}).items()
