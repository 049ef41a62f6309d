"""Adds what calls took to the sums by day, agent and model, in the transaction that logs them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sqlalchemy import Connection, text

from studio.runs.log import Body

KEY = ("run_id", "day", "agent", "kind", "name")
SUMS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "micro_usd", "unpriced_calls", "ms")
_CALLS, _UNPRICED = SUMS.index("calls"), SUMS.index("unpriced_calls")
_TOLD = [(place, name) for place, name in enumerate(SUMS) if place not in (_CALLS, _UNPRICED)]

# The same words in SQLite and PostgreSQL; compiled once.
_ADD = text(
    f"INSERT INTO spending ({', '.join(KEY)}, team_id, team_name, {', '.join(SUMS)}) "
    f"SELECT {', '.join(':' + name for name in KEY)}, COALESCE(run.team_id, ''), run.team_name, "
    f"{', '.join('CAST(:' + name + ' AS BIGINT)' for name in SUMS)} FROM run WHERE run.id = :run_id "
    f"ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET "
    f"{', '.join(f'{name} = spending.{name} + excluded.{name}' for name in SUMS)}"
)


def add_spending(connection: Connection, day: date, effects: Iterable[tuple[str, Body]]) -> None:
    """Add what these effects of runs say that their calls took; each agent and model once, however many calls."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for run_id, body in effects:
        if isinstance(body, str) or not isinstance(spent := body.get("spent"), dict):
            continue
        key = (run_id, str(spent.get("agent", "")), str(body.get("effect")), str(spent.get("name", "")))
        so_far = sums.get(key) or sums.setdefault(key, [0] * len(SUMS))
        so_far[_CALLS] += 1
        so_far[_UNPRICED] += body.get("effect") == "model" and spent.get("micro_usd", 0) is None
        for place, name in _TOLD:
            if isinstance(value := spent.get(name), int):
                so_far[place] += value
    names = ("run_id", "agent", "kind", "name", *SUMS)
    rows = [{"day": day.isoformat(), **dict(zip(names, (*key, *so_far), strict=True))} for key, so_far in sums.items()]
    if rows:
        connection.execute(_ADD, rows)
