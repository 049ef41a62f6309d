"""Owning tasks without hiding their errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast


@asynccontextmanager
async def owned_tasks() -> AsyncGenerator[asyncio.TaskGroup]:
    """A task group that raises a lone error as itself, so that an operator reads one line and not a tree."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as error:
        raise single_cause(cast("BaseException", error)) from None


def single_cause(error: BaseException) -> BaseException:
    """The one error inside groups that task groups put around it; a group of several stays whole."""
    while isinstance(error, BaseExceptionGroup):
        inner = cast("tuple[BaseException, ...]", error.exceptions)
        if len(inner) != 1:
            break
        error = inner[0]
    return cast("BaseException", error)
