"""Crews in YAML and JSON: `agents.yaml` with `tasks.yaml`, and `crew.json` with its agents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from studio.errors import InvalidDocument, StudioError
from studio.importers.bundle import Bundle
from studio.importers.crewai_crews import Crew, CrewAgent, CrewTask
from studio.importers.findings import Location
from studio.importers.parts import MAX_LENGTH, Budget, Part, json_part, yaml_part

YAML, JSON = (".yaml", ".yml"), (".json", ".jsonc")
FLOW = re.compile(r"^[ \t]*[\"']?schema[\"']?[ \t]*:[ \t]*[\"']?crewai\.flow/", re.MULTILINE)
_MARKS: Mapping[str, Sequence[str]] = {
    "agents": ("role", "goal", "backstory"),
    "tasks": ("description", "expected_output"),
}
"""Keys of what a file holds, of which at least two tell that it does."""


class CrewDocuments:
    """The YAML and JSON files of a bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self._files = bundle.files
        self._budget = Budget()
        self._read: dict[str, Part] = {}
        self._held: dict[str, Sequence[tuple[str, Part]]] = {}

    def part(self, name: str) -> Part:
        """The value of a file.

        Raises:
            StudioError: It cannot be read.
        """
        if name not in self._read:
            reads = json_part if name.lower().endswith(JSON) else yaml_part
            self._read[name] = reads(name, self._files[name], self._budget)
        return self._read[name]

    def has(self, name: str) -> bool:
        return name in self._files

    def holding(self, kind: str) -> Sequence[tuple[str, Part]]:
        """The files with agents, or with tasks, by name.

        Raises:
            StudioError: One looks like it, and cannot be read.
        """
        if kind not in self._held:
            yamls = [
                name for name, text in self._files.items() if name.lower().endswith(YAML) and _looks_like(kind, text)
            ]
            self._held[kind] = [(name, self.part(name)) for name in yamls if _holds(kind, self.part(name))]
        return self._held[kind]

    def flow(self) -> tuple[str, Part] | None:
        """The first flow.

        Raises:
            StudioError: There is one, and it cannot be read.
        """
        names = (name for name in self._files if name.lower().endswith((*YAML, *JSON)))
        name = next((each for each in names if FLOW.search(self._files[each])), None)
        return (name, self.part(name)) if name is not None else None

    def project(self) -> tuple[str, Part] | None:
        """The first crew in JSON; files that are not JSON are none."""
        for name, text in self._files.items():
            is_short = len(text) <= MAX_LENGTH
            if is_short and name.lower().endswith(JSON) and '"agents"' in text and '"tasks"' in text:
                try:
                    part = self.part(name)
                except StudioError:
                    if PurePosixPath(name).stem.endswith("crew"):
                        raise
                    continue
                tasks = part.get("tasks")
                if tasks is not None and tasks.items and any(each.get("description") for each in tasks.items):
                    return name, part
        return None

    def config(self, kind: str, near: str, path: str, key: str) -> Part | None:
        """What a class of a script has as configuration of an agent or a task.

        Args:
            near: File of the class.
            path: Where it says that the configuration is.
        """
        folder = PurePosixPath(near).parent
        exact = str(folder / path)
        found = sorted(self.holding(kind), key=lambda each: _distance(each[0], exact, path))
        return next((part for _, document in found if (part := document.get(key)) is not None), None)


def is_crew_text(text: str) -> bool:
    """Whether a text looks like agents, tasks, a crew or a flow in YAML or JSON."""
    is_crew = '"agents"' in text and '"tasks"' in text and '"expected_output"' in text
    return is_crew or FLOW.search(text) is not None or any(_looks_like(kind, text) for kind in _MARKS)


def crew_of_yaml(documents: CrewDocuments) -> Crew | None:
    """The crew of `agents.yaml` and `tasks.yaml`, without Python beside them."""
    agents = [_agent(key, each) for _, part in documents.holding("agents") for key, each in _entries(part)]
    tasks = [(key, each) for _, part in documents.holding("tasks") for key, each in _entries(part)]
    if not agents and not tasks:
        return None
    if not agents:
        raise InvalidDocument(
            "The files hold tasks of CrewAI and no agents.", fix="Add agents.yaml, or choose the whole folder."
        )
    return Crew("Crew", agents[0].place, agents, linked(tasks, agents))


