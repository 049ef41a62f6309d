"""What Agent Framework has: the class that a part becomes, and the fields of it that are written there."""

from __future__ import annotations

from collections.abc import Mapping

from studio.agents import AgentTool, AssistantAgent, MessageFilterAgent
from studio.components import Component
from studio.conditions import (
    AndTerminationCondition,
    HandoffTermination,
    MaxMessageTermination,
    OrTerminationCondition,
    SourceMatchTermination,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
)
from studio.contexts import BufferedChatCompletionContext, UnboundedChatCompletionContext
from studio.exporters.agent_framework_helpers import CORE, ORCHESTRATIONS
from studio.memory import ListMemory
from studio.models import (
    AnthropicChatCompletionClient,
    AzureOpenAIChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
    ReplayChatCompletionClient,
)
from studio.teams import GraphFlow, MagenticOneGroupChat, RoundRobinGroupChat, SelectorGroupChat, Swarm
from studio.teams.team_tool import TeamTool
from studio.tools import FunctionTool, StaticStreamWorkbench, StaticWorkbench
from studio.tools.mcp import McpWorkbench

_ABC = ("AsyncIterator", "Awaitable", "Callable", "Collection", "Mapping", "Sequence")
PYTHON: Mapping[str, str] = {
    **{name: f"import {name}" for name in ("asyncio", "itertools", "os", "re", "sys", "time")},
    **{name: f"from collections.abc import {name}" for name in _ABC},
    **{name: f"from typing import {name}" for name in ("Annotated", "Any", "NamedTuple")},
    "Counter": "from collections import Counter",
}
"""What a script may import of Python, with the statements."""

_GROUP_CHAT = (ORCHESTRATIONS, "GroupChatBuilder")
_FUNCTION = (CORE, "tool")
_CONDITIONS = (
    AndTerminationCondition,
    HandoffTermination,
    MaxMessageTermination,
    OrTerminationCondition,
    SourceMatchTermination,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
)
CLASSES: Mapping[type, tuple[str, str]] = {
    **dict.fromkeys((AssistantAgent, MessageFilterAgent), (CORE, "Agent")),
    **dict.fromkeys((GraphFlow, RoundRobinGroupChat, SelectorGroupChat, Swarm), _GROUP_CHAT),
    MagenticOneGroupChat: (ORCHESTRATIONS, "MagenticBuilder"),
    **dict.fromkeys(
        (AzureOpenAIChatCompletionClient, OpenAIChatCompletionClient), (f"{CORE}.openai", "OpenAIChatCompletionClient")
    ),
    AnthropicChatCompletionClient: (f"{CORE}.anthropic", "AnthropicClient"),
    OllamaChatCompletionClient: (f"{CORE}.ollama", "OllamaChatClient"),
    ReplayChatCompletionClient: (CORE, "BaseChatClient"),
    **dict.fromkeys((AgentTool, FunctionTool, TeamTool), _FUNCTION),
    **dict.fromkeys((McpWorkbench, StaticWorkbench, StaticStreamWorkbench), (CORE, "MCPStdioTool")),
    **dict.fromkeys((BufferedChatCompletionContext, UnboundedChatCompletionContext), (CORE, "SlidingWindowStrategy")),
    ListMemory: (CORE, "ContextProvider"),
    **dict.fromkeys(_CONDITIONS, (CORE, "Message")),
}
"""The class that a part becomes, by package; of what becomes a function or a text, one that the function uses."""

OPTIONS: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "stop": "stop",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logit_bias": "logit_bias",
    "user": "user",
    "parallel_tool_calls": "allow_multiple_tool_calls",
}
"""Fields of a model client that Agent Framework takes as options of an agent."""
_EVENTS = (
    "emit_team_events",
    "model_client_stream",
    "model_client_streaming",
    "metadata",
    "model_info",
    "stream_options",
)
"""What only tells a person more while a team runs, or the studio about a model: nothing is lost without it."""
_TEAM = ("name", "description", "participants", "termination_condition", "max_turns", "custom_message_types", *_EVENTS)
_FIELDS: Mapping[type, tuple[str, ...]] = {
    AssistantAgent: (
        "name",
        "description",
        "model_client",
        "system_message",
        "tools",
        "workbench",
        "handoffs",
        "model_context",
        "memory",
        "structured_message_factory",
        "reflect_on_tool_use",
        "max_tool_iterations",
        "tool_call_summary_format",
        *_EVENTS,
    ),
    MessageFilterAgent: ("name", "description", "wrapped_agent", "filter"),
    RoundRobinGroupChat: _TEAM,
    SelectorGroupChat: (
        *_TEAM,
        "model_client",
        "selector_prompt",
        "allow_repeated_speaker",
        "max_selector_attempts",
    ),
    Swarm: _TEAM,
    GraphFlow: (*_TEAM, "graph"),
    MagenticOneGroupChat: (*_TEAM, "model_client", "max_stalls"),
    OpenAIChatCompletionClient: (
        "model",
        "api_key",
        "base_url",
        "organization",
        "default_headers",
        *OPTIONS,
        *_EVENTS,
    ),
    AzureOpenAIChatCompletionClient: (
        "model",
        "api_key",
        "azure_endpoint",
        "azure_deployment",
        "api_version",
        "default_headers",
        *OPTIONS,
        *_EVENTS,
    ),
    AnthropicChatCompletionClient: ("model", "api_key", "base_url", "max_tokens", "temperature", "top_p", *_EVENTS),
    OllamaChatCompletionClient: ("model", "host", *_EVENTS),
    ReplayChatCompletionClient: ("chat_completions", "repeats", *_EVENTS),
    AgentTool: ("agent", "return_value_as_last_message"),
    TeamTool: ("team", "name", "description", "return_value_as_last_message"),
    FunctionTool: ("name", "description", "source_code", "global_imports", "has_cancellation_support"),
    McpWorkbench: ("server_params",),
    StaticWorkbench: ("tools",),
    StaticStreamWorkbench: ("tools",),
    BufferedChatCompletionContext: ("buffer_size", "initial_messages"),
    TextMentionTermination: ("text", "sources"),
    MaxMessageTermination: ("max_messages",),
    SourceMatchTermination: ("sources",),
    TextMessageTermination: ("source",),
    TimeoutTermination: ("timeout_seconds",),
    HandoffTermination: ("target",),
    AndTerminationCondition: ("conditions",),
    OrTerminationCondition: ("conditions",),
}


def fields_of(cls: type[Component]) -> tuple[str, ...]:
    """The fields of a class that are in the script, or that nothing is lost without."""
    return _FIELDS.get(cls, ())
