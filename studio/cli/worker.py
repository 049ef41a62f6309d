"""`studio worker`: drives the runs of a database that web replicas reach, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from studio.cli.serve import require_shared
from studio.settings import Settings
from studio.store import AlreadyRunning, StorageUnavailable, Store, open_store
from studio.web.auth.access_token import access_token
from studio.web.engine import open_engine
from studio.web.observability import redacting_logs
from studio.web.probe_server import serving_probes
from studio.web.probes import Probes

RETRY_S = 1.0


def work(settings: Settings) -> None:
    """Drive runs, beside other workers; while a server of an older version drives them all, stand by.

    Raises:
        SetupError: The database cannot be used, or is of another version.
        Fenced: Others have taken over, since this one was silent for long.
    """
    require_shared(settings)
    asyncio.run(_work(settings))


@asynccontextmanager
async def _answering(settings: Settings, store: Store, stop: asyncio.Event) -> AsyncGenerator[None]:
    """Answer probes inside the block, where a port is set for them."""
    if settings.metrics_port is None:
        yield
        return
    at = settings.model_copy(update={"port": settings.metrics_port})
    async with serving_probes(at, Probes(settings, store, stop)) as url:
        print(f"Metrics of this worker: {url}/metrics", flush=True)
        yield


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with (
        open_store(settings.data_dir, settings.database_url, migrates=False) as store,
        redacting_logs(store, access_token(settings)),
        _answering(settings, store, stop),
    ):
        is_told = False
        while not stop.is_set():
            with suppress(AlreadyRunning, StorageUnavailable):  # a database that is gone may come back
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
