"""Two runs of the store side by side: read, aligned, and cut to what a page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from studio.components import JsonObject
from studio.runs import RunRecord, Usage
from studio.runs.comparing.alignment import Divergence, Fold, Row, State, align, counts, differences, divergence, window
from studio.runs.comparing.steps import RunStep, steps_in
from studio.runs.comparing.word_diff import Piece, WordDiff
from studio.runs.journal.pages import read_beginning
from studio.services.amounts import MICRO, cost_words, duration, money
from studio.services.changes import Comparison, compare
from studio.services.run_costs import messages_of
from studio.store import Store

MAX_ENTRIES = 20_000
"""Messages and events of one run that are compared."""
MAX_BYTES = 32 * 1024 * 1024
"""Of what they say."""
MAX_TEXT = 20_000
"""Characters of one message that are shown."""
MAX_ROWS = 200
HUES = 8


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    run: RunRecord
    steps: Sequence[RunStep]
    is_cut: bool
    costs: Mapping[int, int] = field(default_factory=dict[int, int])
    """What led to each message cost, in millionths of a dollar, by the numbers of their entries."""

    def cost_of(self, step: RunStep | None) -> int:
        """What led to a step cost; nothing where nobody knows."""
        return 0 if step is None else self.costs.get(step.seq, 0)

    @property
    def seconds(self) -> float:
        start, end = self.run.started_at or self.run.created_at, self.run.ended_at or datetime.now(UTC)
        return max(0.0, (end - start).total_seconds())

    @property
    def tokens(self) -> int:
        return self.run.status.usage.prompt_tokens + self.run.status.usage.completion_tokens

    @property
    def state(self) -> str:
        return self.run.status.state.value


@dataclass(frozen=True)
class ComparedTeam:
    """A run's team, as far as the comparison of configs is concerned."""

    name: str
    component: JsonObject
    layout: JsonObject


@dataclass(frozen=True)
class Total:
    """A number of both runs; `change` is None where there is nothing to say."""

    name: str
    before: str
    after: str
    change: str


@dataclass(frozen=True)
class Cell:
    """A step in its column; `pieces` are in order, and of its own column only."""

    step: RunStep
    pieces: Sequence[Piece]
    more_count: int = 0
    """Characters that are not shown."""


@dataclass(frozen=True)
class RowView:
    row: Row
    before: Cell | None
    after: Cell | None


@dataclass(frozen=True)
class WindowView:
    """Some rows as a page shows them."""

    items: Sequence[RowView | Fold]
    following: int | None


@dataclass(frozen=True)
class RunComparison:
    """Everything about two runs but their texts, which are compared for the rows that are shown."""

    before: Side
    after: Side
    rows: Sequence[Row]
    divergence: Divergence | None
    config: Comparison

    @property
    def counts(self) -> dict[State, int]:
        return counts(self.rows)

    @property
    def differences(self) -> list[int]:
        return differences(self.rows)

    def hue_of(self, source: str) -> str:
        """The colour of a speaker, the same in both columns."""
        return "user" if source == "user" else str(self._speakers.get(source, 0) % HUES)

    @cached_property
    def _speakers(self) -> dict[str, int]:
        """Who speaks, in the order of the first words."""
        names = dict.fromkeys(step.source for side in (self.before, self.after) for step in side.steps)
        return {name: index for index, name in enumerate(name for name in names if name != "user")}

    @property
    def is_cut(self) -> bool:
        return self.before.is_cut or self.after.is_cut

    def cost_words(self, row: Row, side: str) -> str:
        """What a message of a row cost, the later one with how much more or less that is; empty where it is nothing."""
        before, after = self.before.cost_of(row.before), self.after.cost_of(row.after)
        if side == "before" or row.after is None:
            return money(before) if before else ""
        if row.before is None or before == after:
            return money(after) if after else ""
        return f"{money(after)} ({'+' if after > before else '−'}{money(abs(after - before))})"

    @property
    def totals(self) -> list[Total]:
        one, other = self.before, self.after
        return [
            _total("Messages and events", len(one.steps), len(other.steps)),
            _total("Tokens", one.tokens, other.tokens),
            *cost_totals(one.run.status.usage, other.run.status.usage),
            Total("Time", duration(one.seconds), duration(other.seconds), _share(one.seconds, other.seconds)),
        ]

    async def window(self, start: int, limit: int, *, folded: bool = True) -> WindowView:
        """Rows from `start` on, their texts compared."""
        return await asyncio.to_thread(self._window, start, min(limit, MAX_ROWS), folded)

    def _window(self, start: int, limit: int, folded: bool) -> WindowView:
        found = window(self.rows, start, limit, folded=folded)
        compared = WordDiff()
        items = [item if isinstance(item, Fold) else row_view(item, compared) for item in found.items]
        return WindowView(items, found.following)