def crew_of_json(documents: CrewDocuments, name: str, part: Part) -> Crew:
    """The crew of a JSON file, with the agents that it names.

    Raises:
        InvalidDocument: It has no agent.
    """
    folder = PurePosixPath(name).parent
    given = part.get("agents")
    listed = given.all_of() if given is not None and given.entries is None else ()
    pairs = list(_entries(given)) if given is not None and given.entries is not None else []
    for each in listed:
        if each.text:
            inner = documents_agent(documents, folder, each.text)
            pairs += [(each.text, inner)] if inner is not None else []
        elif each.entries is not None:
            single = next(iter(each.entries.items()), ("", each))
            is_named = each.get("name") is not None or len(each.entries) != 1
            pairs.append((each.entries["name"].text, each) if is_named and "name" in each.entries else single)
    agents = [_agent(key, each) for key, each in pairs if each.entries is not None]
    if not agents:
        raise InvalidDocument(f"{name!r} names agents that are not in the files.", fix="Choose the whole folder.")
    tasks = part.get("tasks")
    named = [(_name(each, f"task_{at}"), each) for at, each in enumerate(tasks.items or () if tasks else (), 1)]
    leader = part.get("manager_agent")
    manager = next((each for each in agents if leader is not None and each.name == leader.text), None)
    others = [each for each in agents if each is not manager]
    entries = dict(part.entries or {})
    inputs = entries.pop("inputs", None)
    return Crew(
        _name(part, "Crew"),
        part.place,
        others,
        linked(named, agents),
        entries,
        (inputs.entries if inputs is not None else None) or {},
        manager,
    )


def documents_agent(documents: CrewDocuments, folder: PurePosixPath, name: str) -> Part | None:
    """The agent that a crew names, which is a file of its own."""
    for suffix in (".jsonc", ".json", ".yaml", ".yml"):
        for path in (folder / "agents" / f"{name}{suffix}", folder / f"{name}{suffix}"):
            if documents.has(str(path)):
                return documents.part(str(path))
    return None


def linked(named: Sequence[tuple[str, Part]], agents: Sequence[CrewAgent]) -> list[CrewTask]:
    """Tasks with the agents and tasks that they name."""
    by_name = {agent.name: agent for agent in agents}
    found: dict[str, CrewTask] = {}
    for name, part in named:
        given = part.entries or {}
        wanted = given["agent"].text if "agent" in given else ""
        agent = by_name.get(wanted) or next((each for each in agents if wanted and each.role == wanted), None)
        task = CrewTask(name, part.place, given, agent)
        found[name] = replace(task, **_context(given.get("context"), found))
    return list(found.values())


def _context(part: Part | None, known: Mapping[str, CrewTask]) -> dict[str, Sequence[CrewTask] | Sequence[str]]:
    if part is None or (part.items is None and not part.text):
        return {}
    names = list(dict.fromkeys(each.text for each in part.all_of()))
    return {
        "context": [known[name] for name in names if name in known],
        "lost": [name for name in names if name not in known],
    }


def agent_of(name: str, part: Part, place: Location) -> CrewAgent:
    """An agent whose settings may also be in an object of their own."""
    given = dict(part.entries or {})
    settings = given.pop("settings", None)
    return CrewAgent(name, place, {**((settings.entries if settings is not None else None) or {}), **given})


def _agent(name: str, part: Part) -> CrewAgent:
    return agent_of(name, part, part.place)


def _entries(part: Part | None) -> Iterator[tuple[str, Part]]:
    """The objects in an object, by key."""
    for key, each in (part.entries or {}).items() if part is not None else ():
        if each.entries is not None:
            yield key, each


def _name(part: Part, otherwise: str) -> str:
    named = part.get("name")
    return named.text if named is not None and named.text.strip() else otherwise


def _looks_like(kind: str, text: str) -> bool:
    return sum(f"{word}:" in text or f'{word}"' in text for word in _MARKS[kind]) >= 2 and not FLOW.search(text)


def _holds(kind: str, part: Part) -> bool:
    marks = _MARKS[kind]
    return any(sum(each.get(word) is not None for word in marks) >= 2 for _, each in _entries(part))


def _distance(name: str, exact: str, path: str) -> tuple[bool, bool, str]:
    """To sort files by how well they fit what a class names."""
    return name != exact, PurePosixPath(name).name != PurePosixPath(path).name, name
