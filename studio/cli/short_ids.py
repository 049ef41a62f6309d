"""IDs as the command line shows them: their first characters, by which they are found again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from studio.errors import ConfigError, NotFound

SHOWN_CHARACTERS = 8
"""They tell 50 schedules or hooks of a deployment apart."""


class HasId(Protocol):
    """A row with an ID."""

    id: str


Row = TypeVar("Row", bound=HasId)


def short_id(row: HasId) -> str:
    return row.id[:SHOWN_CHARACTERS]


def find_by_beginning(rows: Sequence[Row], beginning: str, noun: str, deployment: str) -> Row:
    """The one of a deployment's rows whose ID begins so.

    Raises:
        NotFound, ConfigError: None or several begin so.
    """
    fitting = [each for each in rows if beginning and each.id.startswith(beginning)]
    if not fitting:
        raise NotFound(
            f"No {noun} of {deployment!r} begins with {beginning!r}.", fix=f"`studio {noun}s list {deployment}`."
        )
    if len(fitting) > 1:
        raise ConfigError(f"Several {noun}s begin so.", fix="Give more of the ID.")
    return fitting[0]
