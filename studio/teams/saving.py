"""What a team remembers: saved, taken up again, forgotten."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from pydantic import JsonValue, PrivateAttr

from studio.agents import ChatAgent
from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, message_from_json
from studio.teams.conversation import Conversation, list_in, object_in
from studio.teams.course import Course, Rest
from studio.teams.pausing import PausableTeam
from studio.tools import ContextVariables

STATE_VERSION = "1.0.0"


class SavedTeam(PausableTeam):
    """A team with a conversation, which state dictionaries in AgentChat's shape can hold."""

    manager_name: ClassVar[str] = ""
    """Who speaks for the team itself: source of its events and key of its own state, as in AgentChat."""
    manager_state_type: ClassVar[str] = ""
    """Empty where AgentChat writes none."""

    _conversation: Conversation = PrivateAttr(default_factory=Conversation)
    _course: Course = PrivateAttr(default_factory=Course)
    _run: object | None = PrivateAttr(default=None)
    """Stands for the run in progress, and tells a late end of an abandoned run from the present one's."""
    _needs_reset: bool = PrivateAttr(default=False)
    _unreported: list[BaseMessage] = PrivateAttr(default_factory=list[BaseMessage])
    """What was said in a turn of this team inside another that is not over."""
    _task_heard: Sequence[BaseChatMessage] | None = PrivateAttr(default=None)
    """The last task that was taken up."""

    _variables: ContextVariables | None = PrivateAttr(default=None)
    """As they are now; None until they are first used."""

    @property
    def variables(self) -> ContextVariables | None:
        """The team's context variables as they are now; None where it has none of its own.

        A team inside another one shares the variables around it, unless it has its own.
        """
        if self._variables is None and self.context_variables is not None:
            self._variables = ContextVariables(copy.deepcopy(self.context_variables))
        return self._variables

    @property
    def turns(self) -> int:
        """Turns of the run in progress so far."""
        return self._course.turns

    @property
    def thread(self) -> Sequence[BaseMessage]:
        """Everything said and done so far, oldest first."""
        return self._conversation.thread

    async def forget(self) -> None:
        """Begin anew, as for `reset`."""

    def manager_state(self) -> JsonObject:
        """What this kind of team adds to the saved state."""
        return {}

    async def load_manager_state(self, state: JsonObject) -> None:
        """Take up what `manager_state` gave."""

    def heard(self, messages: Sequence[BaseChatMessage]) -> Rest:
        """Told the chat messages of a conversation that is loaded, and each new one where the team `listens`."""

    async def reset(self) -> None:
        """Forget the whole conversation, in all participants.

        Raises:
            RuntimeError: The team is running.
        """
        if self._run is not None:
            raise RuntimeError("The group chat is currently running. It must be stopped before it can be reset.")
        self._was_used = True
        await self.clear_conversation()
        self._unreported = []
        await self._forget_counts()
        await self.forget()
        self._variables = None

    async def clear_conversation(self) -> None:
        """Let all participants, and the team, forget what was said."""
        for participant in self.participants:
            if isinstance(participant, SavedTeam):
                await participant.reset()
            elif isinstance(participant, ChatAgent):
                await participant.on_reset(CancellationToken())
        self._conversation.clear()

    async def _forget_counts(self) -> None:
        self._course.turns = 0
        self._needs_reset = False
        if self.termination_condition:
            await self.termination_condition.reset()

    async def save_state(self) -> Mapping[str, JsonValue]:
        """The conversation as it stands: thread, what nobody has read yet, and the state of each participant."""
        self._was_used = True
        states: JsonObject = {}
        for participant in self.participants:
            states[participant.name] = {
                "type": "ChatAgentContainerState",
                "version": STATE_VERSION,
                "agent_state": dict(await participant.save_state()),
                "message_buffer": self._conversation.dump_unread(participant.name, self._unheard_by),
            }
        kind: JsonObject = (
            {"type": self.manager_state_type, "version": STATE_VERSION} if self.manager_state_type else {}
        )
        manager: JsonObject = {
            **kind,
            "message_thread": [],
            "current_turn": 0 if self._run is None and self._needs_reset else self._course.turns,
            **self.manager_state(),
            **self._broken_off(),
        }
        manager["message_thread"] = await self._conversation.dump_thread()  # as it is at this moment
        states[self.manager_name] = manager
        own: JsonObject = {} if self._variables is None else {"context_variables": copy.deepcopy(dict(self._variables))}
        return {"type": "TeamState", "version": STATE_VERSION, "agent_states": states, **own}

    def _unheard_by(self, name: str, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        """What a participant must be told again after its turn was broken off."""
        found = next((participant for participant in self.participants if participant.name == name), None)
        return found.unheard(messages) if found and not found.is_opaque else messages

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if messages is self._task_heard else messages

    def _broken_off(self) -> JsonObject:
        """What AutoGen has no place for: whose turn is not over, and what an outer team was not told yet."""
        saved: JsonObject = {
            "speaking": list[JsonValue](self._conversation.speaking),
            "unreported": [message.dump() for message in self._unreported],
            "stop_reason": self._course.reason if self._unreported else None,
        }
        return {name: value for name, value in saved.items() if value}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state in place of the present one, or nothing of it; AgentChat's files can be read.

        Raises:
            RuntimeError: The team is running.
            ValueError: The state is of another shape, or lacks a participant.
        """
        if self._run is not None:
            raise RuntimeError("The team cannot be loaded while it is running.")
        self._was_used = True
        states = object_in(state.get("agent_states"))
        for name in (*(participant.name for participant in self.participants), self.manager_name):
            if name not in states:
                raise ValueError(f"Agent state for {name} not found in the saved state.")
        variables = object_in(state.get("context_variables") or {})
        present = object_in((await self.save_state())["agent_states"])
        counts = self._course.turns, self._needs_reset
        try:
            await self._take_up(states)
        except BaseException:
            await self._take_up(present)
            self._course.turns, self._needs_reset = counts
            raise
        is_saved = "context_variables" in state and self.context_variables is not None
        self._variables = ContextVariables(copy.deepcopy(variables)) if is_saved else None

    async def _take_up(self, states: JsonObject) -> None:
        own = object_in(states[self.manager_name])
        if self._conversation.thread:
            await self.forget()
        if (rest := self.heard(await self._conversation.load_thread(own.get("message_thread")))) is not None:
            await rest
        for participant in self.participants:
            saved = object_in(states[participant.name])
            self._conversation.load_unread(participant.name, saved.get("message_buffer"))
            await participant.load_state(object_in(saved.get("agent_state")))
        self._course.turns = int(cast("int", own.get("current_turn") or 0))
        self._needs_reset = False
        speaking, names = list_in(own.get("speaking")), [participant.name for participant in self.participants]
        self._conversation.give_word(str(name) for name in speaking if name in names)
        self._unreported = [message_from_json(object_in(item)) for item in list_in(own.get("unreported"))]
        reason = own.get("stop_reason")
        self._course.reason = str(reason) if reason else None
        await self.load_manager_state(own)
