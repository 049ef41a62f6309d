"""Texts of n8n, in which JavaScript stands in double braces. What names a value is read, and nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from studio.importers.canvas import CanvasNode
from studio.importers.canvas_state import StateReading
from studio.importers.canvas_texts import Path, template
from studio.importers.expressions import INPUT, Unsupported, escaped
from studio.importers.n8n_document import MAIN
from studio.importers.names import word

PLACES = re.compile(r"\{\{((?:[^{}]|\{[^{}]*\})*+)\}\}")
_ITEM = r"\s*\.\s*(?:item|first\(\)|last\(\)|all\(\)\[0\])\s*\.\s*json"
_NAMED = r"""(?:'([^']{1,200})'|"([^"]{1,200})")"""
_REFERENCE = re.compile(
    rf"""(?:\$json|\$input{_ITEM}|\$\(\s*{_NAMED}\s*\){_ITEM}|\$node\[{_NAMED}\]\.json)"""
    r"""((?:\s?\.\s?\w{1,80}|\[\s?'[^']{1,80}'\s?\]|\[\s?"[^"]{1,80}"\s?\]|\[\d{1,6}\]){0,20})"""
)
_KEY = re.compile(r"""\.\s?(\w+)|\[\s?'([^']+)'\s?\]|\[\s?"([^"]+)"\s?\]|\[(\d+)\]""")
MAX_EXPRESSION = 500
MAX_STEPS = 20
"""Nodes that set fields which are followed to find a value."""
ANSWERS = ("output", "text", "response")
"""Fields under which nodes with a model give their answer."""


def is_trigger(node: CanvasNode) -> bool:
    """Whether a workflow begins with it."""
    return node.kind.endswith("rigger") or node.kind in ("webhook", "emailReadImap", "start")


def is_chat(node: CanvasNode) -> bool:
    """Whether it begins with a message of a person."""
    return node.kind in ("chatTrigger", "manualChatTrigger")


class Texts:
    """Reads texts of a workflow."""

    def __init__(self, reading: StateReading, spoken: Mapping[str, CanvasNode]) -> None:
        self._all = reading
        self._canvas = reading.canvas
        self._spoken = spoken

    def read(self, node: CanvasNode, given: JsonValue, owner: str, *names: str) -> str:
        """A text of a node as a template over context variables.

        Args:
            names: The keys under which the node has it.
        """
        text = given if isinstance(given, str) else ""
        if not text.startswith("="):
            return escaped(text)

        def resolved(reference: str) -> Path | str:
            try:
                found = self._value(node, reference, 0)
                if isinstance(found, Path):
                    found.placeholder  # noqa: B018  a name that a template cannot have is asked, too
                return found
            except Unsupported as error:
                return self._asked(node, reference, str(error), owner, names)

        return template(text[1:], PLACES, resolved, _unmissed)

    def is_message(self, node: CanvasNode, given: JsonValue) -> bool:
        """Whether a text is the message of the user and nothing else."""
        text = given.strip() if isinstance(given, str) else ""
        found = PLACES.fullmatch(text[1:].strip()) if text.startswith("=") else None
        try:
            return found is not None and self._value(node, found[1], 0) == Path(INPUT)
        except Unsupported:
            return False

    def _asked(self, node: CanvasNode, reference: str, why: str, owner: str, names: tuple[str, ...]) -> Path:
        """A context variable for a value that is not known here."""
        shown = " ".join(reference.split())[:80]
        is_new = shown not in self._all.variables
        is_plain = len(reference) <= MAX_EXPRESSION and _REFERENCE.fullmatch(reference.strip()) is not None
        keys = _keys(reference) if is_plain else []
        named = next((key for key in reversed(keys) if word(key) and not key.isdigit()), "value")
        if is_new:
            self._all.variables[shown] = self._all.taken.free(named if len(named) < 40 else "value", "value")
            self._all.flow.state[self._all.variables[shown]] = ""
        name = self._all.variables[shown]
        what = f"`{{{{{shown}}}}}` in a text of {owner}"
        said = f"Its value is not known here: {why}. It is the context variable `{name}`, which is empty."
        self._all.report.add("asked", node.inside(*names), what, said, fix="Set the variable.", became=owner)
        return Path(name)

    def _value(self, node: CanvasNode, expression: str, depth: int) -> Path | str:
        text = expression.strip()
        found = _REFERENCE.fullmatch(text) if len(text) <= MAX_EXPRESSION else None
        if found is None:
            raise Unsupported("it is JavaScript")
        keys = _keys(found[5])
        named = next((each for each in found.groups()[:4] if each), "")
        source = self._canvas.nodes.get(named) if named else self.before(node)
        if source is None:
            raise Unsupported("no node gives it")
        return self._given_by(source, keys, depth)

    def _given_by(self, source: CanvasNode, keys: list[str], depth: int) -> Path | str:
        """A field of what a node gives."""
        if is_chat(source) and keys == ["chatInput"]:
            return Path(INPUT)
        if source.id in self._spoken and keys and keys[0] in ANSWERS:
            inner = keys[2:] if keys[:2] == ["response", "text"] else keys[1:]
            return self._all.answer(source.id, inner)
        if source.kind == "set" and len(keys) == 1 and depth < MAX_STEPS:
            value = set_by(source).get(keys[0])
            if isinstance(value, str) and value.startswith("="):
                place = PLACES.fullmatch(value[1:].strip())
                if place is not None:
                    return self._value(source, place[1], depth + 1)
            elif isinstance(value, str | int | float):
                return str(value)
        raise Unsupported(f"“{source.label[:80]}” is not imported")

    def before(self, node: CanvasNode) -> CanvasNode | None:
        """The node whose items a node gets."""
        return next(iter(self._canvas.into(node.id, MAIN)), None)


def _keys(text: str) -> list[str]:
    """The fields that a reference names, from the outside to the inside."""
    return [next(key for key in found.groups() if key) for found in _KEY.finditer(text)]


def _unmissed(reference: str, why: str) -> None:
    raise AssertionError(f"{reference} has a variable: {why}")


def set_by(node: CanvasNode) -> dict[str, JsonValue]:
    """The fields that a node of the kind `set` sets, in the form of any version."""
    found: dict[str, JsonValue] = {}
    for outer, inner in (("assignments", "assignments"), ("fields", "values")):
        group = node.inputs.get(outer)
        listed = group.get(inner) if isinstance(group, dict) else None
        for each in listed if isinstance(listed, list) else []:
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                value = each.get("value", each.get("stringValue", each.get("numberValue")))
                found[str(each["name"])] = value
    return found
