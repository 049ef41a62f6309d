"""What became of each part of a source: the report that every import comes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from pydantic import JsonValue

from studio.components import JsonObject

Verdict = Literal["exact", "approximated", "dropped", "asked"]
"""`asked`: it cannot be known from the files, and the team needs it."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SEE_PARTS = "See what is said of its parts."
"""Why a part is not exact where something within it is not."""
MAX_FINDINGS = 2_000
MAX_TEXT = 600
"""Characters of one sentence; names come from files of strangers."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where something stands in a source.

    Args:
        file: Its name in the bundle.
        line: Counted from 1; 0 in JSON.
        column: The same.
        pointer: JSON pointer; empty in Python.
    """

    file: str
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else f"{self.file}{self.pointer}"

    def as_json(self) -> JsonObject:
        where: JsonObject = {"line": self.line, "column": self.column} if self.line else {"pointer": self.pointer}
        return {"file": self.file, **where}


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """What became of one part of the source.

    Args:
        what: The part, such as `Agent "Classify"`.
        became: JSON pointer of what it is in the team; empty if it is nothing there, or the team as a whole.
        why: What is different, or missing. Empty if nothing is.
        fix: What to do about it.
    """

    verdict: Verdict
    place: Location
    what: str
    became: str = ""
    why: str = ""
    fix: str = ""

    def as_json(self) -> JsonObject:
        texts = {name: str(getattr(self, name)) for name in ("what", "became", "why", "fix")}
        return {"verdict": self.verdict, "place": self.place.as_json(), **texts}


@dataclass(frozen=True, slots=True)
class Imported:
    """A team that was made of a source.

    Args:
        source: Key of the source, such as `agent-builder`.
        team: Component JSON without an error.
        findings: In the order of the source.
    """

    source: str
    team: JsonObject
    findings: tuple[ImportFinding, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many parts there are of each verdict."""
        return {verdict: sum(each.verdict == verdict for each in self.findings) for verdict in VERDICTS}

    def as_json(self) -> JsonObject:
        findings = cast("list[JsonValue]", [each.as_json() for each in self.findings])
        return {
            "source": self.source,
            "team": self.team,
            "findings": findings,
            "counts": cast("JsonObject", self.counts),
        }


@dataclass
class Report:
    """Collects findings while a source is read. `became` names a participant until the team is put together."""

    findings: list[ImportFinding] = field(default_factory=list[ImportFinding])
    _known: set[ImportFinding] = field(default_factory=set[ImportFinding])

    def add(
        self, verdict: Verdict, place: Location, what: str, why: str = "", *, fix: str = "", became: str = ""
    ) -> None:
        if len(self.findings) < MAX_FINDINGS:
            texts = (text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…" for text in (what, became, why, fix))
            finding = ImportFinding(verdict, place, *texts)
            if finding not in self._known:  # a part that stands in several places of the team is told once
                self._known.add(finding)
                self.findings.append(finding)

    def placed(self, participants: Sequence[JsonObject]) -> tuple[ImportFinding, ...]:
        """The findings with JSON pointers in place of the names of participants."""
        pointers: dict[str, str] = {}
        for at, participant in enumerate(participants):
            config = participant.get("config")
            if isinstance(config, Mapping):
                pointers.setdefault(str(config.get("name")), f"/config/participants/{at}")
        return tuple(replace(each, became=pointers.get(each.became, "")) for each in self.findings)
