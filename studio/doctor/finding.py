"""What a look at the studio found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARN = "warn"
    BAD = "BAD"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. Holds no secret: it is shown on a page.

    Args:
        area: What it is about, in a word.
        level: Whether it is in order.
        text: What was found, as a short sentence without its full stop.
        fix: What to do; may be empty when all is well.
    """

    area: str
    level: Level
    text: str
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items()}


def fine(area: str, text: str, fix: str = "") -> Finding:
    return Finding(area, Level.OK, text, fix)


def doubtful(area: str, text: str, fix: str) -> Finding:
    return Finding(area, Level.WARN, text, fix)


def bad(area: str, text: str, fix: str) -> Finding:
    return Finding(area, Level.BAD, text, fix)
