"""What holds for one call of foreign code. Read by every program that knows a tool, so it imports next to nothing."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 60.0
TEXT_LIMIT = 100_000
"""Characters of a result that a model is given."""

working_directory: ContextVar[Path | None] = ContextVar("studio_working_directory", default=None)
"""Where programs run, for files that outlive a call; a new temporary folder for each call when None."""


class Limits(NamedTuple):
    """Bounds of one process."""

    timeout_s: float = TIMEOUT_S
    text_limit: int = TEXT_LIMIT
