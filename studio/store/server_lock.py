"""The right to drive the runs of a PostgreSQL database: an advisory lock, held by a connection that shows it lives.

The database takes the lock back when the connection ends. It does not notice a machine that lost its power, or a
process that is frozen; so the holder asks something every few seconds, and one that has been silent for long is cut off
by whoever wants the lock. What the old holder still writes then is fenced by the epochs of the runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from studio.errors import SetupError
from studio.runs import task_group

SERVER_LOCK = 0x73_74_75_64_69_6F
BEAT_S = 3.0
SILENT_S = 15.0
"""After which a holder counts as dead. By the database's clock: that of its machine may jump."""
RETRY_S = 0.5
BEATING = "studio server "
"""What the name of such a connection begins with; a studio of an older version holds the lock without a word."""

_CUT_OFF = text(
    "SELECT pg_terminate_backend(holder.pid) FROM pg_locks JOIN pg_stat_activity AS holder USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
    "AND (classid::bigint << 32) + objid::bigint = :key AND datname = current_database() "
    "AND starts_with(application_name, :beating) "
    "AND (application_name = :own OR clock_timestamp() - state_change > make_interval(secs => :silent_s))"
)

logger = logging.getLogger(__name__)


class AlreadyRunning(SetupError):
    """Another server drives the runs of this database."""

    code = "already_running"


class Fenced(SetupError):
    """Another server drives the runs now: this one was silent for too long. It may be started again."""

    code = "fenced"


@asynccontextmanager
async def hold_server_lock(engine: AsyncEngine) -> AsyncGenerator[None]:
    """Be the one server that drives the runs in a database; the engine's statements are transactions of their own.

    Raises:
        AlreadyRunning: Another server is.
        Fenced: Another one has become that meanwhile; the block is cancelled.
    """
    name = f"{BEATING}{uuid4().hex}"
    async with _connected(engine, name) as connection:
        if not await _acquire(connection) and not (
            await _cut_off(connection, name) and await _acquire_soon(connection)
        ):
            raise AlreadyRunning(
                f"Another studio is running on {engine.url.render_as_string()!r}.",
                fix="Use that studio, stop it, or set another `STUDIO_DATABASE_URL`.",
            )
        async with task_group() as group:
            keeping = group.create_task(_keep(engine, connection, name), name="keep the server lock")
            try:
                yield
            finally:
                keeping.cancel()


@asynccontextmanager
async def _connected(engine: AsyncEngine, name: str) -> AsyncGenerator[AsyncConnection]:
    async with engine.connect() as connection:
        try:
            await connection.execute(select(func.set_config("application_name", name, False)))
            yield connection
        finally:
            await connection.invalidate()  # with the connection goes the lock, however it ended


async def _keep(engine: AsyncEngine, first: AsyncConnection, name: str) -> None:
    """Show that this server lives. Where the connection is lost, take the lock on another one, unless somebody has."""
    await _beat(first)
    while True:
        logger.warning("The connection that holds the database's lock was lost.")
        with suppress(DBAPIError, OSError, TimeoutError):
            async with _connected(engine, name) as connection:
                await _cut_off(connection, name)  # the lost one may seem to live
                if not await _acquire_soon(connection):
                    raise Fenced("Another server drives the runs of this database now.", fix="Restart this one.")
                await _beat(connection)
        await asyncio.sleep(RETRY_S)


async def _beat(connection: AsyncConnection) -> None:
    """Returns when the connection is lost."""
    with suppress(DBAPIError, OSError, TimeoutError):
        while True:
            await asyncio.sleep(BEAT_S)
            async with asyncio.timeout(BEAT_S):
                await connection.execute(select(1))


async def _acquire(connection: AsyncConnection) -> bool:
    return bool(await connection.scalar(select(func.pg_try_advisory_lock(SERVER_LOCK))))


async def _acquire_soon(connection: AsyncConnection) -> bool:
    """Take the lock that a connection which has just ended may still seem to hold."""
    for _ in range(int(BEAT_S / RETRY_S)):
        if await _acquire(connection):
            return True
        await asyncio.sleep(RETRY_S)
    return False


async def _cut_off(connection: AsyncConnection, own: str) -> bool:
    """End the connection of a holder that has been silent for long, or is this server's own; whether there was one."""
    values = {"key": SERVER_LOCK, "beating": BEATING, "own": own, "silent_s": SILENT_S}
    if is_cut_off := (await connection.execute(_CUT_OFF, values)).first() is not None:
        logger.warning("A connection that held the database's lock and was silent or lost has been cut off.")
    return is_cut_off
