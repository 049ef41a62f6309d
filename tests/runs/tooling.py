"""A team of one agent that calls a tool, and the record of what the tool was really called with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import ToolSchema
from studio.runs import Breakpoint, LogEntry, PendingInput, RunState, ToolPolicy
from studio.tools import BaseTool, ToolReturn
from tests.runs.scripted import Studio


@dataclass
class Drawer:
    """Where the tool writes; counts its calls, and lets a test hold them up."""

    calls: list[JsonObject] = field(default_factory=list[JsonObject])
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    called: asyncio.Event = field(default_factory=asyncio.Event)


current_drawer: ContextVar[Drawer] = ContextVar("current_drawer")


class WriteTool(BaseTool):
    """Writes a text to a path."""

    provider = "tests.runs.WriteTool"
    name: str = "write"

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ToolSchema(name=self.name, description="Writes.", parameters={"type": "object", "properties": {}})

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        drawer = current_drawer.get()
        drawer.calls.append(arguments)
        drawer.called.set()
        await drawer.opened.wait()
        text = f"wrote {arguments.get('path')}"
        return ToolReturn(text, text)


def reply(*calls: Mapping[str, JsonValue], tool: str = "write") -> JsonValue:
    """A model's answer that wishes for these calls of the tool."""
    wishes: list[JsonValue] = [
        {"id": f"call-{number}", "name": tool, "arguments": json.dumps(arguments)}
        for number, arguments in enumerate(calls)
    ]
    usage: JsonValue = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"finish_reason": "function_calls", "content": wishes, "usage": usage, "cached": False}


def agent(
    name: str, *replies: JsonValue, tools: tuple[str, ...] = ("write",), delay_s: float = 0, **config: JsonValue
) -> JsonValue:
    """An agent whose model gives these answers; texts and `reply`."""
    abilities: JsonObject = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    model: JsonValue = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "config": {
            "chat_completions": list(replies),
            "delay_s": delay_s,
            "model_info": {**abilities, "function_calling": True, "family": "unknown"},
        },
    }
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_version": 2,
        "config": {
            "name": name,
            "description": "",
            "model_client": model,
            "tools": [{"provider": WriteTool.provider, "config": {"name": tool}} for tool in tools],
            "max_tool_iterations": 9,
            "reflect_on_tool_use": False,
            "tool_call_summary_format": "{result}",
            **config,
        },
    }


def team(*participants: JsonValue, turns: int = 1, **config: JsonValue) -> JsonValue:
    """A round robin of these."""
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"participants": list(participants), "max_turns": turns, **config},
    }


def writing(*paths: str) -> JsonValue:
    """A team whose agent writes to these paths, one after the other, and is then done."""
    return team(agent("clerk", *(reply({"path": path, "text": "x"}) for path in paths), "Done."))


async def started(
    studio: Studio, document: JsonValue, *, policy: ToolPolicy | None = None, breakpoints: Sequence[Breakpoint] = ()
) -> str:
    """A run of a team that these rules and breakpoints are kept with."""
    kept = await studio.store.teams.create(cast("JsonObject", document))
    await studio.store.settings.set_policy(kept.id, policy or ToolPolicy())
    await studio.store.settings.set_breakpoints(kept.id, breakpoints)
    return await studio.supervisor.start(document, "Go.", team_id=kept.id)


async def asked(studio: Studio, run_id: str, reason: str = "approval") -> PendingInput:
    """The question that the run waits on now."""
    pending = (await studio.until(run_id, RunState.PAUSED, reason)).view.pending
    assert pending is not None
    return pending


async def decide(studio: Studio, run_id: str, question: PendingInput, **decision: JsonValue) -> None:
    """Decide as the page does: with the hash that it was shown."""
    data: JsonObject = {"hash": question.details["hash"], **decision}
    await studio.supervisor.command(run_id, "decide", by="ann", request_id=question.request_id, data=data)


def effects_of(log: Sequence[LogEntry], kind: str) -> list[JsonObject]:
    """What was recorded of one kind."""
    return [entry.body for entry in log if entry.kind == "effect" and entry.body["effect"] == kind]
