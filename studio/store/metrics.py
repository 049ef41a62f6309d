"""What this process counts for Prometheus while it writes logs, and what all processes have left to do.

No metric tells of a team, a person or what was said, and each label has a limited number of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from prometheus_client import CollectorRegistry, Counter, Histogram
from sqlalchemy import func
from sqlmodel import col, select

from studio.runs import LogEntry, RunState
from studio.store.database import Database
from studio.store.tables import Run, RunCommand, RunSubmission

REGISTRY = CollectorRegistry()
"""Everything that this process counts; the library's own has metrics of whichever package is imported."""
MAX_MODELS = 50
MAX_MODEL_NAME = 100
OTHER = "other"
"""The label of all models that come after the first `MAX_MODELS`: teams choose their names."""
OPEN_STATES = tuple(state for state in RunState if not state.is_final)

LOG_APPEND = Histogram(
    "studio_log_append_seconds",
    "Time of the transactions that append to run logs.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 60),
    registry=REGISTRY,
)
LOG_ENTRIES = Counter("studio_log_entries", "Entries appended to run logs.", registry=REGISTRY)
MODEL_CALLS = Counter("studio_model_calls", "Model calls that were answered.", ["model"], registry=REGISTRY)
MODEL_ERRORS = Counter("studio_model_errors", "Model calls that failed.", ["model"], registry=REGISTRY)
MODEL_TOKENS = Counter("studio_model_tokens", "Tokens of model calls.", ["model", "direction"], registry=REGISTRY)

_models: set[str] = set()


def observe_append(seconds: float, entries: Sequence[LogEntry]) -> None:
    """Count one committed transaction and the calls that its entries tell of, each model once."""
    LOG_APPEND.observe(seconds)
    LOG_ENTRIES.inc(len(entries))
    answered: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    failed: list[str] = []
    for effect in [entry.body_json for entry in entries if entry.kind == "effect"]:
        if isinstance(effect, str):  # it would have to be read again
            continue
        if effect.get("effect") != "model" or "reused" in effect:
            continue
        spent: dict[str, Any] = cast("Any", effect.get("spent")) or {}
        model = str(spent.get("name") or "")
        if effect.get("error"):
            failed.append(model)
        else:
            sums = answered[model]
            sums[0] += 1
            sums[1] += spent.get("prompt_tokens") or 0
            sums[2] += spent.get("completion_tokens") or 0
    for model in failed:
        MODEL_ERRORS.labels(_label(model)).inc()
    for model, (calls, prompt_tokens, completion_tokens) in answered.items():
        label = _label(model)
        MODEL_CALLS.labels(label).inc(calls)
        MODEL_TOKENS.labels(label, "prompt").inc(prompt_tokens)
        MODEL_TOKENS.labels(label, "completion").inc(completion_tokens)


def _label(model: str) -> str:
    if not model or len(model) > MAX_MODEL_NAME:
        return OTHER
    if model not in _models:
        if len(_models) >= MAX_MODELS:
            return OTHER
        _models.add(model)
    return model


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is under way or waits for whoever drives runs, in the whole database."""

    runs: dict[str, int]
    """Runs that have not ended, by state."""
    submissions: int
    oldest_submission_s: float
    commands: int


class BacklogReader:
    """Counts the backlog. Each query reads what is open and nothing that has ended, however much that is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> Backlog:
        """Raises: StorageUnavailable."""
        by_state = select(Run.state, func.count()).where(col(Run.state).in_(OPEN_STATES)).group_by(col(Run.state))
        waiting = select(func.count(), func.min(col(RunSubmission.at))).select_from(RunSubmission)
        unsettled = select(func.count()).select_from(RunCommand).where(col(RunCommand.outcome).is_(None))
        async with self._database.read() as session:
            found = {state: count for state, count in await session.exec(by_state)}
            submissions, oldest = (await session.exec(waiting)).one()
            commands = (await session.exec(unsettled)).one()
        age_s = (datetime.now(UTC) - oldest).total_seconds() if oldest else 0.0
        return Backlog({state: found.get(state, 0) for state in OPEN_STATES}, submissions, max(0.0, age_s), commands)
