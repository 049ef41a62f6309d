"""When a team stops: conditions on what it remembers by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from studio.conditions.base import TerminationCondition
from studio.messages import BaseMessage
from studio.tools import context_variables
from studio.tools.expression import ConditionText, read_condition


class ContextVariableTermination(TerminationCondition):
    """Stop when a condition on the team's context variables holds."""

    provider = "studio.conditions.ContextVariableTermination"
    positional: ClassVar[tuple[str, ...]] = ("condition",)

    condition: Annotated[
        ConditionText,
        Field(
            description="Condition on the context variables, such as `attempts >= 3 or is_solved`.",
            examples=["is_done"],
        ),
    ]

    async def start(self) -> None:
        context_variables()  # without any it would never fire: better to say so now

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        del messages
        holds = read_condition(self.condition).holds(context_variables())
        return f"The context variables say: {self.condition}" if holds else None

    def describe(self) -> str:
        return f"the context variables say {self.condition}"

    def so_far(self) -> str:
        return f"{self.condition}: {'true' if self.terminated else 'not true'}"
