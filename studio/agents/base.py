"""The base of agents."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from studio.agents.participant import Participant
from studio.components import error_at
from studio.errors import Fix
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    Response,
    TaskResult,
    TextMessage,
)

Step = BaseMessage | Response
"""Something an agent gives while it works; its response is the last."""


class ChatAgent(Participant):
    """Answers messages. It is shown only what is new and remembers the rest itself.

    A subclass defines `on_messages_stream`, or `on_messages` when it has nothing to tell on the way.
    """

    component_type: ClassVar[str] = "agent"
    positional: ClassVar[tuple[str, ...]] = ("name", "description")
    has_own_tools: ClassVar[bool] = False
    """Whether it calls tools that are no components in it."""

    name: Annotated[
        str,
        Field(description="A word without spaces, unique in its team.", examples=["assistant"]),
    ]
    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "An agent."

    @field_validator("name")
    @classmethod
    def _is_identifier(cls, name: str) -> str:
        if not name.isidentifier():
            words = re.sub(r"\W+", "_", name).strip("_")
            usable = words if words.isidentifier() else f"agent_{words}" if words else ""
            fixes = [Fix(f"Rename to {usable}", "", usable)] if usable else []
            message = "The agent name must be a valid Python identifier."
            raise error_at("not_an_identifier", message, "Use letters, digits and `_`.", "", fixes)
        return name

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Kinds of messages that it may answer with."""
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        """Answer the new messages."""
        async with aclosing(self.on_messages_stream(messages, cancellation_token)) as steps:
            async for step in steps:
                if isinstance(step, Response):
                    return step
        raise AssertionError("The stream should have returned the final result.")

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        """Answer the new messages, giving what happens on the way; the response is the last item."""
        response = await self.on_messages(messages, cancellation_token)
        for message in response.inner_messages or ():
            yield message
        yield response

    async def take_turn(
        self, messages: list[BaseChatMessage], token: CancellationToken
    ) -> Response | AsyncGenerator[Step, None]:
        return self.on_messages_stream(messages, token)

    async def execute(
        self,
        messages: list[BaseChatMessage] | None,
        token: CancellationToken,
        show_task: bool,
        *,
        is_inside: bool = False,
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        del is_inside
        said: list[BaseMessage] = []
        for message in messages or () if show_task else ():
            said.append(message)
            yield message
        async with aclosing(self.on_messages_stream(messages or [], token)) as steps:
            async for step in steps:
                message = step.chat_message if isinstance(step, Response) else step
                if message.is_kept:
                    said.append(message)
                yield message
        yield TaskResult(messages=said)

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        """Forget the conversation."""

    async def on_pause(self, cancellation_token: CancellationToken | None = None) -> None:
        """Told when its team is paused."""

    async def on_resume(self, cancellation_token: CancellationToken | None = None) -> None:
        """Told when its team goes on."""

    async def close(self) -> None:
        """Let go of everything it holds."""
        await self.release()


BaseChatAgent = ChatAgent
"""AgentChat's name for it."""
