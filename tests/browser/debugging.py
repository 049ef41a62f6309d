"""Teams to debug, and the debugger as a test drives it."""

from __future__ import annotations

import json

from playwright.sync_api import Page

from studio.components import JsonObject
from tests.browser.playing import agent, round_robin

SOURCE = "def shout(text: str) -> str:\n    return text.upper()\n"


DECISION = "[data-decision]"


def scripted(*replies: str | JsonObject) -> JsonObject:
    abilities: JsonObject = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    return {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "replay_chat_completion_client",
        "config": {
            "chat_completions": list(replies),
            "model_info": {**abilities, "function_calling": True, "family": "unknown"},
        },
    }


def shouting() -> JsonObject:
    """A team whose agent calls a tool, whose result it then says."""
    call: JsonObject = {
        "finish_reason": "function_calls",
        "content": [{"id": "1", "name": "shout", "arguments": json.dumps({"text": "hello"})}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        "cached": False,
    }
    clerk = agent("clerk", scripted(call))
    tool: JsonObject = {
        "provider": "autogen_core.tools.FunctionTool",
        "component_type": "tool",
        "config": {"source_code": SOURCE, "name": "shout", "description": "Says it loudly.", "global_imports": []},
    }
    config = clerk["config"]
    assert isinstance(config, dict)
    config.update({"tools": [tool], "model_client_stream": False})
    return round_robin(clerk, message_count=2)


def pair() -> JsonObject:
    writer, critic = agent("writer", scripted("One.", "Three.")), agent("critic", scripted("Two.", "Four."))
    return round_robin(writer, critic, message_count=4)


def ask_before(page: Page, tool: str) -> None:
    """Set on the page, before the run, that a tool asks."""
    page.get_by_role("tab", name="Debug").click()
    page.get_by_label(f"Rule for {tool}").select_option("ask")
