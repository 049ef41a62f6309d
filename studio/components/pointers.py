"""JSON pointers (RFC 6901): the places of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue


def escape(key: str) -> str:
    """A key as a step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(step: str) -> str:
    """The key that a step of a JSON pointer names."""
    return step.replace("~1", "/").replace("~0", "~")


def steps_of(pointer: str) -> list[str]:
    """The keys and indexes along a pointer, from the outside in."""
    return [unescape(step) for step in pointer.split("/")[1:]]


def value_at(document: JsonValue, pointer: str) -> JsonValue:
    """What stands at a place.

    Raises:
        LookupError, TypeError, ValueError: There is nothing.
    """
    for step in steps_of(pointer):
        document = document[int(step)] if isinstance(document, list) else cast("dict[str, JsonValue]", document)[step]
    return document


def is_envelope(value: object) -> bool:
    """Whether a value has the shape of a component's JSON."""
    return isinstance(value, dict) and isinstance(cast("dict[str, object]", value).get("provider"), str)


def pointer_of(location: Sequence[int | str], document: JsonValue) -> str:
    """Turn a Pydantic location into a JSON pointer into the document.

    Pydantic leaves out the `config` of each envelope and puts in the names of union members and validators, so the
    document is walked alongside. A place that the document lacks, such as a missing field, ends the walk.
    """
    pointer, here = "", document
    steps = [step for step in location if not (isinstance(step, str) and step.endswith(("]", ")")))]  # validators
    for index, step in enumerate(steps):
        if isinstance(here, dict) and isinstance(here.get("provider"), str) and isinstance(here.get("config"), dict):
            pointer, here = f"{pointer}/config", here["config"]
        if isinstance(here, dict) and isinstance(step, str):
            if step in here:
                pointer, here = f"{pointer}/{escape(step)}", here[step]
            elif index == len(steps) - 1:
                return f"{pointer}/{escape(step)}"
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            pointer, here = f"{pointer}/{step}", here[step]
    return pointer
