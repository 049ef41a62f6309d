"""Where the run of a team stands: what was said, who speaks, and how far it is."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, message_from_json
from studio.teams.conversation import Conversation, Unheard, list_in, object_in
from studio.tools import ContextVariables

STATE_VERSION = "1.0.0"

MaybeAwaitable = Awaitable[None] | None
"""What is still to be awaited. Mostly there is nothing, and making a coroutine costs more than what it does."""


@dataclass(slots=True)
class TeamRunState:
    """What changes while a team works. It is no component, whose attributes take much longer to read and to set."""

    conversation: Conversation = field(default_factory=Conversation)
    speakers: Sequence[str] = ()
    """Who speaks now, or spoke last."""
    order: Sequence[str] = ()
    """The names of the participants, in their order."""
    place: int = 0
    """Of the participant who speaks next, where all speak in order."""
    turns: int = 0
    """Of the run in progress so far."""
    stop_reason: str | None = None
    """Why the run in progress ends, or the last one ended."""
    stop_requested: str | None = None
    """Why it should end after the turn in progress."""
    token: CancellationToken | None = None
    """Of the run in progress; a model that chooses who speaks is asked with it."""
    run: object | None = None
    """Stands for the run in progress, and tells a late end of an abandoned run from the present one's."""
    resumed: asyncio.Event | None = None
    """Set when a paused run may go on; None where none is paused."""
    was_used: bool = False
    needs_reset: bool = False
    """Whether the last run did not come to its end, so that its counts are still there."""
    unreported: list[BaseMessage] = field(default_factory=list[BaseMessage])
    """What was said in a turn of this team inside another that is not over."""
    task: Sequence[BaseChatMessage] | None = None
    """The last task that was received."""
    variables: ContextVariables | None = None
    """The team's own context variables as they are now; None until they are first used."""

    @property
    def is_over(self) -> bool:
        """Whether no participant speaks any more in this run."""
        return self.stop_reason is not None or self.stop_requested is not None

    # --- one run at a time, which can be paused ---

    def begin(self) -> object:
        """Begin a run; what is returned stands for it.

        Raises:
            ValueError: One is in progress.
        """
        if self.run is not None:
            raise ValueError("The team is already running, it cannot run again until it is stopped.")
        self.was_used = True
        run = self.run = object()
        return run

    def end(self, run: object) -> None:
        """End a run, unless it was abandoned and another one has begun."""
        if self.run is run:
            self.abandon()

    def abandon(self) -> None:
        """Take the run in progress as over. Its pause ends, too: the next run must not wait for a `resume`."""
        self.run = None
        self.end_pause()

    def begin_pause(self) -> None:
        """Hold the run before its next item."""
        self.resumed = self.resumed or asyncio.Event()

    def end_pause(self) -> None:
        """Let a paused run go on."""
        if self.resumed is not None:
            self.resumed.set()
            self.resumed = None

    async def while_paused(self) -> None:
        """Wait as long as the run is paused."""
        if self.resumed is not None:
            await self.resumed.wait()

    # --- state dictionaries in AgentChat's shape ---

    async def dump(self, kind: str, own: JsonObject) -> JsonObject:
        """The state of the team's manager.

        Args:
            kind: The type that AgentChat writes; empty where it writes none.
            own: What this kind of team adds.
        """
        named: JsonObject = {"type": kind, "version": STATE_VERSION} if kind else {}
        turns = 0 if self.run is None and self.needs_reset else self.turns
        manager: JsonObject = {**named, "message_thread": [], "current_turn": turns, **own, **self._interrupted()}
        manager["message_thread"] = await self.conversation.dump_thread()  # as it is at this moment
        return manager

    def _interrupted(self) -> JsonObject:
        """What AutoGen has no place for: whose turn is not over, and what an outer team was not told yet."""
        saved: JsonObject = {
            "speaking": list[JsonValue](self.conversation.speaking),
            "unreported": [message.dump() for message in self.unreported],
            "stop_reason": self.stop_reason if self.unreported else None,
        }
        return {name: value for name, value in saved.items() if value}

    def dump_variables(self) -> JsonObject:
        """What a saved team says of its context variables: nothing until they are used."""
        return {} if self.variables is None else {"context_variables": copy.deepcopy(dict(self.variables))}

    def load(self, saved: JsonObject, names: Sequence[str]) -> None:
        """Restore what `dump` gave, but for the thread.

        Args:
            saved: The state of the team's manager.
            names: Those of the participants.
        """
        self.turns = int(cast("int", saved.get("current_turn") or 0))
        self.needs_reset = False
        self.conversation.set_speakers(str(name) for name in list_in(saved.get("speaking")) if name in names)
        self.unreported = [message_from_json(object_in(item)) for item in list_in(saved.get("unreported"))]
        reason = saved.get("stop_reason")
        self.stop_reason = str(reason) if reason else None


def participant_state(
    name: str, saved: Mapping[str, JsonValue], conversation: Conversation, unheard: Unheard
) -> JsonObject:
    """The state of a participant, with what it has not read yet."""
    return {
        "type": "ChatAgentContainerState",
        "version": STATE_VERSION,
        "agent_state": dict(saved),
        "message_buffer": conversation.dump_unread(name, unheard),
    }
