"""Which versions of a team are not kept: those between two that people would look for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

KEPT_WHOLE = 30
"""The newest versions, of which each save is kept: others may have one of them open, and merge with it."""
MAX_VERSIONS = 500
"""Older ones that have no name."""
PRUNED_EVERY = 10
"""Saves after which is looked for versions to drop."""
MAX_AT_ONCE = 100


class VersionHead(NamedTuple):
    """A version without its documents."""

    number: int
    author: str
    title: str
    note: str
    kind: str
    at: datetime

    @property
    def is_plain(self) -> bool:
        """Whether it is a save that was not given a name, a reason or a part in a merge."""
        return not (self.title or self.note or self.kind)


@dataclass(frozen=True, slots=True)
class Pruning:
    """Versions to drop, and those that tell what changed since another version from now on: by number."""

    dropped: Sequence[int] = ()
    since: Mapping[int, int] = field(default_factory=dict[int, int])


def prune(heads: Sequence[VersionHead]) -> Pruning:
    """What can go: saves of one author in the same minute but for the last, and the oldest of too many.

    Versions with a name stay, and so does the first: every change that comes late finds something to be merged by.

    Args:
        heads: All versions of a team, the newest first.
    """
    dropped, seen, count = list[int](), set[tuple[str, datetime]](), 0
    for head in heads[KEPT_WHOLE:]:
        minute = (head.author, head.at.replace(second=0, microsecond=0))
        count += not head.title
        if head.number > 1 and not head.title and (count > MAX_VERSIONS or (head.is_plain and minute in seen)):
            dropped.append(head.number)
        elif head.is_plain:
            seen.add(minute)
    dropped = dropped[-MAX_AT_ONCE:]
    return Pruning(dropped, _later(heads, frozenset(dropped)))


def _later(heads: Sequence[VersionHead], dropped: frozenset[int]) -> dict[int, int]:
    """The version that each one follows that follows a dropped one."""
    since: dict[int, int] = {}
    kept = [head for head in heads if head.number not in dropped]
    for head, before in pairwise(kept):
        if head.is_plain and head.number - 1 in dropped:
            since[head.number] = before.number
    return since
