"""What this process counts for Prometheus while it writes logs, and what all processes have left to do.

No metric tells of a team, a person or what was said, and each label has a limited number of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from prometheus_client import CollectorRegistry, Counter, Histogram
from sqlalchemy import func
from sqlmodel import col, select

from studio.runs import RunState
from studio.runs.journal.log import Body
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


def observe_append(seconds: float, entries: int, effects: Iterable[Body]) -> None:
    """Count one committed transaction and the calls that it tells of, each model once.

    Args:
        seconds: How long it took.
        entries: How many it wrote.
        effects: What those say that tell of a call.
    """
    LOG_APPEND.observe(seconds)
    LOG_ENTRIES.inc(entries)
    answered: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for said in effects:
        # What is text would have to be read again, and what was reused was counted then.
        if not isinstance(said, str) and said.get("effect") == "model" and "reused" not in said:
            spent: dict[str, Any] = cast("Any", said.get("spent")) or {}
            if said.get("error"):
                _counters_of(str(spent.get("name") or "")).errors.inc()
            else:
                answered[str(spent.get("name") or "")].append(spent)
    for model, calls in answered.items():
        _counters_of(model).add(calls)


class _ModelCounters:
    """Those of one model. To look one up by its labels takes longer than to count with it."""

    def __init__(self, label: str) -> None:
        self.errors = MODEL_ERRORS.labels(label)
        self._calls = MODEL_CALLS.labels(label)
        self._prompt_tokens = MODEL_TOKENS.labels(label, "prompt")
        self._completion_tokens = MODEL_TOKENS.labels(label, "completion")

    def add(self, calls: Sequence[dict[str, Any]]) -> None:
        """Count what was spent on calls that were answered."""
        self._calls.inc(len(calls))
        self._prompt_tokens.inc(sum(spent.get("prompt_tokens") or 0 for spent in calls))
        self._completion_tokens.inc(sum(spent.get("completion_tokens") or 0 for spent in calls))


_counters: dict[str, _ModelCounters] = {}


def _counters_of(model: str) -> _ModelCounters:
    if (found := _counters.get(model)) is not None:
        return found
    label = model if model and len(model) <= MAX_MODEL_NAME and len(_counters) < MAX_MODELS else OTHER
    return _counters.setdefault(label, _ModelCounters(label))


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
