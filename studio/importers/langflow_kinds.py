"""What the components of Langflow are, by their kinds, of which releases have several for the same."""

from __future__ import annotations

from collections.abc import Mapping

from studio.importers.canvas import CanvasEdge, CanvasNode

AGENTS = ("Agent", "ToolCallingAgent", "OpenAIToolsAgent", "XMLAgent", "ALTKAgent")
STRUCTURED = ("StructuredOutput", "StructuredOutputComponent")
SMART_ROUTERS = ("SmartRouter", "LLMConditionalRouter")
IF_ELSE = ("ConditionalRouter",)
HUMANS = ("HumanInput",)
CHAT_INPUTS = ("ChatInput",)
OUTPUTS = ("ChatOutput", "TextOutput")
PROMPTS = ("Prompt", "Prompt Template", "PromptComponent")
LOOPS = ("LoopComponent", "Loop")
HISTORIES = ("Memory", "MemoryComponent", "MessageHistory", "StoreMessage")
JOINS = ("CombineText", "CombineTextComponent")
PARSERS: Mapping[str, str] = {
    "parser": "input_data",
    "Parser": "input_data",
    "ParserComponent": "input_data",
    "ParseData": "data",
    "ParseDataFrame": "df",
}
"""By kind, the field of the data that a text is made of."""
PASSING: Mapping[str, str] = {
    "ChatOutput": "input_value",
    "TextOutput": "input_value",
    "TextInput": "input_value",
    "Pass": "input_message",
    "TypeConverterComponent": "input_data",
    "MessagetoData": "message",
    "MessageToData": "message",
}
"""By kind, the field whose text leaves as it came."""
MODEL_FIELDS = ("llm", "model", "agent_llm", "language_model")
TOOL_FIELD = "tools"
AS_TOOL, AS_MODEL = "component_as_tool", "model_output"


def is_model(node: CanvasNode) -> bool:
    """Whether a component is a language model that answers a text."""
    kind = node.kind
    return (
        "input_value" in node.inputs
        and "Embedding" not in kind
        and (kind.endswith(("Model", "ModelComponent")) or kind in ("LanguageModelComponent", "OpenRouterComponent"))
    )


def is_agent(node: CanvasNode) -> bool:
    return node.kind.replace(" ", "") in AGENTS


def answers(node: CanvasNode) -> bool:
    """Whether a model answers in it."""
    return is_agent(node) or is_model(node) or node.kind in (*STRUCTURED, *SMART_ROUTERS)


def branches(node: CanvasNode) -> bool:
    """Whether it leads on by one of its outputs alone."""
    return node.kind in (*SMART_ROUTERS, *IF_ELSE, *HUMANS)


def is_part(edge: CanvasEdge) -> bool:
    """Whether an edge makes its source a part of its target: a tool or a model of an agent."""
    return edge.port in (AS_TOOL, AS_MODEL) or edge.field == TOOL_FIELD or edge.field in MODEL_FIELDS


def is_text(node: CanvasNode) -> bool:
    """Whether what leaves it is a text that is known without running its code."""
    return node.kind in (*CHAT_INPUTS, *PROMPTS, *LOOPS, *HISTORIES, *JOINS, *PARSERS, *PASSING)
