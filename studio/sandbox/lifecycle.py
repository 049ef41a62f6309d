"""The sandbox of one studio: its jail, and the workers that wait in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from studio.components.folders import FolderRules, folder_rules
from studio.sandbox.detect import jail_or_refusal
from studio.sandbox.grants import own_folder_name
from studio.sandbox.jail import Jail, current_jail
from studio.sandbox.policy import NOTHING, ServerPaths
from studio.sandbox.worker_pool import WorkerPool, current_workers
from studio.settings import Sandbox, Settings

WORK = "work"
"""The folder in the data folder in which each team has its own."""
DATABASES = "databases"
"""Another one, which is none for code."""


def outside_of(settings: Settings) -> ServerPaths:
    """What the code of every team is given of this studio, and what none is."""
    files = (settings.tls_cert, _database_file(settings.database_url))
    return ServerPaths(
        settings.sandbox_read,
        hidden=(settings.data_dir, *([settings.tls_key] if settings.tls_key else [])),
        files=tuple(file for file in files if file is not None),
        work=settings.data_dir / WORK,
    )


def own_folder(settings: Settings, team_id: str) -> Path:
    """The folder of a team, in which its relative folders lie."""
    return settings.data_dir / WORK / own_folder_name(team_id)


def _database_file(url: str) -> Path | None:
    from sqlalchemy.engine import make_url

    if not url or not url.startswith("sqlite"):
        return None
    name = make_url(url).database
    return Path(name.removeprefix("file:").partition("?")[0]) if name else None


@asynccontextmanager
async def open_sandbox(setting: Sandbox, outside: ServerPaths = NOTHING) -> AsyncGenerator[Jail]:
    """Confine the foreign code of all runs that begin inside the block. Where nothing can confine it, none runs.

    Args:
        setting: The jail by its name, or "auto".
        outside: What all code is given of the machine's files, and what none is.
    """
    jail = await asyncio.to_thread(jail_or_refusal, setting, outside)
    jail_before, workers_before = current_jail.set(jail), current_workers.set(None)
    rules_before = folder_rules.set(_rules(outside))
    try:
        async with WorkerPool() as workers:
            current_workers.set(workers)
            yield jail
    finally:
        folder_rules.reset(rules_before)
        current_workers.reset(workers_before)
        current_jail.reset(jail_before)


def _rules(outside: ServerPaths) -> FolderRules | None:
    if outside.work is None:
        return None
    return FolderRules(outside.work, outside.work.with_name(DATABASES), (*outside.hidden, *outside.files))
