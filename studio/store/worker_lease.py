"""The right to drive runs of a PostgreSQL database: a row that a worker renews for as long as it lives.

A worker that was silent for long counts as dead: whoever notices deletes its row (`studio.store.workers`), and what
the dead one still writes is fenced by the epochs of the runs. Beside the row it shares an advisory lock of the
database, which a studio of an older version wants for itself alone: so the two never drive runs at the same time.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from studio.errors import SetupError
from studio.runs import task_group

SERVER_LOCK = 0x73_74_75_64_69_6F
BEAT_S = 3.0
SILENT_S = 15.0
"""After which a worker counts as dead. By the database's clock: that of its machine may jump."""
RETRY_S = 0.5
BEATING = "studio server "
"""What the name of a connection begins with on which an older studio holds the lock and shows that it lives."""

_CUT_OFF = text(
    "SELECT pg_terminate_backend(holder.pid) FROM pg_locks JOIN pg_stat_activity AS holder USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND mode = 'ExclusiveLock' "
    "AND (classid::bigint << 32) + objid::bigint = :key AND datname = current_database() "
    "AND starts_with(application_name, :beating) "
    "AND clock_timestamp() - state_change > make_interval(secs => :silent_s)"
)
_REGISTER = text(
    "INSERT INTO worker (id, name, started_at, seen_at, is_draining) "
    "VALUES (:id, :name, clock_timestamp(), clock_timestamp(), FALSE)"
)
_RENEW = text("UPDATE worker SET seen_at = clock_timestamp() WHERE id = :id")
_LEAVE = text("DELETE FROM worker WHERE id = :id")
_BROKEN = (DBAPIError, OSError, TimeoutError)

logger = logging.getLogger(__name__)


class AlreadyRunning(SetupError):
    """A studio of an older version drives the runs of this database."""

    code = "already_running"


class Fenced(SetupError):
    """This worker was silent for so long that others have taken over. It may be started again."""

    code = "fenced"


@asynccontextmanager
async def hold_worker_lease(engine: AsyncEngine, worker_id: str) -> AsyncGenerator[None]:
    """Be a worker; the engine's statements are transactions of their own.

    Raises:
        AlreadyRunning: A studio of an older version drives the runs.
        Fenced: Others have taken over meanwhile; the block is cancelled.
    """
    async with _connected(engine) as connection:
        if not await _share_lock(connection) and not (await _cut_off(connection) and await _share_soon(connection)):
            raise AlreadyRunning(
                f"An older version of the studio is running on {engine.url.render_as_string()!r}.",
                fix="Use that studio, stop it, or set another `STUDIO_DATABASE_URL`.",
            )
        name = f"{socket.gethostname()}:{os.getpid()}"
        await connection.execute(_REGISTER, {"id": worker_id, "name": name})
        try:
            async with task_group() as group:
                keeping = group.create_task(_keep(engine, connection, worker_id), name="keep the worker's lease")
                try:
                    yield
                finally:
                    keeping.cancel()
        finally:
            await _leave(engine, worker_id)


@asynccontextmanager
async def _connected(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    async with engine.connect() as connection:
        try:
            yield connection
        finally:
            await connection.invalidate()  # with the connection goes the lock, however it ended


async def _keep(engine: AsyncEngine, first: AsyncConnection, worker_id: str) -> None:
    """Show that this worker lives, on another connection where one is lost; until it counts as dead all the same."""
    await _beat(first, worker_id)
    while True:
        logger.warning("The connection that holds the worker's lease was lost.")
        with suppress(*_BROKEN):
            async with _connected(engine) as connection:
                await _renew(connection, worker_id)
                if not await _share_soon(connection):
                    raise _fenced()
                await _beat(connection, worker_id)
        await asyncio.sleep(RETRY_S)


async def _beat(connection: AsyncConnection, worker_id: str) -> None:
    """Returns when the connection is lost.

    Raises: Fenced.
    """
    with suppress(*_BROKEN):
        while True:
            await asyncio.sleep(BEAT_S)
            async with asyncio.timeout(BEAT_S):
                await _renew(connection, worker_id)


async def _renew(connection: AsyncConnection, worker_id: str) -> None:
    if (await connection.execute(_RENEW, {"id": worker_id})).rowcount == 0:
        raise _fenced()


def _fenced() -> Fenced:
    return Fenced("Other workers have taken over the runs of this one.", fix="Restart it.")


async def _leave(engine: AsyncEngine, worker_id: str) -> None:
    """Hand over at once; where that cannot be said, others notice it by the silence."""
    with suppress(*_BROKEN):
        async with asyncio.timeout(BEAT_S), engine.connect() as connection:
            await connection.execute(_LEAVE, {"id": worker_id})


async def _share_lock(connection: AsyncConnection) -> bool:
    return bool(await connection.scalar(select(func.pg_try_advisory_lock_shared(SERVER_LOCK))))


async def _share_soon(connection: AsyncConnection) -> bool:
    """Share the lock that a connection which has just ended may still seem to hold."""
    for _ in range(int(BEAT_S / RETRY_S)):
        if await _share_lock(connection):
            return True
        await asyncio.sleep(RETRY_S)
    return False


async def _cut_off(connection: AsyncConnection) -> bool:
    """End the connection of an older studio that has been silent for long; whether there was one."""
    values = {"key": SERVER_LOCK, "beating": BEATING, "silent_s": SILENT_S}
    if is_cut_off := (await connection.execute(_CUT_OFF, values)).first() is not None:
        logger.warning("A connection that held the database's lock and was silent has been cut off.")
    return is_cut_off
