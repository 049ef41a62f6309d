"""Adds what calls took to the sums by day, agent and model, in the transaction that logs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, delete, text, update
from sqlmodel import col

from studio.runs.journal.log import Body
from studio.store.sqlite import plain_connection
from studio.store.tables import SpendingHold, table_of

KEY = ("run_id", "day", "agent", "kind", "name")
SUMS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "micro_usd", "unpriced_calls", "ms")

# The same words in SQLite and PostgreSQL; compiled once.
_ADD_PLAINLY = (
    f"INSERT INTO spending ({', '.join(KEY)}, team_id, team_name, {', '.join(SUMS)}) "
    f"SELECT run.id, {', '.join(':' + name for name in KEY[1:])}, COALESCE(run.team_id, ''), run.team_name, "
    f"{', '.join('CAST(:' + name + ' AS BIGINT)' for name in SUMS)} FROM run WHERE run.id = :run_id "
    f"ON CONFLICT ({', '.join(KEY)}) DO UPDATE SET "
    f"{', '.join(f'{name} = spending.{name} + excluded.{name}' for name in SUMS)}"
)
_ADD = text(_ADD_PLAINLY)


def add_spending(connection: Connection, day: date, effects: Iterable[tuple[str, Body]]) -> None:
    """Add what these effects of runs say that their calls took; each agent and model once, however many calls."""
    calls: defaultdict[tuple[object, ...], list[dict[str, Any]]] = defaultdict(list)
    held: list[dict[str, Any]] = []
    for run_id, body in effects:
        if isinstance(body, str):
            continue
        spent: Any = body.get("spent")
        if spent:
            calls[run_id, spent["agent"], body["effect"], spent["name"]].append(spent)
            if "hold" in spent:
                held.append(spent)
    if calls:
        names = ("run_id", "agent", "kind", "name")
        rows = [{"day": day.isoformat(), **dict(zip(names, key, strict=True)), **_sums(calls[key])} for key in calls]
        if plain := plain_connection(connection):
            plain.executemany(_ADD_PLAINLY, rows)
        else:
            connection.execute(_ADD, rows)
    if held:
        _settle(connection, held)


def _settle(connection: Connection, held: Sequence[dict[str, Any]]) -> None:
    """Set nothing aside any more for what is counted by now: of a call without a price these are its tokens."""
    priced = [spent["hold"] for spent in held if spent["micro_usd"] is not None]
    unpriced = [spent["hold"] for spent in held if spent["micro_usd"] is None]
    connection.execute(delete(table_of(SpendingHold)).where(col(SpendingHold.id).in_(priced)))
    connection.execute(update(table_of(SpendingHold)).where(col(SpendingHold.id).in_(unpriced)).values(tokens=0))


def _sums(calls: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Of one model or tool: a tool's calls tell only how long they took."""
    sums: dict[str, int] = dict.fromkeys(SUMS, 0)
    sums["calls"] = len(calls)
    for name in calls[0].keys() & sums:
        sums[name] = sum(filter(None, map(itemgetter(name), calls)))
    if "micro_usd" in calls[0]:
        sums["unpriced_calls"] = [*map(itemgetter("micro_usd"), calls)].count(None)
    return sums
