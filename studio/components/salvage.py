"""What is sound in a document that has errors: it still has capabilities, and advice to give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import cast

from pydantic import JsonValue

from studio.components.base import Component, JsonObject, find_class
from studio.components.findings import owner_of
from studio.components.pointers import escape, is_envelope, steps_of, value_at
from studio.errors import InvalidComponent, InvalidDocument

STAND_IN = "studio.components.Broken"
"""Provider that nobody registers: what cannot be loaded stands in its place as an opaque component."""
MAX_ROUNDS = 4
"""How often more is stood in for; one mistake can hide another from the checks of what is around both."""


def sound_parts(document: JsonValue, wrong: Sequence[str]) -> Iterator[tuple[str, Component]]:
    """The document with opaque stand-ins for what is wrong in it, and the largest parts that load by themselves.

    Args:
        document: Within bounds, and with errors.
        wrong: Their pointers.
    """
    owners = {owner_of(where, document) for where in wrong}
    for _ in range(MAX_ROUNDS):
        if "" in owners:
            break
        stood_in = reduce(_standing_in, sorted(owners, reverse=True), document)
        try:
            loaded = Component.load_component(stood_in)
        except InvalidComponent as error:  # what could not be looked at before
            owners |= {owner_of(finding.where, document) for finding in error.findings}
            continue
        yield "", loaded
        for place in _outermost(owners):
            yield from _loadable(value_at(document, place), place, wrong)
        return
    yield from _loadable(document, "", wrong)


def _outermost(places: Iterable[str]) -> Iterator[str]:
    """Those of some places that are in none of the others."""
    last: Sequence[str] | None = None
    for steps, place in sorted((steps_of(place), place) for place in places):
        if last is None or steps[: len(last)] != last:
            yield place
            last = steps


def _standing_in(document: JsonValue, place: str) -> JsonValue:
    """A copy in which the component at a place is of a kind that nobody knows."""

    def copy(value: JsonValue, rest: Sequence[str]) -> JsonValue:
        if not rest:
            return {**cast("JsonObject", value), "provider": STAND_IN}
        if isinstance(value, list):
            at = int(rest[0])
            return [*value[:at], copy(value[at], rest[1:]), *value[at + 1 :]]
        held = cast("JsonObject", value)
        return {**held, rest[0]: copy(held[rest[0]], rest[1:])}

    return copy(document, steps_of(place))


def _loadable(value: JsonValue, where: str, wrong: Sequence[str]) -> Iterator[tuple[str, Component]]:
    if is_envelope(value) and not any(each == where or each.startswith(f"{where}/") for each in wrong):
        loaded = _loaded(value)
        if loaded is not None:
            yield where, loaded
            return
    if isinstance(value, dict):
        if is_envelope(value):
            cls = find_class(cast("str", value["provider"]))
            config, foreign = value.get("config"), cls.foreign if cls else frozenset[str]()
            own = (
                {name: item for name, item in config.items() if name not in foreign} if isinstance(config, dict) else {}
            )
            value = {"config": cast("JsonValue", own)}
        for key, item in value.items():
            yield from _loadable(item, f"{where}/{escape(key)}", wrong)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _loadable(item, f"{where}/{index}", wrong)


def _loaded(document: JsonValue) -> Component | None:
    try:
        return Component.load_component(document)
    except (InvalidComponent, InvalidDocument):
        return None
