"""The last step of every import: keys out, and a team that has no error."""

from __future__ import annotations

import re
from typing import cast

from pydantic import JsonValue

from studio.code.conversion import ConversionFinding
from studio.components import JsonObject, validate_component
from studio.components.python_text import bounded_together
from studio.components.secret_variables import keys_as_variables
from studio.errors import InvalidComponent, TooLarge
from studio.importers.bundle import MAX_DOCUMENT
from studio.importers.components import config_of
from studio.importers.findings import Imported, Location, Report


def finished(source: str, team: JsonObject, report: Report) -> Imported:
    """The import of a team.

    Raises:
        TooLarge: A text of the files stands in so many places that the team is longer than a file may be.
        InvalidComponent: Something in the files makes a team that cannot be; nobody should see this.
    """
    if _length(team) > MAX_DOCUMENT:
        raise TooLarge(
            f"The team would have more than {MAX_DOCUMENT / 1e6:.0f} MB of text.", fix="Import a part of the files."
        )
    clean, variables = keys_as_variables(team)
    team = cast("JsonObject", clean)
    participants = cast("list[JsonObject]", config_of(team)["participants"])
    found = report.placed(participants)
    findings = sorted(found, key=lambda each: (_in_order(each.place.file), each.place.line, each.place.column))
    for where, variable in variables.items():
        why = f"The file contains a key in plain text. It is read from the environment variable {variable} instead."
        findings.append(
            ConversionFinding("approximated", Location("", pointer=where), "Key", where, why, f"Set {variable}.")
        )
    with bounded_together():
        errors = validate_component(team).errors
    if errors:
        raise InvalidComponent(errors)
    return Imported(source, team, tuple(findings))


def _in_order(name: str) -> list[str | int]:
    """A name to sort by, with numbers as such: cell 10 of a notebook comes after cell 9."""
    return [int(each) if at % 2 else each for at, each in enumerate(re.split(r"([0-9]{1,9})", name))]


def _length(value: JsonValue) -> int:
    """Characters of all texts in it."""
    todo, found = [value], 0
    while todo and found <= MAX_DOCUMENT:
        each = todo.pop()
        if isinstance(each, str):
            found += len(each)
        elif isinstance(each, dict):
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)
    return found
