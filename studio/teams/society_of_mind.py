"""An agent whose answers a whole team thinks out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationInfo, field_validator

from studio.agents import ChatAgent
from studio.agents.base import Step
from studio.agents.cleanup import release_all
from studio.agents.turn import add_to_context
from studio.components import JsonObject
from studio.contexts import ChatCompletionContext, UnboundedChatCompletionContext
from studio.errors import RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    HandoffMessage,
    LLMMessage,
    Response,
    SystemMessage,
    TaskResult,
    TextMessage,
    UserMessage,
)
from studio.models import ChatCompletionClient
from studio.teams.base import Team


class SocietyOfMindAgent(ChatAgent):
    """Has a team work on each message, and a model answers from its conversation."""

    provider = "autogen_agentchat.agents.SocietyOfMindAgent"
    aliases = ("autogen_agentchat.agents._society_of_mind_agent.SocietyOfMindAgent", "studio.teams.SocietyOfMindAgent")
    positional: ClassVar[tuple[str, ...]] = ("name", "team", "model_client")

    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "An agent that uses an inner team of agents to generate responses."
    team: Annotated[Team, Field(description="Works on each message, and is reset afterwards.")]
    model_client: Annotated[ChatCompletionClient, Field(description="Writes the answer from the team's conversation.")]
    instruction: Annotated[
        str,
        Field(description="Sent to the model before the team's conversation.", json_schema_extra={"x-multiline": True}),
    ] = (
        "Earlier you were asked to fulfill a request. You and your team worked diligently to address that request. "
        "Here is a transcript of that conversation:"
    )
    response_prompt: Annotated[
        str,
        Field(description="Sent to the model after the team's conversation.", json_schema_extra={"x-multiline": True}),
    ] = "Output a standalone response to the original request, without mentioning any of the intermediate discussion."
    model_context: Annotated[
        ChatCompletionContext | None,
        Field(description="Limits the earlier messages that the team sees. Empty: all of them."),
    ] = None

    _context: ChatCompletionContext | None = PrivateAttr(default=None)
    _is_broken_off: bool = PrivateAttr(default=False)

    @field_validator("description", "instruction", "response_prompt", mode="before")
    @classmethod
    def _nothing_is_the_default(cls, value: object, info: ValidationInfo) -> object:
        return value or cls.model_fields[str(info.field_name)].default

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        inner: list[BaseMessage] = []
        if self._is_broken_off:
            await self.team.reset()
        self._is_broken_off = True
        task = [*await self._earlier(), *messages]
        token = cancellation_token or CancellationToken()
        async with aclosing(self.team.execute(task or None, token, False, is_inside=True)) as items:
            async for item in items:
                if isinstance(item, TaskResult):
                    continue
                yield item
                if item.is_kept:
                    inner.append(item)
        answer = await self._answer(inner, token)
        await self.team.reset()
        self._is_broken_off = False
        await add_to_context(self._own_context(), messages)
        # What happened inside is nobody's business outside: conditions there do not see it.
        yield Response(chat_message=answer, inner_messages=[])

    async def _earlier(self) -> list[BaseChatMessage]:
        context = await self._own_context().get_messages()
        if not context:
            return []
        return [HandoffMessage(content="relevant previous messages", source=self.name, target="", context=context)]

    async def _answer(self, inner: Sequence[BaseMessage], token: CancellationToken) -> TextMessage:
        if not inner:
            return TextMessage(source=self.name, content="No response.")
        said = [message.to_model_message() for message in inner if isinstance(message, BaseChatMessage)]
        asked = [self._instruction_message(self.instruction), *said, self._instruction_message(self.response_prompt)]
        result = await self.model_client.create(asked, cancellation_token=token)
        if not isinstance(result.content, str):
            raise RunFailed(f"The model of {self.name!r} requested a tool call where only text is accepted.")
        return TextMessage(source=self.name, content=result.content, models_usage=result.usage)

    def _instruction_message(self, text: str) -> LLMMessage:
        if self.model_client.info.get("multiple_system_messages"):
            return SystemMessage(content=text)
        return UserMessage(content=text, source="user")

    def _own_context(self) -> ChatCompletionContext:
        if self._context is None:
            self._context = self.model_context or UnboundedChatCompletionContext()
        return self._context

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        await self.team.reset()
        await self._own_context().clear()

    async def save_state(self) -> Mapping[str, JsonValue]:
        team = dict(await self.team.save_state())
        return {"type": "SocietyOfMindAgentState", "version": "1.0.0", "inner_team_state": team}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        await self.team.load_state(cast("JsonObject", state.get("inner_team_state") or {}))
        self._is_broken_off = bool(self.team.thread)  # at rest it has forgotten everything

    async def release(self) -> None:
        await release_all(self.team.release, self.model_client.close)
