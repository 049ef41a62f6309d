"""JSON that was written already, so that it is not written twice on its way to the database."""

from __future__ import annotations

import asyncio
import json


class JsonText(str):
    """Stands for the value that it describes, in a column of JSON."""

    __slots__ = ()


def to_json(value: object) -> str:
    """How the engines write the values of such columns."""
    return value if isinstance(value, JsonText) else json.dumps(value)


async def json_text(value: object) -> JsonText:
    """The same for a document that may be large: written in a thread, and by the driver as it is."""
    return JsonText(await asyncio.to_thread(to_json, value))
