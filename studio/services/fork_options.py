"""What a page asks for when it forks a run, in the words of the log: entries, messages and results of tools."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from typing import NoReturn, cast

from pydantic import JsonValue

from studio.components import JsonObject, extract_secrets
from studio.errors import ConfigError, NotFound
from studio.runs import ForkOptions, LogEntry
from studio.services.prompts import answer_behind, entries_before
from studio.store import Store

TOOLS_AT_ONCE = 500


async def fork_options(
    store: Store,
    run_id: str,
    seq: int,
    *,
    component: JsonObject | None,
    task: JsonValue,
    edits: Mapping[str, str | None],
    tool_results: Mapping[str, str],
) -> ForkOptions:
    """What is to be otherwise behind an entry.

    Args:
        tool_results: Other texts for what tools gave, by the ids of their calls.

    Raises:
        ConfigError: No tool gave what is to be changed.
    """
    clean = None if component is None else cast("JsonObject", extract_secrets(component)[0])
    results: dict[int, JsonValue] = {}
    for call_id, text in tool_results.items():
        effect = await _effect_of(store, run_id, seq, call_id)
        results[effect.seq] = _saying(effect.body.get("result"), text)
    return ForkOptions(clean, task, edits, results)


async def before_call(store: Store, run_id: str, seq: int) -> int:
    """Number of the entry behind which the model is asked anew for what stands at `seq`.

    Raises:
        NotFound: No model was asked for it.
    """
    answer = await answer_behind(store, run_id, seq)
    if answer is None:
        raise NotFound("This entry has no model call.", fix="Select an agent message or a tool call.")
    return answer - 1


async def tools_called(store: Store, run_id: str) -> list[str]:
    """Names of the tools in a run's log, in the order of their first calls."""
    found: dict[str, None] = {}
    after = 0
    while page := await store.runs.read(run_id, after=after, limit=TOOLS_AT_ONCE, kinds=("effect",)):
        bodies = [one.body for one in page]
        found |= dict.fromkeys(str(body.get("source")) for body in bodies if body.get("effect") == "tool")
        after = page[-1].seq
    return list(found)


async def _effect_of(store: Store, run_id: str, until: int, call_id: str) -> LogEntry:
    """The recorded result of a call: the newest of the tool, before its event, that says the same."""
    seq, result = await _result_of(store, run_id, until, call_id)
    name, said = str(result.get("name")), str(result.get("content"))
    newest: LogEntry | None = None
    async with aclosing(entries_before(store, run_id, seq, ("effect",))) as effects:
        async for entry in effects:
            body = entry.body
            if body.get("effect") == "tool" and body.get("source") == name:
                if said in _texts(body.get("result")):
                    return entry
                newest = newest or entry
    return newest or _refuse(call_id)


async def _result_of(store: Store, run_id: str, until: int, call_id: str) -> tuple[int, JsonObject]:
    """Number of the event that tells of a call, and what it tells."""
    async with aclosing(entries_before(store, run_id, until + 1, ("event",))) as events:
        async for entry in events:
            if result := _result_in(entry.body, call_id):
                return entry.seq, result
    _refuse(call_id)


def _refuse(call_id: str) -> NoReturn:
    raise ConfigError(f"No tool was called by {call_id!r}.", where="/tool_results")


def _result_in(body: JsonObject, call_id: str) -> JsonObject | None:
    content = body.get("content")
    if body.get("type") != "ToolCallExecutionEvent" or not isinstance(content, list):
        return None
    return next((one for one in content if isinstance(one, dict) and one.get("call_id") == call_id), None)


def _texts(result: JsonValue) -> list[str]:
    """What a recorded result says, as the model may have read it."""
    if not isinstance(result, dict):
        return [str(result)]
    parts = result.get("content")
    joined = [str(part.get("content")) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [str(result.get("text")), str(result.get("error")), "\n".join(joined)]


def _saying(result: JsonValue, text: str) -> JsonValue:
    """A result of the same shape that says something else."""
    if isinstance(result, dict) and isinstance(result.get("content"), list):
        return {"content": [{"type": "TextResultContent", "content": text}], "is_error": False}
    return {"value": text, "text": text}
