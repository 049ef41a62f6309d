"""Quantiles of Student's t distribution, with the standard library alone."""

from __future__ import annotations

import math
from functools import lru_cache

_ITERATIONS = 10_000
_PRECISION = 1e-15
_TINY = 1e-300


@lru_cache(maxsize=1024)
def t_quantile(probability: float, degrees: float) -> float:
    """The value that a t variable stays below with this probability, to about ten digits.

    Args:
        probability: Between 0 and 1, both left out.
        degrees: Degrees of freedom, more than 0.

    Raises:
        ValueError: An argument is outside of its range.
    """
    if not 0 < probability < 1 or not degrees > 0:
        raise ValueError(f"There is no t quantile of {probability} with {degrees} degrees of freedom.")
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while _upper_tail(high, degrees) > 1 - probability:
        low, high = high, high * 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _upper_tail(middle, degrees) > 1 - probability else (low, middle)
    return (low + high) / 2


def _upper_tail(value: float, degrees: float) -> float:
    """The probability of more than `value`, which is not negative."""
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + value * value)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_scale) * _continued_fraction(a, b, x) / a
    return 1 - math.exp(log_scale) * _continued_fraction(b, a, 1 - x) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """By Lentz's method, which converges fast for `x < (a + 1) / (a + b + 2)`."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for step in range(1, _ITERATIONS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
