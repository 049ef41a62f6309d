"""The base of teams: how turns follow each other until a condition says stop.

A run is one chain of async generators. Nothing moves ahead of a pull. Where one participant speaks at a time no task
lives between two pulls, so whoever reads a run holds it by not asking for the next item; where several speak side by
side their tasks stand still meanwhile (`studio.teams.branches`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from types import CoroutineType
from typing import Any, ClassVar, cast

from pydantic import PrivateAttr

from studio import effects
from studio.agents import Participant
from studio.agents.releasing import release_all
from studio.components import walk
from studio.errors import ConfigError, RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    Response,
    SelectSpeakerEvent,
    TaskResult,
    TextMessage,
    is_explained,
)
from studio.teams.course import Rest
from studio.teams.explaining import ExplainedTeam
from studio.teams.turns import Spoken, answered, as_amended, as_told, speak
from studio.tools.variables import with_variables

Steps = AsyncGenerator[BaseMessage | Response | TaskResult, None]
Choice = tuple[BaseMessage, ...] | AsyncGenerator[BaseMessage, None]
"""What a team has to tell when it has chosen who speaks, or while it does."""


class Team(ExplainedTeam):
    """Several participants in one conversation. Every chat message reaches all of them; who speaks next is up to the
    kind of team.
    """

    listens: ClassVar[bool] = False
    """Whether it looks at each message itself, in `heard`."""

    _by_name: dict[str, Participant] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, custom_message_types: object = None, **data: Any) -> None:
        """Make one as in AgentChat; message types need no registration here."""
        del custom_message_types
        super().__init__(*args, **data)

    # --- running ---

    async def work(
        self,
        messages: list[BaseChatMessage] | None,
        token: CancellationToken,
        show_task: bool,
        *,
        is_inside: bool = False,
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        if self.max_turns is not None and self.max_turns <= 0:
            raise ConfigError("The maximum number of turns must be greater than 0.", where="/config/max_turns")
        if self._run is not None:
            raise ValueError("The team is already running, it cannot run again until it is stopped.")
        run = self._run = object()
        self._was_used = True
        ended = self._course.reason if is_inside and messages is None and self._unreported else None
        said = self._unreported = [*self._unreported] if is_inside else []
        reason = ""
        try:
            if self._needs_reset:
                await self._forget_counts()
            if ended is not None:
                reason = ended  # all was said, but the outer team was not told
            elif self.termination_condition and self.termination_condition.terminated:
                reason = "The group chat has already terminated."
            else:
                await self._while_paused()
                turns = self._all_turns(messages, token, show_task, is_inside)
                own = self.variables
                async with aclosing(turns if own is None else with_variables(turns, own)) as items:
                    async for item in items:
                        if isinstance(item, str):
                            reason = item
                            continue
                        if item.is_kept:
                            said.append(item)
                        yield item
                        if self._resumed is not None:
                            await self._while_paused()
            self._unreported = []
            yield TaskResult(messages=said, stop_reason=reason)
        finally:
            if self._run is run:
                self._run = None
                self._end_pause()

    async def _all_turns(  # noqa: C901  in one piece, since each call in it would be paid for in every turn
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, show_task: bool, is_inside: bool
    ) -> AsyncGenerator[BaseMessage | str, None]:
        """The messages and events of a run, and last the reason for its end.

        What was said is taken up, and how far the conditions are is told, before the last message of a turn is shown:
        whoever stops reading there loses nothing, and finds the conditions as they are after it.
        """
        again, told = await self._begin(messages, token, show_task=show_task, is_inside=is_inside)
        for item in told:
            yield item
        course, conversation, port = self._course, self._conversation, effects.current()
        # Read once: an attribute of a component takes long to find, and there are these in each turn.
        choose_speaker, hear, judge = self.choose_speaker, self.hear, self.judge
        named, tells_choices = self._named(), self.emit_team_events
        while course.reason is None and course.stop_asked is None:
            handed_in = await self._hear_people() if port.amends and not is_inside else ()
            choice = handed_in or (self.go_on(again) if again else choose_speaker())
            again = again if handed_in else ()
            if isinstance(choice, CoroutineType):
                choice = await choice
            if isinstance(choice, tuple):
                for event in choice:
                    yield event
            else:
                async with aclosing(choice) as events:
                    async for event in events:
                        yield event
            if handed_in or course.reason is not None:
                continue
            if tells_choices:
                yield self._give_word()
            names = course.speakers
            name = names[0] if len(names) == 1 else ""
            if (speaker := named.get(name)) is not None:
                turn = await speaker.take_turn(conversation.begin_turn(name), token)
            else:
                turn = self._turns_at_once(names, token)
            if not isinstance(turn, Response) or port.amends:
                async with aclosing(self._whole_turn(turn, name)) as items:
                    async for item in items:
                        yield item
                continue
            answer = turn.chat_message  # most turns are no more than that: what follows is their `_end_turn`
            said = (answer,)
            new = (*turn.inner_messages, answer) if turn.inner_messages else said
            if (rest := hear(new, said, speaker=name)) is not None:
                await rest
            conversation.end_turn(name)
            if (rest := judge(new, is_turn=True)) is not None:
                await rest
            for event in (*self.how_far(), answer) if is_explained() else said:
                yield event
        await self._forget_counts()
        yield course.reason or course.stop_asked or ""

    async def _begin(
        self, messages: list[BaseChatMessage] | None, token: CancellationToken, *, show_task: bool, is_inside: bool
    ) -> tuple[Sequence[str], Sequence[BaseMessage]]:
        """Take up the task: whose turns were broken off and go on, and what is to be shown first."""
        self._needs_reset = True
        self._course.order = tuple(self._named())
        self._course.token = token
        self._course.stop_asked = None
        if self.termination_condition:
            await self.termination_condition.start()
        await self.check_task(messages, is_inside=is_inside)
        self._course.reason = None
        again = self._conversation.take_back(self._unheard_by)
        if messages is None:
            return again, ()
        if (rest := self.hear(messages, messages, speaker=None)) is not None:
            await rest
        self._task_heard = messages
        if (rest := self.judge(messages, is_turn=False)) is not None:
            await rest
        return (), (*(self.how_far() if is_explained() else ()), *(messages if show_task else ()))

    async def _hear_people(self) -> tuple[BaseMessage, ...]:
        """Let everybody hear what people have put into the conversation meanwhile; nobody's turn ends with it."""
        said: list[BaseMessage] = []
        for given in await effects.current().handed_in():
            metadata = {effects.HANDED_IN_BY: given.by}
            message = TextMessage(source=given.source, content=given.text, metadata=metadata)
            if (rest := Team.hear(self, [message], [message], speaker=None)) is not None:
                await rest
            if (rest := self.judge([message], is_turn=False)) is not None:
                await rest
            said.append(message)
        return tuple(said)

    def _give_word(self) -> SelectSpeakerEvent:
        """Note who speaks next, before anybody does; the event tells of it."""
        names = self._course.speakers
        self._called_up(names)
        self._conversation.give_word(names)
        return SelectSpeakerEvent(content=list(names), source=self.manager_name)

    def _called_up(self, names: Sequence[str]) -> list[Participant]:
        """Those who have the word."""
        if not names:
            raise RunFailed("Nobody is left who could speak.", fix="Give the team a new task, or reset it.")
        return [self._participant(name) for name in names]

    async def _turns_at_once(self, names: Sequence[str], token: CancellationToken) -> AsyncGenerator[BaseMessage, None]:
        """Let several participants speak at the same time."""
        speakers = self._called_up(names)
        unread = self._conversation.begin_turns(names)
        new: list[BaseMessage] = []
        still_speaking = len(speakers)
        run = self._run
        left: list[BaseMessage | Spoken] = []
        try:
            async with aclosing(speak(list(zip(speakers, unread, strict=True)), token, left)) as items:
                async for item in items:
                    if not isinstance(item, Spoken):
                        yield item
                        continue
                    still_speaking -= 1
                    async for shown in self._show_and_end_turn(item, new, is_last=not still_speaking):
                        yield shown
        finally:
            for item in left if self._run is run else ():
                if isinstance(item, Spoken):  # broken off when this one of several had spoken
                    await self._end_turn(item, None)

    async def _whole_turn(self, turn: Response | Steps, name: str) -> AsyncGenerator[BaseMessage, None]:
        """What happens in a turn, to its end."""
        if isinstance(turn, Response):
            async for item in self._show_and_end_turn(answered(name, turn), []):
                yield item
            return
        port = effects.current()
        async with aclosing(turn) as steps:
            async for step in steps:
                item = as_told(step, name)
                if not isinstance(item, Spoken):
                    yield item
                elif port.amends:  # asked only now: a run may be held while somebody speaks
                    async for shown in self._show_and_end_turn(item, []):
                        yield shown
                else:
                    for shown in await self._end_turn(item, item.messages):
                        yield shown

    async def _show_and_end_turn(
        self, spoken: Spoken, new: list[BaseMessage], *, is_last: bool = True
    ) -> AsyncGenerator[BaseMessage, None]:
        """As `_end_turn`, with what is shown. Where people may change a message, it is shown before it is taken up.

        `new` is what others have said in the same round, to which this is added; `is_last` when nobody still speaks.
        """
        if effects.current().amends:
            spoken = await as_amended(spoken)
            if spoken.unshown is not None:
                yield spoken.unshown
                spoken = (await as_amended(spoken))._replace(unshown=None)
        new.extend(spoken.messages)
        for item in await self._end_turn(spoken, new if is_last else None):
            yield item

    async def _end_turn(self, spoken: Spoken, new: Sequence[BaseMessage] | None) -> Sequence[BaseMessage]:
        """Take up what somebody has said; what is then to be shown is returned.

        Args:
            spoken: The end of a turn.
            new: What the conditions look at; None while others still speak.
        """
        name, messages, said, unshown = spoken
        if (rest := self.hear(messages, said, speaker=name)) is not None:
            await rest
        self._conversation.end_turn(name)
        last = () if unshown is None else (unshown,)
        if new is None:
            return last
        if (rest := self.judge(new, is_turn=True)) is not None:
            await rest
        return (*self.how_far(), *last) if is_explained() else last

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
            if team._run is not None:
                team._course.stop_asked = reason

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

    def hear(self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None) -> Rest:
        """Take up a turn, or the task, for which there is no speaker.

        Args:
            new: All that was said and done, oldest first.
            said: What the other participants hear of it.
            speaker: Who need not hear it.
        """
        self._conversation.add(new, said, speaker)
        if not self.listens:
            return None
        chats = said if said is new else cast("list[BaseChatMessage]", [each for each in new if each.is_chat])
        return self.heard(chats)

    def judge(self, new: Sequence[BaseMessage], *, is_turn: bool) -> Rest:
        """See whether a turn, or the task, is a reason to stop."""
        if self.termination_condition is not None:
            return self._ask_and_count(new, is_turn)
        self._count(is_turn)
        return None

    async def _ask_and_count(self, new: Sequence[BaseMessage], is_turn: bool) -> None:
        if not await self.ask_condition(new):
            self._count(is_turn)

    def _count(self, is_turn: bool) -> None:
        course, most = self._course, self.max_turns
        course.turns += is_turn
        if most is not None and course.turns >= most:
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
        self._course.reason = reason

    def choose_speaker(self) -> Choice | CoroutineType[Any, Any, Choice]:
        """Set who speaks next with `next_speaker`, or end the run; gives what happens on the way."""
        raise NotImplementedError

    def go_on(self, names: Sequence[str]) -> tuple[BaseMessage, ...]:
        """Choose those whose turns were broken off, where no new task has come."""
        self.next_speaker(*names)
        if not is_explained():
            return ()
        return (self.decision("broken off", "The turn was broken off and is taken up again."),)

    def next_speaker(self, *names: str) -> None:
        """Give participants the word; several speak at the same time."""
        self._course.speakers = names

    @property
    def speaker(self) -> str:
        """Who has the word, or had it last."""
        speakers = self._course.speakers
        return speakers[0] if speakers else ""


BaseGroupChat = Team
"""AgentChat's name for it."""
