"""What every scorer is: fields, checked once, and a judgment of a finished run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, model_validator

from studio.components.deferred_model import DeferredModel
from studio.evaluation.cases import CaseFields, field_names
from studio.evaluation.transcript import Transcript

Verdict = Literal["pass", "fail", "unscored"]

MAX_SHOWN = 160
"""Characters of a text that a reason repeats."""
Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(min_length=1, max_length=100)]


@dataclass(frozen=True)
class Score:
    """The judgment of one scorer.

    Args:
        value: 0 to 1; None where it is unscored.
        reason: A sentence.
        places: Numbers of the log entries that it is about.
        judged_by: The run of the judge; "" where no model was asked.
    """

    verdict: Verdict
    reason: str
    value: float | None = None
    places: tuple[int, ...] = ()
    judged_by: str = ""


def passed(reason: str, places: Iterable[int] = (), value: float = 1.0) -> Score:
    """The run is as the scorer asks."""
    return Score("pass", reason, value, tuple(places))


def failed(reason: str, places: Iterable[int] = (), value: float = 0.0) -> Score:
    """The run is not as the scorer asks."""
    return Score("fail", reason, value, tuple(places))


def unscored(reason: str, places: Iterable[int] = ()) -> Score:
    """The scorer cannot tell. That is neither a pass nor a fail."""
    return Score("unscored", reason, None, tuple(places))


def shown(text: str) -> str:
    """A text as reasons repeat it."""
    line = " ".join(text[: 4 * MAX_SHOWN].split())
    return f"“{line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + '…'}”"


class Scorer(DeferredModel):
    """Judges a finished run by its log. Texts may hold fields of the case, such as `{target}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    """As suites write it."""
    shorthand: ClassVar[str] = ""
    """The field that a bare value stands for."""
    has_fields_of_cases: ClassVar[bool] = True
    """Whether `{name}` in its texts stands for a field of the case."""

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, value: Any) -> Any:
        return cls.spelled_out(value)

    @classmethod
    def spelled_out(cls, value: Any) -> Any:
        """The fields that a bare value stands for."""
        if isinstance(value, Mapping | Scorer):
            return value  # pyright: ignore[reportUnknownVariableType] -- Pydantic checks it
        if value is True or value is None:
            return {}
        return {cls.shorthand: value} if cls.shorthand else value

    @abstractmethod
    def score(self, run: Transcript, case: CaseFields) -> Score:
        """Judge a run that has ended by itself."""

    def problem(self, case: CaseFields) -> str:
        """Why it cannot score any run of a case, in a sentence; empty where it can."""
        lacking = sorted({name for name in self.fields_of_cases() if not _has(case, name)})
        return f"The case has no {' and no '.join(f'`{name}`' for name in lacking)}." if lacking else ""

    def fields_of_cases(self) -> Iterator[str]:
        """Names of the fields of a case that it needs."""
        if self.has_fields_of_cases:
            document: JsonValue = self.model_dump(mode="json")
            yield from field_names(document)


def _has(case: CaseFields, name: str) -> bool:
    try:
        case.value_of(name)
    except KeyError:
        return False
    return True
