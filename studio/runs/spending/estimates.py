"""What a run will take, by what earlier ones of the same team took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel


class Taken(Protocol):
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


def estimate_of(runs: Sequence[Taken]) -> Estimate:
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
