"""Answers that become context variables of the team."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, cast

from pydantic import BaseModel, Field, JsonValue

from studio.agents.base import Step
from studio.errors import ConfigError
from studio.messages import (
    BaseChatMessage,
    ContextVariablesEvent,
    HandoffMessage,
    Response,
    StopMessage,
    StructuredMessage,
)
from studio.tools.variables import GIVE_SOME, NO_VARIABLES, apply_changes, team_variables

KeepAs = Annotated[
    str | None,
    Field(
        min_length=1,
        description="Context variable that takes the answer: its text, or an object if the answer is structured. "
        "Conditions of edges can read it, such as `NAME.field`. Empty: not kept.",
        json_schema_extra={"x-advanced": True},
        exclude_if=lambda value: value is None,  # AutoGen's agents have no such field
    ),
]


def set_variables(source: str, values: dict[str, JsonValue]) -> ContextVariablesEvent:
    """Set context variables, and the event that tells of it.

    Raises:
        ConfigError: The team has none.
    """
    variables = team_variables()
    if variables is None:
        raise ConfigError(NO_VARIABLES, fix=GIVE_SOME)
    apply_changes(variables, {"set": values})
    return ContextVariablesEvent(content=values, source=source)


async def keep_answer(steps: AsyncGenerator[Step, None], name: str) -> AsyncGenerator[Step, None]:
    """The steps of a turn; its answer is in the context variable of this name when the last one is given.

    A handoff or the end of the conversation is no answer.
    """
    async with aclosing(steps) as items:
        async for step in items:
            message = step.chat_message if isinstance(step, Response) else None
            if isinstance(step, Response) and message and not isinstance(message, HandoffMessage | StopMessage):
                event = set_variables(message.source, {name: _value_of(message)})
                yield event
                yield replace(step, inner_messages=[*(step.inner_messages or ()), event])
            else:
                yield step


def _value_of(message: BaseChatMessage) -> JsonValue:
    if isinstance(message, StructuredMessage):
        return cast("StructuredMessage[BaseModel]", message).content.model_dump(mode="json")
    return message.to_model_text()
