"""From files to a suite: which source they are of, and its reader."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.document import MAX_BYTES
from studio.errors import InvalidDocument, TooLarge
from studio.evaluation.imports.adk import CRITERIA, Criteria, import_adk, is_adk
from studio.evaluation.imports.drafts import ImportedSuite, SuiteDraft
from studio.evaluation.imports.promptfoo import (
    import_promptfoo,
    import_promptfoo_table,
    is_promptfoo,
    is_promptfoo_table,
)
from studio.evaluation.imports.pydantic_evals import import_pydantic_evals, is_pydantic_evals
from studio.evaluation.imports.rows import import_rows
from studio.evaluation.imports.tau2 import import_tau2, is_tau2
from studio.evaluation.suite_file import MAX_JSON_PARTS, read_suite
from studio.evaluation.tables import Rows, read_jsonl, read_table
from studio.importers.parts import Budget, Location, Part, json_part, yaml_part

SUITE_SOURCES: Mapping[str, str] = {
    "suite": "a suite of the studio",
    "rows": "a table or JSONL",
    "inspect": "Inspect",
    "openai-evals": "OpenAI evals",
    "gsm8k": "GSM8K",
    "humaneval": "HumanEval",
    "adk": "Google ADK",
    "promptfoo": "promptfoo",
    "pydantic-evals": "pydantic-evals",
    "tau2": "tau2-bench",
}
"""Titles by key."""
MAX_FILES = 20
TEXTS = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv")
"""Files that a suite can be made of, the most telling first; others are read only where one of these names them."""


def import_suite(files: Mapping[str, str]) -> ImportedSuite:
    """The suite of these files; nothing of them is executed or fetched. It may take seconds: call it in a thread.

    Args:
        files: Texts by name: one that holds cases, and those that it names.

    Raises:
        InvalidSuite: With all rows or cases that are wrong.
        InvalidDocument: They are of no known source, or cannot be read.
        TooLarge: They are larger than a suite may be.
    """
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_BYTES:
        what = f"More than {MAX_FILES} files, or more than {MAX_BYTES // 2**20} MB."
        raise TooLarge(what, fix="Import the files of one suite.")
    name = _main(files)
    draft = SuiteDraft(PurePosixPath(name).name.split(".")[0].replace("_", " ").replace("-", " ") or "Imported suite")
    try:
        return _imported(draft, name, files)
    except RecursionError as error:
        raise InvalidDocument("The file is nested too deeply.", fix="Import a smaller part of it.") from error


def merged(document: JsonObject, imported: ImportedSuite) -> JsonObject:
    """A suite with the cases of an imported one.

    Scorers of every imported case become those of each of them, unless the suite is empty. A suggestion gives way to
    what the suite has.
    """
    cases, added, always, scorers = (
        cast("list[JsonValue]", source.get(part) or [])
        for source, part in (
            (document, "cases"),
            *((imported.document, each) for each in ("cases", "always", "scorers")),
        )
    )
    has_scorers = bool(document.get("always") or document.get("scorers"))
    if not cases and not has_scorers:
        return {**imported.document, **{name: value for name, value in document.items() if value}}
    shared = [] if imported.is_guess and has_scorers else [*always, *scorers]
    return {**document, "cases": [*cases, *(_with_scorers(cast("JsonObject", case), shared) for case in added)]}


def _with_scorers(case: JsonObject, shared: Sequence[JsonValue]) -> JsonObject:
    own = cast("list[JsonValue]", case.get("scorers") or [])
    return {**case, "scorers": [*shared, *own]} if shared else case


def name_for(text: str) -> str:
    """A file name for pasted text, by what it looks like."""
    head = text.lstrip("\ufeff \t\r\n")
    first = head.split("\n", 1)[0].rstrip()
    if head.startswith("["):
        return "pasted.json"
    if head.startswith("{"):
        return "pasted.jsonl" if first.endswith("}") and "\n" in head.strip() else "pasted.json"
    if "\t" in first:
        return "pasted.tsv"
    is_yaml = first.startswith(("#", "- ", "---")) or (first.partition(":")[0].isidentifier() and ":" in first)
    return "pasted.yaml" if is_yaml else "pasted.csv"


def _main(files: Mapping[str, str]) -> str:
    for suffix in TEXTS:
        found = [name for name in files if name.lower().endswith(suffix) and PurePosixPath(name).name != CRITERIA]
        if found:
            return found[0]
    raise InvalidDocument("There is no file of cases.", fix=f"Choose a file that ends in {', '.join(TEXTS)}.")


def _imported(draft: SuiteDraft, name: str, files: Mapping[str, str]) -> ImportedSuite:
    text, lower = files[name].removeprefix("\ufeff"), name.lower()
    if lower.endswith((".csv", ".tsv")):
        return draft.finish(_table(draft, name, text, lower))
    rows = Rows(name)
    if lower.endswith(".jsonl"):
        read_jsonl(text, rows)
        return draft.finish(import_rows(draft, rows, is_table=False))
    is_json = lower.endswith(".json")
    root = json_part(name, text, Budget(MAX_BYTES, MAX_JSON_PARTS)) if is_json else yaml_part(name, text, Budget())
    if root.get("suite") is not None and _is_suite(root):
        return _own(draft, name, text, files)
    beside = {PurePosixPath(each).name: content for each, content in files.items()}
    if (tasks := root.get("tasks")) is not None and is_tau2(tasks):
        root = tasks
    if is_adk(root):
        text = beside.get(CRITERIA, "")
        criteria = Criteria.read(json_part(CRITERIA, text, Budget())) if text else Criteria()
        return draft.finish(import_adk(draft, root, criteria))
    readers = ((is_tau2, import_tau2), (is_pydantic_evals, import_pydantic_evals))
    for finds, read in readers:
        if finds(root):
            return draft.finish(read(draft, root))
    if is_promptfoo(root):
        return draft.finish(import_promptfoo(draft, root, beside))
    if root.items and all(each.entries is not None for each in root.items):
        return draft.finish(import_rows(draft, _rows_of(root, rows), is_table=False))
    titles = ", ".join(SUITE_SOURCES.values())
    raise InvalidDocument(f"{name!r} is none of {titles}.", fix="Choose a file with cases.")


def _is_suite(root: Part) -> bool:
    """Whether it is a suite of the studio."""
    return any(root.get(part) is not None for part in ("cases", "scorers", "always"))


def _own(draft: SuiteDraft, name: str, text: str, files: Mapping[str, str]) -> ImportedSuite:
    def read_beside(wanted: str) -> str:
        if wanted not in files:
            raise InvalidDocument(f"The file {wanted!r} was not given.", fix="Import it together with the suite.")
        return files[wanted]

    suite = read_suite(name, text, read_beside)
    draft.say("exact", Location(name, 1, 1), f"{len(suite.cases):,} cases", became="/cases")
    document = cast("JsonObject", suite.model_dump(mode="json", exclude_defaults=True))
    return ImportedSuite("suite", document, tuple(draft.report.findings))


def _table(draft: SuiteDraft, name: str, text: str, lower: str) -> str:
    rows = Rows(name)
    columns = read_table(text, rows, "\t" if lower.endswith(".tsv") else _delimiter(text))
    if is_promptfoo_table(columns):
        return import_promptfoo_table(draft, rows)
    return import_rows(draft, rows, is_table=True)


def _delimiter(text: str) -> str:
    """A comma, or the semicolon that spreadsheets write in some countries."""
    first = next(csv.reader([text.split("\n", 1)[0]]), [""])
    return ";" if len(first) == 1 and ";" in text.split("\n", 1)[0] else ","


def _rows_of(root: Part, rows: Rows) -> Rows:
    for each in root.items or ():
        rows.add(each.place.line, each.plain())
    return rows
