"""What may be spent: by one run, one agent of it, or all runs of a day."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Measure = Literal["micro_usd", "tokens", "turns", "seconds"]
Scope = Literal["run", "agent", "team_day", "studio_day"]

MAX_AMOUNTS = 10**15
EACH = "*"
"""In place of an agent's name: every agent that has no limits of its own."""
MEASURES: tuple[Measure, ...] = ("micro_usd", "tokens", "turns", "seconds")
MAX_AGENTS = 200

Amount = Annotated[int | None, Field(ge=0, le=MAX_AMOUNTS)]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DayLimits(_Kept):
    """Of all runs of one day (UTC) together. None is no limit; `micro_usd` is in millionths of a dollar."""

    micro_usd: Amount = None
    tokens: Amount = None


class Limits(DayLimits):
    """Of one run or agent. `seconds` are those that a run works, or that the calls of an agent take."""

    turns: Amount = None
    seconds: Amount = None


NO_LIMITS = Limits()


class Budget(_Kept):
    """All limits that are kept together: with the studio, a team or a run."""

    run: Limits = NO_LIMITS
    agents: Annotated[dict[str, Limits], Field(max_length=MAX_AGENTS)] = {}
    day: DayLimits = DayLimits()
    when_exceeded: Annotated[
        Literal["ask", "stop"],
        Field(description="Ask the user whether to spend more, or stop the run, for runs that no user attends."),
    ] = "ask"

    def over(self, general: Budget) -> Budget:
        """These limits, and those of the more general budget where this one says nothing. The day is this one's."""
        agents = {name: _over(self.agents.get(name), limits) for name, limits in general.agents.items()}
        return Budget(
            run=_over(self.run, general.run),
            agents={**self.agents, **agents},
            day=self.day,
            when_exceeded=self.when_exceeded,
        )

    def of_agent(self, name: str) -> Limits:
        """The limits of one agent."""
        return _over(self.agents.get(name), self.agents.get(EACH, NO_LIMITS))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited."""
        return not self.model_dump(exclude_none=True, exclude_defaults=True)


NO_BUDGET = Budget()


def _over(own: Limits | None, general: Limits) -> Limits:
    return general.model_copy(update=own.model_dump(exclude_none=True)) if own else general
