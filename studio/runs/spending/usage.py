"""What the calls of a run have taken so far, by the effects that go into its log."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from studio.runs.log import JsonObject, Usage

MOST_TOKENS = 10**12
"""Of one model call. A service can say any number; the database and the pages cannot hold any."""
MOST_MICRO_USD = MOST_TOKENS


def with_effect(usage: Usage, effect: JsonObject) -> Usage:
    """The usage with what one effect took; the same one where it took nothing."""
    spent: Any = effect.get("spent") or {}
    prompt, completion, cost = spent.get("prompt_tokens"), spent.get("completion_tokens"), spent.get("micro_usd")
    if not prompt:  # nothing was charged for it, but the model may have told what it took
        result = effect.get("result") if effect.get("effect") == "model" else None
        used = result.get("usage") if isinstance(result, dict) else None
        if not isinstance(used, dict):
            return usage
        prompt, completion = tokens_in(used.get("prompt_tokens")), tokens_in(used.get("completion_tokens"))
    return Usage(
        usage.prompt_tokens + prompt,
        usage.completion_tokens + completion,
        usage.micro_usd + (min(cost, MOST_MICRO_USD) if cost else 0),
        usage.unpriced_calls + (cost is None),
    )


def tokens_in(value: JsonValue) -> int:
    """As many as a service says, within bounds."""
    return min(max(value, 0), MOST_TOKENS) if isinstance(value, int) else 0
