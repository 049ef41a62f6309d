"""The team in which whoever speaks says who is next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


class Swarm(Team):
    """The participants hand over to each other; until somebody does, the last speaker goes on."""

    provider = "autogen_agentchat.teams.Swarm"
    aliases = (
        "autogen_agentchat.teams._group_chat._swarm_group_chat.Swarm",
        "autogenstudio.gallery.builder.Swarm",
        "studio.teams.Swarm",
    )
    drawn_as = "handoffs"
    manager_name: ClassVar[str] = "SwarmGroupChatManager"
    manager_state_type: ClassVar[str] = "SwarmManagerState"

    name: TeamName = "Swarm"

    _lost: HandoffMessage | None = PrivateAttr(default=None)
    """The last handoff, if it went to nobody here."""
    _handoff: HandoffMessage | None = PrivateAttr(default=None)
    """The handoff that has just given the word to somebody here."""
    _chosen: str = PrivateAttr(default="")
    """Who was to speak when a speaker was last chosen: what AutoGen saves."""

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
            self._lost = None
            return
        names = self.participant_names
        for message in messages or ():
            if isinstance(message, HandoffMessage):
                if message.target in names:
                    return
                raise UnknownHandoffTarget(
                    f"The target {message.target} is not one of the participants {names}. If you are resuming Swarm "
                    "with a new HandoffMessage make sure to set the target to a valid participant as the target."
                )
        if self._lost is not None:
            raise UnknownHandoffTarget(
                f"The existing handoff target {self._lost.target} is not one of the participants {names}. "
                "If you are resuming Swarm with a new task make sure to include in your task a HandoffMessage with a "
                "valid participant as the target. For example, if you are resuming from a HandoffTermination, make "
                "sure the new task is a HandoffMessage with a valid participant as the target."
            )

    async def heard(self, messages: Sequence[BaseChatMessage]) -> None:
        names = self._named()
        for message in messages:
            if not isinstance(message, HandoffMessage):
                continue
            if message.target in names:
                self.next_speaker(message.target)
                if self._lost is not None:
                    self._lost = None
                self._handoff = message
            elif message.source in names:  # other ones were handed round inside a nested team, or in an outer one
                self._lost = message

    async def choose_speaker(self) -> tuple[BaseMessage, ...]:
        if self._lost is not None:
            self._chosen = self._lost.target
            raise UnknownHandoffTarget(
                f"{self._lost.source!r} handed over to {self._lost.target!r}, who is not one of the participants "
                f"{self.participant_names}.",
                fix="Correct the handoff, or stop the team there with a condition for handoffs to that name.",
            )
        is_first = not self.speaker
        handoff, self._handoff = self._handoff, None
        self._chosen = self.speaker or self.participants[0].name
        self.next_speaker(self._chosen)
        return (self._explanation(handoff, is_first=is_first),) if is_explained() else ()

    def _explanation(self, handoff: HandoffMessage | None, *, is_first: bool) -> SpeakerDecisionEvent:
        if handoff is not None:
            return self.decision("handoff", f"{handoff.source} handed over to {handoff.target}.")
        if is_first:
            return self.decision("no handoff", f"Nobody has handed over yet, so {self.speaker} begins as the first.")
        return self.decision("no handoff", f"Nobody has handed over since {self.speaker} got the word.")

    async def forget(self) -> None:
        self._lost = self._handoff = None
        self._chosen = self.participants[0].name
        self.next_speaker(self._chosen)

    def manager_state(self) -> JsonObject:
        return {"current_speaker": self._chosen or self.participants[0].name}

    async def load_manager_state(self, state: JsonObject) -> None:
        handoff, self._handoff = self._handoff, None  # the thread that was heard again ends long after it, perhaps
        self._chosen = str(state.get("current_speaker") or "")
        if handoff is None and self._chosen in self.participant_names:
            self.next_speaker(self._chosen)
