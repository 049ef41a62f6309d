"""Opens what drives runs, and what only tells those that do: the roles of one program, put together here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

from studio.errors import StudioError
from studio.knowledge import reading
from studio.models.prices import PriceBook
from studio.runs import BudgetRegistry, Measure, RunControl, RunSupervisor, SpendingScope, spending_scope, until_left
from studio.runs.fleet.client import FleetClient
from studio.runs.fleet.worker import FleetWorker
from studio.runs.prepare import RunDependencies
from studio.sandbox import current_jail, open_sandbox, outside_of
from studio.services.calls import CallDesk
from studio.services.documents import Documents
from studio.services.evaluation_runs import EvaluationRuns
from studio.services.knowledge_refresh import KnowledgeRefresh
from studio.services.knowledge_search import StoredKnowledge
from studio.services.retention import keep_pruning
from studio.services.schedule_calls import ScheduleCalls
from studio.services.webhook_deliveries import Deliveries
from studio.settings import Settings
from studio.store import Store
from studio.store.costs import BOOKS
from studio.web.fetch import WEB_PAGES, fetch_changed
from studio.web.observability import open_tracing

LOOK_S = 5.0
"""How often budgets and prices are looked at all the same: a notification may get lost, and then costs so long."""


class ProcessRole(StrEnum):
    """What a process does with runs. `server` drives them, `replica` sends them to whoever does."""

    SERVER = "server"
    REPLICA = "replica"


@asynccontextmanager
async def open_engine(
    settings: Settings, store: Store, role: ProcessRole = ProcessRole.SERVER
) -> AsyncGenerator[tuple[RunControl, SpendingScope]]:
    """What runs are started, told and followed by in this process, and their budgets and prices.

    Raises:
        AlreadyRunning: A server of an older version drives the runs of this database.
    """
    async with AsyncExitStack() as stack:
        if store.is_shared:
            await stack.enter_async_context(store.notifications.listening())
        books = await stack.enter_async_context(_open_books(store))
        await stack.enter_async_context(open_tracing(settings))
        stack.enter_context(reading(StoredKnowledge(store)))
        await stack.enter_async_context(open_sandbox(settings.sandbox, outside_of(settings)))
        control: RunControl | None = None
        if role is ProcessRole.SERVER:
            supervisor = control = RunSupervisor(
                store.runs, store.approvals, store.secrets, store.settings, files=store.run_files
            )
            await stack.enter_async_context(supervisor)
            if store.is_shared:
                look = partial(_look_at_books, store, books)
                worker = FleetWorker(supervisor, store.runs, store.fleet, store.notifications, look)
                await stack.enter_async_context(worker.serving())
        if store.is_shared:  # any worker may drive what is started or told here
            sources = RunDependencies(store.runs, store.approvals, store.secrets, store.settings)
            control = await stack.enter_async_context(FleetClient(sources, store.fleet, store.notifications))
        assert control is not None
        if role is ProcessRole.REPLICA:
            yield control, books
            return
        calls = CallDesk(store, control, books)
        async with (
            until_left(calls.keep_canceling_unanswered(), name="cancel unanswered calls"),
            until_left(Deliveries(store, calls).keep_sending(), name="tell webhooks"),
            until_left(ScheduleCalls(store, calls).keep_calling(), name="call at times"),
            until_left(_refresh(settings, store).keep_refreshing(), name="read web pages again"),
            until_left(EvaluationRuns(store, control, books, store.approvals).keep_running(), name="run evaluations"),
            until_left(keep_pruning(store), name="delete what is too old"),
        ):
            yield control, books


def _refresh(settings: Settings, store: Store) -> KnowledgeRefresh:
    fetch = partial(fetch_changed, allow_private=settings.allow_private_urls, accept=WEB_PAGES)
    return KnowledgeRefresh(store, Documents(store.files, current_jail.get()), fetch)


@asynccontextmanager
async def _open_books(store: Store) -> AsyncGenerator[SpendingScope]:
    """What runs reckon with; the supervisors that are entered inside the block know it."""
    registry = BudgetRegistry(store.costs, await store.costs.budgets(), await _spent_today(store))
    books = SpendingScope(PriceBook(await store.costs.own_prices()), registry)
    async with AsyncExitStack() as stack:
        if store.is_shared:
            await stack.enter_async_context(until_left(_keep_books(store, books), name="keep books"))
        with spending_scope(books):
            yield books


async def _keep_books(store: Store, books: SpendingScope) -> None:
    """Take what other processes change and spend."""
    topic = store.notifications.topic(BOOKS)
    while True:
        rung = topic.wait_handle()
        with suppress(StudioError):
            await _look_at_books(store, books)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await rung.wait()


async def _look_at_books(store: Store, books: SpendingScope) -> None:
    """Only of a database that several processes share: what was spent there is not counted by one of them."""
    books.prices.own = await store.costs.own_prices()
    today = await store.costs.day_totals(datetime.now(UTC).date())
    books.budgets.update(await store.costs.budgets(only_open=True), today)


async def _spent_today(store: Store) -> Mapping[str, Mapping[Measure, int]]:
    today = await store.costs.of_day(datetime.now(UTC).date())
    return {
        team_id: {"micro_usd": total.micro_usd, "tokens": total.prompt_tokens + total.completion_tokens}
        for team_id, total in today.items()
    }