async def compare_runs(store: Store, before: str, after: str) -> RunComparison:
    """Read and align two runs.

    Raises:
        NotFound: One of them does not exist.
    """
    one, other = await _side(store, before), await _side(store, after)
    rows = await asyncio.to_thread(align, one.steps, other.steps)
    config = await compare(_team(one.run), _team(other.run))
    return RunComparison(one, other, rows, divergence(rows), config)


async def _side(store: Store, run_id: str) -> Side:
    run = await store.runs.get(run_id)
    entries, is_cut = await read_beginning(
        store.runs, run_id, kinds=("message", "event"), max_entries=MAX_ENTRIES, max_bytes=MAX_BYTES
    )
    costs_by_step = await store.costs.steps_of_run(run_id)
    costs = {each.seq: each.micro_usd for each in await asyncio.to_thread(messages_of, costs_by_step)}
    steps = await asyncio.to_thread(steps_in, entries)
    return Side(run, steps, is_cut=is_cut, costs=costs)


def _team(run: RunRecord) -> ComparedTeam:
    return ComparedTeam(run.team_name, run.component, {})


def row_view(row: Row, compared: WordDiff) -> RowView:
    """A row with its texts compared."""
    old, new = row.before, row.after
    if old is None or new is None or row.state == "same":
        return RowView(row, old and _whole(old), new and _whole(new))
    pieces = compared.pieces(old.text[:MAX_TEXT], new.text[:MAX_TEXT])
    if all(piece.state == "kept" for piece in pieces):  # what differs is no text
        return RowView(row, _whole(old), _whole(new))
    return RowView(row, _cell(old, pieces, "added"), _cell(new, pieces, "removed"))


def _cell(step: RunStep, pieces: Sequence[Piece], of_the_other: str) -> Cell:
    return Cell(step, [piece for piece in pieces if piece.state != of_the_other], max(0, len(step.text) - MAX_TEXT))


def _whole(step: RunStep) -> Cell:
    return Cell(step, [Piece("kept", step.text[:MAX_TEXT])] if step.text else [], max(0, len(step.text) - MAX_TEXT))


def cost_totals(one: Usage, other: Usage) -> list[Total]:
    """What both cost; nothing where nothing was paid for."""
    if not any((one.micro_usd, other.micro_usd, one.unpriced_calls, other.unpriced_calls)):
        return []
    is_known = not one.unpriced_calls and not other.unpriced_calls
    change = _share(one.micro_usd / MICRO, other.micro_usd / MICRO, least=0.0) if is_known else ""
    return [Total("Cost", cost_words(one), cost_words(other), change)]


def _total(name: str, before: int, after: int) -> Total:
    return Total(name, f"{before:,}", f"{after:,}", f"{after - before:+,}".replace("-", "−") if after != before else "")


def _share(before: float, after: float, *, least: float = 1.0) -> str:
    """The change in percent, where there is one worth telling."""
    if not before or after == before or abs(after - before) < max(least, before / 20):
        return ""
    return f"{(after - before) / before:+.0%}".replace("-", "−")
