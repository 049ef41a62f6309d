"""What calls cost, reckoned from their results. What is the same for all calls of an agent is looked up once."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from studio.effects import EffectRequest
from studio.models import Price
from studio.models.prices import FREE, Known, PriceBook
from studio.models.spending import Spending
from studio.runs.spending.costs import name_of, tokens_in
from studio.runs.spending.ledger import CostCenter

Spent = dict[str, Any]
"""What one call took, as it stands in the log beside its result: of which agent, the name of the model or tool, and
`ms`; of a model also tokens, `micro_usd`, which is None where the price is not known, and where the price is from."""

_NO_TOKENS: Spent = {"prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0, "micro_usd": 0}


class CallPricing:
    """The calls of one payer to one model or tool.

    Args:
        payer: For whom they are made.
        request: One of them.
        prices: What models cost.
    """

    def __init__(self, payer: CostCenter, request: EffectRequest, prices: PriceBook) -> None:
        self.payer = payer
        self._agent = payer.agent
        self.name = name_of(request)
        self.is_model = request.kind == "model"
        self._spender = request.about.owner if isinstance(request.about, Spending) else None
        self._is_charged = self._spender.is_charged if self._spender is not None else _always
        self._prices = prices
        self._looked_into: object = None
        self._known: Known | None = None
        self._price_label = ""
        self._price: Price | None = None
        """None where it is not known, and of what is free."""
        self._flat: int | None = None
        """What a call costs for which no price is reckoned."""

    def known(self) -> Known | None:
        """What the model costs, by the prices as they are now."""
        if self._looked_into is not self._prices.own:
            self._look_up()
        return self._known

    def spent_on_model(self, result: JsonValue, seconds: float) -> Spent:
        """What a call took, by what the model gave."""
        answer = result if isinstance(result, dict) else {}
        if not self._is_charged(answer):
            return self.time_only(seconds, why="kept answer")
        if self._looked_into is not self._prices.own:
            self._look_up()
        used = answer.get("usage")
        counts = used if isinstance(used, dict) else {}
        prompt, completion = tokens_in(counts.get("prompt_tokens")), tokens_in(counts.get("completion_tokens"))
        cached = tokens_in(counts["cached_tokens"]) if "cached_tokens" in counts else 0
        cost = self._flat
        if self._price is not None and (prompt or completion):
            cost = self._price.micro_usd(prompt, completion, cached)
        return {
            "agent": self._agent,
            "name": self.name,
            "ms": round(seconds * 1000),
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "cached_tokens": cached,
            "micro_usd": cost,
            "price": self._price_label,
        }

    def time_only(self, seconds: float, *, why: str = "") -> Spent:
        """What a call took that was not to a model, or cost nothing; `why` stands in place of its price."""
        spent = {"agent": self._agent, "name": self.name, "ms": round(seconds * 1000)}
        return {**spent, **_NO_TOKENS, "price": why} if self.is_model else spent

    def _look_up(self) -> None:
        self._looked_into = self._prices.own
        is_free = self._spender is not None and self._spender.is_free
        self._known = known = self._prices.find(self.name, is_free=is_free)
        self._price_label = known.label if known else ""
        self._price = known.price if known and known is not FREE else None
        self._flat = 0 if known is FREE else None


def _always(answer: object) -> bool:
    del answer
    return True
