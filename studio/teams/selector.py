"""The team in which a model says who speaks next."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import isawaitable
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, PrivateAttr, field_validator

from studio import effects
from studio.agents import Participant
from studio.agents.cleanup import release_all
from studio.agents.turn import add_to_context, whole_answer
from studio.components import JsonObject, Warn
from studio.components.templates import fill_in, unknown_placeholders
from studio.contexts import ChatCompletionContext, UnboundedChatCompletionContext
from studio.effects import RequestRecorder
from studio.errors import Finding
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    LLMMessage,
    ModelClientStreamingChunkEvent,
    SelectionAttempt,
    SelectorEvent,
    SpeakerDecisionEvent,
    UserMessage,
    as_heard,
    clipped,
    is_explained,
    system_message,
    text_over,
    user_message,
)
from studio.models import ChatCompletionClient, ModelFamily
from studio.teams.advice import on_descriptions, on_question
from studio.teams.base import Team
from studio.teams.fields import TeamName
from studio.teams.run_state import MaybeAwaitable

SELECTOR_PROMPT = """You are in a role play game. The following roles are available:
{roles}.
Read the following conversation. Then select the next role from {participants} to play. Only return the role.

{history}

Read the above conversation. Then select the next role from {participants} to play. Only return the role.
"""
PLACEHOLDERS = ("roles", "participants", "history")

_NOTHING_TO_NOTE = nullcontext()
_SAID = (UserMessage, AssistantMessage)

Thread = Sequence[BaseMessage]
SelectorFunction = Callable[[Thread], "str | Awaitable[str | None] | None"]
CandidateFunction = Callable[[Thread], "list[str] | Awaitable[list[str]]"]


class _Refusal(NamedTuple):
    """What is wrong with an answer: as a person reads it, and as the model is told."""

    why: str
    explanation: str


@dataclass(slots=True)
class _Asked:
    """The question of one turn, and what has come of it."""

    messages: list[LLMMessage]
    message_count: int
    """Messages of the conversation that the question repeats."""
    answer: str = ""
    is_settled: bool = False
    """Whether the answer was taken."""
    request: str = ""
    """Hash of the newest request; only kept where explanations are asked for."""
    attempts: list[SelectionAttempt] = field(default_factory=list[SelectionAttempt])


@dataclass(slots=True)
class _Kept:
    """What a selector keeps from turn to turn. It is no component, whose attributes take much longer to read."""

    select: SelectorFunction | None = None
    may_speak: CandidateFunction | None = None
    previous: str | None = None
    """Who spoke last."""
    context: ChatCompletionContext | None = None
    roles: str = ""
    """The participants with their descriptions, as the question lists them."""
    is_asked_as_system: bool | None = None
    """Whether the question is an instruction, as models of OpenAI take it; None before anything was asked."""
    words: Sequence[tuple[str, re.Pattern[str]]] = ()
    """The name of each participant, and what finds it in an answer."""


class SelectorGroupChat(Team):
    """A model reads the conversation and selects the next speaker."""

    provider = "autogen_agentchat.teams.SelectorGroupChat"
    keywords = "router manager"
    aliases = (
        "autogen_agentchat.teams._group_chat._selector_group_chat.SelectorGroupChat",
        "autogenstudio.gallery.builder.SelectorGroupChat",
        "studio.teams.SelectorGroupChat",
    )
    positional: ClassVar[tuple[str, ...]] = ("participants", "model_client")
    drawn_as = "hub"
    led_by = "Selector"
    observes = True
    manager_name: ClassVar[str] = "SelectorGroupChatManager"
    manager_state_type: ClassVar[str] = "SelectorManagerState"

    name: TeamName = "SelectorGroupChat"
    model_client: Annotated[ChatCompletionClient, Field(description="Selects the next speaker.")]
    selector_prompt: Annotated[
        str,
        Field(
            description="Asks the model for the next speaker. May contain {roles}, {participants} and {history}.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = SELECTOR_PROMPT
    allow_repeated_speaker: Annotated[bool, Field(description="Allow the last speaker to be selected again.")] = False
    max_selector_attempts: Annotated[
        int,
        Field(description="How often to ask the model for a valid name before a fallback is used."),
    ] = 3
    model_client_streaming: Annotated[
        bool, Field(description="Stream the model's selection. Shown if team events are emitted.")
    ] = False
    model_context: Annotated[
        ChatCompletionContext | None,
        Field(description="Limits the conversation that the model sees. Empty: all of it."),
    ] = None

    _kept: _Kept = PrivateAttr(default_factory=_Kept)

    def __init__(
        self,
        *args: Any,
        selector_func: SelectorFunction | None = None,
        candidate_func: CandidateFunction | None = None,
        **data: Any,
    ) -> None:
        """Make one as in AgentChat; the two functions decide in the model's place and have no JSON."""
        super().__init__(*args, **data)
        self._kept = _Kept(selector_func, candidate_func)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        prompt = config.get("selector_prompt")
        if isinstance(prompt, str) and (unknown := unknown_placeholders(prompt, PLACEHOLDERS)):
            warn(f"The selector prompt cannot be filled in: {', '.join(unknown)}.", "/selector_prompt")
        return config

    def advice(self) -> Iterator[Finding]:
        yield from super().advice()
        yield from on_question(self.selector_prompt, SELECTOR_PROMPT, self.participants)
        if "{roles}" in self.selector_prompt:
            yield from on_descriptions(self.participants)

    @field_validator("participants")
    @classmethod
    def _are_two(cls, participants: list[Participant]) -> list[Participant]:
        if len(participants) < 2:
            raise ValueError("At least two participants are required for SelectorGroupChat.")
        return participants

    async def choose_speaker(self) -> tuple[BaseMessage, ...] | AsyncGenerator[BaseMessage, None]:
        kept = self._kept
        if kept.select is not None and (named := await self._ask_function(kept.select)) is not None:
            self.next_speaker(named)
            return (self.decision("function", f"The selector function named {named}."),) if is_explained() else ()
        names, may_speak = [*self._named()], kept.may_speak
        candidates = self._who_may_speak(names) if may_speak is None else await self._asked_for(may_speak, names)
        if len(candidates) == 1:
            self.next_speaker(candidates[0])
            events = (self._explain_only_candidate(candidates),) if is_explained() else ()
            kept.previous = candidates[0]
            return events
        asked = await self._question(candidates)
        if self.model_client_streaming:
            return self._choose_in_pieces(asked, candidates)
        for _ in range(self.max_selector_attempts):
            await self._ask(asked)
            if self._is_taken(asked, candidates):
                break
        return self._end_choice(asked, candidates)

    async def _choose_in_pieces(self, asked: _Asked, candidates: list[str]) -> AsyncGenerator[BaseMessage, None]:
        for _ in range(self.max_selector_attempts):
            async with aclosing(self._ask_in_pieces(asked)) as events:
                async for event in events:
                    yield event
            if self._is_taken(asked, candidates):
                break
        for event in self._end_choice(asked, candidates):
            yield event

    def _end_choice(self, asked: _Asked, candidates: list[str]) -> tuple[BaseMessage, ...]:
        """Go on without the model if no answer of it could be used, and explain how it came."""
        kept = self._kept
        if not asked.is_settled:
            self.next_speaker(kept.previous or candidates[0])
        events = (self._explain_choice(candidates, asked),) if is_explained() else ()
        kept.previous = self.speaker
        return events

    def _explain_only_candidate(self, candidates: list[str]) -> SpeakerDecisionEvent:
        if self._kept.may_speak is not None:
            return self.decision(
                "only candidate", "The candidate function left no other candidate.", candidates=candidates
            )
        return self.decision(
            "repeat not allowed",
            f"{self._kept.previous} spoke last and cannot repeat, so only {candidates[0]} is left.",
            candidates=candidates,
        )

    async def _ask_function(self, select: SelectorFunction) -> str | None:
        answer = select(self.thread)
        named = await answer if isawaitable(answer) else answer
        names = [*self._named()]
        if named is not None and named not in names:
            raise ValueError(f"Selector function returned an invalid speaker name: {named}. Expected one of: {names}.")
        return named

    def _who_may_speak(self, names: list[str]) -> list[str]:
        previous = self._kept.previous
        if previous is None or self.allow_repeated_speaker:
            return names
        return [name for name in names if name != previous]

    async def _asked_for(self, may_speak: CandidateFunction, names: list[str]) -> list[str]:
        answer = may_speak(self.thread)
        chosen = await answer if isawaitable(answer) else answer
        if not chosen:
            raise ValueError("Candidate function must return a non-empty list of participant names.")
        if not set(chosen) <= set(names):
            raise ValueError(
                f"Candidate function returned invalid participant names: {chosen}. Expected one of: {names}."
            )
        return chosen

    async def _question(self, candidates: list[str]) -> _Asked:
        kept = self._kept
        context = kept.context or self._own_context()
        if (whole := context.whole()) is not None:
            text, count = whole.text_of(_as_line, len(whole))
        else:
            text, count = text_over(await context.shown_after(()), _as_line)
        prompt = self._prompt(candidates, text)
        if kept.is_asked_as_system is None:
            kept.is_asked_as_system = ModelFamily.is_openai(self.model_client.info["family"])
        return _Asked([system_message(prompt) if kept.is_asked_as_system else user_message(prompt, "user")], count)

    def _is_taken(self, asked: _Asked, candidates: list[str]) -> bool:
        """Whether the answer names one participant who may speak; if not, the model is told what is wrong with it."""
        answer, refusal = asked.answer, self._parse_choice(asked.answer, candidates)
        if is_explained():
            why = refusal.why if refusal else ""
            asked.attempts.append(SelectionAttempt(answer=clipped(answer), refused=why, request=asked.request))
        if refusal is None:
            asked.is_settled = True
            return True
        asked.messages.append(AssistantMessage(content=answer, source="selector"))
        asked.messages.append(UserMessage(content=refusal.explanation, source="user"))
        return False

    def _explain_choice(self, candidates: list[str], asked: _Asked) -> SpeakerDecisionEvent:
        attempts = asked.attempts
        is_named = bool(attempts) and not attempts[-1].refused
        if is_named:
            reason = f"The model selected {self.speaker}{_at_attempt(len(attempts))}."
        else:
            place = "as the last speaker" if self._kept.previous else "as the first candidate"
            reason = f"The model gave no usable answer, so {self.speaker} speaks {place}."
        if len(candidates) < len(self.participants) and self._kept.may_speak is None:
            reason += f" {self._kept.previous} spoke last and cannot repeat."
        prompt = self._prompt(candidates, f"[the conversation, {asked.message_count} messages]")
        rule = "model" if is_named else "no usable answer"
        return self.decision(rule, reason, candidates=candidates, prompt=prompt, attempts=attempts)

    def _parse_choice(self, answer: str, candidates: list[str]) -> _Refusal | None:
        """Take the one name that the answer mentions, or say what is wrong with it."""
        kept, bounded = self._kept, f" {answer} "
        words = kept.words = kept.words or [(name, _as_word(name)) for name in self._named()]
        mentioned = [name for name, word in words if word.search(bounded)]
        if not mentioned:
            return _Refusal("Names no participant.", f"No valid name was mentioned. Please select from: {candidates}.")
        if len(mentioned) > 1:
            return _Refusal(
                "Names several participants.",
                f"Expected exactly one name to be mentioned. Please select only one from: {candidates}.",
            )
        if mentioned[0] == kept.previous and not self.allow_repeated_speaker:
            return _Refusal(
                "Names the last speaker, who cannot repeat.",
                f"Repeated speaker is not allowed, please select a different name from: {candidates}.",
            )
        self.next_speaker(mentioned[0])
        return None

    def _prompt(self, candidates: list[str], history: str) -> str:
        kept = self._kept
        if not kept.roles:
            kept.roles = "\n".join(
                re.sub(r"\s+", " ", f"{participant.name}: {participant.description}").strip()
                for participant in self.participants
            )
        return fill_in(
            self.selector_prompt, "selector_prompt", roles=kept.roles, participants=str(candidates), history=history
        )

    async def _ask(self, asked: _Asked) -> None:
        """Ask the model once and wait for its whole answer."""
        if is_explained():
            with _noting(asked):
                result = await self.model_client.create(asked.messages, cancellation_token=self._state.token)
        else:
            result = await self.model_client.create(asked.messages, cancellation_token=self._state.token)
        asked.answer = answer if isinstance(answer := result.content, str) else ""

    async def _ask_in_pieces(self, asked: _Asked) -> AsyncGenerator[BaseMessage, None]:
        """Ask the model once, giving the pieces of its answer where they are told."""
        asked.answer = ""
        stream = self.model_client.create_stream(asked.messages, cancellation_token=self._state.token)
        async with aclosing(stream):
            while True:
                # The port must not be in force while this generator stands still at a `yield`.
                with _noting(asked) if is_explained() else _NOTHING_TO_NOTE:
                    item = await anext(stream, None)
                if item is None:
                    return
                if isinstance(item, str):
                    if self.emit_team_events:
                        yield ModelClientStreamingChunkEvent(content=item, source=self.manager_name)
                    continue
                result = whole_answer(item)
                asked.answer = result.content if isinstance(result.content, str) else ""
                if self.emit_team_events:
                    yield SelectorEvent(content=asked.answer, source=self.manager_name)

    def _own_context(self) -> ChatCompletionContext:
        kept = self._kept
        if kept.context is None:
            kept.context = self.model_context or UnboundedChatCompletionContext()
        return kept.context

    def observe(self, messages: Sequence[BaseChatMessage]) -> MaybeAwaitable:
        context = self._kept.context or self._own_context()
        if (whole := context.whole()) is None:
            return add_to_context(context, messages)
        whole.extend(as_heard(messages))
        return None

    async def forget(self) -> None:
        self._kept.previous = None
        await self._own_context().clear()

    async def release(self) -> None:
        await release_all(super().release, *self.model_client.closing())

    def manager_state(self) -> JsonObject:
        return {"previous_speaker": self._kept.previous}

    async def load_manager_state(self, state: JsonObject) -> None:
        previous = state.get("previous_speaker")
        self._kept.previous = previous if isinstance(previous, str) else None


