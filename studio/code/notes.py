"""What a component's JSON says beside its config: labels, notes, and fields that only other programs read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict, TypeVar, cast

from studio.code.findings import Problems
from studio.code.parsed import ParsedValue, keyed, listed
from studio.components import Component, JsonObject, walk
from studio.components.pointers import steps_of

C = TypeVar("C", bound=Component)
MAX_STEPS = 300
"""Steps to a place in a component; documents are not as deep."""


class Notes(TypedDict, total=False):
    """What differs from what the component's class would say."""

    label: str
    description: str
    unknown: JsonObject


def notes_of(component: Component) -> dict[str, Notes]:
    """The notes in a tree, by JSON pointer; components that say nothing of their own are left out."""
    found = {where: _own_notes(part) for where, part in walk(component)}
    return {where: notes for where, notes in found.items() if notes}


def with_notes(component: C, notes: Mapping[str, Notes]) -> C:
    """Put notes back where they were; a pointer that leads nowhere is passed over, so that a script can be edited."""
    for where, part in walk(component):
        if said := notes.get(where):
            part.annotate(**said)
    return component


def _own_notes(component: Component) -> Notes:
    envelope, cls = component.dump_component(), type(component)
    notes = Notes()
    if component.label != cls.__name__:
        notes["label"] = component.label
    if (description := str(envelope["description"])) != cls.summary():
        notes["description"] = description
    config = cast("JsonObject", envelope["config"])
    if unknown := {name: value for name, value in config.items() if name not in cls.model_fields}:
        notes["unknown"] = unknown
    return notes


@dataclass
class _Noted:
    """What the notes say about a place, and about places inside it."""

    notes: dict[str, ParsedValue] = field(default_factory=dict[str, ParsedValue])
    inside: dict[str, _Noted] = field(default_factory=dict[str, "_Noted"])


def noted(component: ParsedValue, notes: ParsedValue, problems: Problems) -> ParsedValue:
    """The component of a script with the notes that the script has for it and its parts."""
    tree = _Noted()
    assert isinstance(notes.entries, Mapping), "the caller looked"
    for where, said in notes.entries.items():
        here = tree
        if where.count("/") > MAX_STEPS:
            problems.error("bad_note", "This pointer is too deep.", "Remove the note.", said.at)
            continue
        for step in steps_of(where):
            here = here.inside.setdefault(step, _Noted())
        if unreadable := _unreadable(said):
            problems.error("bad_note", unreadable, "Remove it, or write it as an exported script does.", said.at)
        elif isinstance(said.entries, Mapping):
            here.notes.update(said.entries)
            here.notes.setdefault("", said)
    return _with(component, tree, problems)


def _unreadable(said: ParsedValue) -> str:
    if not isinstance(said.entries, Mapping):
        return "The notes of a component must be an object."
    if unknown := said.entries.keys() - Notes.__annotations__.keys():
        return f"Unknown kind of note: `{sorted(unknown)[0][:100]}`."
    texts = [said.entries[name] for name in ("label", "description") if name in said.entries]
    if not all(isinstance(text.value, str) for text in texts):
        return "Labels and descriptions must be text."
    if "unknown" in said.entries and not isinstance(said.entries["unknown"].entries, Mapping):
        return "`unknown` must be an object of fields."
    return ""


def _with(made: ParsedValue, tree: _Noted, problems: Problems) -> ParsedValue:
    entries = made.entries
    if tree.notes and made.cls is None:
        message = "This pointer leads to no component."
        problems.warn("lost_note", message, "Correct the pointer, or remove the note.", tree.notes[""].at)
    if isinstance(entries, Mapping):
        changed = dict(entries)
        keys = {key: key for key in tree.inside if key in changed}
        for key in keys:
            changed[key] = _with(changed[key], tree.inside[key], problems)
        if made.cls is not None:
            changed = _annotated(changed, tree.notes)
        result = replace(keyed(changed, made.at, made.cls), secret_at=made.secret_at)
    elif entries is not None:
        keys = {key: int(key) for key in tree.inside if key.isdecimal() and len(key) < 7 and int(key) < len(entries)}
        items = list(entries)
        for key, index in keys.items():
            items[index] = _with(items[index], tree.inside[key], problems)
        result = replace(listed(items, made.at), secret_at=made.secret_at)
    else:
        keys, result = dict[str, str | int](), made
    for key in tree.inside.keys() - keys.keys():
        _lost(tree.inside[key], problems)
    return result


def _annotated(entries: dict[str, ParsedValue], notes: Mapping[str, ParsedValue]) -> dict[str, ParsedValue]:
    own = {name: notes[name] for name in ("label", "description") if name in notes}
    unknown, config = notes.get("unknown"), entries["config"]
    if unknown is not None and isinstance(unknown.entries, Mapping) and isinstance(config.entries, Mapping):
        own["config"] = keyed({**unknown.entries, **config.entries}, config.at)
    return {**entries, **own}


def _lost(tree: _Noted, problems: Problems) -> None:
    if tree.notes:
        message = "This pointer leads to nothing."
        problems.warn("lost_note", message, "Correct the pointer, or remove the note.", tree.notes[""].at)
    for inner in tree.inside.values():
        _lost(inner, problems)
