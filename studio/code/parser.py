"""A Python script as a component, without executing anything: the way back of `export_python`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from studio.code.export import NOTES_COMMENT
from studio.code.findings import CodeFinding, InvalidPython, Position, Problems, Severity
from studio.code.other_files import OtherFiles
from studio.code.parsed import ParsedValue, as_json, place_of
from studio.code.source import Source, parse_source
from studio.code.stand_ins import STAND_IN
from studio.code.statements import Script
from studio.components import Component, JsonObject, extract_secrets, find_class, load_component, validate_component
from studio.components.pointers import escape, steps_of
from studio.errors import Finding


@dataclass(frozen=True)
class Reading:
    """What a script says.

    Args:
        component: Component JSON; as the component itself would dump it, unless something in it is wrong.
        findings: What is wrong with the component, and what of the script is not kept, by line.
    """

    component: JsonObject
    findings: tuple[CodeFinding, ...]

    @property
    def stand_ins(self) -> list[CodeFinding]:
        """What does something else than the script until a person replaces it."""
        return [finding for finding in self.findings if finding.code == STAND_IN]

    @property
    def errors(self) -> list[CodeFinding]:
        """What is wrong."""
        return [finding for finding in self.findings if finding.severity == "error"]


def read_python(source: str) -> JsonObject:
    """The component of a script: imports, assignments, constructor calls, literals, and functions for tools.

    Nothing of the source is executed, imported or evaluated.

    Raises:
        InvalidPython: With everything that is not read and everything that is wrong, each at its line.
        TooLarge: The script is longer than any team.
    """
    reading = parse_python(source)
    if reading.errors:
        raise InvalidPython(reading.errors)
    return reading.component


def read_script(
    source: str,
    *,
    environment: Mapping[str, str] | None = None,
    files: OtherFiles | None = None,
    wanted: str = "",
) -> Reading:
    """The component of a script that was written to be run.

    What makes no components is passed over, with a finding: calls such as `load_dotenv()`, prints, runs, loops.
    Functions that return components are followed. Nothing is executed.

    Args:
        source: The script.
        environment: Values of environment variables. Texts that the script reads from others have their names instead,
            with a finding `stand_in`, as have agents and conditions of the script's own classes.
        files: Files that it may import from; without them, parts of other files have stand-ins.
        wanted: Name of one of several components: of its variable, with a colon and its line where others have it, too.

    Raises:
        SeveralComponents: It makes several, and none or none of that name was chosen.
        InvalidPython: With everything that is in the way.
        TooLarge: The script is longer than any team.
    """
    reading = parse_python(source, passes_over=True, environment=environment, files=files, wanted=wanted)
    if reading.errors:
        raise InvalidPython(reading.errors)
    return reading


def parse_python(
    source: str,
    *,
    passes_over: bool = False,
    environment: Mapping[str, str] | None = None,
    files: OtherFiles | None = None,
    wanted: str = "",
) -> Reading:
    """The component of a script, also of one with wrong or missing fields.

    Args:
        source: The script.
        passes_over: Whether what makes no components is passed over, and not refused.
        environment: Values of environment variables, for a script that was written to be run.
        files: Files that it may import from.
        wanted: Name of one of several components.

    Raises:
        SeveralComponents: It makes several, and none of them was chosen.
        InvalidPython: The script is not Python, or holds what is not read.
        TooLarge: The script is longer than any team.
    """
    parsed = parse_source(source)
    problems = Problems()
    try:
        script = Script.alone(parsed, problems, passes_over=passes_over, environment=environment, files=files)
        return _read(parsed, problems, script, wanted)
    except RecursionError:
        problems.error("too_deep", "The script is nested too deeply.", "Assign inner parts to variables.", Position(1))
        raise InvalidPython(list(_errors(problems, None))) from None


def _read(parsed: Source, problems: Problems, script: Script, wanted: str) -> Reading:
    made = script.component(wanted)
    if made is not None:
        _refuse_functions(made, problems)
    if made is None or problems.are_in_the_way:
        raise InvalidPython(list(_errors(problems, made)))
    _tell_lost_comments(parsed, script.kept_lines(), problems)
    written = cast("JsonObject", as_json(made))
    report = validate_component(written)
    for severity, found in (("error", report.errors), ("warning", report.warnings)):
        for finding in found:
            problems.add(_at_its_line(finding, made, cast("Severity", severity)))
    return Reading(_normal(written) if report.ok else written, tuple(problems))


def _at_its_line(finding: Finding, made: ParsedValue, severity: Severity) -> CodeFinding:
    place = place_of(made, finding.where)
    return CodeFinding(finding.code, finding.message, finding.fix, place, finding.where, severity)


def _normal(written: JsonObject) -> JsonObject:
    """The component as it dumps itself, with what that leaves out: keys in the open, and nulls that say something."""
    normal = load_component(written).dump_component()
    _complete(normal, written, None)
    for secret in extract_secrets(written)[1]:
        _put_back(normal, written, secret.where)
    return normal


def _put_back(normal: JsonValue, written: JsonValue, where: str) -> None:
    *steps, last = steps_of(where)
    for step in steps:
        normal, written = _inside(normal, step), _inside(written, step)
    if isinstance(normal, dict) and isinstance(written, dict):
        normal[last] = written[last]


def _inside(value: JsonValue, step: str) -> JsonValue:
    if isinstance(value, dict):
        return value.get(step)
    return value[int(step)] if isinstance(value, list) and step.isdecimal() and int(step) < len(value) else None


def _complete(normal: JsonValue, written: JsonValue, fields_of: type[Component] | None) -> None:
    """Put back what was written and a dump leaves out; `fields_of` is the class whose config this is."""
    if isinstance(normal, list) and isinstance(written, list):
        for item, wrote in zip(normal, written, strict=False):
            _complete(item, wrote, None)
    if not isinstance(normal, dict) or not isinstance(written, dict):
        return
    provider = written.get("provider")
    cls = find_class(provider) if isinstance(provider, str) and "config" in written else None
    for key, wrote in written.items():
        if key in normal:
            _complete(normal[key], wrote, cls if key == "config" else None)
        elif wrote is not None or not _means_null(fields_of, key):
            normal[key] = wrote


def _means_null(cls: type[Component] | None, field: str) -> bool:
    """Whether a field of a component's JSON is null when it is left out."""
    if cls is None or field not in cls.model_fields:
        return False
    default: object = cls.model_fields[field].get_default(call_default_factory=False)
    return cls.absent_in_json.get(field, default) is None


