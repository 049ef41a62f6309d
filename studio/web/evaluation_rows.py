"""An evaluation as its page shows it: a row for each case, with a mark for each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.evaluation.results import BASELINE, CANDIDATE, CaseResult, Group
from studio.services.evaluations import EvaluationReport
from studio.store import Store
from studio.store.evaluations import CellRow

ROWS = 100
"""Cases of one page."""
GROUPS: Mapping[Group, str] = {
    "worse": "Got worse",
    "better": "Got better",
    "failed": "Failed",
    "flaky": "Flaky",
    "unscored": "Unscored",
    "same": "Same",
    "passed": "Passed",
}
VERDICTS: Mapping[str, str] = {"pass": "passed", "fail": "failed", "unscored": "unscored", "": "open"}
TONES: Mapping[str, str] = {
    "worse": "failed",
    "failed": "failed",
    "better": "finished",
    "passed": "finished",
    "flaky": "warning",
    "unscored": "paused",
    "same": "",
}
"""States of badges, which give their colors."""
VERSIONS_OFFERED = 100
TAGS_OFFERED = 30


@dataclass(frozen=True)
class Mark:
    """A run of a case. `run_id` is "" before it begins."""

    run_id: str
    verdict: str
    label: str


@dataclass(frozen=True)
class CaseRow:
    """A case with the marks of its runs by version number. `compared` is a pair of runs: candidate and baseline.
    `is_over` is whether nothing more is run."""

    result: CaseResult
    task: str
    marks: Mapping[int, Sequence[Mark]]
    compared: tuple[str, str] | None
    is_over: bool = False

    @property
    def group(self) -> str:
        return GROUPS[self.result.group] if self.result.group else "Not run" if self.is_over else "Running"

    @property
    def tone(self) -> str:
        return TONES[self.result.group] if self.result.group else "" if self.is_over else "running"


@dataclass(frozen=True)
class CasePage:
    """Some of the rows of a group, and how many cases each group has; `group` "" is all of them."""

    rows: Sequence[CaseRow]
    group: str
    counts: Mapping[str, int]
    page: int
    has_more: bool


def case_page(report: EvaluationReport, group: str, page: int) -> CasePage:
    """The rows of one page. A group that there is not is all cases."""
    result = report.result
    counts = Counter(each.group for each in result.cases)
    known = group if group in result.groups else ""
    chosen = [each for each in result.cases if known in ("", each.group)]
    shown = chosen[(page - 1) * ROWS : page * ROWS]
    names = {each.case for each in shown}
    cells: dict[str, list[CellRow]] = {}
    for cell in report.cells:
        if cell.case_key in names:
            cells.setdefault(cell.case_key, []).append(cell)
    is_over = report.row.ended_at is not None
    rows = [_row(each, report.tasks.get(each.case, ""), cells[each.case], is_over) for each in shown]
    return CasePage(rows, known, {name: counts[name] for name in result.groups}, page, len(chosen) > page * ROWS)


def _row(result: CaseResult, task: str, cells: Sequence[CellRow], is_over: bool) -> CaseRow:
    marks = {
        number: [_mark(each) for each in sorted(cells, key=lambda cell: cell.epoch) if each.version == number]
        for number in result.tallies
    }
    return CaseRow(result, task, marks, _most_unlike(cells), is_over)


def _mark(cell: CellRow) -> Mark:
    detail = f": {cell.detail}" if cell.detail else ""
    run_id = "" if cell.state in ("waiting", "starting") else cell.run_id
    reused = "" if not cell.reused_count else ", reused in part" if cell.asked_count else ", reused"
    return Mark(run_id, cell.verdict, f"Run {cell.epoch} {VERDICTS[cell.verdict]}{reused}{detail}")


def _most_unlike(cells: Sequence[CellRow]) -> tuple[str, str] | None:
    """A run of the candidate and one of the baseline: with other verdicts where there are such, of one epoch first."""
    pairs = [
        (one, other)
        for one in cells
        for other in cells
        if one.version == CANDIDATE and other.version == BASELINE and one.state == other.state == "done"
    ]
    if not pairs:
        return None
    one, other = min(pairs, key=lambda pair: (pair[0].verdict == pair[1].verdict, abs(pair[0].epoch - pair[1].epoch)))
    return one.run_id, other.run_id


@dataclass(frozen=True)
class VersionOffer:
    """A version that can be evaluated."""

    number: int
    label: str


async def offered_versions(store: Store, team_id: str) -> Sequence[VersionOffer]:
    """The newest versions of a team."""
    found = await store.teams.versions(team_id, limit=VERSIONS_OFFERED)
    return [
        VersionOffer(each.number, f"Version {each.number}{f': {each.title}' if each.title else ''}") for each in found
    ]


async def offered_tags(store: Store, suite_id: str) -> Sequence[str]:
    """Tags of the cases of a suite, by which some are chosen."""
    cases = (await store.suites.get(suite_id)).document.get("cases")
    known = [each for each in cases if isinstance(each, dict)] if isinstance(cases, list) else []
    tags = {str(tag) for each in known if isinstance(found := each.get("tags"), list) for tag in found}
    return sorted(tags)[:TAGS_OFFERED]
