"""Logs of long runs, written through the store, so that a test need not wait for a team to make them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from studio.components import JsonObject
from studio.runs import Draft, EntryKind, NewRun, RunState, RunStatus, Usage
from studio.store import open_store
from tests.browser.playing import round_robin
from tests.browser.servers import StudioServer

AGENTS = 5
TOOL_TURNS = 3
"""Every third turn calls a tool first; every tenth of those calls fails."""
AT = "2026-11-21T16:07:04Z"
TASK = "Write a long book together."


def write_long_run(server: StudioServer, shown: int, name: str = "Long") -> str:
    """Write a run of so many entries that pages show, and some effects beside them. Gives its id."""
    with ThreadPoolExecutor(1) as aside:  # the thread of a browser test has a loop of its own
        return aside.submit(lambda: asyncio.run(_write(server, shown, name))).result()


async def _write(server: StudioServer, shown: int, name: str) -> str:
    model: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "config": {"chat_completions": ["x"]},
    }
    agents: list[JsonObject] = [
        {
            "provider": "autogen_agentchat.agents.AssistantAgent",
            "component_type": "agent",
            "config": {"name": f"agent_{number}", "model_client": model},
        }
        for number in range(AGENTS)
    ]
    run = NewRun(component=round_robin(*agents, message_count=shown), task=TASK, task_text=TASK, team_name=name)
    running = RunStatus(state=RunState.RUNNING, reason="start")
    async with open_store(server.data_dir, server.database_url) as store:
        lease = await store.runs.create(run)
        waiting: list[Draft] = []
        for draft in _log(shown):
            waiting.append(draft)
            if len(waiting) == 1000:
                await store.runs.append(lease, waiting, running)
                waiting = []
        usage = Usage(prompt_tokens=100 * shown, completion_tokens=50 * shown)
        ended = RunStatus(state=RunState.FINISHED, reason="condition", detail="The book is done.", usage=usage)
        waiting.append(Draft("state", {"state": "finished", "reason": "condition", "detail": "The book is done."}))
        await store.runs.append(lease, waiting, ended)
        return lease.run_id


def _log(shown: int) -> Iterator[Draft]:
    yield Draft("command", {"command": "start", "by": "owner"})
    yield Draft("state", {"state": "running", "reason": "start", "detail": ""})
    yield Draft("message", said("user", "task", TASK, None))
    written = 4  # the end is one as well
    turn = 0
    while written < shown:
        for draft in _turn(turn):
            written += draft.kind != "effect"
            yield draft
            if written == shown:
                return
        turn += 1


def _turn(turn: int) -> Iterator[Draft]:
    who = f"agent_{turn % AGENTS}"
    told: JsonObject = {"source": "RoundRobinGroupChatManager", "created_at": AT, "team": "long", "path": []}
    names: list[object] = [f"agent_{number}" for number in range(AGENTS)]
    decision = {"candidates": names, "chosen": [who], "rule": "order", "reason": "Next in turn.", "prompt": ""}
    rest: dict[str, object] = {"attempts": [], "edges": [], "type": "SpeakerDecisionEvent"}
    yield _draft("explanation", told | decision | rest)
    yield _draft(
        "effect", {"effect": "model", "source": "Replay", "request": "0" * 64, "result": {"content": "word " * 90}}
    )
    if turn % TOOL_TURNS == 0:
        call = {"id": f"call-{turn}", "arguments": f'{{"chapter": {turn}}}', "name": "look_up"}
        result = {"content": "A result. " * 8, "name": "look_up", "call_id": call["id"], "is_error": turn % 30 == 0}
        yield _draft("event", _event(who, f"ask-{turn}", "ToolCallRequestEvent", [call]))
        yield _draft("event", _event(who, f"got-{turn}", "ToolCallExecutionEvent", [result]))
    progress = {"in_words": "enough is said", "so_far": f"{turn} of 9999 messages", "unit": "messages", "done": turn}
    condition: dict[str, object] = {
        "where": "/config/termination_condition",
        "within": list[str](),
        "limit": 9999,
        "has_fired": False,
        **progress,
    }
    yield _draft(
        "explanation", told | {"conditions": [condition], "stop_reason": None, "type": "TerminationProgressEvent"}
    )
    words = f"Message {turn}. " + "Some words of an answer. " * (turn % 20 + 1)
    yield Draft("message", said(who, f"message-{turn}", words, {"prompt_tokens": 100, "completion_tokens": 50}))


def said(source: str, name: str, content: str, usage: JsonObject | None) -> JsonObject:
    """A message as the log holds it."""
    body: JsonObject = {"id": name, "source": source, "models_usage": usage, "metadata": {}, "created_at": AT}
    return {**body, "content": content, "type": "TextMessage"}


def _event(source: str, name: str, kind: str, content: Sequence[Mapping[str, object]]) -> dict[str, object]:
    body: dict[str, object] = {"id": name, "source": source, "models_usage": None, "metadata": {}, "created_at": AT}
    return {**body, "content": content, "type": kind}


def _draft(kind: EntryKind, body: Mapping[str, object]) -> Draft:
    return Draft(kind, cast("JsonObject", dict(body)))
