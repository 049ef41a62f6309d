"""`studio eval import`: a suite of another tool's files, with a report of what came along."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from studio.cli.approval_prompt import in_one_line
from studio.errors import SetupError, StudioError
from studio.evaluation.imports import SUITE_SOURCES, ImportedSuite, import_suite
from studio.evaluation.suite_file import InvalidSuite, write_suite
from studio.services.local_files import read_bytes


def import_files(files: Sequence[Path], out: Path | None, *, as_json: bool) -> bool:
    """Import files, write the suite, and print the report; whether there is a suite.

    Raises:
        SetupError: A file cannot be read or written.
    """
    try:
        imported = import_suite({file.name: _text(file) for file in files})
    except SetupError:
        raise
    except InvalidSuite as error:
        for each in error.placed:
            _print_error(f"{each.place}: {each.finding.message} {each.finding.fix}")
        return False
    except StudioError as error:
        _print_error(str(error))
        return False
    if out is not None:
        _write(imported, out)
    if as_json:
        print(json.dumps(imported.as_json(), indent=2))
    else:
        print("\n".join(in_one_line(line, is_prose=True) for line in _lines(str(files[0]), imported, out)))
    return True


def _text(file: Path) -> str:
    try:
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SetupError(f"{str(file)!r} is not UTF-8 text.", fix="Save it as UTF-8.") from error


def _write(imported: ImportedSuite, out: Path) -> None:
    form, text = write_suite(imported.document)
    if out.suffix == ".json":
        text = json.dumps(imported.document, ensure_ascii=False, indent=2) + "\n"
    elif form == "json":
        raise SetupError("The suite is too long for YAML.", fix=f"Write it to {out.with_suffix('.json').name!r}.")
    try:
        out.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SetupError(f"{str(out)!r} cannot be written: {error.strerror}.", fix="Choose another path.") from error


def _lines(path: str, imported: ImportedSuite, out: Path | None) -> Iterator[str]:
    cases = imported.document["cases"]
    count = len(cases) if isinstance(cases, list) else 0
    yield f"{path}: {count:,} case{'s' * (count != 1)} from {SUITE_SOURCES[imported.source]}"
    yield "  " + ", ".join(f"{count} {verdict}" for verdict, count in imported.counts.items())
    for finding in imported.findings:
        became = f"  {finding.became}" if finding.became else ""
        yield f"  {finding.verdict:<12} {finding.place}  {finding.what}{became}"
        yield from (f"      {text}" for text in (finding.why, finding.fix) if text)
    yield f"Written to {out}." if out else "Nothing was written; add --out SUITE.yml to keep the suite."


def _print_error(text: str) -> None:
    print(f"studio: {in_one_line(text.strip(), is_prose=True)}", file=sys.stderr)
