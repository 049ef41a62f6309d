"""Amounts of money and time as pages write them; `playground/cost/money.js` writes money alike."""

from __future__ import annotations

from studio.runs import Usage

MICRO = 1_000_000


def money(micro_usd: int) -> str:
    """Such as `$1.23`; two digits behind the point, more for what is less than ten cents."""
    dollars = micro_usd / MICRO
    if micro_usd == 0 or dollars >= 0.1:
        return f"${dollars:,.2f}"
    return f"${dollars:.{4 if dollars >= 0.0001 else 6}f}"


def cost_words(usage: Usage) -> str:
    """What is known of a cost: never 0 where nobody knows."""
    if not usage.unpriced_calls:
        return money(usage.micro_usd)
    return f"{money(usage.micro_usd)} + price unknown" if usage.micro_usd else "price unknown"


def duration(seconds: float) -> str:
    """Such as `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
