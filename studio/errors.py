"""Every error that the studio raises on purpose, by the person who can mend it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import ClassVar

MAX_FINDINGS = 200
"""Findings that are listed; nobody reads more, and a page of ten thousand helps nobody."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that a page can carry out: write `value`, which is plain JSON, at `pointer`.

    Args:
        label: What it does, as on a button.
        pointer: JSON pointer into the document.
        value: What stands there afterwards.
    """

    label: str
    pointer: str
    value: object = field(hash=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong, or worth knowing, at one place of a document.

    `where` is a JSON pointer into the document ("" is its root), `code` a stable snake_case name.
    """

    code: str
    message: str
    fix: str = ""
    where: str = ""
    fixes: tuple[Fix, ...] = ()

    def moved(self, where: str) -> Finding:
        """The same about a document that stands at a place of a larger one."""
        fixes = tuple(replace(fix, pointer=where + fix.pointer) for fix in self.fixes)
        return replace(self, where=where + self.where, fixes=fixes)

    def as_json(self) -> dict[str, object]:
        """As the API has it; `fixes` only where there are some."""
        plain: dict[str, object] = {name: getattr(self, name) for name in ("code", "message", "fix", "where")}
        return {**plain, "fixes": [asdict(each) for each in self.fixes]} if self.fixes else plain


def first_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings up to `MAX_FINDINGS`, with a last one that says so when there are more."""
    found = tuple(islice(findings, MAX_FINDINGS + 1))
    if len(found) <= MAX_FINDINGS:
        return found
    more = Finding(
        "more_findings", f"There are more than {MAX_FINDINGS} problems; these are the first.", "Correct these first."
    )
    return (*found[:MAX_FINDINGS], more)


class StudioError(Exception):
    """Base of all errors raised on purpose: says what happened, where, and what to do.

    Args:
        what: One sentence for the reader; values in `!r`.
        fix: What to do next; may be empty.
        where: JSON pointer into the component concerned; "" when there is none.
    """

    code: ClassVar[str] = "error"
    retry_after_s: int = 0
    """When to try the same again; 0 when nobody can tell."""

    def __init__(self, what: str, *, fix: str = "", where: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.where = where

    def __str__(self) -> str:
        return f"{self.what} {self.fix}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        """So that a process can send one to another: each class is made of other arguments."""
        return _remade, (type(self), self.args, self.__dict__)

    def as_json(self) -> dict[str, object]:
        """The one JSON shape of errors."""
        return {"error": {"code": self.code, "message": self.what, "fix": self.fix, "where": self.where}}


def _remade(cls: type[StudioError], args: tuple[object, ...], state: dict[str, object]) -> StudioError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigError(StudioError):
    """The author of a team must change its config. Retrying will not help."""

    code = "config"


class InvalidDocument(ConfigError):
    """The text is not JSON or YAML, or is larger or deeper than a team can be."""

    code = "invalid_document"


class UnknownProvider(ConfigError):
    """No component is registered under this provider."""

    code = "unknown_provider"


class MissingSecret(ConfigError):
    """A secret that a component refers to has no value on this machine."""

    code = "missing_secret"


class InvalidComponent(ConfigError):
    """One or more places of a component are wrong; `findings` lists all of them."""

    code = "invalid_component"

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        place = f" at {first.where}" if first.where else ""
        super().__init__(f"{first.message}{place}{more}", fix=first.fix, where=first.where)
        self.findings = tuple(findings)

    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "findings": [finding.as_json() for finding in first_findings(self.findings)]}


class ToolFailed(StudioError):
    """A tool could not do its work. The model reads the message and the run goes on."""

    code = "tool_failed"


class RunFailed(StudioError):
    """A run cannot go on; this is the last entry of its log."""

    code = "run_failed"


class ModelUnavailable(RunFailed):
    """The model gave no complete answer in time. Safe to retry."""

    code = "model_unavailable"


class ModelRefused(RunFailed):
    """The model service rejected the request. Retrying will not help."""

    code = "model_refused"


class SetupError(StudioError):
    """The operator must change how the studio is installed or started."""

    code = "setup"


class NotFound(StudioError):
    """The thing asked for does not exist, or no longer."""

    code = "not_found"


class Conflict(StudioError):
    """Somebody else changed the thing since it was read, or its state does not allow this."""

    code = "conflict"


class Forbidden(StudioError):
    """The caller may not do this."""

    code = "forbidden"


class TooLarge(StudioError):
    """The input is larger than the studio takes."""

    code = "too_large"
