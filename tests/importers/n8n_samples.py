"""Workflows of n8n, written for these tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BASE, CHAIN = "n8n-nodes-base", "@n8n/n8n-nodes-langchain"


def node(name: str, kind: str, /, **parameters: Any) -> dict[str, Any]:
    package = CHAIN if kind.startswith(("agent", "chain", "lm", "tool", "memory", "output", "chat", "mcp")) else BASE
    return {"id": name, "name": name, "type": f"{package}.{kind}", "position": [0, 0], "parameters": parameters}


def workflow(nodes: Sequence[Mapping[str, Any]], edges: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """A workflow; an edge is a node, the kind of the connection, and the next node."""
    connections: dict[str, Any] = {}
    for source, kind, target in edges:
        outputs = connections.setdefault(source, {}).setdefault(kind, [[]])
        outputs[0].append({"node": target, "type": kind, "index": 0})
    return {"name": "Bread desk", "nodes": [*nodes], "connections": connections, "settings": {}}


CHAT = node("When chat message received", "chatTrigger")
MODEL = node("Model", "lmChatOpenAi", model={"__rl": True, "value": "gpt-4.1-mini"}, options={"temperature": 0.5})
DESK = workflow(
    [
        CHAT,
        node("Fields", "set", assignments={"assignments": [{"name": "tone", "value": "kind"}]}),
        node(
            "Cook",
            "agent",
            promptType="define",
            text="={{ $('When chat message received').item.json.chatInput }}",
            options={"systemMessage": "You cook.", "maxIterations": 4, "returnIntermediateSteps": True},
        ),
        node("Mail", "gmail", sendTo="x@example.com"),
        node(
            "Baker",
            "agent",
            promptType="define",
            text="=Bake like {{ $('Cook').first().json.output }} in a {{ $('Fields').item.json.tone }} way"
            " for {{ $json.who }} on {{ $now.toISO() }} {x}.",
            options={"systemMessage": "=You bake on {{ $now }}."},
            hasOutputParser=True,
        ),
        MODEL,
        node("Parser", "outputParserStructured", jsonSchemaExample='{"loaves": 2, "kinds": ["rye"], "isSweet": true}'),
        node("Memory", "memoryBufferWindow", contextWindowLength=3),
        node("Sum", "toolCalculator"),
        node("Find", "mcpClientTool", sseEndpoint="https://tools.example/sse", include="selected"),
        node("Post", "gmailTool", toolDescription="Posts.", to="={{ $fromAI('to', 'An address', 'string') }}"),
        node("Ask an expert", "agentTool", toolDescription="Asks.", options={"systemMessage": "You are an expert."}),
        node("Off", "toolCode", jsCode="return 1") | {"disabled": True},
        node("Note", "stickyNote", content="Read me."),
        node("Timer", "scheduleTrigger"),
        node("Other", "agent", options={}),
    ],
    [
        ("When chat message received", "main", "Fields"),
        ("Fields", "main", "Cook"),
        ("Cook", "main", "Mail"),
        ("Mail", "main", "Baker"),
        ("Timer", "main", "Other"),
        *[("Model", "ai_languageModel", each) for each in ("Cook", "Baker", "Other", "Ask an expert")],
        ("Parser", "ai_outputParser", "Baker"),
        ("Memory", "ai_memory", "Cook"),
        *[(each, "ai_tool", "Cook") for each in ("Sum", "Find", "Post", "Ask an expert", "Off")],
    ],
)
