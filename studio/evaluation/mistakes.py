"""What is wrong with a suite, and where it stands in its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from studio.code.conversion import Location
from studio.components import JsonObject
from studio.errors import ConfigError, Finding


@dataclass(frozen=True)
class PlacedFinding:
    """A finding and where it stands in the files."""

    finding: Finding
    place: Location

    def as_json(self) -> JsonObject:
        said: JsonObject = {"code": self.finding.code, "message": self.finding.message, "fix": self.finding.fix}
        return {**said, "where": self.finding.where, **self.place.as_json()}


class InvalidSuite(ConfigError):
    """One or more places of a suite file are wrong; `placed` lists all of them, up to 200."""

    code = "invalid_suite"

    def __init__(self, placed: Sequence[PlacedFinding]) -> None:
        first = placed[0]
        more = f" (and {len(placed) - 1} more)" if len(placed) > 1 else ""
        super().__init__(f"{first.finding.message}{more}", fix=first.finding.fix, where=str(first.place))
        self.placed = tuple(placed)

    @override
    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "findings": [each.as_json() for each in self.placed]}
