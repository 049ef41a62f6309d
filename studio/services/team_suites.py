"""Suites that hang on teams: checked before they are kept, with cases made from runs, and tried on past runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from studio.components import JsonObject
from studio.errors import ConfigError, InvalidDocument, TooLarge
from studio.evaluation.suites import Case, Suite
from studio.services.evaluations import document_of
from studio.services.past_runs import PastScore, score_past_runs, stored_run
from studio.store import Store
from studio.store.tables import TeamSuite

if TYPE_CHECKING:
    from studio.evaluation.imports import ImportedSuite

MAX_SUITE_CHARACTERS = 500_000
"""Of the JSON of one that is kept with a team; a file may be larger."""
MAX_IMPORTED_CHARACTERS = 3_000_000
"""Of files, of which much may be left out."""
MAX_RUNS = 20
"""Past runs that are scored at once."""
WhyKept = Literal["went_well", "went_wrong", "random"]
SuiteForm = Literal["yaml", "json"]


async def add_suite(store: Store, team_id: str, document: JsonObject, by: str) -> TeamSuite:
    """Check a suite and keep it with its team.

    Raises:
        InvalidSuite: With all that is wrong.
        NotFound: There is no such team.
        Conflict: The team has too many suites.
    """
    suite, written = await asyncio.to_thread(_checked, document)
    return await store.suites.add(team_id, suite.suite, written, len(suite.cases), by)


async def save_suite(store: Store, suite_id: str, revision: int, document: JsonObject, by: str) -> TeamSuite:
    """Check a suite and put it in the place of what it was at a revision.

    Raises:
        InvalidSuite: With all that is wrong.
        NotFound: There is no such suite.
        Conflict: The suite has been saved since.
    """
    suite, written = await asyncio.to_thread(_checked, document)
    return await store.suites.save(suite_id, revision, suite.suite, written, len(suite.cases), by)


async def save_suite_text(store: Store, suite_id: str, revision: int, text: str, form: SuiteForm, by: str) -> TeamSuite:
    """Put what a person wrote in the place of a suite as it was at a revision.

    Raises:
        InvalidSuite: With all that is wrong, and its lines.
        InvalidDocument: It is neither YAML nor JSON.
        TooLarge: It is larger than a suite of the studio may be.
        NotFound: There is no such suite.
        Conflict: The suite has been saved since.
    """
    suite, written = await asyncio.to_thread(_read, text, form)
    return await store.suites.save(suite_id, revision, suite.suite, written, len(suite.cases), by)


async def stored_suite(store: Store, suite_id: str) -> tuple[TeamSuite, Suite]:
    """A suite, and what its document says.

    Raises:
        NotFound: There is no such suite.
        InvalidSuite: It was kept by another release, and has mistakes in this one.
    """
    row = await store.suites.get(suite_id)
    return row, (await asyncio.to_thread(_checked, row.document))[0]


async def suite_text(document: JsonObject) -> tuple[SuiteForm, str]:
    """A suite as a file has it: YAML, or JSON where the YAML would be too long to be read again."""
    from studio.evaluation.suite_file import write_suite

    form, text = await asyncio.to_thread(write_suite, document)
    return ("json" if form == "json" else "yaml"), text


@dataclass(frozen=True)
class SuiteImport:
    """What importing files into a suite comes to. `whole` is the suite with the imported cases, `title` the source."""

    imported: ImportedSuite
    whole: Suite
    added: Sequence[Case]
    title: str


async def preview_import(store: Store, suite_id: str, files: Mapping[str, str]) -> SuiteImport:
    """What the files would add to a suite, or be as a new one without an ID; nothing is kept.

    Raises:
        NotFound: There is no such suite.
        InvalidSuite: With all rows or cases that are wrong.
        InvalidDocument: The files are of no known source.
        TooLarge: They are larger than a suite of the studio may be.
    """
    document = (await store.suites.get(suite_id)).document if suite_id else {}
    return (await asyncio.to_thread(_imported, document, files))[0]


async def import_cases(
    store: Store, suite_id: str, revision: int, files: Mapping[str, str], by: str
) -> tuple[TeamSuite, SuiteImport]:
    """Add the cases of files to a suite as it was at a revision.

    Raises:
        NotFound: There is no such suite.
        Conflict: The suite has been saved since.
        InvalidSuite, InvalidDocument, TooLarge: As for a preview.
    """
    row = await store.suites.get(suite_id)
    made, written = await asyncio.to_thread(_imported, row.document, files)
    saved = await store.suites.save(suite_id, revision, made.whole.suite, written, len(made.whole.cases), by)
    return saved, made


async def import_new_suite(
    store: Store, team_id: str, files: Mapping[str, str], by: str
) -> tuple[TeamSuite, SuiteImport]:
    """Make a suite of a team of files.

    Raises:
        NotFound: There is no such team.
        Conflict: The team has too many suites.
        InvalidSuite, InvalidDocument, TooLarge: As for a preview.
    """
    made, written = await asyncio.to_thread(_imported, {}, files)
    return await store.suites.add(team_id, made.whole.suite, written, len(made.whole.cases), by), made


async def add_case_of_run(
    store: Store, suite_id: str, run_id: str, why: WhyKept, more: JsonObject, by: str
) -> TeamSuite:
    """Make a case of the task of a run. The run itself never counts as a measurement.

    Args:
        why: Why it was kept. A run that went wrong needs a scorer, which says what right is.
        more: Fields of the case beside its task and origin.

    Raises:
        NotFound: There is no such suite or run.
        ConfigError: The run went wrong, and there is no scorer.
        InvalidSuite: With all that is wrong.
        Conflict: The suite was saved meanwhile.
    """
    row, run = await store.suites.get(suite_id), await stored_run(store, run_id)
    if why == "went_wrong" and not more.get("scorers"):
        raise ConfigError("A run that went wrong needs a scorer.", fix="Say what a good run does.", where="/scorers")
    cases = row.document.get("cases")
    case: JsonObject = {**more, "task": run.task, "origin": {"run": run_id, "why": why}}
    document: JsonObject = {**row.document, "cases": [*(cases if isinstance(cases, list) else []), case]}
    return await save_suite(store, suite_id, row.revision, document, by)


async def try_suite(store: Store, suite_id: str, run_ids: Sequence[str]) -> list[PastScore]:
    """Score runs that exist already. No scorer in Python is called: a request is not in the sandbox.

    Raises:
        NotFound: There is no such suite or run.
        TooLarge: The log of a run is too long.
    """
    _, suite = await stored_suite(store, suite_id)
    scores: list[PastScore] = []
    for run_id in run_ids:  # one after the other: a log may have 64 MB
        run = await stored_run(store, run_id)
        scores += await asyncio.to_thread(score_past_runs, suite, [run])
    return scores


def _checked(document: JsonObject) -> tuple[Suite, JsonObject]:
    """The suite, and how it is kept."""
    from studio.evaluation.suite_file import check_suite  # it loads the YAML reader, which a start does not need

    return _kept(check_suite(document))


def _imported(document: JsonObject, files: Mapping[str, str]) -> tuple[SuiteImport, JsonObject]:
    from studio.evaluation.imports import SUITE_SOURCES, import_suite, merged, name_for

    if sum(map(len, files.values())) > MAX_IMPORTED_CHARACTERS:
        what = f"The files have more than {MAX_IMPORTED_CHARACTERS / 1e6:.0f} million characters."
        raise TooLarge(what, fix="Import a part of them.")
    named = {name or name_for(text): text for name, text in files.items()}
    imported = import_suite(named)
    suite, written = _checked(merged(document, imported))
    before = document.get("cases")
    added = suite.cases[len(before) if isinstance(before, list) else 0 :]
    return SuiteImport(imported, suite, added, SUITE_SOURCES[imported.source]), written


def _read(text: str, form: SuiteForm) -> tuple[Suite, JsonObject]:
    """The same of a text."""
    from studio.evaluation.suite_file import read_suite

    return _kept(read_suite(f"suite.{form}", text, _read_beside, needs_cases=False))


def _read_beside(name: str) -> str:
    raise InvalidDocument(f"The studio has no file {name!r}.", fix="Import the file, or write the cases out.")


def _kept(suite: Suite) -> tuple[Suite, JsonObject]:
    text = suite.model_dump_json(exclude_defaults=True)
    if len(text) > MAX_SUITE_CHARACTERS:
        raise TooLarge(f"The suite has more than {MAX_SUITE_CHARACTERS / 1e3:.0f} kB.", fix="Split it.")
    return suite, document_of(suite)
