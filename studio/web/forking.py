"""What a page asks for when it forks a run, in the words of the log: entries, messages and results of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject, take_out_secrets
from studio.errors import ConfigError, NotFound
from studio.runs import LogEntry, Wish
from studio.store import Store
from studio.web.prompt_view import answer_behind, log_until

TOOLS_AT_ONCE = 500


async def wish_of(
    store: Store,
    run_id: str,
    seq: int,
    *,
    component: JsonObject | None,
    task: JsonValue,
    amendments: Mapping[str, str | None],
    tool_results: Mapping[str, str],
) -> Wish:
    """What is to be otherwise behind an entry.

    Args:
        tool_results: Other texts for what tools gave, by the ids of their calls.

    Raises:
        ConfigError: No tool gave what is to be changed.
    """
    clean = None if component is None else cast("JsonObject", take_out_secrets(component)[0])
    entries = await log_until(store, run_id, seq) if tool_results else []
    results: dict[int, JsonValue] = {}
    for call_id, text in tool_results.items():
        effect = _effect_of(entries, call_id)
        results[effect.seq] = _saying(effect.body.get("result"), text)
    return Wish(clean, task, amendments, results)


async def before_call(store: Store, run_id: str, seq: int) -> int:
    """Number of the entry behind which the model is asked anew for what stands at `seq`.

    Raises:
        NotFound: No model was asked for it.
    """
    answer = answer_behind(await log_until(store, run_id, seq), seq)
    if answer is None:
        raise NotFound("No model was asked for this entry.", fix="Choose what an agent said or did.")
    return answer - 1


async def tools_called(store: Store, run_id: str) -> list[str]:
    """Names of the tools in a run's log, in the order of their first calls."""
    found: dict[str, None] = {}
    after = 0
    while page := await store.runs.read(run_id, after=after, limit=TOOLS_AT_ONCE, kinds=("effect",)):
        found |= dict.fromkeys(str(one.body.get("source")) for one in page if one.body.get("effect") == "tool")
        after = page[-1].seq
    return list(found)


def _effect_of(entries: Sequence[LogEntry], call_id: str) -> LogEntry:
    """The recorded result of a call: the newest of the tool, before its event, that says the same."""
    for place, entry in enumerate(entries):
        told = _result_in(entry, call_id)
        if told is None:
            continue
        of_tool = [one for one in entries[:place] if _is_of_tool(one, str(told.get("name")))]
        same = [one for one in of_tool if str(told.get("content")) in _texts(one.body.get("result"))]
        if found := (same or of_tool):
            return found[-1]
    raise ConfigError(f"No tool was called by {call_id!r}.", where="/tool_results")


def _result_in(entry: LogEntry, call_id: str) -> JsonObject | None:
    content = entry.body.get("content")
    if entry.body.get("type") != "ToolCallExecutionEvent" or not isinstance(content, list):
        return None
    return next((one for one in content if isinstance(one, dict) and one.get("call_id") == call_id), None)


def _is_of_tool(entry: LogEntry, name: str) -> bool:
    return entry.kind == "effect" and entry.body.get("effect") == "tool" and entry.body.get("source") == name


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
