"""What a run's calls cost: tokens, money and time, told in each recorded effect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter
from typing import cast

from pydantic import JsonValue

from studio import effects
from studio.agents import Participant
from studio.components import Component, walk
from studio.effects import AsyncGeneratorLike, EffectRequest, Perform, StreamItem
from studio.models.prices import PriceBook
from studio.models.spending import Spending
from studio.runs.log import JsonObject

UNMEASURED = frozenset({"clock", "input"})
"""Reading the clock costs nothing, and the time that a person takes is not the team's."""
MOST_TOKENS = 10**12
"""Of one model call. A service can say any number; the database and the pages cannot hold any."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What one call took. `micro_usd` is in millionths of a dollar; None where the price is not known."""

    agent: str
    kind: str
    name: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    micro_usd: int | None = 0
    price: str = ""
    ms: int = 0

    def as_json(self) -> JsonObject:
        """As it stands in the log, beside the result."""
        body: JsonObject = {"agent": self.agent, "name": self.name, "ms": self.ms}
        if self.kind != "model":
            return body
        return {
            **body,
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
    request: EffectRequest, result: JsonValue, prices: PriceBook, names: Mapping[int, str], ms: int = 0
) -> Charge:
    """What a call took, by its result."""
    if request.kind != "model":
        return Charge(agent_of(request, names), request.kind, name_of(request), ms=ms)
    about = request.about
    spending = about if isinstance(about, Spending) else None
    answer = result if isinstance(result, dict) else {}
    used = answer.get("usage")
    counts = used if isinstance(used, dict) else {}
    model = name_of(request)
    if spending and not spending.owner.is_charged(answer):
        return Charge(agent_of(request, names), "model", model, price="kept answer", ms=ms)
    prompt, completion, cached = (
        _count(counts.get(name)) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
    )
    known = prices.find(model, is_free=spending is not None and spending.owner.is_free)
    is_told = prompt > 0 or completion > 0 or (known is not None and known.origin == "free")
    return Charge(
        agent=agent_of(request, names),
        kind="model",
        name=model,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=cached,
        micro_usd=known.price.micro_usd(prompt, completion, cached) if known and is_told else None,
        price=_told(known.origin, known.price.as_of.isoformat()) if known else "",
        ms=ms,
    )


class Metered(effects.Relay):
    """Measures each call, and adds what it took to what goes into the log.

    Args:
        make_outer: Makes the port that records, given what takes its entries.
        append: Takes an entry with what it cost.
        prices: What models cost.
        names: For whom each component works.
    """

    def __init__(
        self,
        make_outer: Callable[[effects.Append], effects.Effects],
        append: effects.Append,
        prices: PriceBook,
        names: Mapping[int, str],
    ) -> None:
        super().__init__(make_outer(self._record))
        self._append = append
        self._prices = prices
        self._names = names
        self._charges: dict[str, list[Charge]] = {}

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind in UNMEASURED:
            return await super().call(request, perform)

        async def measured() -> JsonValue:
            began = perf_counter()
            try:
                result = await perform()
            except Exception:
                self._keep(request, Charge(agent_of(request, self._names), request.kind, name_of(request)))
                raise
            self._note(request, result, began)
            return result

        return await super().call(request, measured)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        async def measured() -> AsyncIterator[StreamItem]:
            began = perf_counter()
            async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
                async for item in items:
                    if not isinstance(item, str):
                        self._note(request, item, began)
                    yield item

        async with aclosing(cast("AsyncGeneratorLike", super().stream(request, measured))) as items:
            async for item in items:
                yield item

    def _note(self, request: EffectRequest, result: JsonValue, began: float) -> None:
        ms = round((perf_counter() - began) * 1000)
        self._keep(request, charge_for(request, result, self._prices, self._names, ms))

    def _keep(self, request: EffectRequest, charge: Charge) -> None:
        self._charges.setdefault(request.hash, []).append(charge)

    def _record(self, body: JsonObject) -> Awaitable[None]:
        key = str(body.get("request"))
        waiting = self._charges.get(key)
        if not waiting:
            return self._append(body)
        charge = waiting.pop(0)
        if not waiting:
            del self._charges[key]
        return self._append({**body, "spent": charge.as_json()})


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


def _told(origin: str, as_of: str) -> str:
    return "free" if origin == "free" else f"{origin} {as_of}"


def _count(value: JsonValue) -> int:
    return min(max(value, 0), MOST_TOKENS) if isinstance(value, int) else 0
