"""What a crew is, whatever its files are: agents, tasks in order, and settings with their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.importers.findings import Location
from studio.importers.parts import Part

LOST_CONFIG = "config"
"""The setting that names a configuration which is not in the files."""


@dataclass(frozen=True, eq=False)
class CrewAgent:
    """An agent of a crew.

    Args:
        name: Its key in YAML, its method or its variable.
        given: Its settings by name.
    """

    name: str
    place: Location
    given: Mapping[str, Part]

    @property
    def role(self) -> str:
        """The agent as people call it."""
        part = self.given.get("role")
        return " ".join(part.text.split()) if part is not None and part.text.strip() else self.name


@dataclass(frozen=True, eq=False)
class CrewTask:
    """A task of a crew.

    Args:
        agent: None where the files name none that they hold.
        context: The tasks whose results it reads; None: those of all earlier tasks.
        lost: What it names as context and the files do not hold.
    """

    name: str
    place: Location
    given: Mapping[str, Part]
    agent: CrewAgent | None = None
    context: Sequence[CrewTask] | None = None
    lost: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Crew:
    """A crew.

    Args:
        inputs: Values of its `{variables}`, where the files have them.
        manager: The agent that leads it, where that is one of the files.
    """

    name: str
    place: Location
    agents: Sequence[CrewAgent]
    tasks: Sequence[CrewTask]
    given: Mapping[str, Part] = field(default_factory=dict[str, Part])
    inputs: Mapping[str, Part] = field(default_factory=dict[str, Part])
    manager: CrewAgent | None = None
    without_effect: Sequence[tuple[Location, str, str]] = ()
    """Code around it that does not come along: its place, what it is, and why."""
