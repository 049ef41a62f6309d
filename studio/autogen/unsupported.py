"""What of AutoGen is not here, and what a script can do about it; said by the `ImportError` of each such name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from studio.agents import OpenAIAssistantAgent, VideoSurfer
from studio.autogen.names import MODULES, names_in

_SEARCH = "Write a FunctionTool that asks the service, or use a server of its own with a McpWorkbench."
_SPANS = "The engine writes no spans; make them with OpenTelemetry's own tracer, or read a run's log in the studio."
_BROWSER = "Use a MultimodalWebSurfer, which drives the browser itself."

_RENAMED = {
    "autogen_agentchat.messages.AgentMessage": "autogen_agentchat.messages.BaseChatMessage, or BaseAgentEvent",
    "autogen_agentchat.task.Console": "autogen_agentchat.ui.Console",
    "autogen_agentchat.task": "autogen_agentchat.conditions",
    "autogen_core.application": "autogen_core",
    "autogen_core.base": "autogen_core",
    "autogen_core.components.models": "autogen_core.models",
    "autogen_core.components.tools": "autogen_core.tools",
    "autogen_core.components": "autogen_core",
    "autogen_ext.models.AzureOpenAIChatCompletionClient": "autogen_ext.models.openai.AzureOpenAIChatCompletionClient",
    "autogen_ext.models.OpenAIChatCompletionClient": "autogen_ext.models.openai.OpenAIChatCompletionClient",
    "autogen_ext.tools.LangChainToolAdapter": "autogen_ext.tools.langchain.LangChainToolAdapter",
}
"""Names of before AutoGen 0.4.0 stable, and where they are now."""

_REASONS: dict[str, str] = {
    **{old: f"AutoGen has renamed it: import {new}." for old, new in _RENAMED.items()},
    "autogen_core.trace_create_agent_span": _SPANS,
    "autogen_core.trace_invoke_agent_span": _SPANS,
    "autogen_core.trace_tool_span": _SPANS,
    "autogen_ext.agents.azure": "Its agents live in Azure AI Foundry. Use an AssistantAgent or an OpenAIAgent.",
    "autogen_ext.agents.openai.OpenAIAssistantAgent": OpenAIAssistantAgent.why(),
    "autogen_ext.agents.video_surfer": VideoSurfer.why(),
    "autogen_ext.agents.web_surfer.PlaywrightController": _BROWSER,
    "autogen_ext.agents.web_surfer.playwright_controller": _BROWSER,
    "autogen_ext.code_executors.azure": "Use a DockerCommandLineCodeExecutor.",
    "autogen_ext.code_executors.docker_jupyter": "Use a DockerJupyterCodeExecutor, which asks its kernel itself.",
    "autogen_ext.experimental": (
        "Use one of the memories: ListMemory, ChromaDBVectorMemory, RedisMemory, Mem0Memory or TextCanvasMemory."
    ),
    "autogen_ext.models.openai.AZURE_OPENAI_USER_AGENT": "Give the client's `default_headers` a user agent.",
    "autogen_ext.models.semantic_kernel": "Use the client of the service itself, such as OpenAIChatCompletionClient.",
    "autogen_ext.tools.azure": _SEARCH,
    "autogen_ext.tools.graphrag": _SEARCH,
    "autogen_ext.tools.semantic_kernel": "Make a FunctionTool of the function.",
}
"""By name or module; a module speaks for all in it that has no words of its own."""

_UNKNOWN = "Take the import out, or run this script with AutoGen."


def advice(name: str, there: Iterable[str]) -> str:
    """What to do about a name that is missing.

    Args:
        name: The dotted name of a module, or of something in it.
        there: Dotted names that are not missing; one of them may have been meant.
    """
    known = known_reason(name) or known_reason(".".join(part for part in name.split(".") if not part.startswith("_")))
    if known:
        return known
    module, _, last = name.rpartition(".")
    beside = sorted(each.rpartition(".")[2] for each in there if each.rpartition(".")[0] == module)
    elsewhere = sorted({place for place in _public_places(last) if place != module})
    if elsewhere:
        return f"It is in {' and in '.join(elsewhere[:2])}."
    for meant in get_close_matches(last, beside, n=1, cutoff=0.75):
        return f"Did you mean {meant!r}?"
    return _UNKNOWN


def _public_places(name: str) -> Iterator[str]:
    """The public modules that have the name."""
    for module in MODULES:
        is_public = not any(part.startswith("_") for part in module.split("."))
        if is_public and any(place.shown == name for place in names_in(module)):
            yield module


def known_reason(name: str) -> str:
    """Why it is missing, where that was decided; else nothing."""
    while name:
        if name in _REASONS:
            return _REASONS[name]
        name = name.rpartition(".")[0]
    return ""
