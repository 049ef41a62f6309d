"""Everything that a document asks to be allowed, each thing once, with all the places that ask for it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from studio.components.base import JsonObject
from studio.components.capability import Capability, CapabilityKind
from studio.components.loading import Report, envelopes, validate_component
from studio.components.named_hosts import hosts_in, hosts_in_python, is_host
from studio.components.python_text import bounded_together
from studio.components.titles import name_of, title_of

Group = Literal["code", "programs", "network", "secrets", "files", "knowledge", "money"]
Risk = Literal["high", "medium", "low"]

GROUPS: tuple[Group, ...] = ("code", "programs", "network", "secrets", "files", "knowledge", "money")
"""What things mean to a person, the gravest first."""
_GROUP_OF: Mapping[CapabilityKind, Group] = {
    "python": "code",
    "process": "programs",
    "host": "network",
    "secret": "secrets",
    "file": "files",
    "knowledge": "knowledge",
    "spend": "money",
}


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks for a thing: the component's JSON pointer, and its name with whose it is ("writer › add")."""

    where: str
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to decide about."""

    capability: Capability
    places: tuple[Requester, ...]

    @property
    def hash(self) -> str:
        return self.capability.hash

    @property
    def group(self) -> Group:
        return _GROUP_OF[self.capability.kind]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that the thing itself names: where it goes, or for code where it might want to go."""
        kind, detail = self.capability.kind, self.capability.detail
        if kind == "python":
            return hosts_in_python(detail)
        if kind == "process" or self.capability.is_open:
            return hosts_in(detail)
        named = detail.rpartition(" ")[2]
        return hosts_in(detail) or ((named,) if is_host(named) and "." in named else ())

    @property
    def is_near(self) -> bool:
        """Whether it goes to this machine or its own network."""
        return any(_is_private(host) for host in self.hosts) or self.capability.detail.startswith("localhost")

    @property
    def risk(self) -> Risk:
        if self.group in ("code", "programs") or self.capability.is_open:
            return "high"
        is_medium = self.group in ("secrets", "files", "knowledge") or (self.group == "network" and self.is_near)
        return "medium" if is_medium else "low"


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that a document asks for, grouped, the gravest group first."""

    items: tuple[Item, ...]
    report: Report

    @property
    def capabilities(self) -> Mapping[str, Capability]:
        """By hash."""
        return {item.hash: item.capability for item in self.items}


def manifest_of(document: JsonValue) -> Manifest:
    """What a document asks for, as far as its parts are sound. Takes a while for a large one: call it in a thread."""
    report = validate_component(document)
    named = _Names(document)
    places: dict[str, list[Requester]] = {}
    first: dict[str, Capability] = {}
    for each in report.asked:
        first.setdefault(each.hash, each)
        place = Requester(each.where, named.at(each.where))
        if place not in places.setdefault(each.hash, []):
            places[each.hash].append(place)
    return Manifest(_sorted(Item(capability, tuple(places[key])) for key, capability in first.items()), report)


def manifest_of_all(documents: Iterable[tuple[str, JsonValue]]) -> Manifest:
    """What several documents ask for together, each thing once; the places begin with the document's name."""
    places: dict[str, list[Requester]] = {}
    first: dict[str, Capability] = {}
    with bounded_together():
        manifests = [(name, manifest_of(document)) for name, document in documents]
    for name, manifest in manifests:
        for item in manifest.items:
            first.setdefault(item.hash, item.capability)
            inner = [Requester(each.where, f"{name} › {each.name}" if each.where else name) for each in item.places]
            places.setdefault(item.hash, []).extend(inner)
    return Manifest(_sorted(Item(capability, tuple(places[key])) for key, capability in first.items()), Report())


def _sorted(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: GROUPS.index(item.group)))


class _Names:
    """What the components of a document are called, from the outside in."""

    def __init__(self, document: JsonValue) -> None:
        self._envelopes = dict(envelopes(document))

    def at(self, where: str) -> str:
        """ "writer › add": the outermost part, what has a name of its own, and the component itself."""
        around = [(place, self._envelopes[place]) for place in _prefixes(where) if place in self._envelopes]
        if not around:
            return ""
        inner = [each for each in around if each[0] != ""] or around
        shown = [title_of(each) for place, each in inner if place == where or each is inner[0][1] or _has_name(each)]
        return " › ".join(shown)


def _has_name(envelope: JsonObject) -> bool:
    return name_of(envelope) is not None


def _prefixes(pointer: str) -> Iterator[str]:
    parts: Sequence[str] = pointer.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _is_private(host: str) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name in ("localhost", "host.docker.internal") or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not ipaddress.ip_address(name.strip("[]")).is_global
    except ValueError:
        return False
