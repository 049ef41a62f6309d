"""What a run of an evaluation may take, and whether that is what stopped it."""

from __future__ import annotations

from studio.components import JsonObject
from studio.runs import Budget, Limits, RunState, SpendingScope
from studio.runs.middleware.budget import BUDGET_EXCEEDED
from studio.store import Store
from studio.store.evaluations import LIMIT_USED_UP, Shares
from studio.store.tables import Run

PRICE_UNKNOWN = "The price of a model is not known, so a limit in dollars cannot hold. Set its price, or limit tokens."


def budget_within(books: SpendingScope, team_id: str, shares: Shares) -> Budget:
    """The limits of the team for its runs, and what is set aside for this one."""
    general = books.budgets.of_run("", team_id)
    lowered = {
        measure: share if limit is None else min(limit, share)
        for measure, share in shares._asdict().items()
        for limit in (getattr(general.run, measure),)
        if share is not None
    }
    own = Budget(run=Limits(**{**general.run.model_dump(), **lowered}), when_exceeded="stop")
    return own.over(general)


async def limit_reached(store: Store, run: Run) -> JsonObject | None:
    """What the log says of the limit that stopped a run; None where none did."""
    if run.state != RunState.STOPPED.value:
        return None
    states = await store.runs.read(run.id, kinds={"state"})
    error = states[-1].body.get("error") if states else None
    return error if isinstance(error, dict) and error.get("code") == BUDGET_EXCEEDED else None


def held_back(books: SpendingScope, shares: Shares, run: Run, error: JsonObject) -> str:
    """Why the evaluation ends, where its own limit or one of a day stopped a run; "" for a limit of the team."""
    scope, measure = error.get("scope"), str(error.get("measure"))
    if scope in ("team_day", "studio_day"):
        return run.detail
    share = shares._asdict().get(measure) if scope == "run" else None
    limit = getattr(books.budgets.of_run("", run.team_id or "").run, measure, None)
    if share is None or (limit is not None and limit <= share):
        return ""
    return PRICE_UNKNOWN if error.get("why") == "unpriced" else LIMIT_USED_UP
