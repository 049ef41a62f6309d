"""Reads web pages of knowledge bases again when they are due. One that has not changed is left as it is."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from studio.errors import StudioError
from studio.services.documents import Documents
from studio.services.knowledge import read_again
from studio.services.knowledge_vectors import make_vectors
from studio.store import Store
from studio.store.knowledge_refreshes import DuePage

logger = logging.getLogger(__name__)
AT_ONCE = 4
LOOK_S = 30.0
FAILED = "Reading it failed. The log of the server says why."

Fetch = Callable[[str, str], Awaitable[tuple[bytes | None, str]]]
"""Gets what an address gives and its ETag; no content where it still has the given ETag."""


@dataclass(frozen=True)
class KnowledgeRefresh:
    """What is due is claimed in the database, so any process may read it."""

    store: Store
    documents: Documents
    fetch: Fetch

    async def keep_refreshing(self) -> None:
        """Read what is due until this is canceled."""
        while True:
            try:
                if await self.refresh_due(datetime.now(UTC)):
                    continue
            except StudioError as error:
                logger.warning("Web pages that are due cannot be read now: %s", error)
            await asyncio.sleep(LOOK_S)

    async def refresh_due(self, now: datetime) -> int:
        """Read each page that is due; how many there were."""
        claimed = await self.store.refreshes.claim_due(now, AT_ONCE)
        for due in claimed:
            try:
                etag = await self._refresh(due)
            except StudioError as error:
                await self.store.refreshes.settle(due, now, error=error.what)
            except Exception:  # one page must not end the others, or all that the process does
                logger.exception("The web page of document %s cannot be read again", due.document.id)
                await self.store.refreshes.settle(due, now, error=FAILED)
            else:
                await self.store.refreshes.settle(due, now, etag=etag)
        return len(claimed)

    async def _refresh(self, due: DuePage) -> str:
        """Read a page again if it has changed. Returns its ETag."""
        row = due.document
        content, etag = await self.fetch(row.url, row.etag)
        if content is not None and hashlib.sha256(content).hexdigest() != row.sha256:
            await read_again(self.store, self.documents, row, content)
            with suppress(StudioError):  # its words are found all the same
                await make_vectors(self.store, row.base_id)
        return etag
