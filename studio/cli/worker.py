"""`studio worker`: drives the runs of a database that web replicas reach, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

from studio.cli.serve import require_shared
from studio.settings import Settings
from studio.store import AlreadyRunning, StorageUnavailable, Store, open_store
from studio.web.auth.access_token import access_token
from studio.web.engine import open_engine
from studio.web.observability import redacting_logs

RETRY_S = 1.0


def work(settings: Settings) -> None:
    """Drive runs; while another worker does, stand by.

    Raises:
        SetupError: The database cannot be used, or is of another version.
        Fenced: Another worker has taken over, since this one was silent for long.
    """
    require_shared(settings)
    asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with (
        open_store(settings.data_dir, settings.database_url, migrates=False) as store,
        redacting_logs(store, access_token(settings)),
    ):
        is_told = False
        while not stop.is_set():
            with suppress(AlreadyRunning, StorageUnavailable):  # a database that is gone may come back
                await _free(store)
                async with open_engine(settings, store):
                    print("The worker drives runs.", flush=True)
                    await stop.wait()
                    return
            if not is_told:
                print("This worker is on standby.", flush=True)
                is_told = True
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_S):
                    await stop.wait()


async def _free(store: Store) -> None:
    """Raises: AlreadyRunning. To find that out by opening the engine would take much longer."""
    async with store.runs.own_runs():
        pass
