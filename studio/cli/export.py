"""`studio export`: a team as a Python script, for the studio or for another framework."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from studio.cli.approval_prompt import in_one_line
from studio.cli.load_files import read_document
from studio.components import load_component
from studio.components.secret_variables import keys_as_variables
from studio.errors import SetupError
from studio.exporters import TARGETS, Exported, TargetKey, export_team


def export_file(
    file: Path,
    name: str,
    out: Path | None,
    target: TargetKey = "python",
    *,
    as_report: bool = False,
    as_json: bool = False,
) -> None:
    """Write the script to a file, or print it; keys in the open become references to environment variables.

    Args:
        as_report: Print what is different there in place of the script.
        as_json: Print the script and the report as JSON.

    Raises:
        ConfigError: The component cannot be written for the target.
        SetupError: The file cannot be written.
    """
    clean, variables = keys_as_variables(read_document(file, name, may_stand_in=True))
    exported = export_team(load_component(clean), target)
    for where, variable in variables.items():
        print(f"studio: {where} contains a key in plain text; the script reads {variable} instead.", file=sys.stderr)
    if out is not None:
        _write(exported, out)
    if as_json:
        print(json.dumps(exported.as_json(), indent=2))
    elif as_report:
        print("\n".join(in_one_line(line, is_prose=True) for line in report_lines(exported)))
    else:
        if out is None:
            print(exported.code, end="")
        if differing := sum(count for verdict, count in exported.counts.items() if verdict != "exact"):
            title = TARGETS[target].title
            print(f"studio: {differing} parts differ in {title}; --report lists them.", file=sys.stderr)


def report_lines(exported: Exported) -> Iterator[str]:
    """The report, as people read it on a terminal."""
    yield TARGETS[exported.target].title
    yield "  " + ", ".join(f"{count} {verdict}" for verdict, count in exported.counts.items())
    for finding in exported.findings:
        yield f"  {finding.verdict:<12} {finding.place or '/'}  {finding.what}"
        yield from (f"      {text}" for text in (finding.why, finding.fix) if text)


def _write(exported: Exported, out: Path) -> None:
    try:
        out.write_text(exported.code, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{str(out)!r} cannot be written: {error.strerror}.", fix="Choose another path.") from error
