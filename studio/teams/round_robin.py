"""The team in which everybody speaks in turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, ClassVar, cast

from pydantic import Field, PrivateAttr

from studio.components import JsonObject
from studio.messages import BaseMessage
from studio.teams.base import Team


class RoundRobinGroupChat(Team):
    """The participants speak one after another, in order."""

    provider = "autogen_agentchat.teams.RoundRobinGroupChat"
    aliases = (
        "autogen_agentchat.teams._group_chat._round_robin_group_chat.RoundRobinGroupChat",
        "autogenstudio.gallery.builder.RoundRobinGroupChat",
        "studio.teams.RoundRobinGroupChat",
    )
    manager_name: ClassVar[str] = "RoundRobinGroupChatManager"
    manager_state_type: ClassVar[str] = "RoundRobinManagerState"

    name: Annotated[str, Field(title="Name")] = "RoundRobinGroupChat"

    _next: int = PrivateAttr(default=0)

    async def choose_speaker(self) -> AsyncGenerator[BaseMessage, None]:
        self.next_speaker(self.participants[self._next].name)
        self._next = (self._next + 1) % len(self.participants)
        return
        yield  # an async generator that yields nothing

    async def forget(self) -> None:
        self._next = 0

    def manager_state(self) -> JsonObject:
        return {"next_speaker_index": self._next}

    async def load_manager_state(self, state: JsonObject) -> None:
        self._next = int(cast("int", state.get("next_speaker_index") or 0)) % len(self.participants)
