"""Termination conditions in words, as the builder's canvas says them."""

from __future__ import annotations

from pydantic import JsonValue

from studio.components import envelopes, find_class, load_component
from studio.conditions import TerminationCondition
from studio.errors import InvalidComponent


def describe_conditions(document: JsonValue) -> dict[str, str]:
    """What completes "Stops when …", by the JSON pointer of each condition; those that are wrong are left out."""
    words: dict[str, str] = {}
    for where, envelope in envelopes(document):
        found = find_class(str(envelope["provider"]))
        if found is None or not issubclass(found, TerminationCondition):
            continue
        try:
            words[where] = load_component(envelope, TerminationCondition).describe()
        except InvalidComponent:
            continue
    return words
