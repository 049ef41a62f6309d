"""The team of Magentic-One: an orchestrator plans, gives instructions, and plans anew when nothing moves."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, cast

from pydantic import Field, PrivateAttr

from studio import effects
from studio.agents.cleanup import release_all
from studio.components import JsonObject
from studio.conditions import Count
from studio.effects import RequestRecorder
from studio.errors import Finding, RunFailed
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    LLMMessage,
    SelectionAttempt,
    SpeakerDecisionEvent,
    TextMessage,
    UserMessage,
    clipped,
    is_explained,
    without_images,
)
from studio.models import ChatCompletionClient
from studio.teams.advice import on_descriptions
from studio.teams.base import Team
from studio.teams.fields import TeamName
from studio.teams.magentic import prompts as prompts
from studio.teams.magentic.ledger import LedgerEntry, read_ledger
from studio.teams.run_state import MaybeAwaitable

MAX_LEDGER_ATTEMPTS = 10


class NoLedger(RunFailed, ValueError):
    """The model did not answer the orchestrator's questions in a form that can be read."""

    code = "no_ledger"


class MagenticOneGroupChat(Team):
    """An orchestrator collects facts, makes a plan, assigns its steps to participants and gives the final answer."""

    provider = "autogen_agentchat.teams.MagenticOneGroupChat"
    keywords = "orchestrator planner"
    aliases = (
        "autogen_agentchat.teams._group_chat._magentic_one.MagenticOneGroupChat",
        "autogen_agentchat.teams._group_chat._magentic_one._magentic_one_group_chat.MagenticOneGroupChat",
        "autogen_ext.teams.magentic_one.MagenticOne",
        "autogen_ext.teams.magentic_one.MagenticOneGroupChat",
        "studio.teams.MagenticOneGroupChat",
    )
    positional: ClassVar[tuple[str, ...]] = ("participants", "model_client")
    absent_in_json: ClassVar[Mapping[str, object]] = {"max_turns": None}
    drawn_as = "hub"
    led_by = "Orchestrator"
    leader_does = "plans and assigns the work"
    manager_name: ClassVar[str] = "MagenticOneOrchestrator"
    manager_state_type: ClassVar[str] = "MagenticOneOrchestratorState"

    name: TeamName = "MagenticOneGroupChat"
    model_client: Annotated[ChatCompletionClient, Field(description="Plans, and assigns each step to a participant.")]
    max_turns: Annotated[
        int | None,
        Field(
            description="Upper bound on rounds, counted until the team is reset. The final answer follows one round "
            "later. Empty: no limit.",
            json_schema_extra={"minimum": 1},
        ),
    ] = 20
    max_stalls: Annotated[int, Field(description="Rounds without progress before re-planning.")] = 3
    final_answer_prompt: Annotated[
        str,
        Field(
            description="Asks for the final answer. The task is filled in only in the default prompt.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = prompts.FINAL_ANSWER

    _task: str = PrivateAttr(default="")
    _facts: str = PrivateAttr(default="")
    _plan: str = PrivateAttr(default="")
    _is_unplanned: bool = PrivateAttr(default=False)
    _round_count: int = PrivateAttr(default=0)
    _stall_count: int = PrivateAttr(default=0)

    @property
    def ends_by_itself(self) -> bool:
        return True  # when the orchestrator finds the task done

    def advice(self) -> Iterator[Finding]:
        yield from super().advice()
        yield from on_descriptions(self.participants)

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        del is_inside
        if messages is None and not self._task:
            raise ValueError("A Magentic-One team needs a task.")

    def receive(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None
    ) -> MaybeAwaitable:
        del new  # what happens inside a turn is nothing for the orchestrator
        if speaker is not None:
            return super().receive(said, said, speaker=speaker)
        # The participants hear of the task by the ledger.
        self._task = " ".join(message.to_model_text() for message in said)
        self._is_unplanned = True
        return None

    async def check_termination(self, new: Sequence[BaseMessage], *, is_turn: bool) -> None:
        if is_turn:  # rounds are counted by the orchestrator, and the task is no reason to stop
            await self.ask_condition(new)

    def choose_speaker(self) -> AsyncGenerator[BaseMessage, None]:
        return self._choose()

    async def _choose(self) -> AsyncGenerator[BaseMessage, None]:
        if self._is_unplanned:
            await self._make_plan()
            yield await self._begin_anew()
        while True:
            self.next_speaker()
            if self.max_turns is not None and self._round_count > self.max_turns:
                if is_explained():
                    yield self.decision("round limit", f"{self.max_turns} rounds are over: the team answers now.")
                yield await self._answer("Max rounds reached.")
                return
            attempts: list[SelectionAttempt] = []
            ledger = await self._ask_ledger(attempts)
            self._round_count += 1
            is_done = ledger.is_request_satisfied.answer
            if not is_done:
                self._stall_count = self._stall_count + 1 if ledger.is_stalling else max(0, self._stall_count - 1)
            if not is_done and self._stall_count < self.max_stalls:
                self.next_speaker(ledger.next_speaker.answer)
            if is_explained():
                yield self._explanation(ledger, attempts)
            if is_done:
                yield await self._answer(ledger.is_request_satisfied.reason)
                return
            if self._state.speakers:
                self._state.conversation.set_speakers(self._state.speakers)
                yield await self._tell(ledger.instruction_or_question.answer)
                return
            await self._revise_plan()
            yield await self._begin_anew()

    def _explanation(self, ledger: LedgerEntry, attempts: Sequence[SelectionAttempt]) -> SpeakerDecisionEvent:
        if ledger.is_request_satisfied.answer:
            reason = f"The request is satisfied: {ledger.is_request_satisfied.reason}"
        elif self._state.speakers:
            reason = ledger.next_speaker.reason
        else:
            reason = (
                f"No progress ({self._stall_count} of {self.max_stalls} stalls): the orchestrator makes a new plan."
            )
        return self.decision("ledger", clipped(reason), prompt=self._ledger_question(), attempts=attempts)

    def limit(self) -> tuple[Count, str] | None:
        most = self.max_turns
        return None if most is None else (Count(self._round_count, most, "rounds"), f"{most} rounds are over")

    async def _make_plan(self) -> None:
        asked: list[LLMMessage] = []
        self._facts = await self._ask(asked, prompts.FACTS.format(task=self._task))
        self._plan = await self._ask(asked, prompts.PLAN.format(team=self._team_lines()))
        self._stall_count = 0
        self._is_unplanned = False

    async def _revise_plan(self) -> None:
        asked = self._context()
        self._facts = await self._ask(asked, prompts.FACTS_UPDATE.format(task=self._task, facts=self._facts))
        self._plan = await self._ask(asked, prompts.PLAN_UPDATE.format(team=self._team_lines()))

    async def _begin_anew(self) -> BaseMessage:
        """Let everybody forget, and begin again with what is known and planned."""
        await self.clear_conversation()
        return await self._tell(
            prompts.LEDGER.format(task=self._task, team=self._team_lines(), facts=self._facts, plan=self._plan)
        )

    async def _answer(self, reason: str) -> BaseMessage:
        prompt = self.final_answer_prompt
        if prompt == prompts.FINAL_ANSWER:
            prompt = prompt.format(task=self._task)
        text = await self._ask(self._context(), prompt)
        self.end(reason)
        return await self._tell(text)

    async def _tell(self, text: str) -> BaseMessage:
        """Say something to all participants."""
        message = TextMessage(content=text, source=self.manager_name)
        if (rest := super().receive([message], [message], speaker=None)) is not None:
            await rest
        return message

    async def _ask(self, asked: list[LLMMessage], prompt: str) -> str:
        """Put a question to the model; it and the answer are added to what was asked."""
        asked.append(UserMessage(content=prompt, source=self.manager_name))
        result = await self.model_client.create(self._readable(asked), cancellation_token=self._state.token)
        if not isinstance(result.content, str):
            raise RunFailed("The orchestrator's model requested a tool call where only text is accepted.")
        asked.append(AssistantMessage(content=result.content, source=self.manager_name))
        return result.content

    def _ledger_question(self) -> str:
        names = ", ".join(self.participant_names)
        return prompts.PROGRESS.format(task=self._task, team=self._team_lines(), names=names)

    async def _ask_ledger(self, attempts: list[SelectionAttempt]) -> LedgerEntry:
        """Ask where the team stands; each answer is added to the attempts if somebody wants to know."""
        names, info = self.participant_names, self.model_client.info
        question = UserMessage(content=self._ledger_question(), source=self.manager_name)
        asked = self._readable([*self._context(), question])
        form = LedgerEntry if info["structured_output"] else True if info["json_output"] else None
        for _ in range(MAX_LEDGER_ATTEMPTS):
            port = RequestRecorder(effects.current()) if is_explained() else None
            with effects.use(port or effects.current()):
                result = await self.model_client.create(asked, json_output=form, cancellation_token=self._state.token)
            entry = read_ledger(result.content, names) if isinstance(result.content, str) else None
            if port is not None:
                refused = "" if entry is not None else "The answer is not a valid ledger."
                answer = clipped(result.content) if isinstance(result.content, str) else "A tool call."
                attempts.append(SelectionAttempt(answer=answer, refused=refused, request=port.request))
            if entry is not None:
                return entry
        raise NoLedger("Failed to parse ledger information after multiple retries.")

    def _context(self) -> list[LLMMessage]:
        """The conversation as the orchestrator's model is told it."""
        return [
            AssistantMessage(content=message.to_text(), source=message.source)
            if message.source == self.manager_name
            else message.to_model_message()
            for message in self.thread
            if isinstance(message, BaseChatMessage)
        ]

    def _readable(self, messages: Sequence[LLMMessage]) -> Sequence[LLMMessage]:
        return messages if self.model_client.info["vision"] else without_images(messages)

    def _team_lines(self) -> str:
        return "\n".join(
            re.sub(r"\s+", " ", f"{participant.name}: {participant.description}").strip()
            for participant in self.participants
        )

    async def release(self) -> None:
        await release_all(super().release, self.model_client.close)

    async def forget(self) -> None:
        self._task = self._facts = self._plan = ""
        self._is_unplanned = False
        self._round_count = self._stall_count = 0

    def manager_state(self) -> JsonObject:
        is_planned = not self._is_unplanned
        return {
            "task": self._task,
            "facts": self._facts if is_planned else "",
            "plan": self._plan if is_planned else "",
            "n_rounds": self._round_count,
            "n_stalls": self._stall_count,
        }

    async def load_manager_state(self, state: JsonObject) -> None:
        self._task, self._facts, self._plan = (str(state.get(name) or "") for name in ("task", "facts", "plan"))
        self._is_unplanned = bool(self._task) and not self._facts
        self._round_count, self._stall_count = (
            int(cast("int", state.get(name) or 0)) for name in ("n_rounds", "n_stalls")
        )
