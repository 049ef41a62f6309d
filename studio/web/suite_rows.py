"""Suites and their cases as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.evaluation.cases import as_text
from studio.evaluation.scorers.words import scorer_words
from studio.evaluation.suites import Case, Suite

PAGE = 100
"""Cases of a page."""
MAX_SHOWN = 300
"""Characters of a text in a cell."""


@dataclass(frozen=True)
class CaseRow:
    """A case; `number` is its place in the suite, counted from 1."""

    number: int
    key: str
    task: str
    target: str
    scorers: Sequence[str]
    tags: Sequence[str]
    why: str
    run: str


@dataclass(frozen=True)
class CasePage:
    """The cases of one page, of those that were looked for."""

    rows: Sequence[CaseRow]
    found: int
    page: int
    page_count: int


WHY_KEPT = {"went_well": "Went well", "went_wrong": "Went wrong", "random": "At random"}


def case_page(suite: Suite, search: str, page: int) -> CasePage:
    """A page of the cases in which a text is: in the ID, the task, the target or a tag."""
    wanted = search.casefold()
    found = [(at, case) for at, case in enumerate(suite.cases, 1) if not wanted or _is_in(wanted, case)]
    count = max(1, -(-len(found) // PAGE))
    page = min(page, count)
    rows = [_row(*each) for each in found[(page - 1) * PAGE : page * PAGE]]
    return CasePage(rows, len(found), page, count)


def case_rows(cases: Sequence[Case]) -> Sequence[CaseRow]:
    """Cases that are not in a suite yet."""
    return [_row(*each) for each in enumerate(cases, 1)]


def _is_in(wanted: str, case: Case) -> bool:
    target = "" if case.target is None else as_text(case.target)
    return any(wanted in text.casefold() for text in (case.key, case.task, target, *case.tags))


def _row(number: int, case: Case) -> CaseRow:
    return CaseRow(
        number=number,
        key=case.key,
        task=_short(case.task),
        target="" if case.target is None else _short(as_text(case.target)),
        scorers=[scorer_words(each) for each in case.scorers],
        tags=case.tags,
        why=WHY_KEPT[case.origin.why] if case.origin else "",
        run=case.origin.run if case.origin else "",
    )


def _short(text: str) -> str:
    line = text[: MAX_SHOWN + 1].strip()
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…"
