"""What leads a run over a log, and how an item of a team looks in one."""

from __future__ import annotations

from typing import Protocol

from studio.effects import Effects
from studio.messages import BaseMessage
from studio.runs.log import JsonObject
from studio.runs.well_formed import well_formed_json


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


def as_logged(item: BaseMessage) -> JsonObject:
    """The body of the entry of an item."""
    body = well_formed_json(item.dump())
    assert isinstance(body, dict)
    return body
