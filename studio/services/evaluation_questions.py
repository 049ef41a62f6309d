"""Runs in which an evaluation asks a model: to judge, to prefer, or to answer in place of a person."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from studio.components import JsonObject
from studio.errors import ConfigError, Forbidden, SetupError
from studio.runs import RunControl, RunExists, SpendingScope
from studio.runs.journal.log import Reuse
from studio.services.evaluation_limits import budget_within
from studio.store import StorageUnavailable
from studio.store.evaluation_tables import Evaluation
from studio.store.evaluations import Shares


class ModelQuestion(NamedTuple):
    """What an evaluation asks a model.

    Args:
        run_id: Of the run in which it is asked.
        component: A team of the model alone.
        text: The question.
        name: What the run is called.
        by: Who asks.
        shares: What the run may take of the limit of the evaluation.
        reuse: Whose answers it may take.
    """

    run_id: str
    component: JsonObject
    text: str
    name: str
    by: str
    shares: Shares
    reuse: Reuse | None = None


async def begin_asking(control: RunControl, books: SpendingScope, row: Evaluation, asked: ModelQuestion) -> str:
    """Begin the run of a question, once. Returns what is wrong where it cannot begin, else "".

    Raises:
        StorageUnavailable: It is not known whether it has begun.
    """
    await books.budgets.set(f"run:{asked.run_id}", budget_within(books, row.team_id, asked.shares))
    try:
        with suppress(RunExists):  # a process began it that was killed before it could say so
            await control.start(
                asked.component,
                asked.text,
                team_id=row.team_id,
                team_name=asked.name,
                by=f"{asked.by} {row.id}",
                run_id=asked.run_id,
                listing="evaluation",
                reuse=asked.reuse,
            )
    except StorageUnavailable:
        raise
    except (ConfigError, Forbidden, SetupError) as error:
        return error.what
    return ""
