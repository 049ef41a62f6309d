"""The team in which whoever speaks says who is next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import PrivateAttr, field_validator

from studio.agents import ChatAgent, Participant
from studio.components import JsonObject
from studio.errors import Finding, RunFailed
from studio.messages import BaseChatMessage, BaseMessage, HandoffMessage, SpeakerDecisionEvent, is_explained
from studio.teams.base import Team
from studio.teams.fields import TeamFields, TeamName
from studio.teams.swarm_advice import on_handoffs


class UnknownHandoffTarget(RunFailed, ValueError):
    """Somebody handed over to a name that no participant has."""

    code = "unknown_handoff_target"


@dataclass(slots=True)
class _Handing:
    """Who hands over to whom, as far as the run has come."""

    lost: HandoffMessage | None = None
    """The last handoff, if it went to nobody here."""
    newest: HandoffMessage | None = None
    """The handoff that has just given the word to somebody here."""
    chosen: str = ""
    """Who was to speak when a speaker was last chosen: what AutoGen saves."""


class Swarm(Team):
    """Agents hand off to each other. Without a handoff, the last speaker continues."""

    provider = "autogen_agentchat.teams.Swarm"
    keywords = "handoff transfer"
    aliases = (
        "autogen_agentchat.teams._group_chat._swarm_group_chat.Swarm",
        "autogenstudio.gallery.builder.Swarm",
        "studio.teams.Swarm",
    )
    drawn_as = "handoffs"
    observes = True
    manager_name: ClassVar[str] = "SwarmGroupChatManager"
    manager_state_type: ClassVar[str] = "SwarmManagerState"

    name: TeamName = "Swarm"

    _handing: _Handing = PrivateAttr(default_factory=_Handing)

    @field_validator("participants")
    @classmethod
    def _first_can_hand_over(cls, participants: list[Participant]) -> list[Participant]:
        first = participants[0]
        if (
            isinstance(first, ChatAgent | TeamFields)
            and not first.is_opaque
            and HandoffMessage not in first.produced_message_types
        ):
            raise ValueError("The first participant must be able to produce a handoff messages.")
        return participants

    def advice(self) -> Iterator[Finding]:
        yield from super().advice()
        yield from on_handoffs(self.participants, self.termination_condition)

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        if is_inside:
            # What an outer team hands round is not meant for the participants of this one.
            self._handing.lost = None
            return
        names = self.participant_names
        handoffs = [message for message in messages or () if isinstance(message, HandoffMessage)]
        for message in handoffs:
            if message.target not in names:
                raise UnknownHandoffTarget(
                    f"The target {message.target} is not one of the participants {names}. If you are resuming Swarm "
                    "with a new HandoffMessage make sure to set the target to a valid participant as the target."
                )
        if self._handing.lost is not None and not handoffs:
            raise UnknownHandoffTarget(
                f"The existing handoff target {self._handing.lost.target} is not one of the participants {names}. "
                "If you are resuming Swarm with a new task make sure to include in your task a HandoffMessage with a "
                "valid participant as the target. For example, if you are resuming from a HandoffTermination, make "
                "sure the new task is a HandoffMessage with a valid participant as the target."
            )

    def observe(self, messages: Sequence[BaseChatMessage]) -> None:
        names, handing = self._named(), self._handing
        for message in messages:
            if not isinstance(message, HandoffMessage):
                continue
            if message.target in names:
                self.next_speaker(message.target)
                handing.lost, handing.newest = None, message
            elif message.source in names:  # other ones were handed round inside a nested team, or in an outer one
                handing.lost = message

    def choose_speaker(self) -> tuple[BaseMessage, ...]:
        handing, last = self._handing, self.speaker
        if handing.lost is not None:
            handing.chosen = handing.lost.target
            raise UnknownHandoffTarget(
                f"{handing.lost.source!r} handed off to {handing.lost.target!r}, which is not one of the participants "
                f"{self.participant_names}.",
                fix="Correct the handoff, or add a stop condition for handoffs to that name.",
            )
        handoff, handing.newest = handing.newest, None
        handing.chosen = last or self.participants[0].name
        self.next_speaker(handing.chosen)
        return (self._explanation(handoff, is_first=not last),) if is_explained() else ()

    def _explanation(self, handoff: HandoffMessage | None, *, is_first: bool) -> SpeakerDecisionEvent:
        if handoff is not None:
            return self.decision("handoff", f"{handoff.source} handed off to {handoff.target}.")
        if is_first:
            return self.decision("no handoff", f"No handoff yet, so {self.speaker} begins as the first participant.")
        return self.decision("no handoff", f"No handoff since {self.speaker} was selected.")

    async def forget(self) -> None:
        first = self.participants[0].name
        self._handing = _Handing(chosen=first)
        self.next_speaker(first)

    def manager_state(self) -> JsonObject:
        return {"current_speaker": self._handing.chosen or self.participants[0].name}

    async def load_manager_state(self, state: JsonObject) -> None:
        handing = self._handing
        handoff, handing.newest = handing.newest, None  # the thread that was heard again ends long after it, perhaps
        handing.chosen = str(state.get("current_speaker") or "")
        if handoff is None and handing.chosen in self.participant_names:
            self.next_speaker(handing.chosen)
