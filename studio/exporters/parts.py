"""How a report names the parts of a team, and where they stand."""

from __future__ import annotations

from pydantic import BaseModel

from studio.code.conversion import Location
from studio.components import Component


def name_of_part(part: BaseModel) -> str:
    """The class of a part and its name, as far as it has one: `AssistantAgent "writer"`."""
    own = getattr(part, "name", "") or (part.label if isinstance(part, Component) else "")
    kind = type(part).__name__
    return f'{kind} "{own}"' if own and own != kind else kind


def place(where: str) -> Location:
    """Where a part stands in the team."""
    return Location("", pointer=where)


def owner_of(where: str) -> str:
    """The JSON pointer of the component that a field stands in."""
    return where.rpartition("/config/")[0]
