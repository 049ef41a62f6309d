"""Whether the runs of this server send spans, and where."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from studio.runs import Tracing, otlp_provider, traced_by
from studio.settings import Settings

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


@asynccontextmanager
async def open_tracing(settings: Settings) -> AsyncGenerator[None]:
    """Send the spans of the runs inside the block to a collector, where one is named; the last ones at its end."""
    if not (settings.otlp_endpoint or any(os.environ.get(name) for name in ENDPOINTS)):
        yield
        return
    provider = otlp_provider(settings.otlp_endpoint)
    try:
        with traced_by(Tracing(provider.get_tracer("studio"), content=settings.trace_content)):
            yield
    finally:
        await asyncio.to_thread(provider.shutdown)
