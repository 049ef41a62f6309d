"""Agentflow V2 of Flowise as a workflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import CanvasNode, json_within
from studio.importers.canvas_reading import accepted, agent_node
from studio.importers.canvas_texts import Path
from studio.importers.components import USER_PROXY, component, step
from studio.importers.expressions import INPUT, Unsupported, escaped
from studio.importers.findings import Location
from studio.importers.flowise_conditions import condition
from studio.importers.flowise_flow import NOTES, Reading, answer_schema
from studio.importers.flowise_models import flowise_client
from studio.importers.flowise_texts import cleaned, expression, plain, references, steps_of
from studio.importers.flowise_tools import add_tool
from studio.importers.names import word
from studio.importers.tools import Toolset, report_stand_in, stand_in
from studio.importers.workflow import START, Edge, Node, alternatives

SUFFIX = "Agentflow"
PROCEED, REJECT = "Proceed", "Reject"
MAX_LOOPS = 5
"""Passes of a loop that says no number."""
_LENGTH, _LOOPS = "runtime_messages_length", "loop_count"
_CHOOSE = (
    "Choose the scenario that fits the input best. Follow the instruction. Answer with the scenario, word for word."
)
_AGENT_READ = (
    "Model",
    "ModelConfig",
    "Messages",
    "EnableMemory",
    "MemoryType",
    "MemoryWindowSize",
    "MemoryMaxTokenLimit",
    "UserMessage",
    "ReturnResponseAs",
    "StructuredOutput",
    "UpdateState",
    "Tools",
    "KnowledgeDocumentStores",
)
_TOOL_KINDS = ("tool", "http", "retriever", "customFunction", "executeFlow")


class AgentflowReader:
    """Reads an Agentflow V2."""

    def __init__(self, reading: Reading) -> None:
        self._all = reading
        self._canvas = reading.canvas
        self._report = reading.report
        self._flow = reading.flow
        self._inside: dict[str, list[CanvasNode]] = {}
        self._counts = False
        self._iteration: dict[str, str] = {}
        """By iteration, the variable of its list."""

    def read(self) -> None:
        """Add all nodes and edges to the workflow."""
        nodes = [node for node in self._canvas.nodes.values() if node.kind not in NOTES]
        texts = [str(node.inputs) for node in nodes]
        self._counts = any(_LENGTH in text for text in texts)
        if self._counts:
            self._all.variable(_LENGTH, 1)
        for node in nodes:
            if node.parent:
                self._inside.setdefault(node.parent, []).append(node)
            self._declare(node)
        self._alias()
        for node in nodes:
            self._add(node)
        self._connect()
        self._all.end()
        self._all.notes()

    def _alias(self) -> None:
        """Let the answer of an iteration be that of what is last inside of it."""
        leading = {edge.source for edge in self._canvas.edges}
        for node, children in self._inside.items():
            last = [each.id for each in children if each.id not in leading]
            if last:
                self._all.aliases[node] = last[-1]

    def _declare(self, node: CanvasNode) -> None:
        """A participant without what is in it: texts name nodes that come later."""
        match node.kind.removesuffix(SUFFIX):
            case "llm" | "agent":
                self._all.add(node, agent_node(node))
            case "conditionAgent":
                self._all.add(node, agent_node(node, tells=False))
            case "condition":
                self._all.add(node, Node(node.label, node.place, step(), is_router=True))
            case "humanInput":
                part = component(USER_PROXY, description="Proceeds or rejects.", choices=[PROCEED, REJECT])
                self._all.add(node, Node(node.label, node.place, part))
            case "loop" | "directReply":
                self._all.add(node, Node(node.label, node.place, step(), tells=False))
            case kind if kind in _TOOL_KINDS:
                self._all.add(node, Node(node.label, node.place, step(), tells=False))
            case "iteration":
                self._all.add(node, Node(node.label, node.place, None))
            case _:
                self._all.passes(node)
        if node.kind == "startAgentflow":
            self._start(node)

    def _add(self, node: CanvasNode) -> None:
        before = len(self._report.findings)
        match node.kind.removesuffix(SUFFIX):
            case "start":
                return
            case "llm" | "agent" as kind:
                self._agent(node, kind)
                self._all.conclude(node, "Agent", before)
            case "conditionAgent":
                self._condition_agent(node)
            case "condition":
                self._condition(node)
                self._all.conclude(node, "Condition", before)
            case "humanInput":
                self._human(node)
            case "loop":
                self._loop(node)
                self._all.conclude(node, "Loop", before)
            case "directReply":
                said = self._text(node.text("directReplyMessage"), node, node.inside("directReplyMessage"))
                self._all.config(node)["message"] = said
                self._all.conclude(node, "Reply", before)
            case "iteration":
                self._iterate(node)
            case kind if kind in _TOOL_KINDS:
                self._tool(node, kind)
            case _:
                self._all.drop(node)

    # --- start and state ---

    def _start(self, node: CanvasNode) -> None:
        numbers = self._compared()
        for place, each in node.items("startState"):
            key, value = each.get("key"), each.get("value")
            if isinstance(key, str) and key:
                text = plain(value) if isinstance(value, str) else value
                self._all.variable(key, _as_number(text) if key in numbers else text)
                self._report.add("exact", place, f"State `{key[:80]}`")
        fields = (
            [each for _, each in node.items("formInputTypes")] if node.text("startInputType") == "formInput" else []
        )
        names = [str(each.get("name")) for each in fields if each.get("name")]
        if len(names) == 1:
            self._all.variables[f"$form.{names[0]}"] = INPUT
        for name in names if len(names) > 1 else ():
            self._all.variable(f"$form.{name}")
        if names:
            verdict = "approximated" if len(names) == 1 else "asked"
            why = "The message of a run takes the place of the form."
            more = " Fields that texts name are context variables." if len(names) > 1 else ""
            fix = "Set the context variables." if len(names) > 1 else ""
            self._report.add(verdict, node.inside("formInputTypes"), "Form", why + more, fix=fix)
        elif node.text("startInputType") not in ("", "chatInput"):
            why = "A run begins with a message here."
            self._report.add("approximated", node.inside("startInputType"), "Start", why)
        else:
            self._report.add("exact", node.place, "Start")
        if node.inputs.get("startPersistState"):
            why = "Each run begins with the first state."
            self._report.add("dropped", node.inside("startPersistState"), "State across runs", why)

    def _compared(self) -> set[str]:
        """Keys of the state that are compared as numbers."""
        found: set[str] = set()
        for node in self._canvas.nodes.values():
            for _, each in node.items("conditions") if node.kind == "conditionAgentflow" else ():
                if each.get("type") == "number":
                    named = [*references(str(each.get("value1"))), *references(str(each.get("value2")))]
                    found |= {one.removeprefix("$flow.state.") for one in named}
        return found

    def _pairs(self, node: CanvasNode, name: str, own: str) -> list[tuple[str, str]]:
        """What a node sets in the state."""
        pairs: list[tuple[str, str]] = []
        for place, each in node.items(name):
            key, value = each.get("key"), each.get("value")
            if not isinstance(key, str) or not key:
                continue
            try:
                written = accepted(expression(str(value if value is not None else ""), self._resolver(node, own)))
                pairs.append((self._all.variable(key), written))
            except Unsupported as error:
                why = f"Its value cannot be computed here: {error}."
                self._report.add(
                    "dropped", place, f"State `{key[:80]}` set by {own}", why, fix="Set it in a step.", became=own
                )
        return pairs

    # --- texts ---

    def _resolver(self, node: CanvasNode, own: str = "") -> Callable[[str], Path | str]:
        return lambda reference: self._resolve(reference, node, own)

    def _resolve(self, reference: str, node: CanvasNode, own: str) -> Path | str:
        """What a reference in a text of a node stands for.

        Raises:
            Unsupported: It is not known.
        """
        head, *steps = steps_of(reference) or ("",)
        if reference == "question":
            return Path(INPUT)
        if reference in ("chat_history", "file_attachment"):
            return ""
        if reference == _LENGTH:
            return Path(self._all.variable(_LENGTH, 1))
        if head == "output" and own:
            inner = steps[1:] if steps[:1] == ["content"] else steps
            return Path(self._flow.variable_of(own), tuple(inner))
        if head == "$iteration":
            variable = self._iteration.get(node.parent)
            if variable is None:
                raise Unsupported("no iteration is around it")
            return Path(variable)
        if head == "$flow" and steps[:1] == ["state"] and len(steps) > 1:
            return Path(self._all.variable(steps[1]), tuple(steps[2:]))
        if head in ("$form", "$vars") and steps:
            is_known = f"{head}.{steps[0]}" in self._all.variables
            if not is_known:
                why = "Its value is not in the file."
                what = f"Variable `{head}.{steps[0][:80]}`"
                self._report.add("asked", node.place, what, why, fix="Set the context variable.")
            return Path(self._all.variable(f"{head}.{steps[0]}"), tuple(steps[1:]))
        if reference in ("current_date_time", _LOOPS) or head == "$webhook":
            raise Unsupported("only a run there knows it")
        if steps[:1] == ["output"]:
            inner = steps[1:] if steps[1:2] != ["content"] else steps[2:]
            return self._all.answer(head, inner)
        return self._all.answer(reference)

    def _text(self, given: str, node: CanvasNode, place: Location, own: str = "") -> str:
        name = self._all.names[node.id]
        for each in ("chat_history", "file_attachment"):
            if each in references(given):
                why = "It is empty, since a run does not remember earlier runs."
                self._report.add("approximated", place, f"`{{{{{each}}}}}` in a text of {name}", why, became=name)
        return self._all.text(given, self._resolver(node, own), place, name)

    # --- agents ---

    def _agent(self, node: CanvasNode, kind: str) -> None:
        name = self._all.names[node.id]
        system: list[str] = []
        prompts: list[str] = []
        for place, each in node.items(f"{kind}Messages"):
            content = self._text(str(each.get("content") or ""), node, place)
            if each.get("role") in ("system", "developer"):
                system.append(content)
            elif content:
                prompts.append(content)
                if each.get("role") == "assistant":
                    why = "A message in the name of the model is sent as a message of a user."
                    self._report.add("approximated", place, f"Message of {name}", why, became=name)
        self._hearing(node, kind, prompts)
        tools = Toolset()
        self._tools(node, kind, tools)
        schema = answer_schema([each for _, each in node.items(f"{kind}StructuredOutput")])
        self._all.fill(name, "\n\n".join(system), self._client(node, f"{kind}Model"), tools, schema)
        self._memory(node, kind)
        self._all.leave(node, node.inputs, [f"{kind}{each}" for each in _AGENT_READ], name)
        pairs = self._pairs(node, f"{kind}UpdateState", name)
        self._all.then(node, [*pairs, *([(_LENGTH, f"{_LENGTH} + 1")] if self._counts else [])])

    def _hearing(self, node: CanvasNode, kind: str, prompts: list[str]) -> None:
        """What an agent hears: with memory all that was said, else its own texts, or the user as the first one."""
        made = self._flow.nodes[self._all.names[node.id]]
        given = node.text(f"{kind}UserMessage")
        said = self._text(given, node, node.inside(f"{kind}UserMessage")) if plain(given).strip() else ""
        if node.inputs.get(f"{kind}EnableMemory"):
            made.hears = "all"
            if prompts:
                why = "Its messages come after the conversation. There, they come before it."
                self._report.add(
                    "approximated", node.inside(f"{kind}Messages"), f"Messages of {made.name}", why, became=made.name
                )
            made.prompts = [*prompts, *([said] if said else [])]
            return
        if said:
            why = "It is only heard with memory, there too."
            self._report.add(
                "dropped", node.inside(f"{kind}UserMessage"), f"User message of {made.name}", why, became=made.name
            )
        made.prompts = prompts
        made.hears = "nothing" if prompts or not self._is_first(node) else "user"
        if made.hears == "nothing" and not prompts:
            why = "It has no memory and no message of its own, so it gets only its instructions, as there."
            self._report.add(
                "asked", node.place, f"What {made.name} hears", why, fix="Remove its message filter.", became=made.name
            )

    def _is_first(self, node: CanvasNode) -> bool:
        """Whether no agent comes before this one."""
        seen = {node.id}
        todo = [*self._canvas.into(node.id)]
        while todo:
            each = todo.pop()
            if each.kind.removesuffix(SUFFIX) in ("llm", "agent", "humanInput"):
                return False
            if each.id not in seen:
                seen.add(each.id)
                todo += self._canvas.into(each.id)
        return not node.parent

    def _memory(self, node: CanvasNode, kind: str) -> None:
        wanted, name = node.text(f"{kind}MemoryType"), self._all.names[node.id]
        if wanted in ("", "allMessages") or not node.inputs.get(f"{kind}EnableMemory"):
            return
        place = node.inside(f"{kind}MemoryType")
        if wanted == "windowSize":
            size = _as_number(node.inputs.get(f"{kind}MemoryWindowSize"))
            pairs = size if isinstance(size, int) and 0 < size < 10_000 else 20
            context = component("autogen_core.model_context.BufferedChatCompletionContext", buffer_size=2 * pairs)
            self._all.config(node)["model_context"] = context
            why = "The window also counts calls of tools."
        else:
            why = "It hears all messages, and no summary of them."
        self._report.add("approximated", place, f"Memory of {name}", why, became=name)

    def _client(self, node: CanvasNode, name: str) -> JsonObject:
        config = node.inputs.get(f"{name}Config")
        settings = config if isinstance(config, dict) else {}
        return flowise_client(node.text(name), settings, self._report, node.inside(name), self._all.names[node.id])

    def _tools(self, node: CanvasNode, kind: str, found: Toolset) -> None:
        name = self._all.names[node.id]
        for place, each in node.items(f"{kind}Tools"):
            wanted = each.get(f"{kind}SelectedTool")
            config = each.get(f"{kind}SelectedToolConfig")
            if isinstance(wanted, str) and wanted:
                settings = config if isinstance(config, dict) else {}
                add_tool(wanted, wanted, settings, found, self._report, place, name)
        for place, each in node.items(f"{kind}KnowledgeDocumentStores"):
            store = str(each.get("documentStore") or "").partition(":")[2] or "documents"
            described = str(each.get("docStoreDescription") or "Searches documents.")
            why = "The documents of this store stay at Flowise."
            found.add(_search(store, described, why))
            self._report.add(
                "asked",
                place,
                f"Documents “{store[:80]}” of {name}",
                why,
                fix="Replace the stand-in by a memory or a tool that searches them.",
                became=name,
            )

    # --- branches ---

    def _condition_agent(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        scenarios = [str(each.get("scenario") or "") for _, each in node.items("conditionAgentScenarios")]
        options = list(dict.fromkeys(each for each in scenarios if each))
        given = node.text("conditionAgentInput") or "{{ question }}"
        said = self._text(given, node, node.inside("conditionAgentInput"))
        instruction = self._text(
            node.text("conditionAgentInstructions"), node, node.inside("conditionAgentInstructions")
        )
        listed = "\n".join(f"- {escaped(each)}" for each in options)
        made = self._flow.nodes[name]
        made.prompts = [f"Input: {said}\n\nInstruction: {instruction}\n\nScenarios:\n{listed}"]
        made.hears = "all" if node.inputs.get("conditionAgentEnableMemory") else "nothing"
        own = node.text("conditionAgentSystemPrompt") if node.inputs.get("conditionAgentOverrideSystemPrompt") else ""
        system = self._text(own, node, node.inside("conditionAgentSystemPrompt")) if own else _CHOOSE
        schema: JsonObject = {
            "type": "object",
            "properties": {"output": {"type": "string", "enum": list[JsonValue](options)}},
            "required": ["output"],
        }
        self._all.fill(name, system, self._client(node, "conditionAgentModel"), Toolset(), schema if options else None)
        chosen = self._flow.variable_of(name)
        edges = alternatives(name, [f"{chosen}.output == {each!r}" if each else "false" for each in scenarios[:-1]])
        self._all.exits[node.id] = {str(at): [edge] for at, edge in enumerate(edges)}
        why = "It chooses with structured output, and the prompt around its instruction is worded differently."
        self._report.add("approximated", node.place, f"Condition agent “{node.label}”", why, became=name)

    def _condition(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        asked: list[str | None] = []
        for at, (place, each) in enumerate(node.items("conditions")):
            try:
                asked.append(condition(each, self._resolver(node)))
            except Unsupported as error:
                why = f"It cannot be a condition here: {error}. Its branch is never taken."
                self._report.add(
                    "dropped",
                    place,
                    f"Condition {at} of {name}",
                    why,
                    fix="Write the condition of the edge.",
                    became=name,
                )
                asked.append("false")
        edges = alternatives(name, asked)
        self._all.exits[node.id] = {str(at): [edge] for at, edge in enumerate(edges)}

    def _human(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        made = self._flow.nodes[name]
        is_fixed = node.text("humanInputDescriptionType") != "dynamic"
        given = node.text("humanInputDescription") if is_fixed else ""
        made.prompts = [self._text(given, node, node.inside("humanInputDescription")) or "Do you want to proceed?"]
        has_feedback = bool(node.inputs.get("humanInputEnableFeedback"))
        made.tells = has_feedback
        self._all.exits[node.id] = {"0": [Edge(name, said=PROCEED)], "1": [Edge(name, otherwise=True)]}
        why = "A person chooses between two answers; the question is a message before them."
        why += " Any other answer is feedback, and rejects." if has_feedback else ""
        why += "" if is_fixed else " The question is fixed. There, a model writes it."
        self._report.add("approximated", node.place, f"Human input “{node.label}”", why, became=name)

    def _loop(self, node: CanvasNode) -> None:
        """A step that counts its passes, and leads back while there are some left."""
        name = self._all.names[node.id]
        counted = self._all.taken.free(f"{name}_passes")
        self._flow.state[counted] = 0
        limit = _as_number(node.inputs.get("maxLoopCount"))
        most = limit if isinstance(limit, int) and 0 < limit < 1_000_000 else MAX_LOOPS
        pairs = [(counted, f"{counted} + 1"), *self._pairs(node, "loopUpdateState", name)]
        self._all.config(node)["assignments"] = [{"name": each, "expression": text} for each, text in pairs]
        wanted = cleaned(node.text("loopBackToNode"))
        target = next((each for each in self._canvas.nodes if wanted.startswith(f"{each}-") or wanted == each), None)
        if target is None:
            why = "The node that it leads back to is not in the file."
            self._report.add("dropped", node.inside("loopBackToNode"), f"Loop “{node.label}”", why, became=name)
            return
        back = Edge(name, condition=f"{counted} <= {most}")
        self._flow.connect([back], self._entry(target))
        self._all.exits[node.id] = {"": []}
        given = node.text("fallbackMessage")
        if given:
            said = self._text(given, node, node.inside("fallbackMessage"))
            last = self._flow.add(
                Node(f"End of {node.label}", node.place, step(message=said), tells=False), f"{name}_end"
            )
            self._flow.edges.append(Edge(name, last, otherwise=True))
        else:
            self._flow.edges.append(Edge(name, None, otherwise=True))

    # --- steps ---

    def _tool(self, node: CanvasNode, kind: str) -> None:
        """A step that calls a stand-in, with the arguments that the node gives."""
        name = self._all.names[node.id]
        arguments: list[tuple[str, str]] = []
        for place, key, value in self._arguments(node, kind):
            try:
                arguments.append((key, accepted(expression(value, self._resolver(node)))))
            except Unsupported as error:
                why = f"Its value cannot be computed here: {error}."
                self._report.add("dropped", place, f"Argument `{key[:80]}` of {name}", why, became=name)
        wanted = node.text("toolAgentflowSelectedTool") or node.kind.removesuffix(SUFFIX)
        why = {
            "tool": f"`{wanted[:80]}` is code of Flowise.",
            "http": "The request is not imported.",
            "retriever": "The documents stay at Flowise.",
            "customFunction": "It is JavaScript, which is not imported.",
            "executeFlow": "It runs another flow, which is a team of its own.",
        }[kind]
        properties: JsonObject = {key: {"type": "string"} for key, _ in arguments}
        schema: JsonObject = {"properties": properties, "required": list[JsonValue](properties)}
        config = self._all.config(node)
        config["tool"] = stand_in(wanted, f"{node.label} of Flowise.", schema, why)
        config["arguments"] = [{"name": key, "expression": text} for key, text in arguments]
        report_stand_in(self._report, node.place, f"Node “{node.label}”", why, name)
        self._all.then(node, self._pairs(node, f"{kind}UpdateState", name))

    def _arguments(self, node: CanvasNode, kind: str) -> Sequence[tuple[Location, str, str]]:
        listed = {"tool": "toolInputArgs", "customFunction": "customFunctionInputVariables"}.get(kind)
        names = {"tool": ("inputArgName", "inputArgValue"), "customFunction": ("variableName", "variableValue")}
        if listed is not None:
            key, value = names[kind]
            given = [(place, each.get(key), each.get(value)) for place, each in node.items(listed)]
        elif kind == "http":
            given = [(node.inside("url"), "url", node.text("url")), (node.inside("body"), "body", node.text("body"))]
        else:
            name = {"retriever": "retrieverQuery", "executeFlow": "executeFlowInput"}[kind]
            given = [(node.inside(name), "input", node.text(name))]
        return [
            (place, each, value)
            for place, each, value in given
            if isinstance(each, str) and each.isidentifier() and isinstance(value, str) and value
        ]

    def _iterate(self, node: CanvasNode) -> None:
        """What is inside runs once, with the whole list."""
        given = node.text("iterationInput")
        variable = self._all.taken.free(f"{node.label}_items", "items")
        value = json_within(plain(given)) if "{{" not in given else None
        self._flow.state[variable] = value if isinstance(value, list) else None
        self._iteration[node.id] = variable
        entry = self._all.names[node.id]
        if value is None:
            try:
                written = accepted(expression(given, self._resolver(node)))
                part = step(assignments=[{"name": variable, "expression": written}])
                self._flow.nodes[entry].part = part
            except Unsupported as error:
                why = f"The list cannot be computed here: {error}."
                self._report.add(
                    "asked", node.inside("iterationInput"), f"List of “{node.label}”", why, fix="Set the variable."
                )
        why = "Team Studio has no loop over a list. The inner nodes run once, with the whole list as the item."
        self._report.add(
            "approximated",
            node.place,
            f"Iteration “{node.label}”",
            why,
            fix="Tell the agents to work through the list.",
            became=entry,
        )

    # --- edges ---

    def _entry(self, node: str) -> str:
        return self._all.names[node]

    def _connect(self) -> None:
        started = False
        for node in self._canvas.nodes.values():
            if node.kind == "startAgentflow" and not started:
                self._flow.edges.insert(0, Edge(START, self._all.names[node.id]))
                started = True
        for node, children in self._inside.items():
            self._all.enclose(node, children)
        ports: dict[str, set[str]] = {}
        for edge in dict.fromkeys(self._canvas.edges):
            source, target = edge.source, edge.target
            if source in self._all.names and target in self._all.names:
                ports.setdefault(source, set()).add(edge.port)
                self._all.connect(source, edge.port, self._entry(target))
        for node, exits in self._all.exits.items():
            used = ports.get(node, set())
            left = {port: edges for port, edges in exits.items() if port not in used and (port or not used)}
            self._all.exits[node] = left
        self._wait()

    def _wait(self) -> None:
        """Let a node that several lead to wait for all, but not for branches of one condition or for a loop."""
        branching = {id for id, node in self._canvas.nodes.items() if node.kind.startswith(("condition", "humanInput"))}
        looped = {cleaned(node.text("loopBackToNode")).partition("-")[0] for node in self._canvas.nodes.values()}
        self._all.wait(branching, looped)
        for node in self._canvas.nodes.values():
            after = {edge.target for edge in self._canvas.edges if edge.source == node.id}
            if len(after) > 1 and node.id not in branching:
                why = "Branches run side by side and do not hear each other. There, one runs after the other."
                self._report.add("approximated", node.place, f"Branches after “{node.label}”", why)


def _search(name: str, described: str, why: str) -> JsonObject:
    schema: JsonObject = {"properties": {"input": {"type": "string"}}, "required": ["input"]}
    return stand_in(f"search_{word(name) or 'documents'}"[:60], described, schema, why)


def _as_number(value: JsonValue) -> JsonValue:
    """A whole number that is written as a text; what is none stays."""
    if isinstance(value, str):
        text = value.strip()
        return int(text) if text.isascii() and text.lstrip("-").isdigit() and len(text) < 10 else value if text else 0
    return value
