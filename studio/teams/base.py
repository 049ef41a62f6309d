"""The base of teams: how turns follow each other until a condition says stop.

A run is one chain of async generators. Nothing moves ahead of a pull and no task lives between two pulls, so whoever
reads a run holds it by not asking for the next item.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationInfo, field_validator

from studio.agents import ChatAgent, Participant
from studio.agents.tasks import Task
from studio.components import JsonObject
from studio.conditions import TerminationCondition
from studio.errors import ConfigError
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    ModelClientStreamingChunkEvent,
    Response,
    SelectSpeakerEvent,
    TaskResult,
)
from studio.teams.conversation import Conversation, object_in
from studio.teams.iteration import RunIterator

STATE_VERSION = "1.0.0"


class Team(Participant):
    """Several participants in one conversation. Every chat message reaches all of them; who speaks next is up to the
    kind of team.
    """

    component_type: ClassVar[str] = "team"
    positional: ClassVar[tuple[str, ...]] = ("participants",)
    manager_name: ClassVar[str] = ""
    """Who speaks for the team itself: source of its events and key of its own state, as in AgentChat."""
    manager_state_type: ClassVar[str] = ""

    name: Annotated[str, Field(title="Name")] = "Team"
    description: Annotated[
        str,
        Field(
            title="Description",
            description="What it can do; read where the team takes part in another one.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "A team of agents."
    participants: Annotated[
        list[Participant], Field(title="Participants", description="Agents or teams.", examples=[[]])
    ]
    termination_condition: Annotated[
        TerminationCondition | None, Field(title="Stop when", description="Looked at after each turn.")
    ] = None
    max_turns: Annotated[
        int | None,
        Field(title="Turn limit", description="Turns in one run.", json_schema_extra={"minimum": 1}),
    ] = None
    emit_team_events: Annotated[
        bool,
        Field(
            title="Tell who is chosen",
            description="Give an event for each choice of a speaker.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = False

    _conversation: Conversation = PrivateAttr(default_factory=Conversation)
    _turns: int = PrivateAttr(default=0)
    _speaker: str = PrivateAttr(default="")
    _reason: str | None = PrivateAttr(default=None)
    _stop_asked: str | None = PrivateAttr(default=None)
    _run: object | None = PrivateAttr(default=None)
    """Stands for the run in progress, and tells a late end of an abandoned run from the present one's."""
    _needs_reset: bool = PrivateAttr(default=False)
    _was_used: bool = PrivateAttr(default=False)
    _resumed: asyncio.Event | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, custom_message_types: object = None, **data: Any) -> None:
        """Make one as in AgentChat; message types need no registration here."""
        del custom_message_types
        super().__init__(*args, **data)

    @field_validator("name", "description", mode="before")
    @classmethod
    def _null_is_the_default(cls, value: object, info: ValidationInfo) -> object:
        return cls.model_fields[str(info.field_name)].default if value is None else value

    @field_validator("participants")
    @classmethod
    def _names_are_unique(cls, participants: list[Participant]) -> list[Participant]:
        if not participants:
            raise ValueError("At least one participant is required.")
        names = [participant.name for participant in participants if not participant.is_opaque]
        if len(names) != len(set(names)):
            raise ValueError("The participant names must be unique.")
        return participants

    # --- running ---

    def run_iter(self, task: Task | None = None, *, yield_on: Iterable[type[BaseMessage]] | None = None) -> RunIterator:
        """Step through a run from a program.

        Args:
            task: As for `run`.
            yield_on: Only give these kinds of messages and events; all when left out. A question to a person is
                always given, as an `InputRequestEvent` with `respond()`, and so is the result.

        An error of the run is raised. Leaving the loop ends the run.
        """
        return RunIterator(self.run_stream(task), None if yield_on is None else tuple(yield_on), self.abandon)

    async def work(
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, show_task: bool
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        if self.max_turns is not None and self.max_turns <= 0:
            raise ConfigError("The maximum number of turns must be greater than 0.", where="/config/max_turns")
        if self._run is not None:
            raise ValueError("The team is already running, it cannot run again until it is stopped.")
        run = self._run = object()
        self._was_used = True
        said: list[BaseMessage] = []
        reason = ""
        try:
            if self._needs_reset:
                await self._forget_counts()
            if self.termination_condition and self.termination_condition.terminated:
                reason = "The group chat has already terminated."
            else:
                await self._while_paused()
                async with aclosing(self._all_turns(messages, token, show_task)) as items:
                    async for item in items:
                        if isinstance(item, str):
                            reason = item
                            continue
                        if not isinstance(item, ModelClientStreamingChunkEvent):
                            said.append(item)
                        yield item
                        await self._while_paused()
            yield TaskResult(messages=said, stop_reason=reason)
        finally:
            if self._run is run:
                self._run = None

    async def _all_turns(
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, show_task: bool
    ) -> AsyncGenerator[BaseMessage | str, None]:
        """The messages and events of a run, and last the reason for its end."""
        self._needs_reset = True
        self._stop_asked = None
        if self.termination_condition:
            await self.termination_condition.start()
        await self.check_task(messages)
        self._reason = None
        if messages is not None:
            await self._take_in(messages, speaker=None)
            for message in messages if show_task else ():
                yield message
        while self._reason is None and self._stop_asked is None:
            async with aclosing(self.choose_speaker()) as events:
                async for event in events:
                    yield event
            if self.emit_team_events:
                yield SelectSpeakerEvent(content=[self._speaker], source=self.manager_name)
            async with aclosing(self._turn(self._participant(self._speaker), token)) as items:
                async for item in items:
                    yield item
        await self._forget_counts()
        yield self._reason or self._stop_asked or ""

    async def _turn(self, participant: Participant, token: CancellationToken) -> AsyncGenerator[BaseMessage, None]:
        """Let one participant speak."""
        unread = self._conversation.take_unread(participant.name)
        if isinstance(participant, ChatAgent):
            async with aclosing(participant.on_messages_stream(unread, token)) as steps:
                async for step in steps:
                    if not isinstance(step, Response):
                        yield step
                        continue
                    new = (*(step.inner_messages or ()), step.chat_message)
                    await self._take_in(new, speaker=participant.name)
                    yield step.chat_message
            return
        async with aclosing(participant.work(unread or None, token, False)) as items:
            async for item in items:
                if isinstance(item, TaskResult):
                    await self._take_in(item.messages, speaker=participant.name)
                else:
                    yield item

    async def _take_in(self, new: Sequence[BaseMessage], *, speaker: str | None) -> None:
        """Put a turn, or the task, before everybody but its speaker, and see whether it is a reason to stop.

        This comes before the last message of the turn is shown: whoever stops reading there loses nothing, and finds
        the conditions as they are after it.
        """
        listeners = (participant.name for participant in self.participants if participant.name != speaker)
        await self.heard(self._conversation.add(new, listeners))
        if self.termination_condition:
            stop = await self.termination_condition(new)
            if stop is not None:
                self._reason = stop.content
                return
        self._turns += speaker is not None
        if self.max_turns is not None and self._turns >= self.max_turns:
            self._reason = f"Maximum number of turns {self.max_turns} reached."

    async def _forget_counts(self) -> None:
        self._turns = 0
        self._needs_reset = False
        if self.termination_condition:
            await self.termination_condition.reset()

    def _participant(self, name: str) -> Participant:
        for participant in self.participants:
            if participant.name == name:
                return participant
        raise ConfigError(f"Speaker {name} not found in participant names.")

    def request_stop(self, reason: str = "Stopped by request") -> None:
        """End the run in progress after the turn in progress, with a result that gives this reason."""
        if self._run is not None:
            self._stop_asked = reason
            for team in self._teams():
                team.request_stop(reason)

    def abandon(self) -> None:
        """Take a run as over whose reader has left without closing it."""
        self._run = None
        for team in self._teams():
            team.abandon()

    def _teams(self) -> list[Team]:
        return [participant for participant in self.participants if isinstance(participant, Team)]

    async def release(self) -> None:
        if self._run is not None:
            return  # the late end of an abandoned run: its successor is at work
        for participant in self.participants:
            await participant.release()

    # --- what kinds of teams say ---

    async def check_task(self, messages: Sequence[BaseChatMessage] | None) -> None:
        """Refuse a task that this kind of team cannot begin with."""

    async def heard(self, messages: Sequence[BaseChatMessage]) -> None:
        """Told every chat message of the conversation."""

    def choose_speaker(self) -> AsyncGenerator[BaseMessage, None]:
        """Set who speaks next with `next_speaker`; yields what happens on the way."""
        raise NotImplementedError

    def next_speaker(self, name: str) -> None:
        """Give a participant the word."""
        self._speaker = name

    @property
    def speaker(self) -> str:
        """Who has the word, or had it last."""
        return self._speaker

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

    # --- pause, reset, state ---

    async def pause(self) -> None:
        """Hold the run in progress before its next item, until `resume`.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        if not self._was_used:
            raise RuntimeError("The group chat has not been initialized. It must be run before it can be paused.")
        self._resumed = self._resumed or asyncio.Event()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_pause(CancellationToken())

    async def resume(self) -> None:
        """Let a paused run go on.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        if not self._was_used:
            raise RuntimeError("The group chat has not been initialized. It must be run before it can be resumed.")
        if self._resumed is not None:
            self._resumed.set()
            self._resumed = None
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_resume(CancellationToken())

    async def _while_paused(self) -> None:
        if self._resumed is not None:
            await self._resumed.wait()

    async def reset(self) -> None:
        """Forget the whole conversation, in all participants.

        Raises:
            RuntimeError: The team is running.
        """
        if self._run is not None:
            raise RuntimeError("The group chat is currently running. It must be stopped before it can be reset.")
        self._was_used = True
        for participant in self.participants:
            if isinstance(participant, Team):
                await participant.reset()
            elif isinstance(participant, ChatAgent):
                await participant.on_reset(CancellationToken())
        self._conversation.clear()
        await self._forget_counts()
        await self.forget()

    async def save_state(self) -> Mapping[str, JsonValue]:
        """The conversation as it stands: thread, what nobody has read yet, and the state of each participant."""
        self._was_used = True
        states: JsonObject = {}
        for participant in self.participants:
            states[participant.name] = {
                "type": "ChatAgentContainerState",
                "version": STATE_VERSION,
                "agent_state": dict(await participant.save_state()),
                "message_buffer": self._conversation.dump_unread(participant.name),
            }
        states[self.manager_name] = {
            "type": self.manager_state_type,
            "version": STATE_VERSION,
            "message_thread": self._conversation.dump_thread(),
            "current_turn": 0 if self._run is None and self._needs_reset else self._turns,
            **self.manager_state(),
        }
        return {"type": "TeamState", "version": STATE_VERSION, "agent_states": states}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state in place of the present one; AgentChat's files can be read.

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
        own = object_in(states[self.manager_name])
        if self._conversation.thread:
            await self.forget()
        await self.heard(self._conversation.load_thread(own.get("message_thread")))
        for participant in self.participants:
            saved = object_in(states[participant.name])
            self._conversation.load_unread(participant.name, saved.get("message_buffer"))
            await participant.load_state(object_in(saved.get("agent_state")))
        self._turns = int(cast("int", own.get("current_turn") or 0))
        self._needs_reset = False
        await self.load_manager_state(own)
