"""What became of each part of a source: the report that every import comes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from studio.code.conversion import SEE_PARTS as SEE_PARTS
from studio.code.conversion import ConversionFinding, Verdict, counts_of, findings_json
from studio.code.conversion import Location as Location
from studio.code.conversion import Report as ConversionReport
from studio.components import JsonObject

NO_SETTING = "Team Studio has no such setting."


@dataclass(frozen=True, slots=True)
class Imported:
    """A team that was made of a source.

    Args:
        source: Key of the source, such as `agent-builder`.
        team: Component JSON without an error.
        findings: In the order of the source.
        layout: Where cards and notes stand on the canvas, as teams keep it; empty where the source has no canvas.
    """

    source: str
    team: JsonObject
    findings: tuple[ConversionFinding, ...]
    layout: JsonObject = field(default_factory=dict[str, JsonValue])

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many parts there are of each verdict."""
        return counts_of(self.findings)

    def as_json(self) -> JsonObject:
        return {"source": self.source, "team": self.team, **findings_json(self.findings)}


class Report(ConversionReport):
    """The report of an import. `became` names a participant until the team is put together."""

    def placed(self, participants: Sequence[JsonObject]) -> tuple[ConversionFinding, ...]:
        """The findings with JSON pointers in place of the names of participants."""
        pointers: dict[str, str] = {}
        for at, participant in enumerate(participants):
            config = participant.get("config")
            if isinstance(config, Mapping):
                pointers.setdefault(str(config.get("name")), f"/config/participants/{at}")
        return tuple(replace(each, became=pointers.get(each.became, "")) for each in self.findings)
