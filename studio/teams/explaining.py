"""What a team tells of itself to those who ask (`studio.messages.explained`): why these speak, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio import messages  # what is told waits there until somebody asks for it
from studio.conditions import Count
from studio.teams.saving import SavedTeam

if TYPE_CHECKING:
    from studio.messages import (
        BaseMessage,
        EdgeDecision,
        Rule,
        SelectionAttempt,
        SpeakerDecisionEvent,
        TerminationProgressEvent,
    )

_LIMIT = "/config/max_turns"
_CONDITION = "/config/termination_condition"


class ExplainedTeam(SavedTeam):
    """The part of a team that explains."""

    def decision(
        self,
        rule: Rule,
        reason: str,
        *,
        candidates: Sequence[str] | None = None,
        prompt: str = "",
        attempts: Sequence[SelectionAttempt] = (),
        edges: Sequence[EdgeDecision] = (),
    ) -> SpeakerDecisionEvent:
        """Why those speak who have the word now.

        Args:
            rule: By which they were chosen.
            reason: In plain words, as a sentence.
            candidates: Who could have spoken; all when left out.
            prompt: What a model was asked.
            attempts: What it answered.
            edges: Those of a graph that were looked at.
        """
        return messages.SpeakerDecisionEvent.told(
            source=self.manager_name,
            team=self.name,
            candidates=self.participant_names if candidates is None else list(candidates),
            chosen=list(self._course.speakers),
            rule=rule,
            reason=reason,
            prompt=messages.clipped(prompt),
            attempts=list(attempts),
            edges=list(edges),
        )

    def how_far(self) -> tuple[BaseMessage, ...]:
        """What is told of how far each condition and limit is now, where somebody asks."""
        listener = messages.listener()
        return () if listener is None else listener.told(self, self._how_far_json, self._how_far)

    def _how_far(self) -> TerminationProgressEvent:
        limit, condition = self.limit(), self.termination_condition
        conditions = [] if limit is None else [limit[0].progress(_LIMIT, limit[1])]
        if condition is not None:
            conditions += condition.progress(_CONDITION)
        return messages.TerminationProgressEvent.told(
            source=self.manager_name, team=self.name, conditions=conditions, stop_reason=self._course.reason
        )

    def _how_far_json(self, time: str) -> str:
        limit, condition = self.limit(), self.termination_condition
        conditions = [] if limit is None else [messages.counted_json(_LIMIT, (), limit[1], limit[0])]
        if condition is not None:
            conditions += condition.progress_json(_CONDITION)
        return messages.progress_json(self.manager_name, self.name, time, conditions, self._course.reason)

    def limit(self) -> tuple[Count, str] | None:
        """How far the limit is that this kind of team has besides its condition, and what completes "Stop when …"."""
        most = self.max_turns
        return None if most is None else (Count(self._course.turns, most, "turns"), f"{most} turns are taken")
