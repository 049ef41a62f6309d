"""What a team remembered at a place of its run, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue

from studio.components import Component, walk
from studio.effects import Divergence
from studio.executors import CodeExecutor
from studio.memory import Memory
from studio.runs.admission import ApprovalSource, check_approved, load_team
from studio.runs.log import RunStore
from studio.runs.repeating.folding import repeat
from studio.runs.repeating.forking import past_of
from studio.tools import StreamTool
from studio.tools.mcp import McpWorkbench

WHY: tuple[tuple[type[Component], str], ...] = (
    (Memory, "What a memory holds is not part of a team's state."),
    (McpWorkbench, "A tool server keeps what it knows to itself."),
    (CodeExecutor, "Code may leave files and variables behind, which nobody keeps."),
    (StreamTool, "What an agent or a team remembers that is used as a tool is not part of the state."),
)


class Unsure(NamedTuple):
    """A part of a team that keeps something elsewhere: where it stands in the component, and why it matters."""

    where: str
    reason: str


@dataclass(frozen=True)
class StateThen:
    """The state behind an entry, as `Team.save_state` gives it; exact where nothing is unsure."""

    seq: int
    state: Mapping[str, JsonValue]
    unsure: tuple[Unsure, ...]
    divergence: Divergence | None

    @property
    def is_exact(self) -> bool:
        return not self.unsure and self.divergence is None


async def state_at(store: RunStore, approvals: ApprovalSource, run_id: str, seq: int) -> StateThen:
    """What the team of a run remembered behind the entry `seq`: its log is repeated up to there.

    Raises:
        NotFound: There is no such run.
        InvalidComponent: The team does not load any more.
        NotApproved: The team could do something that is not allowed any more.
    """
    record = await store.get(run_id)
    team = load_team(record.component)
    await check_approved(team, approvals, team_id=record.team_id or "")
    past = past_of(store, record)
    found = await repeat(
        record.component,
        record.task,
        past.entries,
        seq,
        run_id=record.namespace,
        match=past.match,
        amendments=past.amendments,
        with_state=True,
        began_with=record.changes.began_with,
    )
    return StateThen(seq, found.state, tuple(unsure_parts(team)), found.divergence)


def unsure_parts(team: Component) -> Iterator[Unsure]:
    """Parts that keep something outside of the team's state."""
    for where, part in walk(team):
        for kind, reason in WHY:
            if isinstance(part, kind):
                yield Unsure(where, reason)
                break
