"""What the runs of a process reckon with: prices, and what they may spend."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from studio.models.prices import PriceBook
from studio.runs.spending.purses import BudgetBook


@dataclass(slots=True)
class Bookkeeping:
    """Shared by all runs that begin in one context."""

    prices: PriceBook = field(default_factory=PriceBook)
    budgets: BudgetBook = field(default_factory=BudgetBook)


_current: ContextVar[Bookkeeping | None] = ContextVar("studio_bookkeeping", default=None)


def bookkeeping() -> Bookkeeping:
    """The one in force here; the catalogue's prices and no limits where nobody set one."""
    return _current.get() or Bookkeeping()


@contextmanager
def keeping_books(books: Bookkeeping) -> Generator[None]:
    """Let the supervisors that are entered inside the block reckon with these."""
    token = _current.set(books)
    try:
        yield
    finally:
        _current.reset(token)
