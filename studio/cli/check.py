"""`studio check`: validate the components in files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from studio.cli.approval_prompt import in_one_line, told_exactly
from studio.cli.knowledge import knowledge_base_names, reads_knowledge
from studio.cli.load_files import read_gallery
from studio.code import InvalidPython
from studio.components import JsonObject
from studio.errors import ConfigError, Finding, TooLarge
from studio.galleries import EntryReport, GalleryReport
from studio.settings import Settings

Checked = GalleryReport | ConfigError | TooLarge


def check_files(files: Sequence[Path], *, as_json: bool) -> bool:
    """Print a report for each file and tell whether nothing is wrong in any.

    Raises:
        SetupError: A file cannot be read.
    """
    reports = _with_missing_knowledge({str(file): _report(file) for file in files})
    if as_json:
        print(json.dumps([{"file": file, **_as_json(report)} for file, report in reports.items()], indent=2))
    else:
        for file, report in reports.items():
            print("\n".join(in_one_line(line, is_prose=True) for line in _lines(file, report)))
    return all(isinstance(report, GalleryReport) and report.ok for report in reports.values())


def _with_missing_knowledge(reports: Mapping[str, Checked]) -> Mapping[str, Checked]:
    """The reports, with a warning for each knowledge base that is not in the studio of this computer."""
    found = [each for each in reports.values() if isinstance(each, GalleryReport)]
    needed = [need for each in found for entry in each.entries for need in entry.report.capabilities]
    names = asyncio.run(knowledge_base_names(Settings.from_env())) if reads_knowledge(needed) else None
    if names is None:
        return reports
    return {file: _warned(each, names) if isinstance(each, GalleryReport) else each for file, each in reports.items()}


def _warned(report: GalleryReport, names: Sequence[str]) -> GalleryReport:
    from studio.services.knowledge_search import missing_bases  # takes a while, and most teams read none

    entries: list[EntryReport] = []
    for entry in report.entries:
        lacking = [each.moved(entry.entry.where) for each in missing_bases(entry.report.capabilities, names)]
        warnings = (*entry.report.warnings, *lacking)
        entries.append(replace(entry, report=replace(entry.report, warnings=warnings)))
    return replace(report, entries=tuple(entries))


def _report(file: Path) -> Checked:
    try:
        return read_gallery(file).check()
    except (ConfigError, TooLarge) as error:
        return error


def _as_json(report: Checked) -> JsonObject:
    if isinstance(report, GalleryReport):
        return report.as_json()
    error = Finding(report.code, report.what, report.fix, report.where)
    found = report.findings if isinstance(report, InvalidPython) else [error]
    counts: JsonObject = {"loaded": 0, "opaque": 0, "wrong": 1}
    rejected = cast("list[JsonValue]", [each.as_json() for each in found])
    return {"ok": False, "counts": counts, "components": [], "rejected": rejected}


def _lines(file: str, report: Checked) -> Iterator[str]:
    if not isinstance(report, GalleryReport):
        yield f"{file}: wrong"
        if isinstance(report, InvalidPython):
            for found in report.findings:
                yield f"      {found.place.file or file}:{found.place.line}:{found.place.column}: {found.message}"
                yield f"        {found.fix}"
            return
        yield from _finding("wrong", Finding(report.code, report.what, report.fix, report.where))
        return
    yield f"{file}: " + ", ".join(f"{count} {status}" for status, count in report.counts.items())
    for entry in report.entries:
        yield from _entry(entry)
    for finding in report.rejected:
        yield from _finding("wrong", finding)


def _entry(found: EntryReport) -> Iterator[str]:
    entry = found.entry
    yield f"  {found.status:<7} {entry.group:<13} {entry.label}  {entry.where}".rstrip()
    for finding in found.report.errors:
        yield from _finding("error", finding)
    for finding in found.report.warnings:
        yield from _finding("note", finding)
    for capability in found.report.capabilities:
        sentence, *exactly = told_exactly(capability)
        yield f"      needs: {sentence.removeprefix('  - ')}"
        yield from (f"    {line}" for line in exactly)


def _finding(kind: str, finding: Finding) -> Iterator[str]:
    place = f"  {finding.where}" if finding.where else ""
    yield f"      {kind}: {finding.message}{place}"
    if finding.fix:
        yield f"        {finding.fix}"
