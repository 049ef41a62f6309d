"""What a run's calls cost: tokens, money and time, told in each recorded effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from studio.agents import Participant
from studio.components import Component, walk
from studio.effects import EffectRequest
from studio.models.prices import Known, PriceBook
from studio.models.spending import Spending
from studio.runs.log import JsonObject

UNMEASURED = frozenset({"clock", "input"})
"""Reading the clock costs nothing, and the time that a person takes is not the team's."""
MOST_TOKENS = 10**12
"""Of one model call. A service can say any number; the database and the pages cannot hold any."""


class Charge(NamedTuple):
    """What one call took. `micro_usd` is in millionths of a dollar; None where the price is not known."""

    agent: str
    kind: str
    name: str
    """Of the model or tool."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    micro_usd: int | None = 0
    price: str = ""
    ms: int = 0

    def as_json(self) -> JsonObject:
        """As it stands in the log, beside the result."""
        if self.kind != "model":
            return {"agent": self.agent, "name": self.name, "ms": self.ms}
        return {
            "agent": self.agent,
            "name": self.name,
            "ms": self.ms,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "micro_usd": self.micro_usd,
            "price": self.price,
        }


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


def charge_for(
    request: EffectRequest, result: JsonValue | Exception, prices: PriceBook, names: Mapping[int, str], seconds: float
) -> Charge:
    """What a call took, by its result."""
    agent, name = agent_of(request, names), name_of(request)
    if isinstance(result, Exception):
        return Charge(agent, request.kind, name)
    ms = round(seconds * 1000)
    if request.kind != "model":
        return Charge(agent, request.kind, name, ms=ms)
    spender = request.about.owner if isinstance(request.about, Spending) else None
    answer = result if isinstance(result, dict) else {}
    if spender and not spender.is_charged(answer):
        return Charge(agent, "model", name, price="kept answer", ms=ms)
    used = answer.get("usage")
    counts = used if isinstance(used, dict) else {}
    prompt, completion = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    cached = _count(counts.get("cached_tokens"))
    known = prices.find(name, is_free=spender is not None and spender.is_free)
    if known is None:
        return Charge(agent, "model", name, prompt, completion, cached, None, "", ms)
    if known.origin == "free":
        return Charge(agent, "model", name, prompt, completion, cached, 0, "free", ms)
    cost = known.price.micro_usd(prompt, completion, cached) if prompt or completion else None
    return Charge(agent, "model", name, prompt, completion, cached, cost, _told(known), ms)


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


def _told(known: Known) -> str:
    return f"{known.origin} {known.price.as_of.isoformat()}"


def _count(value: JsonValue) -> int:
    return min(max(value, 0), MOST_TOKENS) if isinstance(value, int) else 0