def _parts_to_tell(made: ParsedValue) -> Iterator[tuple[str, ParsedValue]]:
    """Functions and what could not be read, each with its JSON pointer."""
    todo = [("", made)]
    while todo:
        where, part = todo.pop()
        if part.function is not None or part.is_broken or part.outside or part.why:
            yield where, part
        if isinstance(part.entries, Mapping):
            todo += [(f"{where}/{escape(key)}", item) for key, item in part.entries.items()]
        elif part.entries is not None:
            todo += [(f"{where}/{index}", item) for index, item in enumerate(part.entries)]


def _refuse_functions(made: ParsedValue, problems: Problems) -> None:
    """Functions stand where tools are wanted, and nowhere else."""
    for where, part in _parts_to_tell(made):
        if part.function is not None:
            message = f"The function `{part.function.name}` is used where no tool is expected."
            fix = "Wrap it in `FunctionTool(...)`, or pass it in `tools` of an agent."
            problems.add(CodeFinding("not_a_value", message, fix, part.at, where))
        elif part.outside:
            message = part.why or f"`{part.outside}` is of another file, which is not read."
            problems.add(CodeFinding("other_file", message, "Write it in this script.", part.at, where))
        elif part.why:
            fix = "Write the text out, or replace the placeholders."
            problems.add(CodeFinding(STAND_IN, part.why, fix, part.at, where, "warning"))


def _errors(problems: Problems, made: ParsedValue | None) -> Iterator[CodeFinding]:
    """What is in the way, with the JSON pointers of those places that the component has."""
    places = {part.at: where for where, part in _parts_to_tell(made)} if made else {}
    for finding in problems:
        if finding.severity == "error":
            yield replace(finding, where=finding.where or places.get(finding.place, ""))


def _tell_lost_comments(parsed: Source, kept: Sequence[range], problems: Problems) -> None:
    kept_lines = {line for lines in kept for line in lines}
    lost = [
        place
        for place in parsed.comments
        if place.line not in kept_lines and parsed.lines[place.line - 1].strip() != NOTES_COMMENT
    ]
    if lost:
        them = "this one is" if len(lost) == 1 else f"these {len(lost)} are"
        fix = "Move them to descriptions, or into the functions of tools."
        problems.warn("lost_comment", f"Comments are not part of a team: {them} not kept.", fix, lost[0])
