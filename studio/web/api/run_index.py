"""A long run at a glance: what stands where in its log, without the bodies, and where a text is found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Query, Response

from studio.components.deferred_model import DeferredModel
from studio.runs import SHOWN
from studio.store import IndexRow
from studio.web.api.runs import MAX_SEQ
from studio.web.dependencies import StoreDep, SupervisorDep
from studio.web.requests import large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/runs", tags=["runs"])
INDEX_PAGE = 10_000
MAX_HITS = 200
ERROR, QUESTION = 1, 2


class IndexOut(DeferredModel):
    """One list per field, all of the same length. Words are told once, in `words`; the lists hold their numbers.

    `seq` holds what each number is above the one before it, the first above `after`; `at` milliseconds after
    `began_at`; `marks` 1 for an error and 2 for a question to a person, added. `last_seq` is where a stream goes on;
    `is_whole` says whether these were the last rows.
    """

    began_at: datetime | None
    words: list[str]
    seq: list[int]
    at: list[int]
    kind: list[int]
    type: list[int]
    source: list[int]
    note: list[int]
    prompt_tokens: list[int]
    completion_tokens: list[int]
    size: list[int]
    marks: list[int]
    last_seq: int
    is_whole: bool


class HitOut(DeferredModel):
    seq: int
    before: str
    match: str
    after: str


class FoundOut(DeferredModel):
    """`next_after` is where to go on; null when all has been searched."""

    hits: list[HitOut]
    next_after: int | None


@router.get(
    "/{run_id}/index",
    summary="Read the index of the log, without bodies, starting at an entry",
    response_model=IndexOut,
)
async def read_index(
    run_id: str,
    store: StoreDep,
    supervisor: SupervisorDep,
    after: Annotated[int, Query(ge=0, le=MAX_SEQ)] = 0,
    limit: Annotated[int, Query(ge=1, le=INDEX_PAGE)] = INDEX_PAGE,
) -> Response:
    last_seq = (await supervisor.view(run_id)).last_seq  # first: what comes in between is in the rows as well
    rows = await store.logs.index(run_id, after=after, limit=limit, kinds=SHOWN)
    is_whole = len(rows) < limit
    newest = rows[-1].seq if rows else after
    seen = max(newest, last_seq) if is_whole else newest
    return await large_answer(lambda: _packed(rows, after, seen, is_whole))


@router.get("/{run_id}/search", summary="Search the messages, thoughts, calls and results of a run")
async def search_run(
    run_id: str,
    store: StoreDep,
    q: Annotated[str, Query(min_length=1, max_length=300)],
    after: Annotated[int, Query(ge=0, le=MAX_SEQ)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_HITS)] = 100,
) -> FoundOut:
    await store.runs.summary(run_id)
    found = await store.logs.search(run_id, q, after=after, limit=limit, kinds=SHOWN)
    return FoundOut(hits=[HitOut(**hit._asdict()) for hit in found.hits], next_after=found.next_after)


def _packed(rows: Sequence[IndexRow], after: int, last_seq: int, is_whole: bool) -> IndexOut:
    numbers: dict[str, int] = {}
    began_at = rows[0].at if rows else None
    before = [after, *(row.seq for row in rows)]

    def word(text: str) -> int:
        return numbers.setdefault(text, len(numbers))

    return IndexOut(
        began_at=began_at,
        seq=[row.seq - last for row, last in zip(rows, before, strict=False)],
        at=[round((row.at - rows[0].at).total_seconds() * 1000) for row in rows],
        kind=[word(row.kind) for row in rows],
        type=[word(row.type) for row in rows],
        source=[word(row.source) for row in rows],
        note=[word(row.note) for row in rows],
        prompt_tokens=[row.prompt_tokens for row in rows],
        completion_tokens=[row.completion_tokens for row in rows],
        size=[row.size for row in rows],
        marks=[ERROR * row.is_error + QUESTION * row.is_question for row in rows],
        words=list(numbers),
        last_seq=last_seq,
        is_whole=is_whole,
    )
