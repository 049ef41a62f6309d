"""Workflows of n8n: their agents and chains, with what hangs on them. Everything else stays at n8n."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.canvas import CanvasNode, is_unset
from studio.importers.canvas_reading import agent_node
from studio.importers.canvas_state import StateReading
from studio.importers.components import ASSISTANT, agent_tool, component
from studio.importers.findings import NO_SETTING, Imported, Report
from studio.importers.finishing import finished
from studio.importers.n8n_document import MAIN, NOTE, canvas_of, workflows_in
from studio.importers.n8n_parts import add_tool, attributes_of, model_of, schema_of, text_in
from studio.importers.n8n_texts import Texts, is_chat, is_trigger
from studio.importers.tools import Toolset, report_stand_in, stand_in
from studio.importers.workflow import START, Edge, Hearing, TeamBuilder

SOURCE = "n8n"
WIDE = 1.6
"""Nodes of n8n are that much smaller than our cards."""
SPEAKERS = ("agent", "chainLlm", "chainSummarization", "informationExtractor")
DEFAULT_SYSTEM = "You are a helpful assistant"
EXTRACTS = (
    "You are an expert extraction algorithm.\nOnly extract relevant information from the text.\n"
    "If you do not know the value of an attribute asked to extract, you may omit the attribute's value."
)
SUMMARIZES = "Write a concise summary of the text."
MAX_ROUNDS = 10
MAX_DEPTH = 5
"""Agents that are tools of agents that are tools."""
_READ = ("text", "promptType", "options", "hasOutputParser", "agent", "messages", "attributes", "inputSchema")
_OTHER_KINDS = ("reActAgent", "planAndExecuteAgent")


def is_n8n(bundle: Bundle) -> bool:
    """Whether the files hold a workflow of n8n."""
    return next(workflows_in(bundle), None) is not None


def import_n8n(bundle: Bundle) -> Imported:
    """The team of the first workflow with an agent.

    Raises:
        InvalidDocument: There is none.
        TooLarge: It has too many nodes.
    """
    found = list(workflows_in(bundle))
    if not found:
        raise InvalidDocument("The files hold no workflow of n8n.", fix="Choose the JSON that it exported.")
    report = Report()
    for each in found[1:]:
        why = "One import makes one team."
        report.add("dropped", each.place, f"Workflow “{each.title[:80]}”", why, fix="Import it from a file of its own.")
    reading = StateReading(canvas_of(found[0], report), report, (NOTE,))
    WorkflowReader(reading).read()
    team = TeamBuilder(reading.flow, found[0].title).team()
    return replace(finished(SOURCE, team, report), layout=reading.layout(WIDE, team))


@dataclass
class WorkflowReader:
    """Reads the agents and chains of a workflow."""

    all: StateReading

    def __post_init__(self) -> None:
        self._canvas, self._report = self.all.canvas, self.all.report
        self._spoken = {node.id: node for node in self._canvas.nodes.values() if node.kind in SPEAKERS}
        self._texts = Texts(self.all, self._spoken)
        self._behind: dict[str, list[str]] = {}
        """By a node what `_next` has found, which is asked for each pair of nodes."""

    def read(self) -> None:
        """Add what speaks, in the order in which items reach it.

        Raises:
            InvalidDocument: No agent and no chain is in it.
        """
        if not self._spoken:
            what = "The workflow has no agent and no chain: it only moves data."
            raise InvalidDocument(what, fix="Choose a workflow with an AI agent.")
        chosen = self._of_one_trigger()
        for node in chosen:
            self.all.add(node, agent_node(node))
        first = set(self.all.names)
        for node in chosen:
            after = [each for each in self._next(node.id) if each in first]
            first -= set(after) - {node.id}
        starts = [each.id for each in chosen if each.id in first] or [chosen[0].id]
        self.all.flow.edges += [Edge(START, self.all.names[each]) for each in starts]
        for node in chosen:
            before = len(self._report.findings)
            self._speaker(node)
            self.all.conclude(node, "Agent" if node.kind == "agent" else "Chain", before)
            after = [self.all.names[each] for each in self._next(node.id) if each in self.all.names]
            self.all.flow.edges += [Edge(self.all.names[node.id], each) for each in after or [None]]
        self._left_out(chosen)
        self.all.notes()

    def _of_one_trigger(self) -> list[CanvasNode]:
        """The agents and chains behind the trigger of the chat; behind another one where there is no chat."""
        triggers = [node for node in self._canvas.nodes.values() if is_trigger(node)]
        triggers.sort(key=lambda node: (not is_chat(node), node.kind == "executeWorkflowTrigger"))
        for trigger in triggers:
            reached = self._after(trigger.id)
            if reached:
                return [self._spoken[each] for each in reached]
        return list(self._spoken.values())

    def _after(self, start: str) -> list[str]:
        """All that speaks behind a node, in order."""
        found, todo = list[str](), [start]
        while todo:
            for each in self._next(todo.pop(0)):
                if each not in found:
                    found.append(each)
                    todo.append(each)
        return found

    def _next(self, start: str) -> list[str]:
        """What speaks next behind a node, however many other nodes are in between."""
        if start not in self._behind:
            found, seen, todo = dict[str, None](), {start}, deque([start])
            while todo:
                for edge in self._leading.get(todo.popleft(), ()):
                    if edge in self._spoken:
                        found[edge] = None
                    elif edge not in seen:
                        seen.add(edge)
                        todo.append(edge)
            self._behind[start] = [*found]
        return self._behind[start]

    @cached_property
    def _leading(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for edge in self._canvas.edges:
            if edge.field == MAIN:
                found.setdefault(edge.source, []).append(edge.target)
        return found

    # --- one agent ---

    def _hanging(self, node: CanvasNode, kind: str) -> list[CanvasNode]:
        return [each for each in self._canvas.into(node.id, kind) if each.kind != "disabled"]

    def _speaker(self, node: CanvasNode) -> None:
        name = self.all.names[node.id]
        made = self.all.flow.nodes[name]
        options = node.inputs.get("options")
        given: JsonObject = options if isinstance(options, dict) else {}
        prompt = self._prompt(node)
        if self._texts.is_message(node, prompt):
            made.hears = "user"
        elif isinstance(prompt, str):
            made.hears, made.prompts = "nothing", [self._texts.read(node, prompt, name, "text")]
        else:
            made.hears = self._hears(node)
        if node.kind == "chainLlm":
            made.prompts = [*self._said(node, name), *made.prompts]
        tools = self._toolset(node, name, 0)
        model = next(iter(self._hanging(node, "ai_languageModel")), None)
        client = model_of(model, self._report, node, name)
        self.all.fill(name, self._system(node, given, name), client, tools, self._schema(node, name))
        self._limits(node, given, name, has_tools=bool(tools.tools or tools.workbenches))
        self.all.leave(node, node.inputs, _READ, name)

    def _prompt(self, node: CanvasNode) -> JsonValue:
        """What it is asked, where the node says it; otherwise it is the message, or what was said before."""
        if node.kind == "chainSummarization":
            return None
        text = node.inputs.get("text")
        is_own = node.inputs.get("promptType") == "define" or node.kind != "agent" or "promptType" not in node.inputs
        return text if is_own and isinstance(text, str) and text.strip() else None

    def _hears(self, node: CanvasNode) -> Hearing:
        before = [each for each in self._spoken if node.id in self._next(each) and each in self.all.names]
        return tuple(self.all.names[each] for each in before) or "user"

    def _system(self, node: CanvasNode, options: JsonObject, name: str) -> str:
        """The system text as a template."""
        written = options.get("systemMessage", options.get("systemPromptTemplate"))
        if node.kind == "chainLlm":
            listed = [text for kind, text in _messages(node) if kind == "System"]
            return "\n\n".join(self._texts.read(node, each, name, "messages") for each in listed)
        if node.kind == "chainSummarization":
            own = options.get("summarizationMethodAndPrompts")
            values = own.get("values") if isinstance(own, dict) else None
            written = values.get("prompt") if isinstance(values, dict) else None
        if isinstance(written, str) and written.strip():
            return self._texts.read(node, written, name, "options")
        return {"informationExtractor": EXTRACTS, "chainSummarization": SUMMARIZES}.get(node.kind, DEFAULT_SYSTEM)

    def _said(self, node: CanvasNode, name: str) -> list[str]:
        """Messages of a chain that stand before its text."""
        others = [(kind, text) for kind, text in _messages(node) if kind != "System"]
        if any(kind != "Human" for kind, _ in others):
            why = "Messages of the model are sent as messages of a user."
            self._report.add("approximated", node.inside("messages"), f"Messages of {name}", why, became=name)
        return [self._texts.read(node, text, name, "messages") for _, text in others]

    def _schema(self, node: CanvasNode, name: str) -> JsonObject | None:
        if node.kind == "informationExtractor":
            return attributes_of(node)
        for parser in self._hanging(node, "ai_outputParser"):
            inner = next(iter(self._hanging(parser, "ai_outputParser")), parser)
            found = schema_of(inner)
            if found is not None:
                return found
            why = "Its schema cannot be read."
            self._report.add("asked", parser.place, f"Form of the answer of {name}", why, fix="Write it.", became=name)
        return None

    def _toolset(self, node: CanvasNode, name: str, depth: int) -> Toolset:
        found = Toolset()
        for each in self._hanging(node, "ai_tool"):
            if each.kind == "agentTool" and depth < MAX_DEPTH:
                self._agent_tool(each, found, name, depth)
            else:
                add_tool(each, found, self._report, name)
        if node.inputs.get("agent") == "sqlAgent":
            why = "The database stays at n8n."
            schema: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
            found.add(stand_in("query_database", "Runs a query in the database.", schema, why))
            report_stand_in(self._report, node.place, f"Database of {name}", why, name)
        return found

    def _agent_tool(self, node: CanvasNode, found: Toolset, owner: str, depth: int) -> None:
        """An agent that is a tool of another."""
        name = self.all.flow.names.free(node.label, "agent")
        options = node.inputs.get("options")
        given: JsonObject = options if isinstance(options, dict) else {}
        described = text_in(node.inputs.get("toolDescription")).removeprefix("=") or f"The agent {node.label}."
        model = next(iter(self._hanging(node, "ai_languageModel")), None)
        config: JsonObject = {"name": name, "description": described}
        system = text_in(given.get("systemMessage")) or DEFAULT_SYSTEM
        config["system_message"] = system.removeprefix("=")
        config["model_client"] = model_of(model, self._report, node, name)
        tools = self._toolset(node, name, depth + 1)
        if tools.tools or tools.workbenches:
            config |= {"tools": list[JsonValue](tools.tools), "workbench": list[JsonValue](tools.workbenches)}
            config |= {"max_tool_iterations": MAX_ROUNDS, "reflect_on_tool_use": False}
        found.add(agent_tool(component(ASSISTANT, **config)))
        why = "The agent hears what the other one tells it. Expressions in its system message are not filled in."
        self._report.add("approximated", node.place, f"Tool `{name}` of {owner}", why, became=owner)

    def _limits(self, node: CanvasNode, options: JsonObject, name: str, *, has_tools: bool) -> None:
        """Rounds of tool calls, memory, and what has no counterpart."""
        config = self.all.config(node)
        rounds = options.get("maxIterations")
        if has_tools:
            is_number = isinstance(rounds, int) and not isinstance(rounds, bool) and 1 <= rounds <= 1_000
            config["max_tool_iterations"] = rounds if is_number else MAX_ROUNDS
        for each in self._hanging(node, "ai_memory"):
            size = each.inputs.get("contextWindowLength", 5)
            if each.kind == "memoryBufferWindow" and isinstance(size, int) and 1 <= size <= 1_000:
                context = component("autogen_core.model_context.BufferedChatCompletionContext", buffer_size=2 * size)
                config["model_context"] = context
            why = "It remembers the conversation of a run. There, it is kept for as long as the session lives."
            self._report.add("approximated", each.place, f"Memory of {name}", why, became=name)
        if node.inputs.get("agent") in _OTHER_KINDS:
            why = "It calls tools as its model offers them, and writes no form with thoughts and plans."
            self._report.add("approximated", node.inside("agent"), f"Reasoning of {name}", why, became=name)
        if node.kind == "chainSummarization":
            why = "It summarizes what it hears in one call. There, long texts are divided."
            self._report.add("approximated", node.place, f"Summary of {name}", why, became=name)
        known = ("systemMessage", "maxIterations", "systemPromptTemplate", "summarizationMethodAndPrompts")
        for key, value in options.items():
            if key not in known and not is_unset(value):
                why = NO_SETTING
                self._report.add("dropped", node.inside("options", key), f"`{key[:80]}` of {name}", why, became=name)

    # --- everything else ---

    def _left_out(self, chosen: Iterable[CanvasNode]) -> None:
        """Tell of the nodes that do not come along: each once."""
        spoken = {node.id for node in chosen}
        hanging = {edge.source for edge in self._canvas.edges if edge.field != MAIN}
        for node in self._canvas.nodes.values():
            if node.id in spoken or node.kind == NOTE or (node.id in hanging and node.kind not in SPEAKERS):
                continue
            what = f"Node “{node.label}”"
            if node.kind == "disabled":
                self._report.add("exact", node.place, what, "It is switched off there.")
            elif node.id in self._spoken:
                why = "It begins with another trigger. One import gives one team."
                self._report.add("asked", node.place, what, why, fix="Import a workflow with this part alone.")
            elif is_chat(node):
                self._report.add("exact", node.place, what)
            elif is_trigger(node):
                why = "A run here begins with a message. Start it by a schedule, a webhook or the API."
                self._report.add("approximated", node.place, what, why)
            else:
                why = f"`{node.kind[:80]}` stays at n8n: it moves data, asks a service, or chooses what comes next."
                self._report.add("dropped", node.place, what, why, fix="Add a step or a tool that does it.")


def _messages(node: CanvasNode) -> list[tuple[str, str]]:
    """The messages of a chain: who says them, and their texts."""
    group = node.inputs.get("messages")
    listed = group.get("messageValues") if isinstance(group, dict) else None
    found: list[tuple[str, str]] = []
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict) and isinstance(each.get("message"), str):
            kind = str(each.get("type") or "SystemMessagePromptTemplate").removesuffix("MessagePromptTemplate")
            found.append((kind, str(each["message"])))
    return found
