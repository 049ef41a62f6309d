"""How far a team is from its end, for those who ask for explanations (`studio.messages.explained`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from studio import messages  # explanations are imported from there when somebody asks for one
from studio.conditions import Count, TerminationCondition

if TYPE_CHECKING:
    from studio.messages import TerminationProgressEvent

_LIMIT = "/config/max_turns"
_CONDITION = "/config/termination_condition"


class TeamProgress(NamedTuple):
    """How far each condition and limit of a team is.

    Args:
        source: Who speaks for the team.
        team: Its name.
        limit: How far its limit is, and what completes "Stop when …".
        condition: Its termination condition.
        stop_reason: Why it ends.
    """

    source: str
    team: str
    limit: tuple[Count, str] | None
    condition: TerminationCondition | None
    stop_reason: str | None

    def to_event(self) -> TerminationProgressEvent:
        """As an event."""
        limit, condition = self.limit, self.condition
        conditions = [] if limit is None else [limit[0].progress(_LIMIT, limit[1])]
        if condition is not None:
            conditions += condition.progress(_CONDITION)
        return messages.TerminationProgressEvent.create(
            source=self.source, team=self.team, conditions=conditions, stop_reason=self.stop_reason
        )

    def to_json(self, time: str) -> str:
        """As the JSON of the event, without making one.

        Args:
            time: The JSON of its time.
        """
        limit, condition = self.limit, self.condition
        conditions = [] if limit is None else [messages.counted_json(_LIMIT, (), limit[1], limit[0])]
        if condition is not None:
            conditions += condition.progress_json(_CONDITION)
        return messages.progress_json(self.source, self.team, time, conditions, self.stop_reason)
