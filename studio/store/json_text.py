"""JSON that was written already, so that it is not written twice on its way to the database."""

from __future__ import annotations

import json


class JsonText(str):
    """Stands for the value that it describes, in a column of JSON."""

    __slots__ = ()


def to_json(value: object) -> str:
    """How the engines write the values of such columns."""
    return value if isinstance(value, JsonText) else json.dumps(value)
