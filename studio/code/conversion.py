"""What becomes of each part of a team that is taken to another framework or from it: one report for both ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import JsonValue

from studio.components import JsonObject

Verdict = Literal["exact", "approximated", "dropped", "asked"]
"""`asked`: it cannot be known from the source, and the team needs it."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SEE_PARTS = "Some of its parts differ. Each has its own line in the report."
"""Why a part is not exact where something within it is not."""
MAX_FINDINGS = 2_000
MAX_TEXT = 600
"""Characters of one sentence; names come from files of strangers."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where something stands in a source.

    Args:
        file: Its name; empty for a team of the studio.
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
class ConversionFinding:
    """What became of one part of the source.

    Args:
        what: The part, such as `Agent "Classify"`.
        became: What it is now: in a team a JSON pointer, in a script a class. Empty if it is nothing there.
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


def findings_json(findings: Sequence[ConversionFinding]) -> JsonObject:
    """The findings with their counts, as the API and the command line give them."""
    listed: list[JsonValue] = [each.as_json() for each in findings]
    counts: JsonObject = {verdict: count for verdict, count in counts_of(findings).items()}
    return {"findings": listed, "counts": counts}


def counts_of(findings: Iterable[ConversionFinding]) -> Mapping[Verdict, int]:
    """How many parts there are of each verdict."""
    listed = list(findings)
    return {verdict: sum(each.verdict == verdict for each in listed) for verdict in VERDICTS}


@dataclass
class Report:
    """Collects findings while a source is read or a script is written."""

    findings: list[ConversionFinding] = field(default_factory=list[ConversionFinding])
    _known: set[ConversionFinding] = field(default_factory=set[ConversionFinding])

    @property
    def is_full(self) -> bool:
        """Whether there was more to say than it holds."""
        return len(self.findings) > MAX_FINDINGS

    def add(
        self, verdict: Verdict, place: Location, what: str, why: str = "", *, fix: str = "", became: str = ""
    ) -> None:
        if self.is_full:
            return
        texts = (text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…" for text in (what, became, why, fix))
        finding = ConversionFinding(verdict, place, *texts)
        if finding in self._known:  # a part that stands in several places of the team is told once
            return
        if len(self.findings) == MAX_FINDINGS:
            why = f"The report ends here, after {MAX_FINDINGS:,} findings. There are more."
            finding = ConversionFinding(
                "approximated", place, "Other parts", why=why, fix="Convert a part of the team."
            )
        self._known.add(finding)
        self.findings.append(finding)
