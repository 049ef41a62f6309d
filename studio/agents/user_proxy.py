"""A person as a member of the team."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from inspect import iscoroutinefunction
from typing import Annotated, Any, Literal, cast

from pydantic import Field, PrivateAttr, field_validator

from studio import effects
from studio.agents.base import ChatAgent, Step
from studio.components import JsonObject
from studio.effects import EffectRequest, HumanAnswer, HumanQuestion
from studio.errors import ConfigError, RunFailed
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    HandoffMessage,
    MultiModalMessage,
    Response,
    StopMessage,
    TextMessage,
    UserInputRequestedEvent,
    UserMessage,
    given_message,
    images_of,
)
from studio.models.schema_model import model_from_schema

InputFunction = Callable[[str], str] | Callable[[str, CancellationToken | None], Awaitable[str]]


HumanInputMode = Literal["ALWAYS", "NEVER", "TERMINATE"]
EXIT = "exit"
"""What a person answers to end the conversation, where a mode is set."""
TERMINATE = "TERMINATE"


class InputFailed(RunFailed, RuntimeError):
    """No answer came from the person who was asked."""

    code = "input_failed"


class UserProxyAgent(ChatAgent):
    """Asks the user and returns the answer."""

    provider = "autogen_agentchat.agents.UserProxyAgent"
    keywords = "human person approval feedback"
    aliases = (
        "autogen_agentchat.agents._user_proxy_agent.UserProxyAgent",
        "autogen_agentchat.ui._console.UserProxyAgent",
        "autogen_ext.teams.magentic_one.UserProxyAgent",
        "autogenstudio.gallery.builder.UserProxyAgent",
        "autogenstudio.teammanager.teammanager.UserProxyAgent",
        "studio.agents.UserProxyAgent",
    )
    positional = ("name",)

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["user_proxy"])]
    description: Annotated[str, Field(description="A person. Other agents and selectors read it.")] = "A human user"

    human_input_mode: Annotated[
        HumanInputMode | None,
        Field(
            description="`ALWAYS` asks you. `NEVER` sends the default reply. `TERMINATE` asks you when the others are "
            "done. Empty: asks you."
        ),
    ] = None
    default_auto_reply: Annotated[
        str | None, Field(title="Default reply", description="Sent when you are not asked. Empty: an empty message.")
    ] = None
    max_consecutive_auto_reply: Annotated[
        int | None,
        Field(
            ge=0,
            title="Max consecutive auto-replies",
            description="After this many default replies, `TERMINATE` asks you and `NEVER` ends the conversation.",
        ),
    ] = None

    choices: Annotated[
        list[str] | None,
        Field(min_length=1, max_length=20, description="Answers to choose from. You can still type another one."),
    ] = None
    answer_schema: Annotated[
        JsonObject | None,
        Field(
            description="JSON schema of an object with simple fields. You fill in a form; the answer is its JSON.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None

    @field_validator("answer_schema")
    @classmethod
    def _schema_is_one(cls, schema: JsonObject | None) -> JsonObject | None:
        if schema is not None:
            try:
                model_from_schema(schema, "Answer")
            except ConfigError as error:
                raise ValueError(error.what) from error
        return schema

    _input: InputFunction | None = PrivateAttr(default=None)
    _own_answers: int = PrivateAttr(default=0)

    def __init__(self, *args: Any, input_func: InputFunction | None = None, **data: Any) -> None:
        super().__init__(*args, **data)
        self._input = input_func

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        known = (TextMessage, MultiModalMessage, HandoffMessage)
        return (*known, StopMessage) if self.human_input_mode else known

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        handoff = self._handoff_in(messages)
        is_over = any(is_termination(message) for message in messages[-1:])
        answer: HumanAnswer | None = None
        if self._asks(is_over):
            asked = f"Handoff received from {handoff.source}. " if handoff else ""
            request_id = effects.new_id()
            question = HumanQuestion(
                request_id,
                self.name,
                f"{asked}Enter your response: ",
                choices=self.choices or (),
                schema=self.answer_schema,
            )
            yield UserInputRequestedEvent(request_id=request_id, source=self.name, prompt=question.prompt)
            answer = await self._ask(question, cancellation_token)
        yield Response(chat_message=self._reply(answer, is_over, handoff))

    def _asks(self, is_over: bool) -> bool:
        """Whether a person is asked now."""
        if self.human_input_mode == "NEVER":
            return False
        return self.human_input_mode != "TERMINATE" or is_over or self._is_spent

    @property
    def _is_spent(self) -> bool:
        limit = self.max_consecutive_auto_reply
        return limit is not None and self._own_answers >= limit

    def _reply(self, answer: HumanAnswer | None, is_over: bool, handoff: HandoffMessage | None) -> BaseChatMessage:
        """The person's answer, or the agent's own; or the end, where AG2 would end the conversation."""
        is_own = answer is None or (self.human_input_mode is not None and not answer)
        if self.human_input_mode and (answer == EXIT or (is_own and (is_over or self._is_spent))):
            self._own_answers = 0
            return StopMessage(content=f"{self.name} ended the conversation.", source=self.name)
        self._own_answers = self._own_answers + 1 if is_own else 0
        said = HumanAnswer(self.default_auto_reply or "") if is_own or answer is None else answer
        text, source = str(said), self.name
        if not handoff:
            return given_message(source, text, said.metadata, said.pictures)
        seen = [UserMessage(content=images_of(said.pictures), source=source)] if said.pictures else []
        return HandoffMessage(
            content=text, target=handoff.source, source=source, metadata=said.metadata, context=list(seen)
        )

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._own_answers = 0

    def _handoff_in(self, messages: Sequence[BaseChatMessage]) -> HandoffMessage | None:
        last = messages[-1] if messages else None
        if not isinstance(last, HandoffMessage):
            return None
        if last.target != self.name:
            raise InputFailed(
                f"Failed to get user input: Handoff message target does not match agent name: {last.source}"
            )
        return last

    async def _ask(self, question: HumanQuestion, token: CancellationToken | None) -> HumanAnswer:
        try:
            if self._input is None:
                return await effects.ask_human(question)
            function = self._input
            body = {"request_id": question.request_id, "prompt": question.prompt}
            request = EffectRequest("input", self.name, lambda: dict(body))
            return HumanAnswer(str(await effects.call(request, lambda: _call(function, question.prompt, token))))
        except (EOFError, OSError) as error:
            raise InputFailed(f"Failed to get user input: {error}") from error


def is_termination(message: BaseChatMessage) -> bool:
    """Whether a message says that its sender is done: it ends in TERMINATE."""
    return message.to_text().rstrip().rstrip(".").endswith(TERMINATE)


async def _call(function: InputFunction, prompt: str, token: CancellationToken | None) -> str:
    if iscoroutinefunction(function):
        return await cast("Callable[[str, CancellationToken | None], Awaitable[str]]", function)(prompt, token)
    return await asyncio.to_thread(cast("Callable[[str], str]", function), prompt)
