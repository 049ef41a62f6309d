"""Waking those who wait for something to change."""

from __future__ import annotations

import asyncio


class Bell:
    """Wakes all who wait, without a queue: a sleeper learns that something changed and looks for itself."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def listen(self) -> asyncio.Event:
        """Set at the next ring; take it before you look, so that nothing falls between looking and waiting."""
        return self._next

    def ring(self) -> None:
        rung, self._next = self._next, asyncio.Event()
        rung.set()
