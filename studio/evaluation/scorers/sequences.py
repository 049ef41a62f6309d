"""How a sequence of the log is held against an expected one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

Mode = Literal["exact", "in_order", "any_order", "subset", "superset"]
"""The same ones in the same order; the expected ones in this order, with others between; the same ones in any order; no
others than the expected ones; all expected ones in any order, and others."""

Expected = TypeVar("Expected")
Found = TypeVar("Found")


def mismatch(
    mode: Mode, expected: Sequence[Expected], found: Sequence[Found], fits: Callable[[Expected, Found], bool]
) -> tuple[list[int], list[int]] | None:
    """What is missing and what is too much, by the places in `expected` and `found`; None where all is well."""
    if mode in ("exact", "in_order"):
        return _in_order(expected, found, fits, is_exact=mode == "exact")
    partner = _pairs(expected, found, fits)
    missing = [place for place in range(len(expected)) if place not in partner]
    extra = [place for place in range(len(found)) if place not in partner.values()]
    missing = [] if mode == "subset" else missing
    extra = [] if mode == "superset" else extra
    return (missing, extra) if missing or extra else None


def _in_order(
    expected: Sequence[Expected], found: Sequence[Found], fits: Callable[[Expected, Found], bool], *, is_exact: bool
) -> tuple[list[int], list[int]] | None:
    place = 0
    for at, each in enumerate(found):
        if place < len(expected) and fits(expected[place], each):
            place += 1
        elif is_exact:
            return ([place] if place < len(expected) else []), [at]
    return ([place], []) if place < len(expected) else None


def _pairs(
    expected: Sequence[Expected], found: Sequence[Found], fits: Callable[[Expected, Found], bool]
) -> dict[int, int]:
    """As many pairs as possible, each of both sides in one of them (augmenting paths)."""
    candidates = [[at for at, each in enumerate(found) if fits(wanted, each)] for wanted in expected]
    owner: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for at in candidates[wanted]:
            if at not in tried:
                tried.add(at)
                if at not in owner or place(owner[at], tried):
                    owner[at] = wanted
                    return True
        return False

    for wanted in range(len(expected)):
        place(wanted, set())
    return {wanted: at for at, wanted in owner.items()}
