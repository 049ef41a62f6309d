"""`studio import`: a team of another tool, with a report of what came along."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from studio.cli.approval_prompt import in_one_line
from studio.errors import SetupError, StudioError
from studio.importers import SOURCES, Imported, import_bundle, read_bundle


def import_path(path: Path, source: str, out: Path | None, *, as_json: bool) -> bool:
    """Import a file, ZIP file or folder, write the team, and print the report; whether there is a team.

    Raises:
        SetupError: A file cannot be read or written, or there is no such source.
    """
    if source and source not in SOURCES:
        raise SetupError(f"There is no source {source!r}.", fix=f"Choose one of {', '.join(SOURCES)}.")
    try:
        imported = import_bundle(read_bundle(path), source)
    except SetupError:
        raise
    except StudioError as error:
        print(f"studio: {in_one_line(str(error), is_prose=True)}", file=sys.stderr)
        return False
    if out is not None:
        _write(imported, out)
    if as_json:
        print(json.dumps(imported.as_json(), indent=2))
    else:
        print("\n".join(in_one_line(line, is_prose=True) for line in _lines(str(path), imported, out)))
    return True


def _write(imported: Imported, out: Path) -> None:
    try:
        out.write_text(json.dumps(imported.team, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{str(out)!r} cannot be written: {error.strerror}.", fix="Choose another path.") from error


def _lines(path: str, imported: Imported, out: Path | None) -> Iterator[str]:
    yield f"{path}: {SOURCES[imported.source].title}"
    yield "  " + ", ".join(f"{count} {verdict}" for verdict, count in imported.counts.items())
    for finding in imported.findings:
        became = f"  {finding.became}" if finding.became else ""
        yield f"  {finding.verdict:<12} {finding.place}  {finding.what}{became}"
        yield from (f"      {text}" for text in (finding.why, finding.fix) if text)
    yield f"Written to {out}." if out else "Nothing was written; add --out TEAM.json to keep the team."
