"""Looks at everything."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from studio.doctor.exposure import exposure
from studio.doctor.files import files
from studio.doctor.finding import Finding, bad, doubtful
from studio.doctor.machine import parts, sandbox, versions
from studio.doctor.storage_checks import kept
from studio.errors import StudioError
from studio.settings import Settings
from studio.store import Store, open_store
from studio.store.form import newest_form


async def examine(settings: Settings, store: Store) -> Sequence[Finding]:
    """Everything that can be said of a studio whose store is open."""
    users = await store.users.count()
    found = await asyncio.to_thread(_without_store, settings, users)
    return [*found, *[finding async for finding in kept(store)]]


async def examine_here(settings: Settings) -> Sequence[Finding]:
    """The same from outside, which changes nothing: neither a folder nor a database is made or brought up to date."""
    problem = _why_not_opened(settings)
    if problem is None:
        try:
            async with open_store(settings.data_dir, settings.database_url) as store:
                return await examine(settings, store)
        except StudioError as error:
            problem = bad("Database", error.what.removesuffix("."), error.fix)
    found = await asyncio.to_thread(_without_store, settings, 0)
    return [*found, problem] if problem.text else found


def _without_store(settings: Settings, user_count: int) -> list[Finding]:
    return [
        *versions(),
        *exposure(settings, user_count),
        *sandbox(settings),
        *files(settings),
        *parts(settings),
    ]


def _why_not_opened(settings: Settings) -> Finding | None:
    """Why the database is left alone; a finding without text where there is nothing yet."""
    if settings.database_url:
        return None
    file = settings.data_dir / "studio.db"
    if not file.exists():
        return doubtful("Database", "", "")
    form = _form_of(file)
    if form == newest_form():
        return None
    said = f"The database has the form {form}, not the current one; accounts, secrets and approvals were not checked"
    return doubtful("Database", said, "Start the studio once to migrate an older database.")


def _form_of(file: Path) -> str:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            row = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        return f"unreadable: {error}"
    return str(row[0]) if row else "none"
