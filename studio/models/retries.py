"""Repeats HTTP requests that a service was too busy for, where an SDK does not do that by itself."""

from __future__ import annotations

import asyncio
import random

import httpx

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 8.0
MAX_TOLD_WAIT_S = 60.0
"""A service that wants a longer wait than this gets no second request."""


class RetryingTransport(httpx.AsyncBaseTransport):
    """Sends a request again after overload, an error of the server or a connection that did not come about.

    Only what came before the first byte of an answer is repeated, so nothing is ever said twice.

    Args:
        inner: What sends a request.
        retries: How many times more than once.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, retries: int) -> None:
        self._inner = inner
        self._retries = retries

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(self._retries):
            try:
                response = await self._inner.handle_async_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                await asyncio.sleep(_usual_wait_s(attempt))
                continue
            if response.status_code not in (408, 409, 429) and response.status_code < 500:
                return response
            wait_s = _told_wait_s(response)
            if wait_s is not None and wait_s > MAX_TOLD_WAIT_S:
                return response
            await response.aclose()
            await asyncio.sleep(_usual_wait_s(attempt) if wait_s is None else wait_s)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _told_wait_s(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _usual_wait_s(attempt: int) -> float:
    """Twice as long each time, less a random part, so that many clients do not come back at once."""
    wait_s = min(FIRST_WAIT_S * 2**attempt, MAX_WAIT_S)
    return wait_s * (1 - 0.25 * random.random())
