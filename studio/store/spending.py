"""Adds what calls took to the sums by day, agent and model, in the transaction that logs them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue
from sqlalchemy import Connection, text

from studio.runs import LogEntry

KEY = ("run_id", "day", "agent", "kind", "name")
SUMS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "micro_usd", "unpriced_calls", "ms")

# The same words in SQLite and PostgreSQL; compiled once.
_ADD = text(
    f"INSERT INTO spending ({', '.join(KEY)}, team_id, team_name, {', '.join(SUMS)}) "
    f"SELECT {', '.join(':' + name for name in KEY)}, COALESCE(run.team_id, ''), run.team_name, "
    f"{', '.join('CAST(:' + name + ' AS BIGINT)' for name in SUMS)} FROM run WHERE run.id = :run_id "
    f"ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET "
    f"{', '.join(f'{name} = spending.{name} + excluded.{name}' for name in SUMS)}"
)


def add_spending(connection: Connection, entries: Sequence[LogEntry]) -> None:
    """Add what these entries say that their calls took; each agent and model once, however many calls there are."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for entry in entries:
        if entry.kind != "effect" or not isinstance(spent := entry.body.get("spent"), dict):
            continue
        key = (
            entry.run_id,
            entry.at.date().isoformat(),
            str(spent.get("agent", "")),
            str(entry.body.get("effect")),
            str(spent.get("name", "")),
        )
        so_far = sums.setdefault(key, [0] * len(SUMS))
        for place, value in enumerate(_counts(entry.body, spent)):
            so_far[place] += value
    if sums:
        names = (*KEY, *SUMS)
        connection.execute(_ADD, [_row(names, (*key, *values)) for key, values in sums.items()])


def _row(names: Sequence[str], values: Sequence[object]) -> dict[str, object]:
    return dict(zip(names, values, strict=True))


def _counts(body: dict[str, JsonValue], spent: dict[str, JsonValue]) -> list[int]:
    is_unpriced = body.get("effect") == "model" and spent.get("micro_usd", 0) is None
    numbers = {**spent, "calls": 1, "unpriced_calls": int(is_unpriced)}
    return [value if isinstance(value := numbers.get(name), int) else 0 for name in SUMS]
