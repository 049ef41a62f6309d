"""What is known about models by their names: `catalogue.json`, read once."""

from __future__ import annotations

import math
import re
from datetime import date
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.messages import RequestUsage

Ability = Literal["vision", "tools", "json", "structured", "several_system"]
_PER = 1_000_000
_SAME_MODEL = re.compile(r"(?:-latest|-\d{4}-\d{2}-\d{2}|-\d{8}|@\d{8})?")
"""What may follow a name without making it another model with another price: a date."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Price(_Row):
    """US dollars for a million tokens, true on the day `as_of`; `source` names one of the catalogue's sources."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached_input: Annotated[float | None, Field(ge=0)] = None
    """Of a prompt's tokens that the service had read before; like others where nobody says so."""
    as_of: date
    source: str

    def cost_of(self, usage: RequestUsage) -> float:
        """US dollars for these tokens."""
        return self.micro_usd(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) / _PER

    def micro_usd(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> int:
        """Millionths of a US dollar for these tokens, rounded up."""
        cached = 0 if self.cached_input is None else min(cached_tokens, prompt_tokens)
        fresh_rate, cached_rate, output_rate, parts = _rates(self.input, self.cached_input or 0, self.output)
        exact = fresh_rate * (prompt_tokens - cached) + cached_rate * cached + output_rate * completion_tokens
        return -(-exact // parts)

    def max_micro_usd(self, prompt_tokens: int, completion_tokens: int) -> int:
        """Millionths of a US dollar for these tokens, whatever of them the service has read before."""
        read = self.micro_usd(prompt_tokens, completion_tokens, prompt_tokens)
        return max(read, self.micro_usd(prompt_tokens, completion_tokens))

    def tokens_for(self, micro_usd: int, *, up_to: int) -> int:
        """Tokens of an answer that this money buys."""
        if self.output == 0:
            return up_to
        return min(up_to, math.floor(micro_usd / _exact(self.output)))


class Abilities(_Row):
    """What a model cannot do."""

    lacks: frozenset[Ability]


class Entry(Abilities):
    """All models whose names begin alike."""

    prefix: str = ""
    family: str
    context_tokens: Annotated[int, Field(gt=0)]
    max_output_tokens: Annotated[int | None, Field(gt=0)] = None
    native: Abilities | None = None
    """Through the maker's own API, where that differs from OpenAI-compatible services."""
    price: Price | None = None


class Catalogue(_Row):
    """The whole file."""

    about: str
    sources: dict[str, str]
    """Pages that the prices were taken from."""
    conservative: Entry
    """Assumed of a name that nobody knows: what nearly every server does today, and nothing that fails otherwise."""
    models: list[Entry]


@lru_cache(maxsize=256)
def _exact(price: float) -> Fraction:
    """The price as it is written; money is not counted in floats."""
    return Fraction(str(price))


@lru_cache(maxsize=256)
def _rates(fresh: float, cached: float, output: float) -> tuple[int, int, int, int]:
    """The prices in whole parts of a millionth, and how many parts that has: a call is reckoned without fractions."""
    exact = [_exact(price) for price in (fresh, cached, output)]
    parts = math.lcm(*(price.denominator for price in exact))
    in_parts = [price.numerator * (parts // price.denominator) for price in exact]
    return in_parts[0], in_parts[1], in_parts[2], parts


@cache
def model_catalogue() -> Catalogue:
    """The catalogue that comes with the studio."""
    return Catalogue.model_validate_json(Path(__file__).with_name("catalogue.json").read_bytes())


@lru_cache(maxsize=1024)
def find_entry(model: str) -> Entry | None:
    """What is known about a model of this name; the longest beginning that fits wins."""
    name = _plain(model)
    fitting = [entry for entry in model_catalogue().models if name.startswith(entry.prefix)]
    return max(fitting, key=lambda entry: len(entry.prefix), default=None)


@lru_cache(maxsize=1024)
def price_of(model: str) -> Price | None:
    """What a model costs; None when that is not certain.

    Unlike abilities, a price is not passed on to longer names: `gpt-5-pro` costs something else than `gpt-5`.
    """
    entry = find_entry(model)
    if entry is None or not _SAME_MODEL.fullmatch(_plain(model).removeprefix(entry.prefix)):
        return None
    return entry.price


def _plain(model: str) -> str:
    """The name without what Bedrock puts around it: `us.anthropic.claude-3-5-sonnet-20240620-v1:0`."""
    _, found, rest = model.partition("anthropic.")
    return re.sub(r"-v\d+(?::\d+)?$", "", rest) if found else model
