"""Waiting for the end that the operating system asks for."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence

END: Sequence[signal.Signals] = (signal.SIGTERM, signal.SIGINT)


async def signal_received(signals: Sequence[signal.Signals]) -> None:
    """Wait for one of the signals, which meanwhile have no other effect."""
    loop, received = asyncio.get_running_loop(), asyncio.Event()
    for each in signals:
        loop.add_signal_handler(each, received.set)
    try:
        await received.wait()
    finally:
        for each in signals:
            loop.remove_signal_handler(each)
