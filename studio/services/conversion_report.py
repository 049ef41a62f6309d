"""What pages show of the report of an import or an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.code.conversion import VERDICTS, ConversionFinding, Verdict, counts_of
from studio.services.galleries import Tally

TITLES: Mapping[Verdict, str] = {
    "asked": "Needed from you",
    "dropped": "Left out",
    "approximated": "Approximated",
    "exact": "Exact",
}
"""In the order in which a person reads them."""
TONES: Mapping[Verdict, str] = {"asked": "warning", "dropped": "danger", "approximated": "info", "exact": "info"}
STATES: Mapping[Verdict, str] = {"asked": "waiting", "dropped": "wrong", "approximated": "opaque", "exact": "loaded"}


@dataclass(frozen=True)
class FindingGroup:
    """The findings of one verdict."""

    title: str
    tone: str
    findings: tuple[ConversionFinding, ...]
    is_open: bool


def tallies_of(findings: Sequence[ConversionFinding]) -> tuple[Tally, ...]:
    """How many parts there are of each verdict, in words."""
    counts = counts_of(findings)
    return tuple(
        Tally(STATES[verdict], f"{counts[verdict]} {TITLES[verdict].lower()}")
        for verdict in VERDICTS
        if counts[verdict]
    )


def groups_of(findings: Sequence[ConversionFinding]) -> tuple[FindingGroup, ...]:
    """The findings by verdict: what is needed first, and exact parts folded."""
    counts = counts_of(findings)
    return tuple(
        FindingGroup(title, TONES[verdict], findings_of(findings, verdict), verdict != "exact")
        for verdict, title in TITLES.items()
        if counts[verdict]
    )


def findings_of(findings: Sequence[ConversionFinding], verdict: Verdict) -> tuple[ConversionFinding, ...]:
    """Those of one verdict."""
    return tuple(finding for finding in findings if finding.verdict == verdict)
