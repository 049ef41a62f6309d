"""Reads, checks and writes galleries: collections of components in one file.

Every shape that AutoGen Studio ever wrote is read, and so is a single component; one shape is written, that of
AutoGen Studio's last release. Reading is inert: envelopes stay plain JSON, nothing in them is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from pydantic import JsonValue

from studio.components import (
    JsonObject,
    Report,
    check_bounds,
    find_class,
    group_of,
    parse_document,
    validate_component,
)
from studio.components.python_text import bounded_together
from studio.errors import Finding, InvalidDocument

AUTOGEN_GROUPS = ("agents", "models", "tools", "terminations", "teams", "workbenches")
"""The groups that AutoGen Studio's gallery has; all are written, even when empty."""

Status = Literal["loaded", "opaque", "wrong"]

_OLD_MARKS = ("team_type", "agent_type", "model_type", "tool_type", "termination_type")
_NAMES_OF_ROOT = ("id", "name", "url", "metadata", "components", "items")


@dataclass(frozen=True, slots=True)
class Entry:
    """One component of a gallery; `where` is its JSON pointer in the document it came from."""

    group: str
    component: JsonObject
    where: str

    @property
    def provider(self) -> str:
        return str(self.component.get("provider", ""))

    @property
    def label(self) -> str:
        """The author's name for it, else the component's own, else its class."""
        config = self.component.get("config")
        name = config.get("name") if isinstance(config, dict) else None
        return str(self.component.get("label") or name or self.provider.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class EntryReport:
    """What was found out about one component of a gallery. All pointers are into the whole document."""

    entry: Entry
    status: Status
    report: Report

    def as_json(self) -> JsonObject:
        return {
            "group": self.entry.group,
            "where": self.entry.where,
            "label": self.entry.label,
            "provider": self.entry.provider,
            "status": self.status,
            **{name: value for name, value in self.report.as_json().items() if name != "ok"},
        }


@dataclass(frozen=True, slots=True)
class GalleryReport:
    """What was found out about a gallery: each component, and what is no component that can be read."""

    entries: tuple[EntryReport, ...]
    rejected: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; opaque components are not wrong."""
        return not self.rejected and all(entry.status != "wrong" for entry in self.entries)

    @property
    def counts(self) -> dict[str, int]:
        """How many components are loaded, opaque and wrong; what was rejected counts as wrong."""
        found = {"loaded": 0, "opaque": 0, "wrong": len(self.rejected)}
        for entry in self.entries:
            found[entry.status] += 1
        return found

    def as_json(self) -> JsonObject:
        return {
            "ok": self.ok,
            "counts": cast("JsonObject", self.counts),
            "components": [entry.as_json() for entry in self.entries],
            "rejected": [cast("JsonObject", finding.as_json()) for finding in self.rejected],
        }


@dataclass(frozen=True, slots=True)
class Gallery:
    """Components by group, with what is known of the collection.

    Args:
        entries: The components as they came, in document order.
        rejected: Places that hold something else than a component.
        other: Fields of the root that this studio does not use; written back.
        is_collection: False when the document was a single component.
    """

    id: str
    name: str
    url: str | None = None
    metadata: JsonObject = field(default_factory=dict[str, JsonValue])
    entries: tuple[Entry, ...] = ()
    rejected: tuple[Finding, ...] = ()
    other: JsonObject = field(default_factory=dict[str, JsonValue])
    is_collection: bool = True

    @property
    def components(self) -> dict[str, list[JsonObject]]:
        """The envelopes by group, AutoGen's groups first and always there."""
        groups: dict[str, list[JsonObject]] = {group: [] for group in AUTOGEN_GROUPS}
        for entry in self.entries:
            groups.setdefault(entry.group, []).append(entry.component)
        return groups

    @property
    def counts(self) -> dict[str, int]:
        """How many components each group has; empty groups are left out."""
        return {group: len(items) for group, items in self.components.items() if items}

    def dump(self) -> JsonObject:
        """The gallery in AutoGen Studio's format."""
        return {
            **self.other,
            "id": self.id,
            "name": self.name,
            "url": self.url,
            "metadata": {"author": "", "version": "1.0.0", **self.metadata},
            "components": cast("JsonObject", self.components),
        }

    def check(self) -> GalleryReport:
        """Validate every component; nothing is executed."""
        with bounded_together():
            return GalleryReport(tuple(_checked(entry) for entry in self.entries), self.rejected)


def parse_gallery(source: str | bytes | JsonValue, *, name: str = "") -> Gallery:
    """Read a gallery, a list of components, or one component.

    Args:
        source: JSON or YAML text, or the value already parsed.
        name: Name for a document that has none of its own, such as its file's.

    Raises:
        InvalidDocument: Not JSON or YAML, too deep, or nothing in it is a component.
        TooLarge: More bytes than a document may have.
    """
    if isinstance(source, str | bytes):
        value = parse_document(source)
    else:
        value = source
        check_bounds(value)
    value, where = _unwrapped(value)
    return _read(value, where, name)


def _read(value: JsonValue, where: str, name: str) -> Gallery:
    root: JsonObject = value if isinstance(value, dict) and not _is_component(value) else {}
    found = list(_found_in(value, where))
    entries = tuple(item for item in found if isinstance(item, Entry))
    rejected = tuple(item for item in found if isinstance(item, Finding))
    is_nothing = not entries and all(finding.code == "not_a_component" for finding in rejected)
    if is_nothing and not _has_groups(root):
        raise InvalidDocument(
            "This document contains no component.",
            fix="Choose a gallery, a list of components or one component, as AutoGen Studio exports them.",
        )
    title = str(root.get("name") or name or (entries[0].label if entries else "Gallery"))
    metadata = root.get("metadata")
    return Gallery(
        id=str(root.get("id") or _slug(title)),
        name=title,
        url=str(root["url"]) if root.get("url") else None,
        metadata=metadata if isinstance(metadata, dict) else {},
        entries=entries,
        rejected=rejected,
        other={key: item for key, item in root.items() if key not in _NAMES_OF_ROOT},
        is_collection=not (isinstance(value, dict) and (_is_component(value) or _is_old(value))),
    )


def _unwrapped(value: JsonValue) -> tuple[JsonValue, str]:
    """Step into what AutoGen Studio's API and database put around a gallery or team."""
    where = ""
    while isinstance(value, dict) and not _is_component(value) and not _has_groups(value):
        step = next((key for key in ("config", "component", "data") if _holds_more(value.get(key))), None)
        if step is None or _is_old(value):
            break
        value, where = value[step], f"{where}/{step}"
    return value, where


def _holds_more(value: JsonValue) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _found_in(value: JsonValue, where: str) -> Iterator[Entry | Finding]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            inner, step = _unwrapped(item)
            place = f"{where}/{index}{step}"
            is_gallery = isinstance(inner, dict) and not _is_component(inner) and _has_groups(inner)
            yield from _found_in(inner, place) if is_gallery else _sorted_in(inner, place, None)
    elif isinstance(value, dict) and _has_groups(value):
        for key in ("components", "items"):
            yield from _groups_in(value.get(key), f"{where}/{key}")
    elif isinstance(value, dict) and (_is_component(value) or _is_old(value)):
        yield from _sorted_in(value, where, None)


def _groups_in(groups: JsonValue, where: str) -> Iterator[Entry | Finding]:
    """Components in `{group: [component]}`; before February 2025 the groups stood one level deeper."""
    if isinstance(groups, list):
        for index, item in enumerate(groups):
            yield from _sorted_in(item, f"{where}/{index}", None)
    if not isinstance(groups, dict):
        return
    for group, items in groups.items():
        if group in ("components", "items") and isinstance(items, dict):
            yield from _groups_in(items, f"{where}/{group}")
        for index, item in enumerate(items if isinstance(items, list) else ()):
            yield from _sorted_in(item, f"{where}/{group}/{index}", group)


def _sorted_in(item: JsonValue, where: str, group: str | None) -> Iterator[Entry | Finding]:
    if not isinstance(item, dict):
        yield Finding("not_a_component", "This is not a component.", "Remove it from the list.", where)
    elif _is_component(item):
        yield Entry(group or _group(item), item, where)
    elif _is_old(item):
        yield _old_format(item, where)
    else:
        fix = "A component is an object with `provider` and `config`."
        yield Finding("not_a_component", "This object is not a component: it has no `provider`.", fix, where)


def _old_format(item: JsonObject, where: str) -> Finding:
    mark = next(mark for mark in _OLD_MARKS if mark in item)
    return Finding(
        "pre_provider_format",
        f"Written by an AutoGen Studio of December 2024 or earlier (`{mark}`: {item[mark]!r}); it cannot be converted.",
        "Such files contain no providers, so their classes are unknown. Build the team again here.",
        where,
    )


def _group(component: JsonObject) -> str:
    cls = find_class(str(component["provider"]))
    return group_of(cls.component_type if cls else str(component.get("component_type") or ""))


def _is_component(value: Mapping[str, JsonValue]) -> bool:
    return "provider" in value


def _is_old(value: Mapping[str, JsonValue]) -> bool:
    return not _is_component(value) and any(mark in value for mark in _OLD_MARKS)


def _has_groups(value: Mapping[str, JsonValue]) -> bool:
    return any(isinstance(value.get(key), dict | list) for key in ("components", "items"))


def _checked(entry: Entry) -> EntryReport:
    report = validate_component(entry.component)
    status: Status = "wrong" if report.errors else "loaded" if report.is_runnable else "opaque"
    return EntryReport(entry, status, _placed(report, entry.where))


def _placed(report: Report, where: str) -> Report:
    """The report with its pointers moved under `where`."""
    return Report(
        errors=tuple(finding.moved(where) for finding in report.errors),
        warnings=tuple(finding.moved(where) for finding in report.warnings),
        capabilities=report.capabilities,
        parts=tuple(replace(part, where=where + part.where) for part in report.parts),
    )


def _slug(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text.lower()).strip("_") or "gallery"
