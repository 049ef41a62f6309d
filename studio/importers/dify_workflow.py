"""Workflows and chatflows of Dify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers import canvas_texts
from studio.importers.canvas import CanvasNode
from studio.importers.canvas_reading import accepted, agent_node
from studio.importers.canvas_state import StateReading
from studio.importers.canvas_texts import Path
from studio.importers.components import USER_PROXY, assignments, component, step
from studio.importers.dify_document import GROUP_STARTS, NOTE, items_at, text_at
from studio.importers.dify_models import dify_client
from studio.importers.dify_steps import StepReader
from studio.importers.dify_texts import INPUT_PLACES, PLACES, branch, selector
from studio.importers.dify_tools import add_servers, add_tools
from studio.importers.expressions import INPUT, Unsupported, escaped
from studio.importers.findings import NO_SETTING, Location
from studio.importers.parts import Part
from studio.importers.tools import Toolset
from studio.importers.workflow import START, Edge, Node, alternatives

WIDE = 1.0
MAX_LOOPS = 10
"""Passes of a loop that says no number."""
AGENTS = ("llm", "agent", "question-classifier", "parameter-extractor")
STEPS = (
    "code",
    "template-transform",
    "tool",
    "http-request",
    "knowledge-retrieval",
    "document-extractor",
    "list-operator",
    "assigner",
    "variable-assigner",
)
GROUPS = ("iteration", "loop")
STARTS = ("start", "trigger-webhook", "trigger-schedule", "trigger-plugin")
_CLASSIFY = "Choose the category that fits the text best. Answer with the category, word for word."
_EXTRACT = "Extract the wanted values from the text."
_FIELDS = {"string": "string", "number": "number", "bool": "boolean", "boolean": "boolean", "select": "string"}
_EMPTY: dict[str, JsonValue] = {"number": 0, "boolean": False, "object": {}}
_LLM_READ = frozenset(
    [
        "title",
        "type",
        "desc",
        "selected",
        "variables",
        "model",
        "prompt_template",
        "memory",
        "context",
        "vision",
        "prompt_config",
        "structured_output",
        "structured_output_enabled",
        "isInIteration",
        "isInLoop",
        "iteration_id",
        "loop_id",
        "height",
        "width",
        "error_strategy",
        "default_value",
        "version",
    ]
)


def empty_of(kind: str) -> JsonValue:
    """The value of a variable of a kind that is not set."""
    return [] if kind.startswith("array") else _EMPTY.get(kind, "")


@dataclass
class DifyReading(StateReading):
    """A workflow of Dify on its way to a team."""

    note_kinds: Sequence[str] = (NOTE,)


class WorkflowReader:
    """Reads a workflow or chatflow.

    Args:
        workflow: Where the graph and the variables are.
        is_chat: Whether a run begins with a message.
    """

    def __init__(self, reading: DifyReading, workflow: Part, *, is_chat: bool) -> None:
        self._all = reading
        self._canvas = reading.canvas
        self._report = reading.report
        self._flow = reading.flow
        self._workflow = workflow
        self._is_chat = is_chat
        self._inside: dict[str, list[CanvasNode]] = {}
        self._after: dict[str, str] = {}
        """By loop, the participant to which its end leads."""
        self._passes: dict[str, str] = {}
        """By iteration, when there is another item."""
        self._steps = StepReader(reading, self._resolver)
        self._schemas: dict[str, JsonObject] = {}

    def read(self) -> None:
        """Add all nodes and edges to the workflow."""
        nodes = [node for node in self._canvas.nodes.values() if node.kind != NOTE]
        self._variables()
        for node in nodes:
            if node.parent:
                self._inside.setdefault(node.parent, []).append(node)
            if node.kind in STARTS:
                self._start(node)
            self._declare(node)
        for node in nodes:
            self._schema(node)
        for node in nodes:
            self._add(node)
        self._connect()
        for name, variable in self._flow.kept.items():
            fields = self._schemas.get(name)
            self._flow.state.setdefault(variable, dict.fromkeys(fields, "") if fields is not None else "")
        self._all.end()
        self._features()
        self._all.notes()

    # --- variables ---

    def _variable(self, reference: str, value: JsonValue) -> None:
        """A context variable that takes its name from the end of a reference."""
        name = self._all.taken.free(reference.rpartition(".")[2], "value")
        self._all.variables[reference] = name
        self._flow.state[name] = value

    def _variables(self) -> None:
        for group, head in (("conversation_variables", "conversation"), ("environment_variables", "env")):
            for each in items_at(self._workflow, group):
                name = text_at(each, "name")
                if not name or f"{head}.{name}" in self._all.variables:
                    continue
                kind, given = text_at(each, "value_type"), each.get("value")
                is_secret = kind == "secret"
                self._variable(
                    f"{head}.{name}", given.plain() if given is not None and not is_secret else empty_of(kind)
                )
                what = f"Variable `{head}.{name[:80]}`"
                if is_secret:
                    why = "It is a secret, whose value is not imported."
                    fix = "Give it to what needs it as an environment variable."
                    self._report.add("asked", each.place, what, why, fix=fix)
                elif head == "conversation":
                    why = "It is a context variable of a run, and starts again with each one."
                    self._report.add("approximated", each.place, what, why)
                else:
                    self._report.add("exact", each.place, what)

    def _start(self, node: CanvasNode) -> None:
        fields = [(place, each) for place, each in node.items("variables") if isinstance(each.get("variable"), str)]
        texts = [each for _, each in fields if each.get("type") in ("text-input", "paragraph")]
        only = texts[0]["variable"] if not self._is_chat and len(texts) == 1 else None
        for place, each in fields:
            name, kind = str(each["variable"]), str(each.get("type") or "")
            what = f"Field `{name[:80]}` of the form"
            if name == only:
                self._all.variables[f"{node.id}.{name}"] = INPUT
                self._report.add("approximated", place, what, "The message of a run takes the place of the form.")
                continue
            self._variable(f"{node.id}.{name}", each.get("default") or empty_of(kind))
            is_file = kind in ("file", "file-list")
            why = "Files are not imported." if is_file else "A team has no form, so it is a context variable."
            fix = "Put what the file holds into the message." if is_file else "Set the context variable of the team."
            self._report.add("asked", place, what, why, fix=fix)
        if node.kind == "start":
            self._report.add("exact", node.place, f"Start “{node.label}”")
        else:
            why = "A run begins with a message here."
            self._report.add("approximated", node.place, f"Trigger “{node.label}”", why)

    # --- nodes ---

    def _declare(self, node: CanvasNode) -> None:
        """A participant without what is in it: texts name nodes that come later."""
        match node.kind:
            case "llm" | "agent" | "question-classifier" | "parameter-extractor":
                self._all.add(node, agent_node(node, tells=False))
            case "if-else":
                self._all.add(node, Node(node.label, node.place, step(), is_router=True))
            case "human-input":
                part = component(USER_PROXY, description="A person who decides.")
                self._all.add(node, Node(node.label, node.place, part, tells=False))
            case "answer" | "end":
                self._all.add(node, Node(node.label, node.place, step()))
            case "iteration" | "loop":
                self._all.add(node, Node(node.label, node.place, step(), tells=False))
                self._group(node)
            case kind if kind in STEPS and not self._steps.is_aggregator(node):
                self._all.add(node, Node(node.label, node.place, step(), tells=False))
                self._steps.declare(node)
            case "variable-aggregator" | "variable-assigner":
                self._all.passes(node)
                self._steps.declare(node)
            case _:
                self._all.passes(node)

    def _schema(self, node: CanvasNode) -> None:
        """The fields of a structured answer, which texts of other nodes name."""
        name = self._all.names[node.id]
        if node.kind == "question-classifier":
            listed = [str(each.get("name") or "") for _, each in node.items("classes")]
            options = list(dict.fromkeys(each for each in listed if each))
            if options:
                self._schemas[name] = {"class_name": {"type": "string", "enum": list[JsonValue](options)}}
        elif node.kind == "parameter-extractor":
            found: JsonObject = {}
            for _, each in node.items("parameters"):
                if isinstance(key := each.get("name"), str) and key:
                    found[key] = _field(each)
            if found:
                self._schemas[name] = found
        elif node.kind == "llm" and node.inputs.get("structured_output_enabled"):
            output = node.inputs.get("structured_output")
            schema = output.get("schema") if isinstance(output, dict) else None
            properties = schema.get("properties") if isinstance(schema, dict) else None
            if isinstance(properties, dict) and properties and all(isinstance(e, dict) for e in properties.values()):
                self._schemas[name] = properties

    def _add(self, node: CanvasNode) -> None:
        before = len(self._report.findings)
        match node.kind:
            case "llm":
                self._llm(node)
                self._all.conclude(node, "Model", before)
            case "agent":
                self._agent(node)
                self._all.conclude(node, "Agent", before)
            case "question-classifier":
                self._classifier(node)
            case "parameter-extractor":
                self._extractor(node)
            case "if-else":
                self._branches(node)
                self._all.conclude(node, "Branch", before)
            case "human-input":
                self._human(node)
            case "answer" | "end":
                self._say(node)
            case "iteration" | "loop":
                self._repeat(node)
            case kind if kind in STEPS or kind == "variable-aggregator":
                self._steps.read(node)
            case kind if kind in (*STARTS, *GROUP_STARTS, "loop-end"):
                return
            case _:
                self._all.drop(node)

    # --- references and texts ---

    def _resolver(self, node: CanvasNode) -> Callable[[str], Path | str]:
        return lambda reference: self._resolve(reference.strip(), node)

    def _resolve(self, reference: str, node: CanvasNode) -> Path | str:
        """What a reference in a node stands for.

        Raises:
            Unsupported: It is not known.
        """
        if reference in ("context", "context#"):
            context = node.inputs.get("context")
            reference = selector(context.get("variable_selector") if isinstance(context, dict) else None)
        head, *steps = reference.split(".")
        if reference == "sys.query" or (head == "sys" and steps == ["user_input"]):
            return Path(INPUT)
        if head == "sys":
            raise Unsupported("files are not imported" if "files" in steps else "only a run there knows it")
        for length in (3, 2, 1):
            if len(steps) >= length - 1 and ".".join([head, *steps[: length - 1]]) in self._all.variables:
                variable = self._all.variables[".".join([head, *steps[: length - 1]])]
                return Path(variable, tuple(steps[length - 1 :]))
        if head in ("conversation", "env"):
            raise Unsupported("the file has no such variable")
        return self._answer(head, steps)

    def _answer(self, head: str, steps: Sequence[str]) -> Path:
        source = self._canvas.nodes.get(self._all.aliases.get(head, head))
        name = self._all.names.get(source.id) if source is not None else None
        if source is None or name is None or source.kind not in (*AGENTS, *STEPS, "human-input"):
            raise Unsupported("no node with this id gives it")
        fields = self._schemas.get(name)
        if fields is not None:
            inner = tuple(steps[1:] if steps[:1] == ["structured_output"] else () if steps[:1] == ["text"] else steps)
            if inner and inner[0] not in fields:
                raise Unsupported("the answer has no such field")
            return Path(self._flow.variable_of(name), inner)
        if source.kind in ("llm", "agent") and list(steps) not in (["text"], []) and head == source.id:
            raise Unsupported("an answer is a text")
        return Path(self._flow.variable_of(name))

    def _text(self, given: str, node: CanvasNode, place: Location) -> str:
        owner = self._all.names[node.id]

        def missed(reference: str, why: str) -> None:
            what = f"`{{{{#{reference[:80]}#}}}}` in a text of {owner}"
            self._report.add("asked", place, what, f"Its value is not known: {why}.", fix="Write it.", became=owner)

        return canvas_texts.template(given, PLACES, self._resolver(node), missed)

    def _jinja(self, given: str, node: CanvasNode, place: Location) -> str:
        """A text in which the places are Jinja's; one with logic keeps it as it is written, and is told."""
        owner = self._all.names[node.id]
        config = node.inputs.get("prompt_config")
        listed = config.get("jinja2_variables") if isinstance(config, dict) else None
        named = {
            str(each.get("variable")): selector(each.get("value_selector"))
            for each in (listed if isinstance(listed, list) else [])
            if isinstance(each, dict)
        }

        def resolve(name: str) -> Path | str:
            if name not in named:
                raise Unsupported("the node has no such variable")
            return self._resolve(named[name], node)

        def missed(name: str, why: str) -> None:
            what = f"`{{{{ {name} }}}}` in a text of {owner}"
            self._report.add("asked", place, what, f"Its value is not known: {why}.", fix="Write it.", became=owner)

        said = canvas_texts.template(given, INPUT_PLACES, resolve, missed)
        if "{%" in given or "{{{{" in said:
            why = "Only plain places of a Jinja template are filled in here."
            self._report.add("asked", place, f"Template of {owner}", why, fix="Write the text.", became=owner)
        return said

    # --- agents ---

    def _llm(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        system: list[str] = []
        prompts: list[str] = []
        given = node.inputs.get("prompt_template")
        pieces = node.items("prompt_template")
        if isinstance(given, dict):
            pieces = [(node.inside("prompt_template"), {**given, "role": "user"})]
        for place, each in pieces:
            is_jinja = each.get("edition_type") == "jinja2"
            text = str((each.get("jinja2_text") if is_jinja else None) or each.get("text") or "")
            said = self._jinja(text, node, place) if is_jinja else self._text(text, node, place)
            if each.get("role") == "system":
                system.append(said)
            elif said.strip():
                prompts.append(said)
                if each.get("role") == "assistant":
                    why = "A message in the name of the model is sent as a message of a user."
                    self._report.add("approximated", place, f"Message of {name}", why, became=name)
        self._remember(node, prompts)
        self._set_hearing(node, prompts)
        fields = self._schemas.get(name)
        client = dify_client(node.inputs.get("model"), self._report, node.inside("model"), name)
        self._all.fill(name, "\n\n".join(system), client, Toolset(), _object(fields) if fields else None)
        vision = node.inputs.get("vision")
        if isinstance(vision, dict) and vision.get("enabled"):
            why = "Images of earlier nodes are not passed on. Those of the message are heard."
            self._report.add("approximated", node.inside("vision"), f"Images of {name}", why, became=name)
        self._all.leave(node, node.inputs, _LLM_READ, name)

    def _remember(self, node: CanvasNode, prompts: list[str]) -> None:
        """The memory of a node: the question comes last, and earlier rounds are those of earlier runs."""
        memory, name = node.inputs.get("memory"), self._all.names[node.id]
        if not isinstance(memory, dict):
            return
        place = node.inside("memory")
        query = memory.get("query_prompt_template")
        given = query if isinstance(query, str) and query.strip() else "{{#sys.query#}}"
        prompts.append(self._text(given, node, place))
        why = "A run does not remember earlier runs. The agent gets the question itself."
        self._report.add("approximated", place, f"Memory of {name}", why, became=name)

    def _set_hearing(self, node: CanvasNode, prompts: list[str]) -> None:
        """What an agent hears: its own texts, or the user where these are the question alone."""
        made = self._flow.nodes[self._all.names[node.id]]
        is_question = [each.strip() for each in prompts] == [f"{{{INPUT}}}"]
        made.hears = "user" if is_question else "nothing"
        made.prompts = [] if is_question else prompts

    def _agent(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        given = node.inputs.get("agent_parameters")
        settings = given if isinstance(given, dict) else {}
        values = {key: each.get("value") if isinstance(each, dict) else each for key, each in settings.items()}
        place = node.inside("agent_parameters")
        system = self._text(str(values.get("instruction") or ""), node, node.inside("agent_parameters", "instruction"))
        query = values.get("query")
        asked = f"{{{{#{selector(query)}#}}}}" if isinstance(query, list) else str(query or "{{#sys.query#}}")
        self._set_hearing(node, [self._text(asked, node, node.inside("agent_parameters", "query"))])
        tools = Toolset()
        add_tools(values.get("tools"), tools, self._report, node.inside("agent_parameters", "tools"), name)
        for key in [key for key in values if key.startswith("mcp_server") and values[key]]:
            add_servers(values[key], tools, self._report, node.inside("agent_parameters", key), name)
        client = dify_client(values.get("model"), self._report, node.inside("agent_parameters", "model", "value"), name)
        self._all.fill(name, system, client, tools, None)
        rounds = values.get("maximum_iterations") or values.get("max_iterations")
        if isinstance(rounds, int) and 0 < rounds < 1_000 and (tools.tools or tools.workbenches):
            self._all.config(node)["max_tool_iterations"] = rounds
        strategy = str(node.inputs.get("agent_strategy_name") or "")
        if strategy.lower() not in ("", "function_calling", "react"):
            why = f"Its strategy `{strategy[:80]}` is a plugin of Dify. Here it is an agent with tools."
            self._report.add("approximated", place, f"Strategy of {name}", why, became=name)
        known = ("model", "instruction", "query", "tools", "maximum_iterations", "max_iterations")
        for key in values:
            if key not in known and not key.startswith("mcp_server") and values[key]:
                why = NO_SETTING
                place = node.inside("agent_parameters", key)
                self._report.add("dropped", place, f"`{key[:80]}` of {name}", why, became=name)
        if isinstance(node.inputs.get("memory"), dict):
            why = "A run does not remember earlier runs."
            self._report.add("approximated", node.inside("memory"), f"Memory of {name}", why, became=name)

    def _choosing(self, node: CanvasNode, prompt: str, system: str) -> None:
        """An agent that answers by a schema, and hears one text."""
        name = self._all.names[node.id]
        self._flow.nodes[name].prompts = [prompt]
        self._flow.nodes[name].hears = "nothing"
        client = dify_client(node.inputs.get("model"), self._report, node.inside("model"), name)
        fields = self._schemas.get(name)
        self._all.fill(name, system, client, Toolset(), _object(fields) if fields else None)

    def _classifier(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        listed = [(str(each.get("id")), str(each.get("name") or "")) for _, each in node.items("classes")]
        query = self._text(f"{{{{#{selector(node.inputs.get('query_variable_selector'))}#}}}}", node, node.place)
        given = node.text("instruction") or node.text("instructions")
        instruction = self._text(given, node, node.inside("instruction"))
        options = "\n".join(f"- {escaped(each)}" for each in dict.fromkeys(each for _, each in listed if each))
        more = f"Instruction: {instruction}\n\n" if instruction.strip() else ""
        self._choosing(node, f"Text: {query}\n\n{more}Categories:\n{options}", _CLASSIFY)
        chosen = self._flow.variable_of(name)
        asked = [f"{chosen}.class_name == {text!r}" if text else "false" for _, text in listed[:-1]]
        self._exits(node, [key for key, _ in listed], asked)
        why = "It chooses with structured output, and the prompt around its categories is worded differently."
        self._report.add("approximated", node.place, f"Classifier “{node.label}”", why, became=name)

    def _extractor(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        query = node.inputs.get("query") or node.inputs.get("query_variable_selector")
        text = self._text(f"{{{{#{selector(query)}#}}}}", node, node.inside("query"))
        instruction = self._text(node.text("instruction"), node, node.inside("instruction"))
        more = f"\n\nInstruction: {instruction}" if instruction.strip() else ""
        self._choosing(node, f"Text: {text}{more}", _EXTRACT)
        why = "It answers with structured output, and the prompt around its instruction is worded differently."
        self._report.add("approximated", node.place, f"Parameter extractor “{node.label}”", why, became=name)

    # --- branches, answers, groups ---

    def _exits(self, node: CanvasNode, ports: Sequence[str], asked: Sequence[str | None]) -> None:
        """Edges for the ports of a node: one for each condition, and the last for all that is left."""
        edges = alternatives(self._all.names[node.id], asked)
        for at, edge in enumerate(edges):
            try:
                accepted(edge.condition or "true", is_condition=True)
            except Unsupported:
                why = "With the conditions before it, it is too long. Its own condition alone counts."
                self._report.add("approximated", node.place, f"Branch {at + 1} of “{node.label}”", why)
                edges[at] = replace(edge, condition=asked[at])
        self._all.exits[node.id] = dict(zip(ports, ([edge] for edge in edges), strict=False))

    def _branches(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        cases = node.items("cases")
        if not cases and node.items("conditions"):
            cases = [(node.inside("conditions"), {"case_id": "true", **node.inputs})]
        asked: list[str | None] = []
        for at, (place, each) in enumerate(cases):
            try:
                asked.append(branch(each, self._resolver(node)))
            except Unsupported as error:
                why = f"It cannot be a condition here: {error}. Its branch is never taken."
                fix = "Write the condition of the edge."
                self._report.add("dropped", place, f"Case {at + 1} of {name}", why, fix=fix, became=name)
                asked.append("false")
        ids = [str(each.get("case_id") or each.get("id") or "") for _, each in cases]
        self._exits(node, [*ids, "false"], asked)

    def _human(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        actions = [
            (str(each.get("id")), str(each.get("title") or each.get("id"))) for _, each in node.items("user_actions")
        ]
        if actions:
            self._all.config(node)["choices"] = list[JsonValue](dict.fromkeys(title for _, title in actions))
        given = node.text("form_content")
        self._flow.nodes[name].prompts = [self._text(given, node, node.inside("form_content")) or "What do you decide?"]
        self._all.exits[node.id] = {
            key: [Edge(name, said=title) if at < len(actions) - 1 else Edge(name, otherwise=len(actions) > 1)]
            for at, (key, title) in enumerate(actions)
        } or {"": [Edge(name)]}
        why = "A person chooses one of its actions. There is no form, and no time limit."
        self._report.add("approximated", node.place, f"Human input “{node.label}”", why, became=name)

    def _say(self, node: CanvasNode) -> None:
        """An answer, or what a workflow gives back; nothing where the agent before it has said the same."""
        name = self._all.names[node.id]
        if node.kind == "answer":
            given = node.text("answer")
        else:
            listed = [each for _, each in node.items("outputs")]
            places = [f"{{{{#{selector(each.get('value_selector'))}#}}}}" for each in listed]
            named = [f"{each.get('variable')}: {place}" for each, place in zip(listed, places, strict=True)]
            given = places[0] if len(places) == 1 else "\n".join(named)
        what = f"{'Answer' if node.kind == 'answer' else 'End'} “{node.label}”"
        before = self._canvas.into(node.id)
        is_said = len(before) == 1 and before[0].kind in ("llm", "agent")
        if is_said and given.strip() == f"{{{{#{before[0].id}.text#}}}}":
            self._flow.nodes[name].part = None
            self._report.add("exact", node.place, what, became=self._all.names[before[0].id])
            return
        if not given.strip():
            self._flow.nodes[name].part = None
            self._report.add("exact", node.place, what)
            return
        start = len(self._report.findings)
        self._all.config(node)["message"] = self._text(
            given, node, node.inside("answer" if node.kind == "answer" else "outputs")
        )
        if node.kind == "answer" or "\n" not in given:
            self._all.conclude(node, what.partition(" ")[0], start)
        else:
            why = "Its outputs are lines of one text."
            self._report.add("approximated", node.place, what, why, became=name)

    def _group(self, node: CanvasNode) -> None:
        """The variables of what is inside of an iteration or a loop."""
        for each in ("item", "index") if node.kind == "iteration" else ():
            self._variable(f"{node.id}.{each}", 0 if each == "index" else [])
        for _, each in node.items("loop_variables") if node.kind == "loop" else ():
            if isinstance(label := each.get("label"), str) and label:
                self._variable(f"{node.id}.{label}", empty_of(str(each.get("var_type") or "")))
        if node.kind == "iteration":
            self._variable(f"{node.id}.items", [])
            self._variable(f"{node.id}.output", [])

    def _repeat(self, node: CanvasNode) -> None:
        name = self._all.names[node.id]
        pairs: list[tuple[str, str]] = []
        if node.kind == "iteration":
            self._iterate(node, pairs)
        else:
            counted = self._all.taken.free(f"{name}_passes")
            self._flow.state[counted] = 0
            pairs.append((counted, "0"))
            for _, each in node.items("loop_variables"):
                is_constant = each.get("value_type") != "variable"
                self._steps.assign(
                    pairs, f"{node.id}.{each.get('label')}", each.get("value"), node, is_constant=is_constant
                )
            self._loop(node, counted)
        if pairs:
            self._all.config(node)["assignments"] = assignments(pairs)

    def _iterate(self, node: CanvasNode, pairs: list[tuple[str, str]]) -> None:
        """One pass for each item of a list; a step at the end of each keeps its output and goes to the next item."""
        name = self._all.names[node.id]
        given = [self._all.variables[f"{node.id}.{each}"] for each in ("items", "index", "item", "output")]
        items, index, item, output = given
        self._steps.assign(pairs, f"{node.id}.items", node.inputs.get("iterator_selector"), node)
        pairs += [(index, "0"), (item, f"{items}[{index}]"), (output, "[]")]
        kept: list[tuple[str, str]] = []
        result = node.inputs.get("output_selector")
        if selector(result):
            self._steps.assign(kept, f"{node.id}.output", result, node, "append")
        kept += [(index, f"{index} + 1"), (item, f"{items}[{index}]")]
        self._passes[node.id] = f"{index} < len({items})"
        self._back(node, kept, self._passes[node.id])
        self._flow.edges.append(Edge(name, self._all.exits[node.id][""][0].source, otherwise=True))
        has_agent = any(each.kind in AGENTS for each in self._inside.get(node.id, ()))
        is_strict = node.inputs.get("error_handle_mode") in (None, "terminated")
        differences = ["Its agents remember the items before."] if has_agent else []
        differences += ["Its items run one after the other."] if node.inputs.get("is_parallel") else []
        differences += [] if is_strict else ["A failure ends the run."]
        verdict = "approximated" if differences else "exact"
        self._report.add(verdict, node.place, f"Iteration “{node.label}”", " ".join(differences), became=name)

    def _loop(self, node: CanvasNode, counted: str) -> None:
        """A step at the end of each pass, which leads back while none of the conditions holds and passes are left."""
        name = self._all.names[node.id]
        limit = node.inputs.get("loop_count")
        most = limit if isinstance(limit, int) and 0 < limit < 1_000_000 else MAX_LOOPS
        condition = f"{counted} < {most}"
        given: JsonObject = {
            "conditions": node.inputs.get("break_conditions"),
            "logical_operator": node.inputs.get("logical_operator") or "and",
        }
        if node.items("break_conditions"):
            try:
                stops = branch(given, self._resolver(node))
                condition = accepted(f"not ({stops}) and {condition}", is_condition=True)
            except Unsupported as error:
                why = f"It cannot be a condition here: {error}. The loop ends after its passes."
                self._report.add("dropped", node.inside("break_conditions"), f"End of “{node.label}”", why, became=name)
        self._back(node, [(counted, f"{counted} + 1")], condition)
        self._report.add("exact", node.place, f"Loop “{node.label}”", became=name)

    def _back(self, node: CanvasNode, pairs: Sequence[tuple[str, str]], condition: str) -> None:
        """Add a step at the end of each pass, which sets these and leads back while the condition holds."""
        name = self._all.names[node.id]
        part = step(assignments=assignments(pairs))
        again = self._flow.add(Node(f"Pass of {node.label}", node.place, part, tells=False), f"{name}_pass")
        done = self._flow.add(Node(f"End of {node.label}", node.place, None), "pass_end")
        inner = {edge.target for edge in self._canvas.edges}
        for each in self._inside.get(node.id, ()):
            if each.id not in inner:
                self._flow.edges.append(Edge(again, self._all.names[each.id], condition=condition))
        self._flow.edges.append(Edge(again, done, otherwise=True))
        self._after[node.id] = again
        for each in self._inside.get(node.id, ()):
            if each.kind == "loop-end":
                self._flow.connect([Edge(self._all.names[each.id])], done)
                self._all.exits[each.id] = {}
        self._all.exits[node.id] = {"": [Edge(done)]}

    # --- edges ---

    def _connect(self) -> None:
        for node in self._canvas.nodes.values():
            if node.kind in STARTS:
                self._flow.edges.append(Edge(START, self._all.names[node.id]))
        for id, children in self._inside.items():
            group = self._canvas.nodes.get(id)
            if group is not None and group.kind in GROUPS:
                done = self._all.exits[id]
                self._all.enclose(id, children, self._after.get(id, ""), self._passes.get(id))
                self._all.exits[id] = done
        ports: dict[str, set[str]] = {}
        for edge in dict.fromkeys(self._canvas.edges):
            if edge.source not in self._all.names or edge.target not in self._all.names:
                continue
            if edge.port == "fail-branch":
                place, label = self._canvas.nodes[edge.source].place, self._canvas.nodes[edge.source].label
                why = "A failure ends the run. In the source, another branch continues."
                self._report.add("dropped", place, f"Failure of “{label}”", why)
                continue
            ports.setdefault(edge.source, set()).add(edge.port)
            self._all.connect(edge.source, edge.port, self._all.names[edge.target])
        for id, exits in self._all.exits.items():
            used = ports.get(id, set())
            self._all.exits[id] = {
                port: edges for port, edges in exits.items() if port not in used and (port or not used)
            }
        branching = ("if-else", "question-classifier", "human-input")
        self._all.wait({id for id, node in self._canvas.nodes.items() if node.kind in branching})

    def _features(self) -> None:
        """Tell of what surrounds the chat."""
        tell_features(self._workflow.get("features"), self._all)


def tell_features(features: Part | None, reading: StateReading) -> None:
    """Say what of the settings around a chat stays behind."""
    for key, each in features.entries_or_none() if features is not None else ():
        enabled = each.get("enabled")
        is_on = bool(each.items or each.text) or (enabled is not None and enabled.value is True)
        if is_on and key not in ("retriever_resource",):
            why = NO_SETTING
            reading.report.add("dropped", each.place, f"Feature `{key[:80]}`", why)


def _object(fields: JsonObject) -> JsonObject:
    return {"type": "object", "properties": fields, "required": list[JsonValue](fields)}


def _field(given: JsonObject) -> JsonObject:
    """The schema of a parameter."""
    kind = str(given.get("type") or "string")
    options = given.get("options")
    found: JsonObject = {"type": _FIELDS.get(kind, "string")}
    if kind.startswith("array"):
        inner = kind.partition("[")[2].rstrip("]")
        found = {"type": "array", "items": {"type": _FIELDS.get(inner, "object" if inner == "object" else "string")}}
    elif kind == "select" and isinstance(options, list) and options and all(isinstance(each, str) for each in options):
        found = {"type": "string", "enum": list[JsonValue](dict.fromkeys(map(str, options)))}
    described = given.get("description")
    return {**found, **({"description": described} if isinstance(described, str) and described else {})}
