"""What a call tells while it is under way. It is shown to who looks, and is no part of what is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("studio_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Have the listener told of the progress of the one call that is made inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> Listener:
    """Who is told here; for those who hear of progress in another context, to be asked for when the call begins."""
    return _listener.get() or _nobody


def progress_words(name: str, content: object) -> str:
    """An event of a tool in one line, such as `3 of 10: reading` or `checkpoint: {"rows": 7}`."""
    if content is None or content == "":
        return name
    if name == "progress" and isinstance(content, dict):
        progress = cast("dict[str, object]", content)
        done, total, message = progress.get("progress"), progress.get("total"), progress.get("message")
        if isinstance(done, int | float):
            count = f"{done:g} of {total:g}" if isinstance(total, int | float) else f"{done:g}"
            return f"{count}: {message}" if message else count
    return f"{name}: {content if isinstance(content, str) else json.dumps(content, default=str)}"


def _nobody(text: str) -> None:
    pass
