"""Chatflows of Flowise: agents with tools, and chains of prompts."""

from __future__ import annotations

from collections.abc import Mapping

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.canvas import CanvasNode
from studio.importers.canvas_reading import agent_node
from studio.importers.components import component, config_of
from studio.importers.expressions import INPUT
from studio.importers.flowise_flow import Reading
from studio.importers.flowise_sequential import filled, model_of, tools_of
from studio.importers.tools import Toolset, report_stand_in, stand_in
from studio.importers.workflow import START, Edge

CATEGORIES = ("Agent", "Chain", "Assistant")
_PROMPTS = ("systemMessage", "systemMessagePrompt", "instructions", "prefix", "agentInstructions", "rephrasePrompt")
_TOOLS_OF: Mapping[str, str] = {
    "csvAgent": "the CSV file",
    "airtableAgent": "the table of Airtable",
    "sqlDatabaseChain": "the database",
}
_RETRIEVERS = ("vectorStoreRetriever", "retriever", "vectorStore", "document")
_READ = (
    "model",
    "tools",
    "memory",
    "prompt",
    "chainName",
    "maxIterations",
    "promptValues",
    "returnSourceDocuments",
    *_RETRIEVERS,
    *_PROMPTS,
)


def speaks(kind: str) -> bool:
    """Whether a node answers."""
    return kind.endswith(CATEGORIES) or kind.startswith(
        ("reactAgent", "openAIFunctionAgent", "conversationalRetrieval")
    )


class ChatflowReader:
    """Reads a chatflow."""

    def __init__(self, reading: Reading) -> None:
        self._all = reading
        self._canvas = reading.canvas

    def read(self) -> None:
        """Add the agents and chains, one after the other.

        Raises:
            InvalidDocument: There is none.
        """
        nodes = self._in_order([node for node in self._canvas.nodes.values() if speaks(node.kind)])
        if not nodes:
            raise InvalidDocument(
                "The flow has no agent and no chain that a team can be made of.",
                fix="Choose a flow with an agent, a chain, a supervisor, or an Agentflow.",
            )
        for node in nodes:
            self._all.add(node, agent_node(node, node.text("chainName") or node.label))
        before = START
        for node in nodes:
            start = len(self._all.report.findings)
            self._agent(node)
            self._all.conclude(node, "Agent" if self._template(node) is None else "Chain", start)
            self._all.flow.edges.append(Edge(before, self._all.names[node.id]))
            before = self._all.names[node.id]
        self._all.flow.edges.append(Edge(before, None))
        self._all.notes()

    def _in_order(self, nodes: list[CanvasNode]) -> list[CanvasNode]:
        """Each after those whose answers it reads."""
        wanted = {node.id for node in nodes}
        found: list[CanvasNode] = []
        left = list(nodes)
        while left:
            names = {node.id for node in left}
            ready = [node for node in left if not (self._before(node) & wanted & names)] or left[:1]
            found += ready
            left = [node for node in left if node not in ready]
        return found

    def _before(self, node: CanvasNode) -> set[str]:
        seen: set[str] = set()
        todo = self._canvas.into(node.id)
        while todo:
            each = todo.pop()
            if each.id not in seen:
                seen.add(each.id)
                todo += self._canvas.into(each.id)
        return seen - {node.id}

    def _template(self, node: CanvasNode) -> CanvasNode | None:
        return next((each for each in self._canvas.into(node.id, "prompt", "chatPromptTemplate")), None)

    def _agent(self, node: CanvasNode) -> None:
        name, report = self._all.names[node.id], self._all.report
        made = self._all.flow.nodes[name]
        template = self._template(node)
        system = "\n\n".join(
            filled(self._all, node, node.text(each), name) for each in _PROMPTS if node.text(each).strip()
        )
        tools = tools_of(self._all, node, name)
        for each in self._canvas.into(node.id, *_RETRIEVERS):
            self._add_search(each, tools, name)
        if template is not None:
            text = template.text("template") or template.text("humanMessagePrompt")
            own = template.text("systemMessagePrompt")
            system = filled(self._all, template, own, name) if own.strip() else system
            made.prompts = [filled(self._all, template, text, name)] if text.strip() else [f"{{{INPUT}}}"]
            made.hears = "nothing"
            if not text.strip() and not own.strip():
                report.add(
                    "asked", template.place, f"Prompt of {name}", "It is not in the file.", fix="Write it.", became=name
                )
        else:
            made.hears = "user"
        if node.kind in _TOOLS_OF:
            why = f"It reads {_TOOLS_OF[node.kind]}, which is not imported."
            schema: JsonObject = {"properties": {"code": {"type": "string"}}, "required": ["code"]}
            tools.add(stand_in("query_data", f"Reads {_TOOLS_OF[node.kind]}.", schema, why))
            report_stand_in(report, node.place, f"Data of {name}", why, name)
        if node.kind == "openAIAssistant":
            why = "It is kept by OpenAI: its model and instructions are not in the file."
            report.add("asked", node.place, f"Assistant of {name}", why, fix="Enter them.", became=name)
        self._all.fill(name, system, model_of(self._all, node, name), tools, None)
        self._memory(node, name)
        limit = node.inputs.get("maxIterations")
        rounds = int(str(limit)) if str(limit).isascii() and str(limit).isdigit() and len(str(limit)) < 4 else 0
        if made.part is not None and rounds and (tools.tools or tools.workbenches):
            config_of(made.part)["max_tool_iterations"] = rounds
        if node.kind.startswith("reactAgent"):
            why = "It calls tools as its model offers them, and writes no form with thoughts and actions."
            report.add("approximated", node.place, f"Reasoning of {name}", why, became=name)
        self._all.leave(node, node.inputs, _READ, name)

    def _add_search(self, node: CanvasNode, tools: Toolset, name: str) -> None:
        why = f"The contents of {node.label} stay at Flowise."
        schema: JsonObject = {"properties": {"input": {"type": "string"}}, "required": ["input"]}
        tools.add(stand_in("search_documents", "Searches documents for an answer.", schema, why))
        fix = "Replace the stand-in by a memory or a tool that searches them."
        self._all.report.add("asked", node.place, f"Documents of {name}", why, fix=fix, became=name)

    def _memory(self, node: CanvasNode, name: str) -> None:
        part = self._all.flow.nodes[name].part
        for each in self._canvas.into(node.id, "memory"):
            size = each.inputs.get("k")
            if each.kind == "bufferWindowMemory" and part is not None and str(size).isascii() and str(size).isdigit():
                count = min(max(int(str(size)[:6]), 1), 10_000)
                context = component("autogen_core.model_context.BufferedChatCompletionContext", buffer_size=2 * count)
                config_of(part)["model_context"] = context
                why = "The window also counts calls of tools."
                self._all.report.add("approximated", each.place, f"Memory of {name}", why, became=name)
            elif each.kind == "bufferMemory":
                why = "An agent remembers its conversation. A new run begins a new one."
                self._all.report.add("approximated", each.place, f"Memory of {name}", why, became=name)
            else:
                why = "An agent remembers all of its conversation here, and nothing of others."
                self._all.report.add("approximated", each.place, f"Memory of {name}", why, became=name)
