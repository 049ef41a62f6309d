"""Sequential flows and teams with a supervisor, which Flowise had before Agentflow V2."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import CanvasEdge, CanvasNode, json_within
from studio.importers.canvas_reading import accepted, agent_node
from studio.importers.canvas_texts import Path
from studio.importers.components import step
from studio.importers.expressions import INPUT, Unsupported, escaped
from studio.importers.flowise_conditions import sequential_condition
from studio.importers.flowise_flow import Reading, answer_schema
from studio.importers.flowise_models import flowise_client
from studio.importers.flowise_texts import steps_of
from studio.importers.flowise_tools import add_tool
from studio.importers.tools import Toolset, report_stand_in, stand_in
from studio.importers.workflow import START, Edge, Node, alternatives

NAMES = (
    "agentName",
    "llmNodeName",
    "toolNodeName",
    "conditionAgentName",
    "conditionName",
    "workerName",
    "supervisorName",
)
FINISH = "FINISH"
_PLACE = re.compile(r"(?<!\{)\{([A-Za-z_]\w{0,80})\}(?!\})")
_NODE = re.compile(r"\{\{\s*([\w-]{1,100})(?:\.data\.instance)?\s*\}\}")
_FLOW = re.compile(r"\$flow\.(state|output)\.?([\w.\[\]-]{0,200})")
_LENGTH = "messages"
_WORK = (
    "Work on your own, by your specialty and with your tools. Do not ask for clarification. The other members of the "
    "team, {members}, do the rest."
)


def said_name(node: CanvasNode) -> str:
    """The name that people gave a node."""
    return next((node.text(each) for each in NAMES if node.text(each)), node.label)


def model_of(reading: Reading, node: CanvasNode, owner: str, otherwise: Sequence[CanvasNode] = ()) -> JsonObject:
    """The client of the chat model that leads to a node, or to one of these."""
    for each in (node, *otherwise):
        for model in reading.canvas.into(each.id, "model"):
            return flowise_client(model.kind, model.inputs, reading.report, model.place, owner)
    return flowise_client("", {}, reading.report, node.place, owner)


def tools_of(reading: Reading, node: CanvasNode, owner: str) -> Toolset:
    """The tools that lead to a node."""
    found = Toolset()
    for each in reading.canvas.into(node.id, "tools"):
        settings = {name: value for name, value in each.inputs.items() if name not in ("tools", "model")}
        add_tool(each.kind, each.label, settings, found, reading.report, each.place, owner)
        for store in reading.canvas.into(each.id, "retriever", "vectorStore"):
            why = f"The contents of {store.label} stay at Flowise."
            fix = "Replace the stand-in by a memory or a tool that searches them."
            reading.report.add(
                "asked", store.place, f"Documents of {each.text('name') or each.label}", why, fix=fix, became=owner
            )
    return found


def filled(reading: Reading, node: CanvasNode, given: str, owner: str) -> str:
    """A prompt as a template, with the values that the node has for its places."""
    raw = node.inputs.get("promptValues")
    values = json_within(raw) if isinstance(raw, str) else raw
    known: Mapping[str, JsonValue] = values if isinstance(values, dict) else {}
    pieces: list[str] = []
    last = 0
    for found in _PLACE.finditer(given):
        pieces.append(escaped(given[last : found.start()]))
        last = found.end()
        pieces.append(_value(reading, node, known.get(found[1]), found[0], owner))
    return "".join([*pieces, escaped(given[last:])])


def _value(reading: Reading, node: CanvasNode, value: JsonValue, written: str, owner: str) -> str:
    """What stands at a place of a prompt."""
    try:
        if isinstance(value, str) and (found := _FLOW.fullmatch(value.strip())) is not None:
            return _state(reading, found[1], found[2], "").placeholder
        if isinstance(value, str) and (named := _NODE.fullmatch(value.strip())) is not None:
            return (Path(INPUT) if named[1] == "question" else reading.answer(named[1])).placeholder
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return escaped(str(value))
        raise Unsupported("the node has no value for it")
    except Unsupported as error:
        place = node.inside("promptValues")
        what = f"`{written}` in a prompt of {owner}"
        reading.report.add("asked", place, what, f"Its value is not known: {error}.", fix="Write it.", became=owner)
        return escaped(written)


def _state(reading: Reading, kind: str, path: str, own: str) -> Path:
    """`$flow.state.x` or `$flow.output.x`.

    Raises:
        Unsupported: It is neither.
    """
    name, *steps = steps_of(path) or ("",)
    if kind == "output" and own:
        inner = [] if name in ("", "content") else [name, *steps]
        return Path(reading.flow.variable_of(own), tuple(inner))
    if kind == "state" and name:
        if name == _LENGTH and steps == ["length"]:
            return Path(reading.variable("messages_length", 1))
        if name == _LENGTH:
            raise Unsupported("the messages themselves are no variable here")
        return Path(reading.variable(name), tuple(steps))
    raise Unsupported("only state and output are known")


class SequentialReader:
    """Reads a sequential flow."""

    def __init__(self, reading: Reading) -> None:
        self._all = reading
        self._canvas = reading.canvas
        self._report = reading.report
        self._flow = reading.flow
        self._appended: set[str] = set()
        self._start = [node for node in self._canvas.nodes.values() if node.kind == "seqStart"]
        self._counts = any("messages.length" in str(node.inputs) for node in self._canvas.nodes.values())
        self._called = {
            node.text("llmNode").strip("{} ").partition(".")[0]: node
            for node in self._canvas.nodes.values()
            if node.kind == "seqToolNode"
        }
        reading.aliases |= {node.id: caller for caller, node in self._called.items()}

    def read(self) -> None:
        """Add all nodes and edges to the workflow."""
        nodes = [node for node in self._canvas.nodes.values() if node.kind.startswith("seq")]
        for node in nodes:
            if node.kind == "seqState":
                self._state(node)
        for node in nodes:
            self._declare(node)
        for node in nodes:
            self._add(node)
        self._connect(nodes)
        self._all.end()
        self._all.notes()

    def _declare(self, node: CanvasNode) -> None:
        label = said_name(node)
        match node.kind:
            case "seqAgent" | "seqLLMNode":
                self._all.add(node, agent_node(node, label))
            case "seqConditionAgent":
                self._all.add(node, agent_node(node, label, tells=False))
            case "seqCondition":
                self._all.add(node, Node(label, node.place, step(), is_router=True))
            case "seqExecuteFlow" | "seqCustomFunction":
                self._all.add(node, Node(label, node.place, step(), tells=False))
            case _:
                self._all.passes(node)

    def _add(self, node: CanvasNode) -> None:
        before = len(self._report.findings)
        match node.kind:
            case "seqAgent" | "seqLLMNode":
                self._agent(node)
                self._all.conclude(node, "Agent", before)
            case "seqConditionAgent":
                self._condition_agent(node)
                self._all.conclude(node, "Condition agent", before)
            case "seqCondition":
                self._condition(node, "")
                self._all.conclude(node, "Condition", before)
            case "seqToolNode":
                why = "The node before it calls the tools, once, and answers with their results."
                self._report.add("approximated", node.place, f"Tool node “{said_name(node)}”", why)
                if node.inputs.get("interrupt"):
                    self._interrupt(node)
                self._code(node)
            case "seqExecuteFlow" | "seqCustomFunction":
                name = self._all.names[node.id]
                why = "It is code or a flow that stays behind."
                part = step(tool=stand_in(name, f"{node.label} of Flowise.", {}, why))
                self._flow.nodes[name].part = part
                report_stand_in(self._report, node.place, f"Node “{said_name(node)}”", why, name)
            case "seqStart" | "seqEnd" | "seqLoop" | "seqState":
                self._report.add("exact", node.place, f"Node “{node.label}”")
            case _:
                why = f"Team Studio has nothing like a node of the kind {node.kind[:80]!r}."
                self._report.add("dropped", node.place, f"Node “{node.label}”", why)

    def _state(self, node: CanvasNode) -> None:
        for place, each in node.items("stateMemoryUI"):
            key, value = each.get("key"), each.get("defaultValue")
            if isinstance(key, str) and key:
                is_list = each.get("type") == "Append"
                if is_list:
                    self._appended.add(key)
                self._all.variable(key, ([value] if value else []) if is_list else value)
                self._report.add("exact", place, f"State `{key[:80]}`")
        if node.text("stateMemoryCode") and "Code" in node.text(f"selectedStateTab_{node.id}"):
            why = "It is JavaScript, which is not imported."
            self._report.add(
                "dropped", node.inside("stateMemoryCode"), "State in code", why, fix="Set the context variables."
            )

    def _agent(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        made = self._flow.nodes[name]
        tools = tools_of(self._all, node, name)
        tool_node = self._called.get(node.id)
        if tool_node is not None:
            for each in tools_of(self._all, tool_node, name).tools:
                tools.add(each)
        system = filled(self._all, node, node.text("systemMessagePrompt"), name)
        schema = answer_schema([each for _, each in node.items("llmStructuredOutput")])
        self._all.fill(name, system, model_of(self._all, node, name, self._start), tools, schema)
        if tool_node is not None and made.part is not None:
            config = made.part["config"]
            assert isinstance(config, dict), "a part has a config"
            config["max_tool_iterations"] = 1
        human = node.text("humanMessagePrompt")
        made.prompts = [filled(self._all, node, human, name)] if human.strip() else []
        wanted = node.text("conversationHistorySelection")
        if wanted == "last_message":
            before = [self._all.names[each.id] for each in self._canvas.into(node.id, "sequentialNode")]
            made.hears = tuple(each for each in before if self._flow.nodes[each].part is not None) or "user"
        else:
            made.hears = "user" if wanted == "user_question" else "nothing" if wanted == "empty" else "all"
        if node.inputs.get("interrupt"):
            self._interrupt(node)
        if node.text("messageHistory").strip():
            why = "It is JavaScript, which is not imported."
            self._report.add("dropped", node.inside("messageHistory"), f"Message history of {name}", why, became=name)
        pairs = self._updates(node, name)
        self._code(node)
        self._all.then(node, [*pairs, *([("messages_length", "messages_length + 1")] if self._counts else [])])

    def _interrupt(self, node: CanvasNode) -> None:
        why = "The studio asks a person before each call of a tool that needs an approval."
        self._report.add("approximated", node.inside("interrupt"), f"Approval of “{said_name(node)}”", why)

    def _code(self, node: CanvasNode) -> None:
        tab = node.text(f"selectedUpdateStateMemoryTab_{node.id}")
        if tab == "updateStateMemoryCode" and node.text("updateStateMemoryCode").strip():
            name = self._all.names[node.id]
            why = "It is JavaScript, which stays behind, so it sets nothing."
            fix = "Set the variables in a step."
            self._report.add(
                "dropped",
                node.inside("updateStateMemoryCode"),
                f"State set by “{said_name(node)}”",
                why,
                fix=fix,
                became=name,
            )

    def _updates(self, node: CanvasNode, name: str) -> list[tuple[str, str]]:
        """What a node sets in the state."""
        pairs: list[tuple[str, str]] = []
        tab = node.text(f"selectedUpdateStateMemoryTab_{node.id}") or "updateStateMemoryUI"
        for place, each in node.items("updateStateMemoryUI") if tab == "updateStateMemoryUI" else ():
            key, value = each.get("key"), each.get("value")
            if not isinstance(key, str) or not key:
                continue
            try:
                found = _FLOW.fullmatch(value.strip()) if isinstance(value, str) else None
                written = _state(self._all, found[1], found[2], name).expression if found else repr(str(value or ""))
                own = self._all.variable(key)
                text = f"{own} + [{written}]" if key in self._appended else written
                pairs.append((own, accepted(text)))
            except Unsupported as error:
                why = f"Its value cannot be computed here: {error}."
                self._report.add(
                    "dropped", place, f"State `{key[:80]}` set by {name}", why, fix="Set it in a step.", became=name
                )
        return pairs

    def _condition_agent(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        system = filled(self._all, node, node.text("systemMessagePrompt"), name)
        human = node.text("humanMessagePrompt")
        self._flow.nodes[name].prompts = [filled(self._all, node, human, name)] if human.strip() else []
        schema = answer_schema([each for _, each in node.items("conditionAgentStructuredOutput")])
        self._all.fill(name, system, model_of(self._all, node, name, self._start), Toolset(), schema)
        self._condition(node, name)

    def _condition(self, node: CanvasNode, own: str) -> None:
        """Edges by the conditions of a node; the last one is for the end."""
        name = self._all.names[node.id]
        asked: list[str | None] = []
        ports: list[str] = []
        for place, each in node.items("conditionUI"):
            ports.append(_port(str(each.get("output") or "")))
            try:
                found = _FLOW.fullmatch(str(each.get("variable") or "").strip())
                if found is None:
                    raise Unsupported(f"`{str(each.get('variable'))[:80]}` is not known here")
                variable = _state(self._all, found[1], found[2], own)
                asked.append(sequential_condition(variable, str(each.get("operation")), str(each.get("value") or "")))
            except Unsupported as error:
                why = f"It cannot be a condition here: {error}. Its branch is never taken."
                self._report.add(
                    "dropped", place, f"Condition of {name}", why, fix="Write the condition of the edge.", became=name
                )
                asked.append("false")
        if "Code" in node.text(f"selectedConditionFunctionTab_{node.id}"):
            why = "It is JavaScript, which is not imported."
            self._report.add(
                "asked", node.place, f"Conditions of {name}", why, fix="Write the conditions of the edges.", became=name
            )
        edges = alternatives(name, asked)
        self._all.exits[node.id] = {port: [edge] for port, edge in zip([*ports, "end"], edges, strict=True)}

    def _connect(self, nodes: Sequence[CanvasNode]) -> None:
        for node in self._start[:1]:
            self._flow.edges.append(Edge(START, self._all.names[node.id]))
        used: dict[str, set[str]] = {}
        ways: Counter[tuple[str, str]] = Counter()
        for edge in dict.fromkeys(self._canvas.edges):
            if edge.field in ("sequentialNode", "llmNode") and {edge.source, edge.target} <= self._all.names.keys():
                port = _port(edge.port)
                used.setdefault(edge.source, set()).add(port)
                ways[edge.source, port] += 1
                self._all.connect(edge.source, port, self._all.names[edge.target])
        self._note_branches(source for (source, _), count in ways.items() if count > 1)
        for node in nodes:
            if node.kind == "seqLoop":
                self._loop(node, nodes)
                used[node.id] = {""}
            taken = used.get(node.id, set())
            exits = self._all.exits[node.id]
            self._all.exits[node.id] = {
                port: each for port, each in exits.items() if port not in taken and (port or not taken)
            }
            sources = [edge for edge in self._canvas.incoming.get(node.id, ()) if edge.field == "sequentialNode"]
            if len(sources) > 1 and not self._is_looped(node, nodes) and not self._is_chosen(sources):
                self._flow.nodes[self._all.names[node.id]].waits_for_all = True

    def _note_branches(self, sources: Iterable[str]) -> None:
        for each in dict.fromkeys(sources):
            node = self._canvas.nodes[each]
            why = "One branch hears the other's answers as soon as they are given, not step by step."
            self._report.add("approximated", node.place, f"Branches after “{said_name(node)}”", why)

    def _is_chosen(self, edges: Sequence[CanvasEdge]) -> bool:
        """Whether conditions lead to it, of which one holds."""
        return any(self._canvas.nodes[edge.source].kind.startswith("seqCondition") for edge in edges)

    def _is_looped(self, node: CanvasNode, nodes: Sequence[CanvasNode]) -> bool:
        return any(each.kind == "seqLoop" and _key(each.text("loopToName")) == _key(said_name(node)) for each in nodes)

    def _loop(self, node: CanvasNode, nodes: Sequence[CanvasNode]) -> None:
        wanted = _key(node.text("loopToName"))
        target = next((each for each in nodes if _key(said_name(each)) == wanted), None)
        if target is None:
            why = "The node that it leads back to is not in the file."
            self._report.add("dropped", node.inside("loopToName"), "Loop", why)
        else:
            self._all.connect(node.id, "", self._all.names[target.id])


class SupervisorReader:
    """Reads a supervisor with its workers."""

    def __init__(self, reading: Reading) -> None:
        self._all = reading
        self._flow = reading.flow

    def read(self) -> None:
        """Add the supervisor, who chooses, and the workers, who lead back to it."""
        nodes = self._all.canvas.nodes.values()
        leader = next(node for node in nodes if node.kind == "supervisor")
        name = self._all.add(leader, agent_node(leader, said_name(leader), tells=False))
        workers = [node for node in nodes if node.kind == "worker"]
        for node in workers:
            self._all.add(node, agent_node(node, said_name(node)))
        for node in workers:
            self._worker(node, leader, [self._all.names[each.id] for each in workers])
        self._supervisor(leader, [self._all.names[each.id] for each in workers])
        chosen = self._flow.variable_of(name)
        self._flow.edges.append(Edge(START, name))
        for node in workers:
            worker = self._all.names[node.id]
            self._flow.edges += [Edge(name, worker, condition=f"{chosen}.next == {worker!r}"), Edge(worker, name)]
        self._flow.edges.append(Edge(name, None, otherwise=True))
        for node in nodes:
            if node.kind == "supervisor" and node is not leader:
                self._all.report.add("dropped", node.place, f"Supervisor “{node.label}”", "A flow has one of them.")
        self._all.notes()

    def _supervisor(self, node: CanvasNode, workers: Sequence[str]) -> None:
        name = self._all.names[node.id]
        listed = ", ".join(workers)
        given = node.text("supervisorPrompt") or "Choose which of {team_members} acts next, or FINISH."
        system = escaped(given.replace("{team_members}", listed))
        question = f"Choose the next to act, one of {FINISH}, {listed}."
        self._flow.nodes[name].prompts = [escaped(question)]
        schema: JsonObject = {
            "type": "object",
            "properties": {
                "reasoning": {"type": "string"},
                "next": {"type": "string", "enum": list[JsonValue]([FINISH, *workers])},
                "instructions": {"type": "string", "description": "What the next one does."},
            },
            "required": ["reasoning", "next", "instructions"],
        }
        self._all.fill(name, system, model_of(self._all, node, name), Toolset(), schema)
        why = "It chooses by a schema in place of a tool, and asks itself in our words."
        self._all.report.add("approximated", node.place, f"Supervisor “{said_name(node)}”", why, became=name)
        limit = node.inputs.get("recursionLimit")
        if limit not in ("", None, 100):
            why = "The team ends after a number of turns."
            self._all.report.add(
                "approximated", node.inside("recursionLimit"), "Recursion limit", why, fix="Set the limit of the team."
            )

    def _worker(self, node: CanvasNode, leader: CanvasNode, workers: Sequence[str]) -> None:
        name = self._all.names[node.id]
        system = filled(self._all, node, node.text("workerPrompt"), name)
        rest = escaped(_WORK.replace("{members}", ", ".join(workers)))
        tools = tools_of(self._all, node, name)
        self._all.fill(name, f"{system}\n\n{rest}", model_of(self._all, node, name, [leader]), tools, None)
        why = "It hears all that was said, as there. The last sentence of its instructions is worded differently."
        self._all.report.add("approximated", node.place, f"Worker “{said_name(node)}”", why, became=name)


def _port(text: str) -> str:
    """An output as edges name it: `Code Reviewer` is `codereviewer`."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _key(text: str) -> str:
    return re.sub(r"\s", "_", text.strip().lower())
