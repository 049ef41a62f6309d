"""Who drives runs, where several processes share a database; for admins."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from studio.components.deferred_model import DeferredModel
from studio.store import Store
from studio.web.dependencies import StoreDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/workers", tags=["workers"])


class WorkerOut(DeferredModel):
    """A process that drives runs."""

    id: str
    name: str = Field(description="Its host and process number.")
    started_at: datetime
    silent_s: float = Field(description="Seconds since it last showed that it is alive.")
    is_draining: bool = Field(description="It claims no more runs.")
    run_count: int = Field(description="Runs that it drives.")


class WorkersOut(DeferredModel):
    """All workers of the database. A studio on SQLite has none: its server drives all runs."""

    workers: list[WorkerOut]
    queued: int = Field(description="Runs that wait for a worker.")
    queued_since: datetime | None = Field(description="When the first of them was started.")


class WorkerPatch(BaseModel):
    """What to change."""

    is_draining: bool


@router.get("", summary="List the workers")
async def list_workers(store: StoreDep) -> WorkersOut:
    return await _all(store)


@router.patch("/{worker_id}", summary="Drain a worker, or end that")
async def change_worker(worker_id: str, wanted: WorkerPatch, store: StoreDep) -> WorkersOut:
    """A worker that is drained claims no more runs. Those that it drives continue."""
    await store.workers.drain(worker_id, is_draining=wanted.is_draining)
    return await _all(store)


async def _all(store: Store) -> WorkersOut:
    queue = await store.workers.queue()
    workers = [WorkerOut.model_validate(each._asdict()) for each in await store.workers.list()]
    return WorkersOut(workers=workers, queued=queue.run_count, queued_since=queue.since)
