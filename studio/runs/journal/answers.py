"""What another run was answered, to be taken for exactly the same requests, each answer once."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from studio.components import JsonObject
from studio.errors import ModelUnavailable
from studio.runs.journal.log import LogEntry, Reuse, RunLog
from studio.runs.journal.pages import read_log

REUSED = "reused"
"""Where the entry of an answer says from which run it was taken, when it was drawn, and what it took then."""
REUSABLE_KINDS = frozenset({"model", "tool"})


class DrawnAnswer(NamedTuple):
    """A recorded answer. `drawn_at` and `spent` are those of the first run that was given it."""

    seq: int
    body: JsonObject
    drawn_at: datetime
    spent: JsonObject


class RecordedAnswers:
    """The answers of one run that are new enough, by the hashes of their requests.

    Args:
        log: Where both runs are kept.
        reuse: Whose answers they are, and how old they may be.
    """

    def __init__(self, log: RunLog, reuse: Reuse) -> None:
        self._log = log
        self._reuse = reuse
        self._left: dict[str, deque[int]] | None = None
        self._reading = asyncio.Lock()

    @property
    def run_id(self) -> str:
        """Whose they are."""
        return self._reuse.run_id

    async def pop(self, request_hash: str, run_id: str) -> DrawnAnswer | None:
        """The next answer to this request, which nobody is given again; None where there is none.

        Args:
            request_hash: Of the request.
            run_id: The run that takes it. What its log says that it has taken is not given again after a restart.
        """
        async with self._reading:
            if self._left is None:
                self._left = await self._index(run_id)
        places = self._left.get(request_hash)
        if not places:
            return None
        seq = places.popleft()
        found = await self._log.read(self.run_id, after=seq - 1, limit=1, kinds=("effect",))
        if not found or found[0].seq != seq:
            return None  # the log was deleted meanwhile
        return drawn_answer(found[0])

    async def _index(self, run_id: str) -> dict[str, deque[int]]:
        taken: set[int] = set()
        async for page in read_log(self._log, run_id, kinds=("effect",)):
            taken |= await asyncio.to_thread(_taken_in, page, self.run_id)
        left: defaultdict[str, deque[int]] = defaultdict(deque)
        async for page in read_log(self._log, self.run_id, kinds=("effect",)):
            for answer in await asyncio.to_thread(_answers_in, page, self._reuse.not_before):
                if answer[1] not in taken:
                    left[answer[0]].append(answer[1])
        return left


def drawn_answer(entry: LogEntry) -> DrawnAnswer:
    """An answer with where it came from first."""
    body = entry.body
    earlier = body.get(REUSED)
    if not isinstance(earlier, dict):
        return DrawnAnswer(entry.seq, body, entry.at, _spent_in(body))
    return DrawnAnswer(entry.seq, body, datetime.fromisoformat(str(earlier.get("at"))), _spent_in(earlier))


def is_reusable(answer: DrawnAnswer, not_before: datetime) -> bool:
    """Whether it is an answer at all, and new enough. That a service was down is none."""
    error = answer.body.get("error")
    has_answered = not isinstance(error, dict) or error.get("code") != ModelUnavailable.code
    return answer.body.get("effect") in REUSABLE_KINDS and has_answered and answer.drawn_at >= not_before


def _spent_in(body: JsonObject) -> JsonObject:
    spent = body.get("spent")
    return {name: value for name, value in spent.items() if name != "hold"} if isinstance(spent, dict) else {}


def _answers_in(page: Sequence[LogEntry], not_before: datetime) -> Sequence[tuple[str, int]]:
    """The requests of those that may be reused, and where they stand."""
    answers = [drawn_answer(entry) for entry in page]
    return [(str(each.body.get("request")), each.seq) for each in answers if is_reusable(each, not_before)]


def _taken_in(page: Sequence[LogEntry], run_id: str) -> set[int]:
    """The places in the log of the other run whose answers these entries are."""
    taken: set[int] = set()
    for entry in page:
        reused = entry.body.get(REUSED)
        if isinstance(reused, dict) and reused.get("run_id") == run_id and isinstance(reused.get("seq"), int):
            taken.add(int(str(reused["seq"])))
    return taken
