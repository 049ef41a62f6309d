"""Flows of Agent Spec as workflows; a flow within a flow is laid out in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.agent_spec_agents import SpecAgents, template
from studio.importers.agent_spec_document import kind_of, name_of, properties_of, text_of
from studio.importers.components import ASSISTANT, USER_PROXY, assignments, component, config_of, step
from studio.importers.expressions import are_exclusive
from studio.importers.findings import SEE_PARTS
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.workflow import MAX_NODES, START, Edge, Node, TeamBuilder, Workflow

MAX_LEVELS = 20
"""Flows within flows."""
_AGENTS = ("Agent", "SpecializedAgent")
_DROPPED = {
    "MapNode": "Team Studio cannot repeat a flow for each item of a list.",
    "ParallelMapNode": "Team Studio cannot repeat a flow for each item of a list.",
}
_READ: Mapping[str, tuple[str, ...]] = {
    "LlmNode": ("llm_config", "prompt_template"),
    "AgentNode": ("agent",),
    "ToolNode": ("tool",),
    "BranchingNode": ("mapping",),
    "OutputMessageNode": ("message",),
    "InputMessageNode": ("message",),
    "EndNode": ("branch_name",),
}

_READ_ANYWHERE = ("subflow", "subflows", "url", "http_method", "headers", "data", "query_params", "sensitive_headers")


@dataclass(frozen=True)
class Value:
    """Where the value of an output is: a variable, or a field of one."""

    variable: str
    field: str = ""

    @property
    def expression(self) -> str:
        return f"{self.variable}.{self.field}" if self.field else self.variable

    @property
    def placeholder(self) -> str:
        return f"{{{self.variable}[{self.field}]}}" if self.field else f"{{{self.variable}}}"


@dataclass(eq=False)
class Laid:
    """A flow with the place that it has.

    Args:
        outer: The flow that it is in, and the node that it is there.
    """

    flow: Part
    nodes: Sequence[Part]
    outer: tuple[Laid, Part] | None = None
    names: dict[Part, str] = field(default_factory=dict[Part, str])
    inner: dict[Part, list[Laid]] = field(default_factory=dict[Part, "list[Laid]"])
    joined: dict[tuple[Part, str], str] = field(default_factory=dict[tuple[Part, str], str])
    """Variables of inputs that several outputs give."""
    controls: Sequence[tuple[Part, str, Part]] = ()
    data: Sequence[tuple[Part, str, Part, str]] = ()


class FlowReader:
    """Makes the team of a flow."""

    def __init__(self, agents: SpecAgents) -> None:
        self._agents = agents
        self._spec = agents.spec
        self._report = agents.report
        self._flow = Workflow(agents.report)
        self._count = 0
        self._found: dict[tuple[Laid, Part, str], Value | None] = {}
        self._kept: set[str] = set()
        """Nodes whose answers are kept, each in the variable of its name."""
        self._exits: dict[str, str] = {}
        """The step that follows a node, for those that have one."""

    def team(self, root: Part) -> JsonObject:
        laid = self._lay(root, None, ())
        self._inputs(laid)
        self._build(laid)
        start = self._start(laid)
        self._flow.edges.append(Edge(START, start))
        for node in laid.nodes:
            if kind_of(node) == "EndNode":
                self._flow.edges.append(Edge(laid.names[node], None))
        self._flow.state |= {
            name: each for name, each in self._agents.variables.items() if name not in self._flow.state
        }
        return TeamBuilder(self._flow, name_of(root)).team()

    # --- names first: every output has its variable before a text names it ---

    def _lay(self, flow: Part, outer: tuple[Laid, Part] | None, above: Sequence[Part]) -> Laid:
        if len(above) > MAX_LEVELS or any(each is flow for each in above):
            what = f"The flow “{name_of(flow)}” contains itself, or flows are nested more than {MAX_LEVELS} deep."
            raise InvalidDocument(what, fix="Import a part of it.", where=str(flow.place))
        given = dict.fromkeys(self._spec.all_of(flow.get("nodes"), f"Node of “{name_of(flow)}”"))
        first = self._spec.resolved(flow.get("start_node"))
        laid = Laid(flow, list(dict.fromkeys([*([first] if first is not None else []), *given])), outer)
        for node in laid.nodes:
            self._count += 1
            if self._count > MAX_NODES:
                raise TooLarge(f"The flow has more than {MAX_NODES} nodes.", fix="Import a part of it.")
            laid.names[node] = self._flow.names.free(name_of(node), "node")
            if kind_of(node) in ("FlowNode", "CatchExceptionNode", "ParallelFlowNode"):
                parts = [
                    *self._spec.all_of(node.get("subflow"), "Flow"),
                    *self._spec.all_of(node.get("subflows"), "Flow"),
                ]
                inner = [each for each in parts if kind_of(each) == "Flow"]
                laid.inner[node] = [self._lay(each, (laid, node), [*above, flow]) for each in inner]
        laid.controls = list(self._controls(laid))
        laid.data = list(self._data(laid))
        return laid

    def _controls(self, laid: Laid) -> Iterator[tuple[Part, str, Part]]:
        for edge in self._spec.all_of(laid.flow.get("control_flow_connections"), "Control flow"):
            source, target = (self._spec.resolved(edge.get(each)) for each in ("from_node", "to_node"))
            if source in laid.names and target in laid.names:
                yield source, text_of(edge, "from_branch") or "next", target
            else:
                why = "It names a node that is not in the flow."
                self._report.add("asked", edge.place, f"Control flow `{name_of(edge)}`", why, fix="Draw the edge.")

    def _data(self, laid: Laid) -> Iterator[tuple[Part, str, Part, str]]:
        for edge in self._spec.all_of(laid.flow.get("data_flow_connections"), "Data flow"):
            source, target = (self._spec.resolved(edge.get(each)) for each in ("source_node", "destination_node"))
            if source in laid.names and target in laid.names:
                yield source, text_of(edge, "source_output"), target, text_of(edge, "destination_input")
            else:
                why = "It names a node that is not in the flow."
                self._report.add(
                    "asked", edge.place, f"Data flow `{name_of(edge)}`", why, fix="Set the value in a step."
                )

    def _start(self, laid: Laid) -> str:
        first = self._spec.resolved(laid.flow.get("start_node"))
        found = first or next((each for each in laid.nodes if kind_of(each) == "StartNode"), None)
        if found is None or found not in laid.names:
            what = f"The flow “{name_of(laid.flow)}” has no start node."
            raise InvalidDocument(what, fix="Set its start_node.", where=str(laid.flow.place))
        return laid.names[found]

    # --- values ---

    def _input(self, laid: Laid, node: Part, title: str) -> Value | None:
        """What gives an input of a node; None where nothing does."""
        if (node, title) in laid.joined:
            return Value(laid.joined[node, title])
        sources = list(dict.fromkeys((each[0], each[1]) for each in laid.data if each[2] is node and each[3] == title))
        if not sources:
            return None
        if len(sources) > 1:
            name = self._variable(title)
            laid.joined[node, title] = name
            default = properties_of(node, "inputs").get(title, {}).get("default")
            self._flow.state[name] = "" if default is None else default
            return Value(name)
        return self._output(laid, *sources[0])

    def _output(self, laid: Laid, node: Part, title: str) -> Value | None:
        """Where an output of a node is; each is looked for once, and none is in a circle."""
        place = (laid, node, title)
        if place not in self._found:
            self._found[place] = None
            self._found[place] = self._look_for(*place)
        return self._found[place]

    def _look_for(self, laid: Laid, node: Part, title: str) -> Value | None:
        kind = kind_of(node)
        if kind == "StartNode":
            if laid.outer is not None:
                return self._input(*laid.outer, title)
            return Value(self._agents_input(title))
        for inner in laid.inner.get(node, ()):
            for end in inner.nodes:
                if kind_of(end) == "EndNode" and (found := self._input(inner, end, title)) is not None:
                    return found
        if kind not in ("LlmNode", "AgentNode", "ToolNode", "ApiNode", "InputMessageNode"):
            return None
        outputs = self._outputs(node)
        variable = self._keep(laid, node)
        return Value(variable, word(title) if self._is_structured(node, outputs) and title in outputs else "")

    def _keep(self, laid: Laid, node: Part) -> str:
        """The variable that keeps the answer of a node; until then it has the defaults of the outputs."""
        name, outputs = laid.names[node], self._outputs(node)
        given = {word(title) or "value": each.get("default") for title, each in outputs.items()}
        defaults: JsonObject = {key: "" if each is None else each for key, each in given.items()}
        whole: JsonValue = defaults if self._is_structured(node, outputs) else next(iter(defaults.values()), "")
        self._flow.state.setdefault(name, whole)
        self._kept.add(name)
        return name

    def _outputs(self, node: Part) -> Mapping[str, JsonObject]:
        own = properties_of(node, "outputs")
        agent = self._spec.resolved(node.get("agent"))
        return own or (properties_of(agent, "outputs") if agent is not None else {})

    def _is_structured(self, node: Part, outputs: Mapping[str, JsonObject]) -> bool:
        """Whether the answer has fields: a single text is the answer itself."""
        if kind_of(node) not in ("LlmNode", "AgentNode"):
            return False
        is_text = len(outputs) == 1 and next(iter(outputs.values())).get("type", "string") == "string"
        return bool(outputs) and not (is_text and kind_of(node) == "LlmNode")

    def _variable(self, title: str) -> str:
        name, number = word(title) or "value", 2
        base = f"{name}_" if name in ("message", "result") else name
        name = base
        taken = {*self._flow.state, *self._flow.nodes}
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        return name

    def _agents_input(self, title: str) -> str:
        return self._given.setdefault(title, f"input_{word(title) or 'value'}")

    def _inputs(self, laid: Laid) -> None:
        """Variables for what the flow is given; a single text is the message that begins a run."""
        self._given: dict[str, str] = {}
        start = self._spec.resolved(laid.flow.get("start_node"))
        own = dict(properties_of(start, "inputs")) if start is not None else {}
        inputs = own or dict(properties_of(laid.flow, "inputs"))
        for title, schema in inputs.items():
            name = self._agents_input(title)
            default = schema.get("default")
            self._flow.state[name] = "" if default is None else default
            if len(inputs) == 1 and schema.get("type", "string") == "string":
                why = "The message that begins a run is its value."
                self._report.add("approximated", laid.flow.place, f"Input `{title}`", why)
            elif default is not None:
                self._report.add("exact", laid.flow.place, f"Input `{title}`")
            else:
                why = "Its value is not in the file. It is empty in the context variables of the team."
                self._report.add("asked", laid.flow.place, f"Input `{title}`", why, fix="Set its value there.")
        self._is_message = len(inputs) == 1 and next(iter(inputs.values())).get("type", "string") == "string"

    # --- nodes ---

    def _build(self, laid: Laid) -> None:
        for node in laid.nodes:
            before = len(self._report.findings)
            what = f"{kind_of(node) or 'Node'} “{name_of(node)}”"
            self._node(laid, node, what)
            for inner in laid.inner.get(node, ()):
                self._build(inner)
            read = (*_READ.get(kind_of(node), ()), *_READ_ANYWHERE)
            self._spec.report_unread(node, read, laid.names[node])
            reported = self._report.findings[before:]
            if not any(each.what == what for each in reported):
                kept = ("exact",) if kind_of(node) in ("ToolNode", "ApiNode") else ("exact", "asked")
                is_same = all(each.verdict in kept for each in reported)
                verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
                self._report.add(verdict, node.place, what, why, became=laid.names[node])
        self._join(laid)
        for node in laid.nodes:
            self._connect(laid, node)

    def _put(self, laid: Laid, node: Part, part: JsonObject | None, **settings: object) -> None:
        name = laid.names[node]
        made = Node(name_of(node), node.place, part, name=name)
        for key, value in settings.items():
            setattr(made, key, value)
        self._flow.nodes[name] = made
        if part is not None and name in self._kept and part["provider"] != USER_PROXY:
            config_of(part)["keep_as"] = name

    def _node(self, laid: Laid, node: Part, what: str) -> None:
        kind = kind_of(node)
        if kind == "StartNode":
            titles = list(self._given) if laid.outer is None and self._is_message else []
            pairs = [(self._given[title], "message") for title in titles[:1]]
            self._put(laid, node, step(assignments=assignments(pairs)) if pairs else None)
        elif kind in ("EndNode", "FlowNode", "CatchExceptionNode", "ParallelFlowNode"):
            self._put(laid, node, None)
            if kind in ("CatchExceptionNode", "ParallelFlowNode"):
                why = "Its flows run one after the other." if kind == "ParallelFlowNode" else "No error is caught."
                self._report.add("approximated", node.place, what, why)
            elif kind == "EndNode" and laid.outer is None and any(each[2] is node for each in laid.data):
                why = "The result of a run is the last answer. Outputs of the flow are not put together."
                self._report.add("approximated", node.place, what, why)
            elif kind == "FlowNode" and not laid.inner.get(node):
                why = "Its flow is not in the files."
                self._report.add("asked", node.place, what, why, fix="Import all files of the configuration.")
        elif kind == "LlmNode":
            self._llm(laid, node)
        elif kind == "AgentNode":
            self._agent(laid, node, what)
        elif kind in ("ToolNode", "ApiNode"):
            self._tool(laid, node)
        elif kind == "BranchingNode":
            self._put(laid, node, step(), is_router=True)
        elif kind == "OutputMessageNode":
            self._put(laid, node, step(message=self._text(laid, node, "message")))
        elif kind == "InputMessageNode":
            self._ask(laid, node)
        else:
            why = _DROPPED.get(kind, "Team Studio has nothing like it.")
            self._report.add("dropped", node.place, what, why, fix="Add an agent or a step in its place.")
            self._put(laid, node, None)

    def _text(self, laid: Laid, node: Part, name: str) -> str:
        """A text of a node as a template."""
        text = text_of(node, name)
        made, has_any = template(text, node, lambda title, part: self._placeholder(laid, part, node, title))
        return made if has_any else text.replace("{", "{{").replace("}", "}}")

    def _placeholder(self, laid: Laid, part: Part, node: Part, title: str) -> str:
        found = self._input(laid, node, title)
        if found is not None:
            return found.placeholder
        schema = properties_of(node, "inputs").get(title) or properties_of(part, "inputs").get(title) or {}
        name = f"{laid.names[node]}_{word(title) or 'value'}"
        default = schema.get("default")
        self._flow.state[name] = "" if default is None else default
        if default is None:
            why = "Nothing in the flow gives it. It is empty in the context variables of the team."
            self._report.add(
                "asked", node.place, f"Input `{title}` of {laid.names[node]}", why, fix="Set its value there."
            )
        return f"{{{name}}}"

    def _llm(self, laid: Laid, node: Part) -> None:
        name = laid.names[node]
        prompt = self._text(laid, node, "prompt_template")
        model = self._agents.tools.client(node.get("llm_config"), node.place, name)
        config: JsonObject = {"description": text_of(node, "description") or f"The node {name_of(node)}."}
        config |= {"system_message": None, "model_client": model}
        outputs = self._outputs(node)
        if self._is_structured(node, outputs):
            self._agents.answers(config, outputs)
        self._keep(laid, node)
        self._put(laid, node, component(ASSISTANT, **config), hears="nothing", prompts=[prompt])

    def _agent(self, laid: Laid, node: Part, what: str) -> None:
        name = laid.names[node]
        agent = self._spec.resolved(node.get("agent"))
        if agent is None or kind_of(agent) not in _AGENTS:
            kind = kind_of(agent) if agent is not None else ""
            why = f"A {kind} is not imported." if kind else "Its agent is not in the files."
            fix = "Put an agent in its place."
            self._report.add("dropped" if kind else "asked", node.place, what, why, fix=fix)
            self._put(laid, node, None)
            return
        part = self._agents.assistant(agent, name, lambda title, each: self._placeholder(laid, each, node, title))
        config = {key: value for key, value in config_of(part).items() if key != "name"}
        outputs = self._outputs(node)
        if outputs:
            self._agents.answers(config, outputs)
            self._keep(laid, node)
        why = "It hears the conversation so far."
        self._report.add("approximated", node.place, what, why, became=name)
        self._put(laid, node, component(ASSISTANT, **config))

    def _tool(self, laid: Laid, node: Part) -> None:
        name = laid.names[node]
        tool = node if kind_of(node) == "ApiNode" else self._spec.resolved(node.get("tool"))
        if tool is None:
            why = "Its tool is not in the files."
            self._report.add("asked", node.place, f"Tool of {name}", why, fix="Import all files.")
            self._put(laid, node, None)
            return
        made = self._agents.tools.tool(tool, name)
        pairs: list[tuple[str, str]] = []
        for title, schema in (properties_of(node, "inputs") or properties_of(tool, "inputs")).items():
            value = self._input(laid, node, title)
            if value is not None:
                pairs.append((title, value.expression))
            elif schema.get("default") is None:
                why = "Nothing in the flow gives it."
                self._report.add("asked", node.place, f"Input `{title}` of {name}", why, fix="Set it in the step.")
                pairs.append((title, "''"))
        if len(self._outputs(node)) > 1:
            why = "Each of its outputs is the whole result of the tool."
            self._report.add("approximated", node.place, f"Outputs of {name}", why, became=name)
        self._keep(laid, node)
        self._put(laid, node, step(tool=made, arguments=assignments(pairs)), tells=False)

    def _ask(self, laid: Laid, node: Part) -> None:
        """What a person answers; a step keeps it."""
        name = laid.names[node]
        self._put(laid, node, component(USER_PROXY, description="A person who answers."))
        if text_of(node, "message"):
            self._flow.nodes[name].prompts = [self._text(laid, node, "message")]
        variable = self._keep(laid, node)
        kept = self._flow.add(Node(f"Answer of {name_of(node)}", node.place, step()), f"{name}_answer")
        part = self._flow.nodes[kept].part
        assert part is not None
        config_of(part)["assignments"] = assignments([(variable, "message")])
        self._follow(name, kept)

    def _follow(self, name: str, kept: str) -> None:
        last = self._exits.get(name, name)
        self._flow.edges.append(Edge(last, kept))
        self._exits[name] = kept

    # --- edges ---

    def _join(self, laid: Laid) -> None:
        """Steps that set the inputs that several outputs give."""
        found: dict[Part, list[tuple[str, str]]] = {}
        for source, output, target, title in laid.data:
            if (target, title) in laid.joined and (value := self._output(laid, source, output)) is not None:
                found.setdefault(source, []).append((laid.joined[target, title], value.expression))
        for source, pairs in found.items():
            if kind_of(source) == "BranchingNode" or laid.inner.get(source):
                why = "Another node gives this value, too, and its own is not kept."
                self._report.add("approximated", source.place, f"Data of “{name_of(source)}”", why)
                continue
            label = f"Values of {name_of(source)}"
            kept = self._flow.add(Node(label, source.place, step(assignments=assignments(pairs))), "values")
            self._follow(laid.names[source], kept)

    def _connect(self, laid: Laid, node: Part) -> None:
        """Edges to what follows a node."""
        name = laid.names[node]
        after = [(branch, laid.names[target]) for source, branch, target in laid.controls if source is node]
        if laid.inner.get(node):
            self._connect_inner(laid, node, after)
        elif kind_of(node) == "BranchingNode":
            self._branch(laid, node, after)
        else:
            last = self._exits.get(name, name)
            self._flow.edges += [Edge(last, target) for _, target in dict.fromkeys(after)]

    def _connect_inner(self, laid: Laid, node: Part, after: Sequence[tuple[str, str]]) -> None:
        """Lay the flows of a node between its neighbors, one after the other."""
        inner = laid.inner[node]
        name = laid.names[node]
        last: list[tuple[str, str]] = []
        for at, each in enumerate(inner):
            sources = [source for source, _ in last] if at else [name]
            self._flow.edges += [Edge(source, self._start(each)) for source in sources]
            ends = [end for end in each.nodes if kind_of(end) == "EndNode"]
            last = [(each.names[end], text_of(end, "branch_name") or "next") for end in ends]
        for source, branch in last:
            targets = [target for wanted, target in after if wanted == branch or (wanted == "next" and len(after) == 1)]
            self._flow.edges += [Edge(source, target) for target in dict.fromkeys(targets)]

    def _branch(self, laid: Laid, node: Part, after: Sequence[tuple[str, str]]) -> None:
        name = laid.names[node]
        given = node.get("mapping")
        mapping = {value: each.text for value, each in given.entries_or_none()} if given is not None else {}
        inputs = properties_of(node, "inputs")
        titles = [*inputs, *(each[3] for each in laid.data if each[2] is node)]
        value = next((found for title in titles if (found := self._input(laid, node, title)) is not None), None)
        schema: JsonObject = next(iter(inputs.values())) if inputs else {}
        if value is None:
            why = "Nothing in the flow gives its value, so its default branch is taken."
            self._report.add(
                "asked", node.place, f"Value of “{name_of(node)}”", why, fix="Set conditions.", became=name
            )
        conditions: list[str] = []
        for branch, target in after:
            wanted = [key for key, each in mapping.items() if each == branch]
            if not wanted or value is None:
                self._flow.edges.append(Edge(name, target, otherwise=True))
                continue
            asked = " or ".join(f"{value.expression} == {self._literal(each, schema)!r}" for each in wanted)
            conditions.append(asked)
            self._flow.edges.append(Edge(name, target, condition=asked))
        if conditions and not are_exclusive(conditions) and len(set(conditions)) < len(conditions):
            why = "Two branches have the same value."
            self._report.add("approximated", node.place, f"Branches of “{name_of(node)}”", why, became=name)

    def _literal(self, text: str, schema: JsonObject) -> JsonValue:
        """A value of a mapping, whose keys are always texts."""
        kind = schema.get("type")
        if kind == "boolean" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind in ("integer", "number"):
            try:
                return float(text) if kind == "number" else int(text)
            except ValueError:
                return text
        return text
