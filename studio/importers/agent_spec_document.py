"""Documents of the Open Agent Specification: components that refer to each other by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.findings import NO_SETTING, Report
from studio.importers.parts import MAX_LENGTH, Budget, Part, json_part, yaml_part

REF, REFERENCED = "$component_ref", "$referenced_components"
MARK = re.compile(r"component_type|\$referenced_components")
TEAMS = ("Flow", "Agent", "SpecializedAgent", "Swarm", "ManagerWorkers")
"""What can be a team."""
_TYPE = re.compile(r"component_type[\"']?[ \t]*:[ \t]*[\"']?[A-Z]")
"""A type; those of AutoGen's components are in lower case."""
MAX_HOPS = 50
"""References that lead to references."""
_WITHOUT_EFFECT = frozenset(("id", "name", "description", "metadata", "component_type", "agentspec_version"))
_COMMON = _WITHOUT_EFFECT | {REFERENCED, "inputs", "outputs", "branches", "component_plugin_name"}


@dataclass
class AgentSpec:
    """The documents of a bundle, with what their references stand for."""

    bundle: Bundle
    report: Report
    roots: list[Part] = field(default_factory=list[Part])
    known: dict[str, Part] = field(default_factory=dict[str, Part])

    def __post_init__(self) -> None:
        budget = Budget()
        for name, text in self.bundle.named(".json", ".yaml", ".yml"):
            if not MARK.search(text):
                continue
            reads = json_part if name.lower().endswith(".json") else yaml_part
            root = reads(name, text, budget)
            self._collect(root)
            if root.get("component_type") is not None or root.get(REF) is not None:
                self.roots.append(root)

    def _collect(self, root: Part) -> None:
        """The referenced components, which can stand in any component."""
        todo = [root]
        while todo:
            part = todo.pop()
            for key, each in (part.get(REFERENCED) or Part(part.place)).entries_or_none():
                if self.known.setdefault(key, each) is not each:
                    why = "Two components have this id. All references mean the first."
                    self.report.add("approximated", each.place, f"Component `{key}`", why)
            todo.extend(part.items or ())
            todo.extend((part.entries or {}).values())

    def resolved(self, part: Part | None) -> Part | None:
        """The component that this is, or refers to; None where it is in none of the files."""
        for _ in range(MAX_HOPS):
            ref = part.get(REF) if part is not None else None
            if ref is None:
                return part if part is not None and part.entries is not None else None
            part = self.known.get(ref.text)
        return None

    def root(self) -> Part:
        """The component that becomes the team.

        Raises:
            InvalidDocument: There is none that can be one.
        """
        found = [each for root in self.roots if (each := self.resolved(root)) is not None]
        teams = [each for each in found if kind_of(each) in TEAMS]
        if teams:
            for each in teams[1:]:
                what = f"{kind_of(each)} “{name_of(each)}”"
                self.report.add("asked", each.place, what, "One import gives one team.", fix="Import its file alone.")
            return teams[0]
        listed = ", ".join(TEAMS)
        if found:
            kind = kind_of(found[0]) or "?"
            raise InvalidDocument(
                f"The component of the file is of the type {kind}, which is not a team.",
                fix=f"Choose a file with a component of one of the types {listed}.",
            )
        what = "The files hold only referenced components, and none that is the whole."
        if self.known and not any(each.get("component_type") for each in self.known.values()):
            what = "The files have the form of a draft of Agent Spec, before version 25.4.1."
        raise InvalidDocument(what, fix=f"Add the file with a component of one of the types {listed}.")

    def all_of(self, part: Part | None, what: str) -> Iterator[Part]:
        """The components of a list."""
        for each in part.all_of() if part is not None else ():
            found = self.resolved(each)
            if found is not None:
                yield found
            else:
                ref = each.get(REF)
                why = f"`{ref.text}` is not in the files." if ref is not None else "It is not a component."
                self.report.add("asked", each.place, what, why, fix="Import all files of the configuration.")

    def report_unread(self, part: Part, read: tuple[str, ...], owner: str) -> None:
        """Say which settings of a component do not come along."""
        for name, each in part.entries_or_none():
            if name not in _COMMON and name not in read and not each.is_off:
                why = NO_SETTING
                self.report.add("dropped", each.place, f"`{name}` of {name_of(part)}", why, became=owner)


def is_agent_spec(bundle: Bundle) -> bool:
    """Whether a bundle has a document of Agent Spec.

    Raises:
        StudioError: It looks like one and cannot be read.
    """
    texts = [text for _, text in bundle.named(".json", ".yaml", ".yml") if len(text) <= MAX_LENGTH]
    return any(is_spec_text(text) for text in texts)


def is_spec_text(text: str) -> bool:
    """Whether a text looks like a document of Agent Spec."""
    return REFERENCED in text or _TYPE.search(text) is not None


def kind_of(part: Part | None) -> str:
    found = part.get("component_type") if part is not None else None
    return found.text if found is not None else ""


def name_of(part: Part) -> str:
    found = part.get("name") or part.get("id")
    return " ".join(found.text.split()) if found is not None and found.text else kind_of(part) or "component"


def text_of(part: Part, name: str) -> str:
    found = part.get(name)
    return found.text if found is not None else ""


def properties_of(part: Part, name: str) -> Mapping[str, JsonObject]:
    """The schemas of inputs or outputs by their titles."""
    found: dict[str, JsonObject] = {}
    listed = part.get(name)
    for each in listed.all_of() if listed is not None else ():
        title, value = text_of(each, "title"), each.plain()
        if title and isinstance(value, dict):
            found[title] = {key: inner for key, inner in value.items() if key != "title"}
    return found


def object_schema(properties: Mapping[str, JsonObject]) -> JsonObject:
    """The schema of an object with these properties."""
    required = [name for name, each in properties.items() if "default" not in each]
    return {"type": "object", "properties": dict(properties), "required": list(required)}
