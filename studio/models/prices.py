"""What models cost: prices that were set by hand, else those of the catalogue, else nothing for what runs here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from studio.models.catalogue import Price, price_of


class Known(NamedTuple):
    """A price and where it is from: `own`, `catalogue` or `free`."""

    price: Price
    origin: str

    @property
    def label(self) -> str:
        """Where it is from, as the log says it."""
        return self.origin if self is FREE else f"{self.origin} {self.price.as_of.isoformat()}"


FREE = Known(Price(input=0, output=0, cached_input=0, as_of=date.min, source=""), "free")


class PriceBook:
    """Finds prices. Those set by hand are by the exact name of a model."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self.own: Mapping[str, Price] = own or {}

    def find(self, model: str, *, is_free: bool = False) -> Known | None:
        """What a model costs; None when nobody knows.

        Args:
            model: Its name.
            is_free: Whether it costs nothing when no price is known, as on one's own machine.
        """
        if model in self.own:
            return Known(self.own[model], "own")
        price = price_of(model)
        if price is not None:
            return Known(price, "catalogue")
        return FREE if is_free else None
