"""What a team tells of itself to those who ask (`studio.messages.explained`): why these speak, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studio import messages  # what is told waits there until somebody asks for it
from studio.conditions import Count
from studio.teams.saving import SavedTeam

if TYPE_CHECKING:
    from studio.messages import (
        ConditionProgress,
        EdgeDecision,
        Rule,
        SelectionAttempt,
        SpeakerDecisionEvent,
        TerminationProgressEvent,
    )


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

    def how_far(self) -> tuple[TerminationProgressEvent]:
        """How far each condition and limit is now."""
        conditions = list(self.limits())
        if self.termination_condition is not None:
            conditions.extend(self.termination_condition.progress("/config/termination_condition"))
        told = messages.TerminationProgressEvent.told(
            source=self.manager_name, team=self.name, conditions=conditions, stop_reason=self._course.reason
        )
        return (told,)

    def limits(self) -> Iterator[ConditionProgress]:
        """How far the limits are that this kind of team has besides its condition."""
        if self.max_turns is not None:
            words = f"{self.max_turns} turns are taken"
            yield Count(self._course.turns, self.max_turns, "turns").progress("/config/max_turns", words)
