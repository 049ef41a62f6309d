"""Whether the cases so far tell two versions apart, however often one looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

BETS = tuple(share / 100 for share in range(5, 100, 10))
"""Which share of its wealth a bettor stakes on each case. Nobody knows the best one, so one bets with each."""
ALARM = 80
"""How often the wealth must have multiplied. If nothing changed, it ever does so in at most 1 of 80 evaluations, for
each of worse and better: together 2.5 %, half of what may be wrong."""
END_LEVEL = 0.975
"""Of the interval at the end of an evaluation that could have stopped early. It is wrong in the other 2.5 %."""


class EarlyResult(NamedTuple):
    """What is clear, and after how many cases."""

    comparison: Literal["worse", "better"]
    cases: int


def clear_after(differences: Sequence[float]) -> EarlyResult | None:
    """When it became clear that a version is worse or better; None where that is not so yet.

    Bets that are fair if nothing changed: such wealth is a martingale, and rarely ever grows large. It needs no
    distribution, but cases in an order that nobody chose by their results.

    Args:
        differences: For each case in the order of the plan, the mean of the later version less that of the earlier
            one, from -1 to 1.
    """
    on_worse, on_better = [1.0] * len(BETS), [1.0] * len(BETS)
    for count, each in enumerate(differences, 1):
        on_worse = [wealth * (1 - bet * each) for wealth, bet in zip(on_worse, BETS, strict=True)]
        on_better = [wealth * (1 + bet * each) for wealth, bet in zip(on_better, BETS, strict=True)]
        if sum(on_worse) >= ALARM * len(BETS):
            return EarlyResult("worse", count)
        if sum(on_better) >= ALARM * len(BETS):
            return EarlyResult("better", count)
    return None
