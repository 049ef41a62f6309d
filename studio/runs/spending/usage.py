"""What the calls of a run have taken so far, by the effects in its log."""

from __future__ import annotations

from pydantic import JsonValue

from studio.runs.log import JsonObject, Usage

MOST_TOKENS = 10**12
"""Of one model call. A service can say any number; the database and the pages cannot hold any."""


def with_effect(usage: Usage, effect: JsonObject) -> Usage:
    """The usage with what one effect took; the same one where it took nothing."""
    result = effect.get("result") if effect.get("effect") == "model" else None
    used = result.get("usage") if isinstance(result, dict) else None
    if not isinstance(used, dict):
        return usage
    spent = effect.get("spent")
    cost = spent.get("micro_usd") if isinstance(spent, dict) else None
    prompt, completion = _count(used.get("prompt_tokens")), _count(used.get("completion_tokens"))
    return usage.plus(prompt, completion, None if cost is None else _count(cost))


def _count(value: JsonValue) -> int:
    return min(max(value, 0), MOST_TOKENS) if isinstance(value, int) else 0
