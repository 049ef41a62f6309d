"""Whether this server can be sent requests."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from studio.errors import StudioError
from studio.store import Store

ANSWERS_WITHIN_S = 2.0
FRESH_S = 1.0
"""How long an answer is given again: whoever asks without a key must not keep the database busy."""


@dataclass
class Readiness:
    """Whether the database answers, looked up at most once a second."""

    store: Store
    _is_ready: bool = False
    _fresh_until: float = 0.0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def check(self) -> bool:
        async with self._turn:
            if time.monotonic() >= self._fresh_until:
                self._is_ready = await self._answers()
                self._fresh_until = time.monotonic() + FRESH_S
            return self._is_ready

    async def _answers(self) -> bool:
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                await self.store.ping()
        except (StudioError, TimeoutError):
            return False
        return True
