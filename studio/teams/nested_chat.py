"""An agent whose answers come out of chats with others, after AG2's `register_nested_chats`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PrivateAttr, ValidationInfo, field_validator

from studio.agents import ChatAgent, Participant
from studio.agents.base import Step
from studio.agents.cleanup import release_all
from studio.agents.user_proxy import TERMINATE, is_termination
from studio.components.templates import fill_in, unknown_placeholders
from studio.errors import RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    LLMMessage,
    ModelClientStreamingChunkEvent,
    MultiModalMessage,
    RequestUsage,
    Response,
    StopMessage,
    TextMessage,
    UserMessage,
    message_from_json,
    without_images,
)
from studio.models import ChatCompletionClient
from studio.teams.base import Team
from studio.teams.conversation import list_in, object_in
from studio.teams.turns import Speech, TurnResult, run_speakers

SUMMARY_PROMPT = "Sum up in a few sentences what came out of this conversation. If the request was not met, say so."


class NestedChat(BaseModel):
    """One of the chats."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    participant: Annotated[str, Field(description="Name of the participant to chat with.", examples=["assistant"])]
    message: Annotated[
        str | None,
        Field(
            description="First message of the chat. {message} stands for the message to answer. Empty: that message "
            "alone.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = None
    max_turns: Annotated[
        int, Field(ge=1, description="Replies of the participant. With more than 1, the agent speaks in between.")
    ] = 1
    summary_method: Annotated[
        Literal["last_msg", "reflection_with_llm"],
        Field(
            description="`last_msg`: the last message is the result. `reflection_with_llm`: the model summarizes the "
            "chat."
        ),
    ] = "last_msg"
    summary_prompt: Annotated[
        str | None,
        Field(description="Asks the model for the summary.", json_schema_extra={"x-multiline": True}),
    ] = None
    takes_carryover: Annotated[bool, Field(description="Add the results of earlier chats to the first message.")] = True
    clear_history: Annotated[
        bool, Field(description="Clear what the participant remembers of earlier chats first.")
    ] = True

    @field_validator("message")
    @classmethod
    def _can_be_filled_in(cls, message: str | None) -> str | None:
        if message is not None and (unknown := unknown_placeholders(message, ("message",))):
            raise ValueError(f"It may hold {{message}}; write other braces twice. Unknown: {', '.join(unknown)}.")
        return message


class NestedChatAgent(ChatAgent):
    """Answers with the results of a sequence of chats with other agents or teams."""

    provider = "studio.teams.NestedChatAgent"
    positional: ClassVar[tuple[str, ...]] = ("name", "participants", "chats")

    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "An agent that talks to others before it answers."
    participants: Annotated[list[Participant], Field(description="Agents or teams to chat with.", examples=[[]])]
    agent: Annotated[
        ChatAgent | None,
        Field(description="Answers when no chat is triggered, and speaks in chats of several turns."),
    ] = None
    model_client: Annotated[
        ChatCompletionClient | None, Field(description="Writes the summary, for chats with `reflection_with_llm`.")
    ] = None
    chats: Annotated[
        list[NestedChat] | None,
        Field(description="Chats in order. Empty: one with each participant.", json_schema_extra={"x-primary": True}),
    ] = None
    triggers: Annotated[
        list[str] | None,
        Field(
            description="Start the chats only for messages from these senders, such as `user`; the agent answers the "
            "rest. Empty: all senders."
        ),
    ] = None

    _unheard: list[BaseChatMessage] = PrivateAttr(default_factory=list[BaseChatMessage])
    """What was said to it, and by it, that its agent has not been told yet."""
    _telling: list[BaseChatMessage] = PrivateAttr(default_factory=list[BaseChatMessage])
    """What its agent was given in a turn that is not over."""
    _taken_up: list[str] = PrivateAttr(default_factory=list[str])
    """Ids of the messages that the turn began with; one that was broken off is given them again."""

    @field_validator("participants")
    @classmethod
    def _names_are_unique(cls, participants: list[Participant]) -> list[Participant]:
        if not participants:
            raise ValueError("At least one participant is required.")
        names = [participant.name for participant in participants if not participant.is_opaque]
        if len(names) != len(set(names)):
            raise ValueError("The participant names must be unique.")
        return participants

    @field_validator("chats")
    @classmethod
    def _have_what_they_need(cls, chats: list[NestedChat] | None, info: ValidationInfo) -> list[NestedChat] | None:
        participants = cast("list[Participant]", info.data.get("participants", []))
        names = {participant.name for participant in participants if not participant.is_opaque}
        for chat in chats or ():
            if len(names) == len(participants) and names and chat.participant not in names:
                raise ValueError(f"There is a chat with {chat.participant!r}, which is not a participant.")
            if chat.max_turns > 1 and info.data.get("agent", ...) is None:
                raise ValueError(f"The chat with {chat.participant!r} has several turns, so it needs the agent.")
            if chat.summary_method == "reflection_with_llm" and info.data.get("model_client", ...) is None:
                raise ValueError(f"The chat with {chat.participant!r} is summarized, so it needs the model.")
        return chats

    @field_validator("triggers")
    @classmethod
    def _others_are_answered(cls, triggers: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if triggers is not None and info.data.get("agent", ...) is None:
            raise ValueError("Messages from other senders need the agent.")
        return triggers

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        others = self.agent.produced_message_types if self.agent is not None else ()
        return tuple(dict.fromkeys((TextMessage, *others)))

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        token = cancellation_token or CancellationToken()
        if self.agent is not None:
            new = [message for message in messages if message.id not in self._taken_up]
            self._unheard, self._telling = [*self._not_told(), *new], []
            self._taken_up = [message.id for message in messages]
        is_called_for = self.triggers is None or (bool(messages) and messages[-1].source in self.triggers)
        answers = self._think(messages[-1] if messages else None, token) if is_called_for else self._speak((), token)
        async with aclosing(answers) as items:
            async for item in items:
                if isinstance(item, TurnResult):
                    self._taken_up = []
                    # As with a society of mind: what was said in the chats is no matter of the team outside.
                    yield Response(chat_message=item.said[-1], inner_messages=item.messages[:-1])
                else:
                    yield item

    async def _think(self, message: BaseChatMessage | None, token: CancellationToken) -> Speech:
        """Have the chats, one after the other; what came out of the last one is the answer."""
        results: list[str] = []
        usage: RequestUsage | None = None
        for chat in self._plan():
            said = [self._opening(chat, message, results)]
            yield said[0]
            async with aclosing(self._talk(chat, said, token)) as items:
                async for item in items:
                    yield item
            result = await self._summary(chat, said, token)
            results.append(result.content)
            usage = _sum(usage, result.models_usage)
        answer = TextMessage(content=results[-1], source=self.name, models_usage=usage)
        if self.agent is not None:
            self._unheard.append(answer)
        yield TurnResult(self.name, (answer,), (answer,), answer)

    def _plan(self) -> Sequence[NestedChat]:
        if self.chats:
            return self.chats
        return [NestedChat(participant=participant.name) for participant in self.participants]

    def _opening(self, chat: NestedChat, message: BaseChatMessage | None, results: Sequence[str]) -> BaseChatMessage:
        """What the agent says first in a chat."""
        earlier = "Context:\n" + "\n".join(results) if results and chat.takes_carryover else ""
        if chat.message is None and isinstance(message, MultiModalMessage):
            return MultiModalMessage(content=[*message.content, *filter(None, [earlier])], source=self.name)
        asked = message.to_model_text() if message is not None else ""
        text = asked if chat.message is None else fill_in(chat.message, "message", message=asked)
        return TextMessage(content="\n".join(filter(None, [text, earlier])), source=self.name)

    async def _talk(
        self, chat: NestedChat, said: list[BaseChatMessage], token: CancellationToken
    ) -> AsyncGenerator[BaseMessage, None]:
        """Have one chat, which `said` begins; it holds the whole chat afterwards."""
        partner = next(each for each in self.participants if each.name == chat.participant)
        if chat.clear_history:
            await _forget(partner)
        heard: Sequence[BaseChatMessage] = said
        for turn in range(chat.max_turns):
            if turn > 0:
                async with aclosing(_noted(self._speak(heard, token), said)) as items:
                    async for item in items:
                        yield item
                if _is_over(said[-1]):
                    return
                heard = said[-1:]
            before = len(said)
            async with aclosing(_noted(run_speakers([(partner, list(heard))], token), said)) as items:
                async for item in items:
                    yield item
            heard = said[before:]
            if not heard or _is_over(heard[-1]):
                return

    async def _speak(self, new: Sequence[BaseChatMessage], token: CancellationToken) -> Speech:
        """Let the agent answer, in this agent's name; it is told first what it has missed."""
        assert self.agent is not None, "validation sees to it"
        self._telling, self._unheard = [*self._unheard, *new], []
        async with aclosing(run_speakers([(self.agent, self._telling)], token)) as items:
            async for item in items:
                if isinstance(item, TurnResult):
                    self._telling = []
                    answer = item.said[-1].model_copy(update={"source": self.name})
                    yield TurnResult(self.name, (*item.messages[:-1], answer), (answer,), answer)
                elif isinstance(item, ModelClientStreamingChunkEvent) and item.source == self.agent.name:
                    yield item.model_copy(update={"source": self.name})
                else:
                    yield item

    async def _summary(
        self, chat: NestedChat, said: Sequence[BaseChatMessage], token: CancellationToken
    ) -> TextMessage:
        """What came out of a chat, of which `said` holds the opening and all answers."""
        if chat.summary_method == "last_msg":
            text = said[-1].to_model_text() if len(said) > 1 else ""
            return TextMessage(content=text.replace(TERMINATE, "").strip(), source=self.name)
        assert self.model_client is not None, "validation sees to it"
        asked = UserMessage(content=chat.summary_prompt or SUMMARY_PROMPT, source="user")
        prompt: list[LLMMessage] = [*(message.to_model_message() for message in said), asked]
        if not self.model_client.info["vision"]:
            prompt = without_images(prompt)
        result = await self.model_client.create(prompt, cancellation_token=token)
        if not isinstance(result.content, str):
            raise RunFailed(f"The model of {self.name!r} requested a tool call where only text is accepted.")
        return TextMessage(content=result.content, source=self.name, models_usage=result.usage)

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._unheard, self._telling, self._taken_up = [], [], []
        for part in self._parts():
            await _forget(part)

    async def on_pause(self, cancellation_token: CancellationToken | None = None) -> None:
        for part in self._parts():
            if isinstance(part, ChatAgent):
                await part.on_pause(cancellation_token)

    async def on_resume(self, cancellation_token: CancellationToken | None = None) -> None:
        for part in self._parts():
            if isinstance(part, ChatAgent):
                await part.on_resume(cancellation_token)

    async def save_state(self) -> Mapping[str, JsonValue]:
        states = {participant.name: dict(await participant.save_state()) for participant in self.participants}
        return {
            "type": "NestedChatAgentState",
            "version": "1.0.0",
            "participants": cast("JsonValue", states),
            "agent": dict(await self.agent.save_state()) if self.agent is not None else None,
            "unheard": [message.dump() for message in self._not_told()],
            **({"taken_up": list[JsonValue](self._taken_up)} if self._taken_up else {}),
        }

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        states = object_in(state.get("participants") or {})
        unheard = [message_from_json(object_in(item)) for item in list_in(state.get("unheard"))]
        for participant in self.participants:
            if participant.name in states:
                await participant.load_state(object_in(states[participant.name]))
        if self.agent is not None and (saved := state.get("agent")) is not None:
            await self.agent.load_state(object_in(saved))
        self._unheard = [message for message in unheard if isinstance(message, BaseChatMessage)]
        self._telling = []
        self._taken_up = [str(item) for item in list_in(state.get("taken_up"))]

    def _not_told(self) -> list[BaseChatMessage]:
        """What its agent must hear in its next turn; of a turn that was broken off, what it did not take up."""
        again = self.agent.unheard(self._telling) if self.agent is not None and self._telling else ()
        return [*again, *self._unheard]

    async def release(self) -> None:
        clients = [self.model_client.close] if self.model_client is not None else []
        await release_all(*(part.release for part in self._parts()), *clients)

    def _parts(self) -> list[Participant]:
        return [*self.participants, *([self.agent] if self.agent is not None else [])]


async def _noted(speech: Speech, said: list[BaseChatMessage]) -> AsyncGenerator[BaseMessage, None]:
    """What happens in a turn, with its last message; `said` holds what was said in it afterwards."""
    async with aclosing(speech) as items:
        async for item in items:
            if not isinstance(item, TurnResult):
                yield item
                continue
            said.extend(item.said)
            if item.unshown is not None:
                yield item.unshown


async def _forget(participant: Participant) -> None:
    if isinstance(participant, Team):
        await participant.reset()
    elif isinstance(participant, ChatAgent):
        await participant.on_reset(CancellationToken())


def _sum(first: RequestUsage | None, second: RequestUsage | None) -> RequestUsage | None:
    if first is None or second is None:
        return first or second
    return RequestUsage(
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
    )


def _is_over(message: BaseChatMessage) -> bool:
    return isinstance(message, StopMessage) or is_termination(message)
