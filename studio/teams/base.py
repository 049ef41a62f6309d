"""The base of teams: how turns follow each other until a condition says stop.

A run is one chain of async generators. Nothing moves ahead of a pull. Where one participant speaks at a time no task
lives between two pulls, so whoever reads a run holds it by not asking for the next item; where several speak side by
side their tasks stand still meanwhile (`studio.teams.branches`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, cast

from pydantic import JsonValue, PrivateAttr

from studio.agents import ChatAgent, Participant
from studio.agents.releasing import release_all
from studio.agents.tasks import Task
from studio.components import JsonObject, walk
from studio.errors import ConfigError
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    ModelClientStreamingChunkEvent,
    SelectSpeakerEvent,
    TaskResult,
)
from studio.teams.conversation import Conversation, object_in
from studio.teams.fields import TeamFields
from studio.teams.iteration import RunIterator
from studio.teams.turns import Spoken, speak

STATE_VERSION = "1.0.0"


class Team(TeamFields):
    """Several participants in one conversation. Every chat message reaches all of them; who speaks next is up to the
    kind of team.
    """

    manager_name: ClassVar[str] = ""
    """Who speaks for the team itself: source of its events and key of its own state, as in AgentChat."""
    manager_state_type: ClassVar[str] = ""
    """Empty where AgentChat writes none."""

    _conversation: Conversation = PrivateAttr(default_factory=Conversation)
    _turns: int = PrivateAttr(default=0)
    _speakers: Sequence[str] = PrivateAttr(default=())
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
                self._end_pause()

    async def _all_turns(
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, show_task: bool
    ) -> AsyncGenerator[BaseMessage | str, None]:
        """The messages and events of a run, and last the reason for its end."""
        self._needs_reset = True
        self._stop_asked = None
        if self.termination_condition:
            await self.termination_condition.start()
        await self.check_task(messages, is_inside=not show_task)
        self._reason = None
        if messages is not None:
            await self.hear(messages, messages, speaker=None)
            await self.judge(messages, is_turn=False)
            for message in messages if show_task else ():
                yield message
        while self._reason is None and self._stop_asked is None:
            async with aclosing(self.choose_speaker()) as events:
                async for event in events:
                    yield event
            if self._reason is None:
                async with aclosing(self._turn(token)) as items:
                    async for item in items:
                        yield item
        await self._forget_counts()
        yield self._reason or self._stop_asked or ""

    async def _turn(self, token: CancellationToken) -> AsyncGenerator[BaseMessage, None]:
        """Let the chosen participants speak.

        What was said is taken up before the last message of a turn is shown: whoever stops reading there loses
        nothing, and finds the conditions as they are after it.
        """
        speakers = [self._participant(name) for name in self._speakers]
        if self.emit_team_events:
            yield SelectSpeakerEvent(content=list(self._speakers), source=self.manager_name)
        turns = [(speaker, self._conversation.take_unread(speaker.name)) for speaker in speakers]
        new: list[BaseMessage] = []
        still_speaking = len(turns)
        async with aclosing(speak(turns, token)) as items:
            async for item in items:
                if not isinstance(item, Spoken):
                    yield item
                    continue
                await self.hear(item.messages, item.said, speaker=item.name)
                new.extend(item.messages)
                still_speaking -= 1
                if not still_speaking:
                    await self.judge(new, is_turn=True)
                if item.unshown is not None:
                    yield item.unshown

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
        for team in self._teams():
            if team._run is not None:
                team._stop_asked = reason

    def abandon(self) -> None:
        """Take a run as over whose reader has left without closing it."""
        for team in self._teams():
            team._run = None
            team._end_pause()

    def _teams(self) -> list[Team]:
        """This team and all inside it, also those inside agents and tools."""
        return [part for _, part in walk(self) if isinstance(part, Team) and not part.is_opaque]

    async def release(self) -> None:
        if self._run is not None:
            return  # the late end of an abandoned run: its successor is at work
        await release_all(*(participant.release for participant in self.participants))

    # --- what kinds of teams say ---

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        """Refuse a task that this kind of team cannot begin with; nothing has happened yet.

        Args:
            messages: The task; None goes on with the conversation so far.
            is_inside: Whether the messages come from an outer team rather than from the user.
        """

    async def hear(self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None) -> None:
        """Take up a turn, or the task, for which there is no speaker.

        Args:
            new: All that was said and done, oldest first.
            said: What the other participants hear of it.
            speaker: Who need not hear it.
        """
        listeners = (participant.name for participant in self.participants if participant.name != speaker)
        await self.heard(self._conversation.add(new, said, listeners))

    async def heard(self, messages: Sequence[BaseChatMessage]) -> None:
        """Told every chat message of the conversation."""

    async def judge(self, new: Sequence[BaseMessage], *, is_turn: bool) -> None:
        """See whether a turn, or the task, is a reason to stop."""
        if (reason := self.own_end()) is not None:
            self.end(reason)
            return
        if await self.ask_condition(new):
            return
        self._turns += is_turn
        if self.max_turns is not None and self._turns >= self.max_turns:
            self.end(f"Maximum number of turns {self.max_turns} reached.")

    async def ask_condition(self, new: Sequence[BaseMessage]) -> bool:
        """Show the termination condition what is new; whether that ends the run."""
        stop = await self.termination_condition(new) if self.termination_condition else None
        if stop is not None:
            self.end(stop.content)
        return stop is not None

    def own_end(self) -> str | None:
        """A reason of this kind of team to stop, which comes before its conditions."""
        return None

    def end(self, reason: str) -> None:
        """Let nobody speak any more in this run."""
        self._reason = reason

    def choose_speaker(self) -> AsyncGenerator[BaseMessage, None]:
        """Set who speaks next with `next_speaker`, or end the run; yields what happens on the way."""
        raise NotImplementedError

    def next_speaker(self, *names: str) -> None:
        """Give participants the word; several speak at the same time."""
        self._speakers = names

    @property
    def speaker(self) -> str:
        """Who has the word, or had it last."""
        return self._speakers[0] if self._speakers else ""

    @property
    def turns(self) -> int:
        """Turns of the run in progress so far."""
        return self._turns

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
        self._end_pause()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_resume(CancellationToken())

    def _end_pause(self) -> None:
        """Also at the end of a run: nobody resumes one that is over, and the next one must not wait for that."""
        if self._resumed is not None:
            self._resumed.set()
            self._resumed = None

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
        await self.clear_conversation()
        await self._forget_counts()
        await self.forget()

    async def clear_conversation(self) -> None:
        """Let all participants, and the team, forget what was said."""
        for participant in self.participants:
            if isinstance(participant, Team):
                await participant.reset()
            elif isinstance(participant, ChatAgent):
                await participant.on_reset(CancellationToken())
        self._conversation.clear()

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
        kind: JsonObject = (
            {"type": self.manager_state_type, "version": STATE_VERSION} if self.manager_state_type else {}
        )
        states[self.manager_name] = {
            **kind,
            "message_thread": self._conversation.dump_thread(),
            "current_turn": 0 if self._run is None and self._needs_reset else self._turns,
            **self.manager_state(),
        }
        return {"type": "TeamState", "version": STATE_VERSION, "agent_states": states}

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
        present = object_in((await self.save_state())["agent_states"])
        counts = self._turns, self._needs_reset
        try:
            await self._take_up(states)
        except BaseException:
            await self._take_up(present)
            self._turns, self._needs_reset = counts
            raise

    async def _take_up(self, states: JsonObject) -> None:
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
