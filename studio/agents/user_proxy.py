"""A person as a member of the team."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from inspect import iscoroutinefunction
from typing import Annotated, Any, cast

from pydantic import Field, PrivateAttr

from studio import effects
from studio.agents.base import ChatAgent, Step
from studio.effects import EffectRequest, HumanQuestion
from studio.errors import RunFailed
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    HandoffMessage,
    Response,
    TextMessage,
    UserInputRequestedEvent,
)

InputFunction = Callable[[str], str] | Callable[[str, CancellationToken | None], Awaitable[str]]


class InputFailed(RunFailed, RuntimeError):
    """No answer came from the person who was asked."""

    code = "input_failed"


class UserProxyAgent(ChatAgent):
    """Asks a person and passes the answer on."""

    provider = "autogen_agentchat.agents.UserProxyAgent"
    aliases = (
        "autogen_agentchat.agents._user_proxy_agent.UserProxyAgent",
        "autogen_agentchat.ui._console.UserProxyAgent",
        "autogen_ext.teams.magentic_one.UserProxyAgent",
        "autogenstudio.gallery.builder.UserProxyAgent",
        "autogenstudio.teammanager.teammanager.UserProxyAgent",
        "studio.agents.UserProxyAgent",
    )
    positional = ("name",)

    name: Annotated[
        str, Field(title="Name", description="A word without spaces, unique in its team.", examples=["user_proxy"])
    ]
    description: Annotated[
        str, Field(title="Description", description="Who is asked; other agents and selectors read this.")
    ] = "A human user"

    _input: InputFunction | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, input_func: InputFunction | None = None, **data: Any) -> None:
        super().__init__(*args, **data)
        self._input = input_func

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage, HandoffMessage)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        handoff = self._handoff_in(messages)
        asked = f"Handoff received from {handoff.source}. " if handoff else ""
        request_id = effects.new_id()
        yield UserInputRequestedEvent(request_id=request_id, source=self.name)
        question = HumanQuestion(request_id, self.name, f"{asked}Enter your response: ")
        answer = await self._ask(question, cancellation_token)
        if handoff:
            yield Response(chat_message=HandoffMessage(content=answer, target=handoff.source, source=self.name))
        else:
            yield Response(chat_message=TextMessage(content=answer, source=self.name))

    def _handoff_in(self, messages: Sequence[BaseChatMessage]) -> HandoffMessage | None:
        last = messages[-1] if messages else None
        if not isinstance(last, HandoffMessage):
            return None
        if last.target != self.name:
            raise InputFailed(
                f"Failed to get user input: Handoff message target does not match agent name: {last.source}"
            )
        return last

    async def _ask(self, question: HumanQuestion, token: CancellationToken | None) -> str:
        try:
            if self._input is None:
                return await effects.ask_human(question)
            function = self._input
            body = {"request_id": question.request_id, "prompt": question.prompt}
            request = EffectRequest("input", self.name, lambda: dict(body))
            return str(await effects.call(request, lambda: _call(function, question.prompt, token)))
        except (EOFError, OSError) as error:
            raise InputFailed(f"Failed to get user input: {error}") from error


async def _call(function: InputFunction, prompt: str, token: CancellationToken | None) -> str:
    if iscoroutinefunction(function):
        return await cast("Callable[[str, CancellationToken | None], Awaitable[str]]", function)(prompt, token)
    return await asyncio.to_thread(cast("Callable[[str], str]", function), prompt)
