"""What the owner of a deployment decides: what callers see, and what they may use. Nothing is unlimited."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from studio.deployments.chat import ChatSettings
from studio.runs import Budget, DayLimits, Limits

NAME_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])$"
"""Of a deployment: it stands in addresses, and as the `model` of OpenAI's clients."""
MICRO = 1_000_000
MAX_USD = 100_000
MAX_TOKENS = 10**12


class CallLimits(BaseModel):
    """What the calls of one deployment may take. All keys share them.

    A call that reaches one of its own limits stops and says so; a call that the day or the minute has no room for is
    refused before it begins.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    call_usd: Annotated[float, Field(gt=0, le=MAX_USD, title="Cost per call", description="US dollars.")] = 1.0
    call_tokens: Annotated[int, Field(gt=0, le=MAX_TOKENS, title="Tokens per call")] = 100_000
    call_turns: Annotated[int, Field(gt=0, le=10_000, title="Turns per call")] = 100
    call_seconds: Annotated[
        int, Field(gt=0, le=86_400, title="Seconds per call", description="While the team works, not while it waits.")
    ] = 600
    day_usd: Annotated[
        float, Field(gt=0, le=MAX_USD, title="Cost per day", description="US dollars; the day is in UTC.")
    ] = 10.0
    day_tokens: Annotated[int, Field(gt=0, le=MAX_TOKENS, title="Tokens per day")] = 5_000_000
    calls_per_minute: Annotated[int, Field(gt=0, le=10_000, title="Calls per minute")] = 60
    calls_at_once: Annotated[
        int, Field(gt=0, le=1_000, title="Calls at once", description="Calls that wait for an answer count too.")
    ] = 8
    answer_hours: Annotated[
        int,
        Field(gt=0, le=720, title="Hours to answer", description="A call that waits longer for a person is canceled."),
    ] = 24
    body_kb: Annotated[int, Field(gt=0, le=20_480, title="Request size", description="In KB.")] = 1024

    @model_validator(mode="after")
    def _leave_room_for_a_call(self) -> Self:
        if self.call_usd > self.day_usd or self.call_tokens > self.day_tokens:
            raise ValueError("the limits of a day must leave room for one call")
        return self

    @property
    def budget(self) -> Budget:
        """Of the run of one call."""
        run = Limits(
            micro_usd=self.call_micro_usd, tokens=self.call_tokens, turns=self.call_turns, seconds=self.call_seconds
        )
        return Budget(run=run, when_exceeded="stop")

    @property
    def day(self) -> DayLimits:
        return DayLimits(micro_usd=round(self.day_usd * MICRO), tokens=self.day_tokens)

    @property
    def call_micro_usd(self) -> int:
        return round(self.call_usd * MICRO)


class DeploymentSettings(BaseModel):
    """How a deployment answers its callers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sees: Annotated[
        Literal["answer", "messages"],
        Field(
            title="Callers see",
            description="Only the answer, or each message of the agents with its author's name. Never prompts, tool "
            "calls or errors.",
        ),
    ] = "answer"
    answer_from: Annotated[
        str,
        Field(
            max_length=200,
            title="Answer of",
            description="Agent whose last message is the answer; empty takes the last message of any agent.",
        ),
    ] = ""
    tool_results: Annotated[
        bool,
        Field(
            title="Answer with tool results",
            description="Some agents end their turn with the result of a tool. Without this, callers do not get it.",
        ),
    ] = False
    limits: CallLimits = CallLimits()
    chat: ChatSettings = ChatSettings()
