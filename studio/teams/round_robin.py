"""The team in which everybody speaks in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from studio.components import JsonObject
from studio.messages import BaseMessage, listener
from studio.teams.base import Team
from studio.teams.fields import TeamName

if TYPE_CHECKING:
    from studio.messages import SpeakerDecisionEvent


class RoundRobinGroupChat(Team):
    """Participants take turns in a fixed order."""

    provider = "autogen_agentchat.teams.RoundRobinGroupChat"
    keywords = "order sequence turns"
    aliases = (
        "autogen_agentchat.teams._group_chat._round_robin_group_chat.RoundRobinGroupChat",
        "autogenstudio.gallery.builder.RoundRobinGroupChat",
        "studio.teams.RoundRobinGroupChat",
    )
    drawn_as = "order"
    manager_name: ClassVar[str] = "RoundRobinGroupChatManager"
    manager_state_type: ClassVar[str] = "RoundRobinManagerState"

    name: TeamName = "RoundRobinGroupChat"

    def choose_speaker(self) -> tuple[BaseMessage, ...]:
        state = self._state
        place, order = state.place, state.order
        state.place = (place + 1) % len(order)
        state.speakers = (order[place],)
        who_asks = listener()
        return () if who_asks is None else who_asks.explain_repeated(self, place, self._explanation)

    def _explanation(self) -> SpeakerDecisionEvent:
        names = self.participant_names
        place = (self._state.place - 1) % len(names)
        if len(names) == 1:
            return self.decision("only candidate", "The team has no other participant.")
        if place == 0:
            return self.decision("round robin", f"{names[0]} is first in the order.")
        return self.decision("round robin", f"{names[place]} follows {names[place - 1]} in the order.")

    async def forget(self) -> None:
        self._state.place = 0

    def manager_state(self) -> JsonObject:
        return {"next_speaker_index": self._state.place}

    async def load_manager_state(self, state: JsonObject) -> None:
        self._state.place = int(cast("int", state.get("next_speaker_index") or 0)) % len(self.participants)
