"""Whose calls are put down, and by which names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel, JsonValue

from studio.agents import Participant
from studio.components import Component, walk
from studio.effects import EffectRequest
from studio.models.spending import Spending
from studio.runs.journal.log import JsonObject, Usage

UNMEASURED = frozenset({"clock", "input"})
"""Reading the clock costs nothing, and the time that a person takes is not the team's."""


def names_of(player: object) -> Mapping[int, str]:
    """The agent or team that each component of a team works for, by the component's identity."""
    if not isinstance(player, Component):
        return {}
    names: dict[int, str] = {}
    named: list[tuple[str, str]] = []
    for where, component in walk(player):
        while named and not where.startswith(named[-1][0]):
            named.pop()
        if isinstance(component, Participant) and not component.is_opaque:
            named.append((where + "/", component.name))
        names[id(component)] = named[-1][1] if named else ""
    return names


def agent_of(request: EffectRequest, names: Mapping[int, str]) -> str:
    """For whom a call is made; empty where nobody knows."""
    if request.tool is not None and request.tool.agent:
        return request.tool.agent
    about = request.about
    return names.get(id(about.owner if isinstance(about, Spending) else about), "")


def name_of(request: EffectRequest) -> str:
    """The model or tool that is asked."""
    if isinstance(request.about, Spending):
        return request.about.owner.source
    return request.tool.name if request.tool is not None else request.source


class RunCost(Protocol):
    """What an earlier run took; `unpriced_calls` are calls whose price was not known."""

    @property
    def tokens(self) -> int: ...

    @property
    def micro_usd(self) -> int: ...

    @property
    def unpriced_calls(self) -> int: ...

    @property
    def ms(self) -> int: ...


class Range(BaseModel):
    """The middle of the runs, and what nine of ten stayed within."""

    median: int
    high: int


class Estimate(BaseModel):
    """`micro_usd` is null when the price of a call was unknown in any of the runs, all are when there are none."""

    run_count: int
    tokens: Range | None = None
    micro_usd: Range | None = None
    ms: Range | None = None


def estimate_of(runs: Sequence[RunCost]) -> Estimate:
    """The ranges of tokens, money and working time."""
    if not runs:
        return Estimate(run_count=0)
    is_priced = not any(run.unpriced_calls for run in runs)
    return Estimate(
        run_count=len(runs),
        tokens=_range([run.tokens for run in runs]),
        micro_usd=_range([run.micro_usd for run in runs]) if is_priced else None,
        ms=_range([run.ms for run in runs]),
    )


def _range(values: Sequence[int]) -> Range:
    ordered = sorted(values)
    last = len(ordered) - 1
    return Range(median=ordered[last // 2], high=ordered[-(-last * 9 // 10)])


MAX_TOKENS = 10**12
"""Of one model call. A service can say any number; the database and the pages cannot hold any."""
MAX_MICRO_USD = MAX_TOKENS


def with_effect(usage: Usage, effect: JsonObject) -> Usage:
    """The usage with what one effect took; the same one where it took nothing."""
    if "reused" in effect:
        return usage
    spent: Any = effect.get("spent") or {}
    prompt, completion, cost = spent.get("prompt_tokens"), spent.get("completion_tokens"), spent.get("micro_usd")
    if not prompt:  # nothing was charged for it, but the model may have told what it took
        result = effect.get("result") if effect.get("effect") == "model" else None
        used = result.get("usage") if isinstance(result, dict) else None
        if not isinstance(used, dict):
            return usage
        prompt, completion = tokens_in(used.get("prompt_tokens")), tokens_in(used.get("completion_tokens"))
    return Usage(
        usage.prompt_tokens + prompt,
        usage.completion_tokens + completion,
        usage.micro_usd + (min(cost, MAX_MICRO_USD) if cost else 0),
        usage.unpriced_calls + (cost is None),
    )


def tokens_in(value: JsonValue) -> int:
    """As many as a service says, within bounds."""
    if type(value) is int and 0 <= value <= MAX_TOKENS:
        return value
    return min(max(value, 0), MAX_TOKENS) if isinstance(value, int) else 0
