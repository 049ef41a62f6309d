"""The result of an evaluation for GitHub Actions: annotations at the lines of cases, and a summary of the job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from studio.code.conversion import Location
from studio.evaluation.gates import GATE_WORDS, GateResult
from studio.evaluation.results import EvaluationResult

MAX_SUMMARY_ROWS = 200
_QUIET = ("same", "passed")
_NOT_PLAIN = re.compile(r"[^\w\s.,;?%“”‘’…–−]")


def workflow_commands(
    result: EvaluationResult, gate: GateResult, reasons: Mapping[str, str], places: Mapping[str, Location]
) -> Iterator[str]:
    """Workflow commands: an error for each case that the gate fails for, a warning for others that got worse or that
    nobody could score, and one for the gate.

    Args:
        result: What is known.
        gate: What the gate says of it.
        reasons: By case, why runs of it did not pass.
        places: Where the cases stand, from the folder that GitHub works in.
    """
    for each in result.cases:
        if each.group in gate.groups:
            level = "error"
        elif each.group in ("worse", "unscored", ""):
            level = "warning"
        else:
            continue
        place = places[each.case]
        about = {"file": place.file, "line": str(max(place.line, 1)), "title": f"{each.case}: {each.group or 'open'}"}
        yield _command(level, about, reasons.get(each.case, "") or f"The case is {each.group or 'open'}.")
    if gate.outcome != "passed":
        yield _command("error", {"title": GATE_WORDS[gate.outcome]}, " ".join(gate.reasons))


def summary(result: EvaluationResult, gate: GateResult, sentence: str, reasons: Mapping[str, str], suite: str) -> str:
    """Markdown for the summary of a job; texts of cases and runs are shown as text."""
    lines = [f"### {_plain(suite)}", "", _plain(" ".join([GATE_WORDS[gate.outcome], *gate.reasons, sentence]))]
    shown = [each for each in result.cases if each.group not in _QUIET]
    if shown:
        lines += ["", "| Case | | Passed | Reason |", "|---|---|---|---|"]
    for each in shown[:MAX_SUMMARY_ROWS]:
        passed = ", ".join(f"{tally.passed} of {tally.runs}" for tally in each.tallies.values())
        reason = reasons.get(each.case, "").partition("\n")[0]
        lines.append(f"| {_plain(each.case)} | {each.group or 'open'} | {passed} | {_plain(reason)} |")
    if len(shown) > MAX_SUMMARY_ROWS:
        lines += ["", f"And {len(shown) - MAX_SUMMARY_ROWS:,} more."]
    return "\n".join(lines) + "\n"


def _command(level: str, about: Mapping[str, str], message: str) -> str:
    said = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in about.items())
    return f"::{level} {said}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """As GitHub reads it back."""
    return "".join(f"%{ord(sign):02X}" if sign in f"%\r\n{more}" else sign for sign in text)


def _plain(text: str) -> str:
    """Text that is no Markdown, no HTML and no link."""
    return _NOT_PLAIN.sub(lambda found: f"&#{ord(found[0])};", " ".join(text.split()))
