"""Files of agents in Markdown: front matter in YAML, and below it the instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.findings import Location, Report
from studio.importers.parts import Budget, Part, yaml_part

ENDINGS = (".agent.md", ".chatmode.md")
"""Files of Copilot, whose names can stand for that of their agent."""
SKILL = "skill.md"
MAX_FRONT = 50_000
"""Characters of one front matter."""
_ENTRY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?$")
_LISTED = 10
"""Names of files that one finding lists."""


@dataclass(frozen=True, eq=False)
class MarkdownAgent:
    """An agent as its file describes it.

    Args:
        file: Its file.
        label: The name that people call it by.
        given: The front matter.
        text: The instructions.
        is_loose: Whether the front matter is not YAML, and was read line by line.
    """

    file: str
    label: str
    given: Mapping[str, Part]
    text: str
    is_loose: bool = False

    @property
    def place(self) -> Location:
        return Location(self.file, 1, 1)

    @property
    def description(self) -> str:
        return " ".join(self.given["description"].text.split())


@dataclass
class MarkdownFiles:
    """The agents among the files of a bundle."""

    bundle: Bundle
    agents: list[MarkdownAgent] = field(default_factory=list[MarkdownAgent])
    skills: list[str] = field(default_factory=list[str])
    others: list[str] = field(default_factory=list[str])
    _named: dict[str, MarkdownAgent] = field(default_factory=dict[str, "MarkdownAgent"])

    def __post_init__(self) -> None:
        budget = Budget()
        for name, text in self.bundle.named(".md"):
            if PurePosixPath(name).name.lower() == SKILL:
                self.skills.append(name)
                continue
            agent = _agent(name, text, budget)
            if agent is not None:
                self.agents.append(agent)
                self._named.setdefault(agent.label.casefold(), agent)
            else:
                self.others.append(name)

        for agent in self.agents:
            self._named.setdefault(_stem(agent.file).casefold(), agent)

    def find(self, name: str) -> MarkdownAgent | None:
        """The agent that another file calls so, by its name or that of its file."""
        return self._named.get(name.strip().casefold())

    def report_others(self, report: Report) -> None:
        """Say which files do not come along."""
        if self.skills:
            why = "A skill is a text that an agent opens when it needs it, and no agent."
            fix = "Add its text to the instructions of the agent that needs it."
            report.add("dropped", Location(self.skills[0], 1, 1), f"Skills: {_listed(self.skills)}", why, fix=fix)
        if self.others:
            why = "Their front matter names no agent: it needs a name and a description."
            report.add("dropped", Location(self.others[0], 1, 1), f"Other Markdown: {_listed(self.others)}", why)


def is_markdown(bundle: Bundle) -> bool:
    """Whether a bundle has agents in Markdown, or skills, which it is said of that they are none.

    Raises:
        TooLarge: The front matter is beyond the bounds.
    """
    files = MarkdownFiles(bundle)
    return bool(files.agents or files.skills)


def is_agent_text(text: str) -> bool:
    """Whether a text without a file name looks like an agent in Markdown."""
    front, _ = _divided(text)
    keys = {found[1] for line in front or () if (found := _ENTRY.match(line)) is not None}
    return {"name", "description"} <= keys


def _agent(name: str, text: str, budget: Budget) -> MarkdownAgent | None:
    front, body = _divided(text)
    if front is None:
        return None
    given, is_loose = _front_matter(name, front, budget)
    described, named = given.get("description"), given.get("name")
    label = " ".join(named.text.split()) if named is not None else ""
    has_name = bool(label) or name.lower().endswith(ENDINGS)
    if described is None or not described.text.strip() or not has_name:
        return None
    return MarkdownAgent(name, label or _stem(name), given, body, is_loose)


def _divided(text: str) -> tuple[Sequence[str] | None, str]:
    """The lines of the front matter, None where there is none, and what follows it."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return None, text
    length = 0
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return [each.rstrip("\r") for each in lines[1:at]], "\n".join(lines[at + 1 :]).strip()
        length += len(line) + 1
        if length > MAX_FRONT:
            break
    return None, text


def _front_matter(name: str, lines: Sequence[str], budget: Budget) -> tuple[Mapping[str, Part], bool]:
    """The settings, and whether they are not YAML: descriptions often hold colons that YAML does not allow."""
    try:
        # The first line of the file stands in front, so that places have its numbers.
        part = yaml_part(name, "\n".join(["", *lines]), budget)
        if part.entries is not None:
            return part.entries, False
    except InvalidDocument:
        pass
    return dict(_by_line(name, lines)), True


def _by_line(name: str, lines: Sequence[str]) -> Iterator[tuple[str, Part]]:
    """Entries that begin at the start of a line, each with the lines that follow it as its text."""
    key, place, texts = "", Location(name), list[str]()
    for number, line in enumerate(lines, 2):
        found = _ENTRY.match(line)
        if found is None:
            texts.append(line.strip())
            continue
        if key:
            yield key, Part(place, _unquoted(texts))
        key, place, texts = found[1], Location(name, number, 1), [found[2] or ""]
    if key:
        yield key, Part(place, _unquoted(texts))


def _unquoted(texts: Sequence[str]) -> str:
    text = " ".join(each for each in texts if each).strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _stem(name: str) -> str:
    base = PurePosixPath(name).name
    ending = next((each for each in ENDINGS if base.lower().endswith(each)), ".md")
    return base[: -len(ending)]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
