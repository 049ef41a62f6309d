"""From a team to a program or a configuration: which targets there are, and what each makes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from studio.code import export_python
from studio.code.conversion import ConversionFinding, Report, Verdict, counts_of, findings_json
from studio.components import Component, JsonObject, walk
from studio.exporters.parts import name_of_part, owner_of, place

TargetKey = Literal["python", "autogen", "agent-framework", "agent-spec"]


@dataclass(frozen=True)
class Target:
    """Something that runs an exported team.

    Args:
        key: As on the command line.
        title: As people call it.
        write: Makes the file, and says in the report what is different.
        suffix: How names of its files end.
        media_type: Of these files.
    """

    key: TargetKey
    title: str
    write: Callable[[Component, Report], str]
    suffix: str = ".py"
    media_type: str = "text/x-python"


@dataclass(frozen=True, slots=True)
class Exported:
    """A script that was made of a team.

    Args:
        target: Key of the target.
        code: The script.
        findings: One for each part, in the order of the team.
    """

    target: TargetKey
    code: str
    findings: tuple[ConversionFinding, ...]

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many parts there are of each verdict."""
        return counts_of(self.findings)

    def as_json(self) -> JsonObject:
        """The report, with the script."""
        return {"target": self.target, "code": self.code, **findings_json(self.findings)}


def export_team(component: Component, target: TargetKey = "python") -> Exported:
    """Write a component as a script for a target. Executes and imports nothing of it.

    Raises:
        ConfigError: A part is not installed, or the target has nothing that it could be.
    """
    report = Report()
    code = TARGETS[target].write(component, report)
    return Exported(target, code, tuple(_in_order(component, report)))


def _in_order(component: Component, report: Report) -> list[ConversionFinding]:
    """What was said of each part, and that the others are exact, as far as all was said."""
    parts = dict(walk(component))
    said: defaultdict[str, list[ConversionFinding]] = defaultdict(list)
    for each in report.findings:
        pointer = each.place.pointer
        said[pointer if pointer in parts else owner_of(pointer)].append(each)
    mentioned = {each.place.pointer for each in report.findings}
    found: list[ConversionFinding] = []
    for where, part in parts.items():
        is_gone = any(where[:at] in mentioned for at, letter in enumerate(where) if letter == "/")
        exact = [] if is_gone or report.is_full else [ConversionFinding("exact", place(where), name_of_part(part))]
        found += said.pop(where, exact)
    return found + [each for rest in said.values() for each in rest]


def _write_python(component: Component, report: Report) -> str:
    del report  # the studio's own words leave nothing out
    return export_python(component)


def _write_autogen(component: Component, report: Report) -> str:
    from studio.exporters.autogen import write_autogen  # each when it is asked for: a start of the server needs none

    return write_autogen(component, report)


def _write_agent_framework(component: Component, report: Report) -> str:
    from studio.exporters.agent_framework import write_agent_framework

    return write_agent_framework(component, report)


def _write_agent_spec(component: Component, report: Report) -> str:
    from studio.exporters.agent_spec import write_agent_spec

    return write_agent_spec(component, report)


_TARGETS = (
    Target("python", "Team Studio", _write_python),
    Target("autogen", "AutoGen 0.7", _write_autogen),
    Target("agent-framework", "Microsoft Agent Framework", _write_agent_framework),
    Target("agent-spec", "Agent Spec", _write_agent_spec, ".json", "application/json"),
)
TARGETS: Mapping[TargetKey, Target] = {target.key: target for target in _TARGETS}
