"""The base of teams: how turns follow each other until a condition says stop.

A run is one chain of async generators. Nothing moves ahead of a pull. Where one participant speaks at a time no task
lives between two pulls, so whoever reads a run holds it by not asking for the next item; where several speak side by
side their tasks stand still meanwhile (`studio.teams.branches`).
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from types import CoroutineType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import JsonValue, PrivateAttr

from studio import effects
from studio import messages as explanations  # imported from there when a listener asks for one
from studio.agents import ChatAgent, Participant
from studio.agents.cleanup import release_all
from studio.components import JsonObject, walk
from studio.conditions import Count
from studio.errors import ConfigError, RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    Response,
    SelectSpeakerEvent,
    TaskResult,
    give_way,
    given_message,
    is_explained,
    listener,
)
from studio.teams.conversation import object_in
from studio.teams.fields import TeamFields
from studio.teams.progress import TeamProgress
from studio.teams.run_state import STATE_VERSION, MaybeAwaitable, TeamRunState, participant_state
from studio.teams.turns import TurnResult, result_of, run_speakers, to_team_item, with_edits
from studio.tools import ContextVariables
from studio.tools.variables import with_variables

if TYPE_CHECKING:
    from studio.messages import EdgeDecision, Rule, SelectionAttempt, SpeakerDecisionEvent

Steps = AsyncGenerator[BaseMessage | Response | TaskResult, None]
Choice = tuple[BaseMessage, ...] | AsyncGenerator[BaseMessage, None]
"""What a team has to tell when it has chosen who speaks, or while it does."""


class Team(TeamFields):
    """Several participants in one conversation. Every chat message reaches all of them; who speaks next is up to the
    kind of team.
    """

    observes: ClassVar[bool] = False
    """Whether it looks at each message itself, in `observe`."""
    manager_name: ClassVar[str] = ""
    """Who speaks for the team itself: source of its events and key of its own state, as in AgentChat."""
    manager_state_type: ClassVar[str] = ""
    """Empty where AgentChat writes none."""

    _state: TeamRunState = PrivateAttr(default_factory=TeamRunState)
    _by_name: dict[str, Participant] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, custom_message_types: object = None, **data: Any) -> None:
        """Make one as in AgentChat; message types need no registration here."""
        del custom_message_types
        super().__init__(*args, **data)

    # --- running ---

    async def execute(
        self,
        messages: list[BaseChatMessage] | None,
        token: CancellationToken,
        show_task: bool,
        *,
        is_inside: bool = False,
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        if self.max_turns is not None and self.max_turns <= 0:
            raise ConfigError("The maximum number of turns must be greater than 0.", where="/config/max_turns")
        state = self._state
        run = state.begin()
        stopped = state.stop_reason if is_inside and messages is None and state.unreported else None
        said = state.unreported = [*state.unreported] if is_inside else []
        reason = ""
        try:
            if state.needs_reset:
                await self._reset_counts()
            if stopped is not None:
                reason = stopped  # all was said, but the outer team was not told
            elif self.termination_condition and self.termination_condition.terminated:
                reason = "The group chat has already terminated."
            else:
                await state.while_paused()
                turns = self._run_turns(messages, token, show_task, is_inside)
                own = self.variables
                async with aclosing(turns if own is None else with_variables(turns, own)) as items:
                    async for item in items:
                        if isinstance(item, str):
                            reason = item
                            continue
                        if item.is_kept:
                            said.append(item)
                        yield item
                        if state.resumed is not None:
                            await state.while_paused()
            state.unreported = []
            yield TaskResult(messages=said, stop_reason=reason)
        finally:
            state.end(run)

    async def _run_turns(  # noqa: C901  in one piece, since each call in it would be paid for in every turn
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, show_task: bool, is_inside: bool
    ) -> AsyncGenerator[BaseMessage | str, None]:
        """The messages and events of a run, and last the reason for its end.

        What was said is taken up, and how far the conditions are is told, before the last message of a turn is shown:
        whoever stops reading there loses nothing, and finds the conditions as they are after it.
        """
        again, events = await self._begin(messages, token, show_task=show_task, is_inside=is_inside)
        for item in events:
            yield item
        state, conversation, port = self._state, self._state.conversation, effects.current()
        # Read once: an attribute of a component takes long to find, and there are these in each turn.
        choose_speaker, receive, check_termination = self.choose_speaker, self.receive, self.check_termination
        named, tells_choices = self._named(), self.emit_team_events
        while state.stop_reason is None and state.stop_requested is None:
            injected = await self._receive_injected() if port.can_edit and not is_inside else ()
            choice = injected or (self.resume_turns(again) if again else choose_speaker())
            again = again if injected else ()
            if isinstance(choice, CoroutineType):
                choice = await choice
            if isinstance(choice, tuple):
                for event in choice:
                    yield event
            else:
                async with aclosing(choice) as events:
                    async for event in events:
                        yield event
            if injected or state.stop_reason is not None:
                continue
            if tells_choices:
                yield self._announce_speakers()
            names = state.speakers
            name = names[0] if len(names) == 1 else ""
            if (speaker := named.get(name)) is not None:
                turn = await speaker.take_turn(conversation.begin_turn(name), token)
            else:
                turn = self._run_in_parallel(names, token)
            if not isinstance(turn, Response) or port.can_edit:
                async with aclosing(self._whole_turn(turn, name)) as items:
                    async for item in items:
                        yield item
                continue
            answer = turn.chat_message  # most turns are no more than that: what follows is their `_end_turn`
            said = (answer,)
            new = (*turn.inner_messages, answer) if turn.inner_messages else said
            if (rest := receive(new, said, speaker=name)) is not None:
                await rest
            conversation.end_turn(name)
            if (rest := check_termination(new, is_turn=True)) is not None:
                await rest
            for event in (*self.progress(), answer) if is_explained() else said:
                yield event
        await self._reset_counts()
        yield state.stop_reason or state.stop_requested or ""

    async def _begin(
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, *, show_task: bool, is_inside: bool
    ) -> tuple[Sequence[str], Sequence[BaseMessage]]:
        """Receive the task: whose turns were broken off and are resumed, and what is to be shown first."""
        state = self._state
        state.needs_reset = True
        state.order = tuple(self._named())
        state.token = token
        state.stop_requested = None
        if self.termination_condition:
            await self.termination_condition.start()
        await self.check_task(messages, is_inside=is_inside)
        state.stop_reason = None
        again = state.conversation.take_back(self._unheard_by)
        if messages is None:
            return again, ()
        if (rest := self.receive(messages, messages, speaker=None)) is not None:
            await rest
        state.task = messages
        if (rest := self.check_termination(messages, is_turn=False)) is not None:
            await rest
        return (), (*(self.progress() if is_explained() else ()), *(messages if show_task else ()))

    async def _receive_injected(self) -> tuple[BaseMessage, ...]:
        """Let everybody hear what people have put into the conversation meanwhile; nobody's turn ends with it."""
        given = await effects.current().injected()
        if not given:
            return ()
        said = [
            given_message(each.source, each.text, {**each.metadata, effects.INJECTED_BY: each.by}, each.pictures)
            for each in given
        ]
        if (rest := Team.receive(self, said, said, speaker=None)) is not None:
            await rest
        # Together, for a condition that is met by one of them must not be asked about the next.
        if (rest := self.check_termination(said, is_turn=False)) is not None:
            await rest
        return tuple(said)

    def _announce_speakers(self) -> SelectSpeakerEvent:
        """Note who speaks next, before anybody does; the event tells of it."""
        names = self._state.speakers
        self._speakers(names)
        self._state.conversation.set_speakers(names)
        return SelectSpeakerEvent(content=list(names), source=self.manager_name)

    def _speakers(self, names: Sequence[str]) -> list[Participant]:
        """Those who have the word."""
        if not names:
            raise RunFailed("No participant is ready to speak.", fix="Give the team a new task, or reset it.")
        return [self._participant(name) for name in names]

    async def _run_in_parallel(
        self, names: Sequence[str], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage, None]:
        """Let several participants speak at the same time."""
        speakers = self._speakers(names)
        unread = self._state.conversation.begin_turns(names)
        new: list[BaseMessage] = []
        still_speaking = len(speakers)
        run = self._state.run
        left: list[BaseMessage | TurnResult] = []
        try:
            async with aclosing(run_speakers(list(zip(speakers, unread, strict=True)), token, left)) as items:
                async for item in items:
                    if not isinstance(item, TurnResult):
                        yield item
                        continue
                    still_speaking -= 1
                    async for shown in self._show_and_end_turn(item, new, is_last=not still_speaking):
                        yield shown
        finally:
            for item in left if self._state.run is run else ():
                if isinstance(item, TurnResult):  # broken off when this one of several had spoken
                    await self._end_turn(item, None)

    async def _whole_turn(self, turn: Response | Steps, name: str) -> AsyncGenerator[BaseMessage, None]:
        """What happens in a turn, to its end."""
        if isinstance(turn, Response):
            async for item in self._show_and_end_turn(result_of(name, turn), []):
                yield item
            return
        port = effects.current()
        async with aclosing(turn) as steps:
            async for step in steps:
                item = to_team_item(step, name)
                if not isinstance(item, TurnResult):
                    yield item
                elif port.can_edit:  # asked only now: a run may be held while somebody speaks
                    async for shown in self._show_and_end_turn(item, []):
                        yield shown
                else:
                    for shown in await self._end_turn(item, item.messages):
                        yield shown

    async def _show_and_end_turn(
        self, spoken: TurnResult, new: list[BaseMessage], *, is_last: bool = True
    ) -> AsyncGenerator[BaseMessage, None]:
        """As `_end_turn`, with what is shown. Where people may change a message, it is shown before it is taken up.

        `new` is what others have said in the same round, to which this is added; `is_last` when nobody still speaks.
        """
        if effects.current().can_edit:
            spoken = await with_edits(spoken)
            if spoken.unshown is not None:
                yield spoken.unshown
                spoken = (await with_edits(spoken))._replace(unshown=None)
        new.extend(spoken.messages)
        for item in await self._end_turn(spoken, new if is_last else None):
            yield item

    async def _end_turn(self, spoken: TurnResult, new: Sequence[BaseMessage] | None) -> Sequence[BaseMessage]:
        """Take up what somebody has said; what is then to be shown is returned.

        Args:
            spoken: The end of a turn.
            new: What the conditions look at; None while others still speak.
        """
        name, messages, said, unshown = spoken
        if (rest := self.receive(messages, said, speaker=name)) is not None:
            await rest
        self._state.conversation.end_turn(name)
        last = () if unshown is None else (unshown,)
        if new is None:
            return last
        if (rest := self.check_termination(new, is_turn=True)) is not None:
            await rest
        return (*self.progress(), *last) if is_explained() else last

    def _named(self) -> Mapping[str, Participant]:
        known = self._by_name
        if known is None:
            known = self._by_name = {participant.name: participant for participant in self.participants}
        return known

    def _participant(self, name: str) -> Participant:
        if (participant := self._named().get(name)) is not None:
            return participant
        raise ConfigError(f"Speaker {name} not found in participant names.")

    def request_stop(self, reason: str = "Stopped by request") -> None:
        """End the run in progress after the turn in progress, with a result that gives this reason."""
        for team in self._teams():
            if team._state.run is not None:
                team._state.stop_requested = reason

    def abandon(self) -> None:
        """Take a run as over whose reader has left without closing it."""
        for team in self._teams():
            team._state.abandon()

    def _teams(self) -> list[Team]:
        """This team and all inside it, also those inside agents and tools."""
        return [part for _, part in walk(self) if isinstance(part, Team) and not part.is_opaque]

    async def release(self) -> None:
        if self._state.run is not None:
            return  # the late end of an abandoned run: its successor is at work
        await release_all(*(participant.release for participant in self.participants))

    # --- a pause between two items ---

    async def pause(self) -> None:
        """Hold the run in progress before its next item, until `resume`.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        self._require_use("paused")
        self._state.begin_pause()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_pause(CancellationToken())

    async def resume(self) -> None:
        """Let a paused run go on.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        self._require_use("resumed")
        self._state.end_pause()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_resume(CancellationToken())

    def _require_use(self, done: str) -> None:
        if not self._state.was_used:
            raise RuntimeError(f"The group chat has not been initialized. It must be run before it can be {done}.")

    # --- what it remembers ---

    @property
    def variables(self) -> ContextVariables | None:
        """The team's context variables as they are now; None where it has none of its own.

        A team inside another one shares the variables around it, unless it has its own.
        """
        state = self._state
        if state.variables is None and self.context_variables is not None:
            state.variables = ContextVariables(copy.deepcopy(self.context_variables))
        return state.variables

    @property
    def turns(self) -> int:
        """Turns of the run in progress so far."""
        return self._state.turns

    @property
    def thread(self) -> Sequence[BaseMessage]:
        """Everything said and done so far, oldest first."""
        return self._state.conversation.thread

    async def reset(self) -> None:
        """Forget the whole conversation, in all participants.

        Raises:
            RuntimeError: The team is running.
        """
        state = self._state
        if state.run is not None:
            raise RuntimeError("The group chat is currently running. It must be stopped before it can be reset.")
        state.was_used = True
        await self.clear_conversation()
        state.unreported = []
        await self._reset_counts()
        await self.forget()
        state.variables = None

    async def clear_conversation(self) -> None:
        """Let all participants, and the team, forget what was said."""
        for participant in self.participants:
            if isinstance(participant, Team):
                await participant.reset()
            elif isinstance(participant, ChatAgent):
                await participant.on_reset(CancellationToken())
        self._state.conversation.clear()

    async def _reset_counts(self) -> None:
        self._state.turns = 0
        self._state.needs_reset = False
        if self.termination_condition:
            await self.termination_condition.reset()

    async def save_state(self) -> Mapping[str, JsonValue]:
        """The conversation as it stands: thread, what nobody has read yet, and the state of each participant."""
        state = self._state
        state.was_used = True
        states: JsonObject = {}
        for number, participant in enumerate(self.participants):
            await give_way(number)
            saved = await participant.save_state()
            states[participant.name] = participant_state(participant.name, saved, state.conversation, self._unheard_by)
        states[self.manager_name] = await state.dump(self.manager_state_type, self.manager_state())
        return {"type": "TeamState", "version": STATE_VERSION, "agent_states": states, **state.dump_variables()}

    def _unheard_by(self, name: str, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        """What a participant must be told again after its turn was broken off."""
        found = self._named().get(name)
        return found.unheard(messages) if found and not found.is_opaque else messages

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if messages is self._state.task else messages

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Restore a saved state in place of the present one, or nothing of it; AgentChat's files can be read.

        Raises:
            RuntimeError: The team is running.
            ValueError: The state is of another shape, or lacks a participant.
        """
        present = self._state
        if present.run is not None:
            raise RuntimeError("The team cannot be loaded while it is running.")
        present.was_used = True
        states = object_in(state.get("agent_states"))
        for name in (*self.participant_names, self.manager_name):
            if name not in states:
                raise ValueError(f"Agent state for {name} not found in the saved state.")
        variables = object_in(state.get("context_variables") or {})
        before = object_in((await self.save_state())["agent_states"])
        counts = present.turns, present.needs_reset
        try:
            await self._restore(states)
        except BaseException:
            await self._restore(before)
            present.turns, present.needs_reset = counts
            raise
        is_saved = "context_variables" in state and self.context_variables is not None
        present.variables = ContextVariables(copy.deepcopy(variables)) if is_saved else None

    async def _restore(self, states: JsonObject) -> None:
        conversation, own = self._state.conversation, object_in(states[self.manager_name])
        if conversation.thread:
            await self.forget()
        if (rest := self.observe(await conversation.load_thread(own.get("message_thread")))) is not None:
            await rest
        for number, participant in enumerate(self.participants):
            await give_way(number)
            saved = object_in(states[participant.name])
            conversation.load_unread(participant.name, saved.get("message_buffer"))
            await participant.load_state(object_in(saved.get("agent_state")))
        self._state.load(own, self.participant_names)
        await self.load_manager_state(own)

    # --- what it explains ---

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
        """Why those speak who were chosen.

        Args:
            rule: By which they were chosen.
            reason: In plain words, as a sentence.
            candidates: Who could have spoken; all when left out.
            prompt: What a model was asked.
            attempts: What it answered.
            edges: Those of a graph that were looked at.
        """
        return explanations.SpeakerDecisionEvent.create(
            source=self.manager_name,
            team=self.name,
            candidates=self.participant_names if candidates is None else list(candidates),
            chosen=list(self._state.speakers),
            rule=rule,
            reason=reason,
            prompt=explanations.clipped(prompt),
            attempts=list(attempts),
            edges=list(edges),
        )

    def progress(self) -> tuple[BaseMessage, ...]:
        """What is told of how far each condition and limit is now, where a listener asks."""
        if (asks := listener()) is None:
            return ()
        stop_reason = self._state.stop_reason
        now = TeamProgress(self.manager_name, self.name, self.limit(), self.termination_condition, stop_reason)
        return asks.explain(self, now.to_json, now.to_event)

    # --- what kinds of teams say ---

    async def forget(self) -> None:
        """Forget everything, as `reset` does."""

    def manager_state(self) -> JsonObject:
        """What this kind of team adds to the saved state."""
        return {}

    async def load_manager_state(self, state: JsonObject) -> None:
        """Restore what `manager_state` gave."""

    def observe(self, messages: Sequence[BaseChatMessage]) -> MaybeAwaitable:
        """Look at the chat messages of a conversation that is loaded, and at each new one where `observes` is set."""

    def limit(self) -> tuple[Count, str] | None:
        """How far the limit is that this kind of team has besides its condition, and what completes "Stop when …"."""
        most = self.max_turns
        return None if most is None else (Count(self._state.turns, most, "turns"), f"{most} turns were taken")

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        """Refuse a task that this kind of team cannot begin with; nothing has happened yet.

        Args:
            messages: The task; None goes on with the conversation so far.
            is_inside: Whether the messages come from an outer team rather than from the user.
        """

    def receive(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None
    ) -> MaybeAwaitable:
        """Take up a turn, or the task, for which there is no speaker.

        Args:
            new: All that was said and done, oldest first.
            said: What the other participants hear of it.
            speaker: Who need not hear it.
        """
        self._state.conversation.add(new, said, speaker)
        if not self.observes:
            return None
        chats = said if said is new else cast("list[BaseChatMessage]", [each for each in new if each.is_chat])
        return self.observe(chats)

    def check_termination(self, new: Sequence[BaseMessage], *, is_turn: bool) -> MaybeAwaitable:
        """See whether a turn, or the task, is a reason to stop."""
        if self.termination_condition is not None:
            return self._ask_and_count(new, is_turn)
        self._count(is_turn)
        return None

    async def _ask_and_count(self, new: Sequence[BaseMessage], is_turn: bool) -> None:
        if not await self.ask_condition(new):
            self._count(is_turn)

    def _count(self, is_turn: bool) -> None:
        state, most = self._state, self.max_turns
        state.turns += is_turn
        if most is not None and state.turns >= most:
            self.end(f"Maximum number of turns {most} reached.")

    async def ask_condition(self, new: Sequence[BaseMessage]) -> bool:
        """Show the termination condition what is new; whether that ends the run."""
        condition = self.termination_condition
        stop = await condition(new) if condition is not None else None
        if stop is not None:
            self.end(stop.content)
        return stop is not None

    def end(self, reason: str) -> None:
        """Let nobody speak any more in this run."""
        self._state.stop_reason = reason

    def choose_speaker(self) -> Choice | CoroutineType[Any, Any, Choice]:
        """Set who speaks next with `next_speaker`, or end the run; gives what happens on the way."""
        raise NotImplementedError

    def resume_turns(self, names: Sequence[str]) -> tuple[BaseMessage, ...]:
        """Choose those whose turns were broken off, where no new task has come."""
        self.next_speaker(*names)
        if not is_explained():
            return ()
        return (self.decision("broken off", "The turn was interrupted and resumes."),)

    def next_speaker(self, *names: str) -> None:
        """Give participants the word; several speak at the same time."""
        self._state.speakers = names

    @property
    def speaker(self) -> str:
        """Who has the word, or had it last."""
        speakers = self._state.speakers
        return speakers[0] if speakers else ""


BaseGroupChat = Team
"""AgentChat's name for it."""