def _as_line(message: LLMMessage) -> str | None:
    """A message as the question repeats it; None for one that nobody said."""
    if not isinstance(message, _SAID):
        return None
    own = message.__dict__
    text = content if type(content := own["content"]) is str else _as_text(message)
    return f"{own['source']}: {text}".rstrip() + "\n\n"


def _as_text(message: UserMessage | AssistantMessage) -> str:
    if isinstance(message, UserMessage):
        return "\n".join(part if isinstance(part, str) else "<image>" for part in message.content)
    return str(message.content)


def _at_attempt(count: int) -> str:
    """Which attempt it was, where that is worth a word."""
    return "" if count == 1 else f" at attempt {count}"


@lru_cache
def _as_word(name: str) -> re.Pattern[str]:
    """Finds the name as a word of its own; spaces or `\\_` may stand for underscores."""
    spellings = (name, name.replace("_", " "), name.replace("_", r"\_"))
    either = "|".join(map(re.escape, dict.fromkeys(spellings)))
    return re.compile(rf"(?<=\W)({either})(?=\W)")


@contextmanager
def _noting(asked: _Asked) -> Generator[None]:
    """Note the hash of the call inside the block, for the explanation."""
    port = RequestRecorder(effects.current())
    with effects.use(port):
        yield
    asked.request = port.request or asked.request
