"""A suite while it is made of another tool's files: its cases, and what became of each part."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from studio.code.conversion import SEE_PARTS, ConversionFinding, Report, Verdict, counts_of, findings_json
from studio.components import JsonObject
from studio.components.pointers import steps_of
from studio.errors import InvalidDocument, TooLarge
from studio.evaluation.cases import field_names
from studio.evaluation.suite_file import InvalidSuite, check_suite
from studio.evaluation.suites import MAX_CASES
from studio.importers.parts import Location

MAX_NOTES = 10_000
MAX_NAME = 200
MAX_TAG = 60
_NOT_IN_ID = re.compile(r"[^\w.:@ -]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class ImportedSuite:
    """A suite that was made of a source.

    Args:
        source: Key of the source, such as `promptfoo`.
        document: What a suite file holds, without a mistake.
        findings: In the order of the source.
        is_guess: Whether the source does not say how answers are judged, so that its scorers are a suggestion.
    """

    source: str
    document: JsonObject
    findings: tuple[ConversionFinding, ...]
    is_guess: bool = False

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many parts there are of each verdict."""
        return counts_of(self.findings)

    def as_json(self) -> JsonObject:
        return {"source": self.source, "suite": self.document, **findings_json(self.findings)}


@dataclass
class SuiteDraft:
    """Collects cases and findings while a source is read.

    Args:
        guesses: Scorers of every case where the source does not say how answers are judged.
    """

    name: str
    always: list[JsonValue] = field(default_factory=list[JsonValue])
    scorers: list[JsonValue] = field(default_factory=list[JsonValue])
    guesses: list[JsonValue] = field(default_factory=list[JsonValue])
    report: Report = field(default_factory=Report)
    _cases: list[JsonObject] = field(default_factory=list[JsonObject])
    _places: list[Location] = field(default_factory=list[Location])
    _renamed: int = 0
    _is_whole: bool = True

    def say(self, verdict: Verdict, place: Location, what: str, why: str = "", fix: str = "", became: str = "") -> None:
        """Report what became of a part."""
        self._is_whole = self._is_whole and verdict == "exact"
        self.report.add(verdict, place, what, why, fix=fix, became=became)

    def begin_cases(self) -> None:
        """What was said so far is of the whole suite, and makes no case less exact."""
        self._is_whole = True

    @property
    def here(self) -> str:
        """The pointer of the case that is added next."""
        return f"/cases/{len(self._cases)}"

    def add(self, place: Location, task: str, what: str = "", **fields: JsonValue) -> None:
        """Add a case; fields without a value are left out.

        Args:
            what: What it is in the source, for the report; empty where rows are reported together.

        Raises:
            TooLarge: There are too many.
        """
        if len(self._cases) == MAX_CASES:
            raise TooLarge(f"The files have more than {MAX_CASES:,} cases.", fix="Import a part of them.")
        if what:
            verdict: Verdict = "exact" if self._is_whole else "approximated"
            self.say(verdict, place, what, "" if self._is_whole else SEE_PARTS, became=self.here)
        self._is_whole = True
        wanted = str(fields.pop("id", "") or "")
        case_id = _NOT_IN_ID.sub("-", wanted)[-100:].strip()
        self._renamed += case_id != wanted
        if isinstance(notes := fields.get("notes"), str):
            fields["notes"] = notes[:MAX_NOTES]
        if isinstance(tags := fields.get("tags"), list):
            fields["tags"] = [*[str(tag)[:MAX_TAG] for tag in tags if str(tag).strip()][:50]]
        case: JsonObject = {"task": task}
        case |= {name: value for name, value in {"id": case_id, **fields}.items() if value not in (None, "", [], {})}
        self._cases.append(case)
        self._places.append(place)

    def finish(self, source: str) -> ImportedSuite:
        """The suite, checked.

        Raises:
            InvalidSuite: With all that is wrong, at the places of the source.
            InvalidDocument: There is no case.
        """
        if not self._cases:
            raise InvalidDocument("The files hold no case that can be read.", fix="Choose a file with cases.")
        self._tell_ids_apart()
        is_guess = not self.scorers and not any("scorers" in case for case in self._cases) and bool(self.guesses)
        document: JsonObject = {"suite": self.name[:MAX_NAME] or "Imported suite"}
        if self.always:
            document["always"] = self.always
        if scorers := self.scorers or (self.guesses if is_guess else []):
            document["scorers"] = scorers
        bare = [case for case in self._cases if "scorers" not in case]
        if bare and not self.always and not scorers:
            for case in bare:
                case["scorers"] = [{"no_errors": {}}]
            what = f"{len(bare):,} case{'s' * (len(bare) > 1)} without an expectation that is read"
            why = "The scorer `no_errors` stands in: it passes where no tool call fails."
            self.say("asked", self._places[0], what, why, "Say what a good run does.", "/cases")
        document["cases"] = [*self._cases]
        try:
            check_suite(document)
        except InvalidSuite as error:
            placed = [replace(each, place=self._place_of(each.finding.where)) for each in error.placed]
            raise InvalidSuite(placed) from error
        return ImportedSuite(source, document, tuple(self.report.findings), is_guess)

    def _tell_ids_apart(self) -> None:
        """Give cases with the same task or ID one that no other has."""
        tasks = Counter(str(case["task"]) for case in self._cases if "id" not in case)
        taken = Counter(str(case["id"]) for case in self._cases if "id" in case)
        used: set[str] = set()
        for number, case in enumerate(self._cases, 1):
            wanted = str(case.get("id", ""))
            if not wanted and tasks[str(case["task"])] == 1:
                continue
            if not wanted or wanted in used:
                base, again = (wanted[:90] or "case"), number
                while f"{base}-{again}" in taken or f"{base}-{again}" in used:
                    again += 1
                wanted = f"{base}-{again}"
                self._renamed += "id" in case
            used.add(wanted)
            case["id"] = wanted
        if self._renamed:
            what = f"IDs of {self._renamed:,} case{'s' * (self._renamed > 1)}"
            why = "An ID has letters, digits, spaces and .:@-_ and is of one case only."
            self.say("approximated", self._places[0], what, why, became="/cases")

    def _place_of(self, where: str) -> Location:
        steps = steps_of(where)
        if steps[:1] == ["cases"] and len(steps) > 1 and steps[1].isdecimal() and int(steps[1]) < len(self._places):
            return self._places[int(steps[1])]
        return Location("suite", pointer=where)


def literal(fields: dict[str, JsonValue], text: str) -> str:
    """A text as scorers take it: one in which `{name}` stands is put into a field, which is never looked into."""
    if not any(True for _ in field_names(text)):
        return text
    name = next(f"text_{number}" for number in range(1, 1_000) if f"text_{number}" not in fields)
    fields[name] = text
    return f"{{{name}}}"


def field_name(name: str) -> str:
    """A name that `{name}` in a scorer can be, and that is no field of a case."""
    made = re.sub(r"\W", "_", name, flags=re.ASCII)[:100] or "field"
    made = made if _IDENTIFIER.match(made) else f"_{made}"
    return f"{made}_" if made in ("id", "task", "target", "cluster") else made


def as_lines(values: Mapping[str, JsonValue]) -> str:
    """Values as people write them: `name: value`, a line each."""
    return "\n".join(f"{name}: {plain_text(value)}" for name, value in values.items())


def plain_text(value: JsonValue) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def judged_notes(rubrics: Sequence[str]) -> str:
    """What a judge was to look for, kept for people."""
    return "\n".join(f"Judge: {each}" for each in rubrics)
