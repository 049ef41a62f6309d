"""What is wrong in a script, each thing at its line and column."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from studio.errors import MAX_FINDINGS, ConfigError

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where something stands in a source, both counted from 1; columns are characters.

    Args:
        file: Name of the file beside the script that it stands in; empty for the script itself.
    """

    line: int
    column: int = 1
    file: str = ""


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """One thing wrong with a script, or worth knowing.

    Args:
        where: JSON pointer of the same place in the component, as far as there is one.
    """

    code: str
    message: str
    fix: str
    place: Position
    where: str = ""
    severity: Severity = "error"

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "code": self.code,
            "message": self.message,
            "fix": self.fix,
            "where": self.where,
            "line": self.place.line,
            "column": self.place.column,
            "severity": self.severity,
            **({"file": self.place.file} if self.place.file else {}),
        }


class InvalidPython(ConfigError):
    """A script cannot be read as a component; `findings` lists everything in the way."""

    code = "invalid_python"

    def __init__(self, findings: Sequence[CodeFinding]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        line = f"{first.place.file}, line {first.place.line}" if first.place.file else f"Line {first.place.line}"
        super().__init__(f"{line}: {first.message}{more}", fix=first.fix, where=first.where)
        self.findings = tuple(findings)

    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "findings": [finding.as_json() for finding in self.findings]}


class Problems:
    """Collects findings, the first `MAX_FINDINGS` of each severity, so that an author sees them all at once."""

    def __init__(self) -> None:
        self._found: dict[Severity, dict[CodeFinding, None]] = {"error": {}, "warning": {}}

    def add(self, finding: CodeFinding) -> None:
        found = self._found[finding.severity]
        if len(found) < MAX_FINDINGS:
            found[finding] = None

    def error(self, code: str, message: str, fix: str, place: Position) -> None:
        self.add(CodeFinding(code, message, fix, place))

    def warn(self, code: str, message: str, fix: str, place: Position) -> None:
        self.add(CodeFinding(code, message, fix, place, severity="warning"))

    @contextmanager
    def tried(self) -> Generator[list[CodeFinding]]:
        """Errors within the block are taken back, and given to it: what was tried may be done without."""
        before, taken = dict(self._found["error"]), list[CodeFinding]()
        yield taken
        taken.extend(found for found in self._found["error"] if found not in before)
        self._found["error"] = before

    def make_errors_of(self, code: str) -> None:
        """Let warnings of this code be in the way."""
        for found in [each for each in self._found["warning"] if each.code == code]:
            self.add(replace(found, severity="error"))

    @property
    def are_in_the_way(self) -> bool:
        """Whether there is an error."""
        return bool(self._found["error"])

    @property
    def errors(self) -> list[CodeFinding]:
        """What is in the way so far."""
        return sorted(self._found["error"], key=lambda finding: (finding.place.file, finding.place))

    @property
    def are_enough(self) -> bool:
        """Whether no more errors are taken."""
        return len(self._found["error"]) >= MAX_FINDINGS

    def __iter__(self) -> Iterator[CodeFinding]:
        """Errors first, each kind by line."""
        for found in self._found.values():
            yield from sorted(found, key=lambda finding: (finding.place.file, finding.place))
