"""Component JSON as users bring it."""

from __future__ import annotations

import json

from studio.components import JsonObject

ROUND_ROBIN = "autogen_agentchat.teams.RoundRobinGroupChat"


def replay_model(*replies: str) -> JsonObject:
    return {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "replay_chat_completion_client",
        "config": {
            "chat_completions": list(replies),
            "model_info": {
                "vision": False,
                "function_calling": True,
                "json_output": False,
                "structured_output": False,
                "family": "unknown",
            },
        },
    }


def assistant(name: str, *replies: str) -> JsonObject:
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "label": name,
        "config": {
            "name": name,
            "model_client": replay_model(*replies or ("Hello.",)),
            "description": "Says what it is told.",
            "system_message": "Say hello.",
            "reflect_on_tool_use": False,
            "tool_call_summary_format": "{result}",
        },
    }


def termination(max_messages: int | str) -> JsonObject:
    return {
        "provider": "autogen_agentchat.conditions.MaxMessageTermination",
        "component_type": "termination",
        "config": {"max_messages": max_messages},
    }


def team(*agents: JsonObject, label: str = "Greeters", max_messages: int | str = 3) -> JsonObject:
    return {
        "provider": ROUND_ROBIN,
        "component_type": "team",
        "label": label,
        "config": {
            "participants": list(agents) or [assistant("writer"), assistant("critic")],
            "termination_condition": termination(max_messages),
        },
    }


def function_tool(source: str, name: str = "shout") -> JsonObject:
    return {
        "provider": "autogen_core.tools.FunctionTool",
        "component_type": "tool",
        "label": name,
        "config": {
            "source_code": source,
            "name": name,
            "description": "Says it loudly.",
            "global_imports": [],
            "has_cancellation_support": False,
        },
    }


def gallery(name: str = "Examples", **groups: list[JsonObject]) -> JsonObject:
    return {
        "id": "examples",
        "name": name,
        "metadata": {"author": "A person", "version": "1.0.0", "description": "For tests."},
        "components": {group: list(members) for group, members in groups.items()},
    }


USER_PROXY: JsonObject = {
    "provider": "autogen_agentchat.agents.UserProxyAgent",
    "component_type": "agent",
    "config": {"name": "person", "description": "A person."},
}


SOURCE = "def shout(text: str) -> str:\n    return text.upper()\n"
ASK: JsonObject = {"policy": {"rules": [{"tool": "shout", "verdict": "ask"}]}}


def shouting() -> JsonObject:
    """A team whose agent calls a tool and then speaks."""
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    model = config["model_client"]
    assert isinstance(model, dict)
    assert isinstance(model["config"], dict)
    call: JsonObject = {"id": "1", "name": "shout", "arguments": json.dumps({"text": "hello"})}
    usage: JsonObject = {"prompt_tokens": 1, "completion_tokens": 1}
    model["config"]["chat_completions"] = [
        {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    ]
    config["tools"] = [function_tool(SOURCE)]
    return team(agent, max_messages=2)
