"""The Python that OpenAI's Agent Builder exports: its `run_workflow` read as a small language of nodes and branches."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.agents_sdk import AgentReader
from studio.importers.bundle import Bundle
from studio.importers.components import STEP, USER_PROXY, assignments, component, config_of, step
from studio.importers.expressions import INPUT, Answer, Expressions, Known, Unsupported
from studio.importers.findings import Imported, Location, Report
from studio.importers.finishing import finished
from studio.importers.guardrails import Check, checks_in, put_before
from studio.importers.python_script import PythonScript, called, keywords, short
from studio.importers.tools import report_stand_in, stand_in
from studio.importers.workflow import START, Edge, Hearing, Node, TeamBuilder, Workflow, alternatives

SOURCE = "agent-builder"
ENTRY = "run_workflow"
APPROVE, REJECT = "Approve", "Reject"


@dataclass(frozen=True)
class _Tripwire:
    """Whether a guardrail tripped."""

    checks: list[Check]


def import_code(bundle: Bundle) -> Imported:
    """The team of an exported script."""
    report = Report()
    script = PythonScript(bundle)
    reader = _WorkflowReader(script, report)
    function = script.functions[ENTRY]
    reader.read(function)
    builder = TeamBuilder(reader.flow, reader.name)
    return finished(SOURCE, builder.team(), report)


class _WorkflowReader:
    """Reads the statements of the workflow in order; `open` holds the edges that lead to what comes next."""

    def __init__(self, script: PythonScript, report: Report) -> None:
        self.script = script
        self.report = report
        self.agents = AgentReader(script, report)
        self.flow = Workflow(report)
        self.expressions = Expressions(self.flow.variable_of)
        self.open: list[Edge] = [Edge(START)]
        self.name = ""
        self._tripwires: dict[str, _Tripwire] = {}
        self._pending: list[Check] = []
        self._runs: dict[str, str] = {}

    def read(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._statements(function.body)
        if not self.flow.nodes:
            for agent in self.agents.agents.values():
                self._add_agent(agent.variable, self.script.place(agent.call), "all", [], {})
            self.flow.edges = []
        else:
            self.flow.connect(self.open, None)
        for check in self._pending:
            put_before(self.flow, None, [check], self.report)

    # --- statements ---

    def _statements(self, body: Sequence[ast.stmt]) -> None:
        skipped = False
        for statement, after in zip_longest(body, body[1:]):
            match statement, after:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value), ast.Return(
                    value=ast.Name(id=returned)
                ) if name == returned and not self._is_answer(value):
                    self._return(value, statement)
                    skipped = True
                case _ if skipped:
                    skipped = False  # the return, which was read with what it returns
                case _:
                    self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:  # noqa: C901  one arm for each statement of the language
        match node:
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                self._note_trace(items)
                self._statements(body)
            case ast.Try(body=body, handlers=handlers):
                if handlers:
                    why = "What happens when a node fails is not part of a team; the run ends with the error."
                    self.report.add("dropped", self.script.place(handlers[0]), "Branch for errors", why)
                self._statements(body)
            case ast.If(test=ast.Name(id=name), body=body, orelse=orelse) if name in self._tripwires:
                self._guarded(self._tripwires[name], body, orelse)
            case ast.If(test=ast.Call(func=ast.Name(id=name)) as call) if name.startswith("approval_request"):
                self._approval(node, call)
            case ast.If():
                self._branches(node)
            case ast.While(test=test, body=body):
                self._loop(node, test, body)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value, node)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assign(name, value, node)
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id="state"), slice=ast.Constant(value=str(key)))], value=value
            ):
                self._set_state(key, value, node)
            case ast.Return(value=value):
                self._return(value, node)
            case ast.Expr(value=ast.Await(value=call)) if called(call) == "run":
                self._run("", call, node)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="extend"), args=[items])):
                self._tells(items)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                why = "Agent Builder writes no such statement, so it is not read."
                self.report.add(
                    "dropped", self.script.place(node), f"`{short(node)}`", why, fix="Check the workflow there."
                )

    def _note_trace(self, items: Sequence[ast.withitem]) -> None:
        for item in items:
            call = item.context_expr
            if called(call) == "trace" and isinstance(call, ast.Call) and call.args:
                name = self.script.value_or_none(call.args[0])
                self.name = name if isinstance(name, str) else ""

    def _assign(self, name: str, value: ast.expr, node: ast.stmt) -> None:
        inner = value.value if isinstance(value, ast.Await) else value
        if name == "state":
            self._state(value)
        elif name in ("workflow", "conversation_history"):
            pass
        elif called(inner) in ("run", "run_streamed") and "Runner" in ast.unparse(inner):
            self._run(name, inner, node)
        elif "guardrail" in ast.unparse(value) and self._guardrail_value(name, inner):
            pass
        elif "vector_stores.search" in ast.unparse(value):
            self._tool(name, "File search", "file_search", value, node)
        elif "mcp" in ast.unparse(value).lower() and isinstance(inner, ast.Call):
            self._tool(name, "MCP", "mcp_tool", value, node)
        elif isinstance(inner, ast.Dict) and self._is_answer(inner):
            self._alias(name, inner)
        elif isinstance(inner, ast.Dict):
            self._transform(name, inner, node)
        else:
            self._known(name, inner)

    def _state(self, value: ast.expr) -> None:
        found = self.script.value_or_none(value)
        if isinstance(found, dict):
            self.flow.state.update({name: item for name, item in found.items() if name.isidentifier()})
            if found:
                self.report.add("exact", self.script.place(value), f"State {', '.join(found)}")
        elif not isinstance(value, ast.Dict) or value.keys:
            self.report.add("asked", self.script.place(value), "State", "Its values are only known in a run there.")

    def _is_answer(self, value: ast.Dict) -> bool:
        """Whether it is `{"output_text": RESULT...}`."""
        first = value.values[0] if value.values else None
        names = {each.id for each in ast.walk(first) if isinstance(each, ast.Name)} if first is not None else set[str]()
        keys = {key.value for key in value.keys if isinstance(key, ast.Constant)}
        return bool(names & self.expressions.names.keys()) and bool(keys & {"output_text", "output_parsed"})

    def _alias(self, name: str, value: ast.Dict) -> None:
        for each in ast.walk(value):
            if isinstance(each, ast.Name) and isinstance(found := self.expressions.names.get(each.id), Answer):
                self.expressions.names[name] = found
                return

    def _known(self, name: str, value: ast.expr) -> None:
        try:
            self.expressions.names[name] = Known(self.expressions.expression(value))
        except Unsupported:
            if isinstance(value, ast.Name) and value.id in self.expressions.names:
                self.expressions.names[name] = self.expressions.names[value.id]

    def _transform(self, name: str, value: ast.Dict, node: ast.stmt) -> None:
        fields: dict[str, str] = {}
        place = self.script.place(node)
        for key, item in zip(value.keys, value.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            try:
                fields[key.value] = self.expressions.expression(item)
            except Unsupported as error:
                why = f"Its field `{key.value}` cannot be computed here: {error}."
                self.report.add("dropped", place, f"Transform `{name}`", why, fix="Set the variable in a step.")
        if not fields:
            return
        variable = self.flow.names.free(name, "value")
        whole = "{" + ", ".join(f"{key!r}: {text}" for key, text in fields.items()) + "}"
        self._add_step(f"Transform {name}", place, [(variable, whole)])
        self.expressions.names[name] = Known({key: f"{variable}[{key!r}]" for key in fields})

    def _set_state(self, key: str, value: ast.expr, node: ast.stmt) -> None:
        place = self.script.place(node)
        try:
            if not key.isidentifier():
                raise Unsupported(f"{key!r} cannot be the name of a variable")
            text = self.expressions.expression(value)
        except Unsupported as error:
            self.report.add(
                "dropped",
                place,
                f"Set state `{key}`",
                f"It cannot be computed here: {error}.",
                fix="Set the variable in a step.",
            )
            return
        self.flow.state.setdefault(key, None)
        self._add_step(f"Set {key}", place, [(key, text)])

    def _add_step(self, label: str, place: Location, pairs: Sequence[tuple[str, str]]) -> None:
        name = self._add(Node(label, place, step(assignments=assignments(pairs))))
        self.report.add("exact", place, label, became=name)

    def _add(self, node: Node, wanted: str = "") -> str:
        name = self.flow.add(node, wanted)
        self.flow.connect(self.open, name)
        self.open = [Edge(name)]
        return name

    # --- agents ---

    def _run(self, result: str, call: ast.AST, node: ast.stmt) -> None:
        assert isinstance(call, ast.Call)
        given = keywords(call)
        asked = call.args[0] if call.args else given.get("starting_agent") or given.get("agent")
        agent = self.agents.agent_of(asked)
        place = self.script.place(node)
        if agent is None:
            self.report.add("dropped", place, f"`{short(call)}`", "The agent that it runs cannot be read.")
            return
        given_text = given.get("input") or (call.args[1] if len(call.args) > 1 else None)
        hears, prompts = self._hearing(given_text, place)
        known = self._context(given.get("context"), place)
        name = self._add_agent(agent.variable, place, hears, prompts, known)
        if result:
            self.expressions.names[result] = Answer(name)
            self._runs[result] = name

    def _add_agent(
        self, variable: str, place: Location, hears: Hearing, prompts: Sequence[str], known: Mapping[str, str]
    ) -> str:
        agent = self.agents.agents[variable]
        label = self.agents.label(agent)
        name = self.flow.names.free(label if _is_only(label, self.agents) else variable)
        part = self.agents.component(agent, name, known=known)
        self.flow.nodes[name] = Node(label, place, part, hears, tells=False, prompts=prompts, name=name)
        self.flow.connect(self.open, name)
        self.open = [Edge(name)]
        if self._pending:
            put_before(self.flow, name, self._pending, self.report)
            self._pending = []
        return name

    def _tells(self, items: ast.expr) -> None:
        """A run whose answer is added to the conversation."""
        for each in ast.walk(items):
            if isinstance(each, ast.Name) and each.id in self._runs:
                self.flow.nodes[self._runs[each.id]].tells = True

    def _hearing(self, given_text: ast.expr | None, place: Location) -> tuple[Hearing, list[str]]:
        """What an agent hears, and the texts behind it."""
        hears: Hearing = "nothing"
        prompts: list[str] = []
        if not isinstance(given_text, ast.List):
            if given_text is not None and "conversation_history" in ast.unparse(given_text):
                return "all", []
            return (
                ("user", [])
                if given_text is None or "input_as_text" in ast.unparse(given_text)
                else ("nothing", self._prompt(given_text, place))
            )
        for item in given_text.elts:
            if isinstance(item, ast.Starred):
                hears = "all"
                continue
            text = _text_of_item(item)
            if text is None:
                continue
            role = self.script.value_or_none(_entry(item, "role"))
            if (
                role == "user"
                and hears == "nothing"
                and not prompts
                and ast.unparse(text) == "workflow['input_as_text']"
            ):
                hears = "user"
                continue
            if role == "assistant":
                why = "A message in the name of the model is sent as a message of a user."
                self.report.add("approximated", place, "Message of the assistant", why)
            prompts += self._prompt(text, place)
        return hears, prompts

    def _prompt(self, text: ast.expr, place: Location) -> list[str]:
        try:
            return [self.expressions.template(text)]
        except Unsupported as error:
            why = f"It cannot be put together here: {error}."
            self.report.add("dropped", place, "Message before an agent's answer", why, fix="Add a step that says it.")
            return []

    def _context(self, node: ast.expr | None, place: Location) -> dict[str, str]:
        """Places in a template for the fields of a run's context."""
        found: dict[str, str] = {}
        if isinstance(node, ast.Call):
            for name, value in keywords(node).items():
                try:
                    found[name] = self.expressions.template(value)
                except Unsupported as error:
                    why = f"`{name}` of its context cannot be put together here: {error}."
                    self.report.add("approximated", place, "Context of a run", why)
        return found

    # --- branches ---

    def _branches(self, node: ast.If) -> None:
        """if, elif and else: a router, which is joined with the agent before it."""
        router = self._add(Node("If / else", self.script.place(node), step(), is_router=True), "if_else")
        conditions: list[str | None] = []
        bodies: list[Sequence[ast.stmt]] = []
        rest: Sequence[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(branch := rest[0], ast.If) and not self._is_special(branch):
            conditions.append(self._condition(branch.test))
            bodies.append(branch.body)
            rest = branch.orelse
        edges = alternatives(router, conditions)
        ends: list[Edge] = []
        for edge, body in zip(edges, [*bodies, rest], strict=True):
            self.open = [edge]
            self._statements(body)
            ends += self.open
        self.open = ends
        if all(condition is not None for condition in conditions):
            self.report.add("exact", self.script.place(node), "If / else", became=router)

    def _is_special(self, node: ast.If) -> bool:
        return (isinstance(node.test, ast.Name) and node.test.id in self._tripwires) or called(node.test).startswith(
            "approval"
        )

    def _condition(self, test: ast.expr) -> str | None:
        try:
            return self.expressions.condition(test)
        except Unsupported as error:
            why = f"`{short(test)}` cannot be a condition here: {error}. Its branch is always taken."
            self.report.add(
                "dropped", self.script.place(test), "Condition", why, fix="Write the condition of the edge."
            )
            return None

    def _loop(self, node: ast.While, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        router = self._add(Node("While", self.script.place(node), step(), is_router=True), "loop")
        self.flow.nodes[router].is_router = False  # edges lead back to it
        into, out = alternatives(router, [self._condition(test)])
        self.report.add("exact", self.script.place(node), "While", became=router)
        self.open = [into]
        self._statements(body)
        self.flow.connect(self.open, router)
        self.open = [out]

    def _approval(self, node: ast.If, call: ast.Call) -> None:
        place = self.script.place(node)
        question = self._prompt(call.args[0], place) if call.args else []
        part = component(USER_PROXY, description="Approves or rejects.", choices=[APPROVE, REJECT])
        asked = Node("User approval", place, part, tells=False, prompts=[each for each in question if each])
        name = self._add(asked, "approval")
        why = "A person chooses between two answers; the question is a message before them."
        self.report.add("approximated", place, "User approval", why, became=name)
        self.open = [Edge(name, said=APPROVE)]
        self._statements(node.body)
        ends = self.open
        self.open = [Edge(name, otherwise=True)]
        self._statements(node.orelse)
        self.open = [*ends, *self.open]

    def _guarded(self, tripwire: _Tripwire, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        """The branch of a guardrail that trips ends the run here."""
        kept = [each for each in body if not isinstance(each, ast.Return | ast.Pass)]
        if kept:
            why = "When the guardrail trips the run ends; what would follow is not imported."
            self.report.add("dropped", self.script.place(kept[0]), "Branch for what is blocked", why)
        self._pending += tripwire.checks
        self._statements(orelse)

    def _guardrail_value(self, name: str, value: ast.expr) -> bool:
        """Take up a value of a guardrail; whether it is one that is read here."""
        if called(value) in ("run_guardrails", "run_and_apply_guardrails"):
            config = next(
                (each.id for each in ast.walk(value) if isinstance(each, ast.Name) and each.id.endswith("config")), ""
            )
            found = self.script.values.get(config)
            read = self.script.value_or_none(found)
            place = self.script.place(found) if found is not None else self.script.place(value)
            items: JsonValue = read.get("guardrails") if isinstance(read, dict) else None
            self._tripwires[name] = _Tripwire(checks_in(items, place))
            return True
        source = next(
            (each.id for each in ast.walk(value) if isinstance(each, ast.Name) and each.id in self._tripwires), ""
        )
        if source and ("has_tripwire" in ast.unparse(value) or "hastripwire" in name):
            self._tripwires[name] = self._tripwires[source]
            return True
        if source:  # the checked text is the text itself
            self.expressions.names[name] = Known(INPUT)
            return True
        return False

    # --- tools and ends ---

    def _tool(self, result: str, label: str, tool: str, value: ast.expr, node: ast.stmt) -> None:
        place = self.script.place(node)
        why = f"The node “{label}” of Agent Builder ran at OpenAI."
        query = next(
            (each.value for each in ast.walk(value) if isinstance(each, ast.keyword) and each.arg == "query"), None
        )
        arguments: list[tuple[str, str]] = []
        if query is not None:
            try:
                arguments = [("query", self.expressions.expression(query))]
            except Unsupported:
                arguments = [("query", "message")]
        schema: JsonObject = {
            "properties": {name: {"type": "string"} for name, _ in arguments},
            "required": [name for name, _ in arguments],
        }
        part = step(tool=stand_in(tool, f"{label} of OpenAI.", schema, why), arguments=assignments(arguments))
        name = self._add(Node(label, place, part))
        report_stand_in(self.report, place, f"Node “{label}”", why, name)
        if "vector_store" in ast.unparse(value):
            why = "The files of its vector store stay at OpenAI."
            self.report.add(
                "asked", place, "Vector store", why, fix="Save the files before the service ends.", became=name
            )
        self.expressions.names[result] = Answer(name)

    def _return(self, value: ast.expr | None, node: ast.stmt) -> None:
        """The end of a branch: the last answer stands, or a step says what is returned."""
        place = self.script.place(node)
        if value is not None and not self._is_last(value):
            try:
                self._say(value, place)
            except Unsupported:
                why = "What it returns cannot be put together here, so the last answer stands."
                self.report.add("approximated", place, "End", why)
        self.flow.connect(self.open, None)
        self.open = []

    def _is_last(self, value: ast.expr) -> bool:
        """Whether it is the answer of the agent that spoke last, in whatever form."""
        names = [each.id for each in ast.walk(value) if isinstance(each, ast.Name)]
        known = [self.expressions.names.get(name) for name in names]
        answers = {each.node for each in known if isinstance(each, Answer)}
        is_form = isinstance(value, ast.Name) or (isinstance(value, ast.Dict) and self._is_answer(value))
        if any("guardrail" in name or name == "workflow" for name in names):
            return True  # the message itself, as it was or as it was checked
        return is_form and answers == self._spoke_last()

    def _spoke_last(self) -> set[str]:
        """The nodes whose words are the last ones here, whatever silent steps come behind them."""
        found: set[str] = set()
        seen: set[str] = set()
        todo = [edge.source for edge in self.open]
        while todo:
            name = todo.pop()
            part = self.flow.nodes[name].part if name in self.flow.nodes else None
            is_silent = part is not None and part["provider"] == STEP and config_of(part).get("message") is None
            if not is_silent:
                found.add(name)
            elif name not in seen:
                seen.add(name)
                todo += [edge.source for edge in self.flow.into(name)]
        return found

    def _say(self, value: ast.expr, place: Location) -> None:
        if isinstance(value, ast.Dict):
            part = step(assignments=assignments([("output", self.expressions.expression(value))]), message="{output}")
        elif (
            isinstance(value, ast.Name)
            and isinstance(known := self.expressions.names.get(value.id), Known)
            and isinstance(known.value, Mapping)
        ):
            whole = "{" + ", ".join(f"{key!r}: {text}" for key, text in known.value.items()) + "}"
            part = step(assignments=assignments([("output", whole)]), message="{output}")
        else:
            part = step(message=self.expressions.template(value))
        name = self._add(Node("End", place, part), "end")
        self.report.add("exact", place, "End", became=name)


def _is_only(label: str, agents: AgentReader) -> bool:
    """Whether no other agent has this name."""
    return sum(agents.label(each) == label for each in agents.agents.values()) == 1


def _entry(item: ast.expr, name: str) -> ast.expr | None:
    if isinstance(item, ast.Dict):
        for key, value in zip(item.keys, item.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name:
                return value
    return None


def _text_of_item(item: ast.expr) -> ast.expr | None:
    """The text of `{"role": …, "content": [{"text": TEXT}]}`."""
    content = _entry(item, "content")
    if isinstance(content, ast.List):
        texts = [text for each in content.elts if (text := _entry(each, "text")) is not None]
        return texts[0] if texts else None
    return content
