"""What leads a run over a log, and how an item of a team looks in one."""

from __future__ import annotations

from typing import Protocol

from pydantic_core import PydanticSerializationError

from studio.components.well_formed import well_formed_json
from studio.effects import Effects
from studio.messages import BaseMessage, Explanation
from studio.runs.log import Draft, EntryKind, JsonObject


class Guide(Protocol):
    """Leads a run over what was recorded."""

    def port(self, outer: Effects, recording: Effects) -> Effects:
        """The ports through which the run asks, given those of a run without a past and the innermost of them."""
        ...

    async def is_past(self) -> bool:
        """Whether what is asked for now was recorded."""
        ...

    def pulled(self, *, is_held: bool) -> None:
        """Tell whether somebody waits for the team's next item, or holds it."""
        ...

    async def knows(self, item: BaseMessage) -> bool:
        """Whether the team has given this before and it is in the run's own log.

        Raises:
            Diverged: Something else was recorded.
        """
        ...

    async def end(self) -> None:
        """The team has come to its end.

        Raises:
            Diverged: More was recorded.
        """
        ...


def draft_of(item: BaseMessage) -> Draft:
    """The entry of an item, which becomes JSON only once."""
    kind: EntryKind = "message" if item.is_chat else "event"
    try:
        if isinstance(item, Explanation):
            kind, text = "explanation", item.dump_json()
        else:  # as `model_dump_json`, whose many arguments take half of its time
            text = item.__pydantic_serializer__.to_json(item).decode()
    except PydanticSerializationError:  # half a character
        return Draft(kind, as_logged(item))
    return Draft(kind, text, text)


def as_logged(item: BaseMessage) -> JsonObject:
    """The body of the entry of an item."""
    body = well_formed_json(item.dump())
    assert isinstance(body, dict)
    return body
