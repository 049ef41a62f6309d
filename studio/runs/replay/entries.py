"""How an item of a team looks in the log."""

from __future__ import annotations

from pydantic_core import PydanticSerializationError

from studio.components.readable_json import well_formed_json
from studio.messages import BaseMessage, Explanation
from studio.runs.journal.log import Draft, EntryKind, JsonObject


def to_draft(item: BaseMessage) -> Draft:
    """The entry of an item, which becomes JSON only once."""
    kind: EntryKind = "message" if item.is_chat else "event"
    try:
        if isinstance(item, Explanation):
            kind, text = "explanation", item.dump_json()
        else:  # as `model_dump_json`, whose many arguments take half of its time
            text = item.__pydantic_serializer__.to_json(item).decode()
    except PydanticSerializationError:  # half a character
        return Draft(kind, to_body(item))
    return Draft(kind, text, text)


def to_body(item: BaseMessage) -> JsonObject:
    """The body of the entry of an item."""
    body = well_formed_json(item.dump())
    assert isinstance(body, dict)
    return body
