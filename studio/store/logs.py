"""Reads the log of a run as a page looks at it: a range of entries, an index of all, and where a text is found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import JSON, ColumnElement, String, Text, and_, case, column, func, or_
from sqlalchemy import cast as sql_cast
from sqlalchemy import select as columns
from sqlmodel import col, select

from studio.runs import EntryKind
from studio.store.database import Database
from studio.store.entries import LogPage, read_page
from studio.store.lineage import Lineage, entries_in
from studio.store.postgres import Readable
from studio.store.tables import Counter, RunEvent, RunStart, UtcDateTime

INDEXED_AT_ONCE = 2_000
"""Rows that are taken from the driver without a pause."""
SEARCH_PAGE = 500
SEARCH_SCAN = 4000
"""Entries that one search reads at most: the rest is found by going on, so that no request takes long."""
UNINDEXED = frozenset(
    {"id", "type", "created_at", "call_id", "request_id", "message_id", "path", "where", "models_usage"}
)
"""Fields that nobody reads, so nothing is found in them."""
BEFORE_CHARS = 48
AFTER_CHARS = 96
MAX_SCANNED_WORDS = 6
_PLAIN = re.compile(r"[!#-\[\]-~]+")
"""Characters that JSON writes as they are, whoever wrote it; a space may have been a line break."""


class IndexRow(NamedTuple):
    """One entry without its body. `note` is what matters of it: state and reason, a command, a tool, who is next."""

    seq: int
    at: datetime
    kind: EntryKind
    type: str
    source: str
    note: str
    prompt_tokens: int
    completion_tokens: int
    size: int
    """Length of the body as JSON."""
    is_error: bool
    is_question: bool


class SearchHit(NamedTuple):
    """An entry that holds the text, and the words around it."""

    seq: int
    before: str
    match: str
    after: str


class SearchPage(NamedTuple):
    """`next_after` is where to go on, None when the log has been read to its end."""

    hits: Sequence[SearchHit]
    next_after: int | None


class Logs:
    """Looks at logs; never writes."""

    def __init__(self, database: Database, lineage: Lineage) -> None:
        self._database = database
        self._lineage = lineage

    async def between(
        self, run_id: str, *, after: int, before: int, limit: int, kinds: Collection[EntryKind], newest: bool = False
    ) -> LogPage:
        """Entries with numbers between the two, both left out, oldest first; with `newest` the last ones of them."""
        return await read_page(
            self._database,
            await self._lineage.spans(run_id),
            run_id,
            after=after,
            before=before,
            limit=limit,
            kinds=kinds,
            newest=newest,
        )

    async def size(self, run_id: str) -> int:
        """Characters of all entries and of the team that ran: the database reads all of it, so ask for short runs."""
        spans = await self._lineage.spans(run_id)
        said = columns(func.sum(func.length(sql_cast(col(RunEvent.body), Text)))).where(entries_in(spans))
        team = columns(func.length(sql_cast(col(RunStart.component), Text))).where(col(RunStart.run_id) == run_id)
        async with self._database.read() as session:
            connection = await session.connection()
            return (await connection.scalar(said) or 0) + (await connection.scalar(team) or 0)

    async def index(self, run_id: str, *, after: int, limit: int, kinds: Collection[EntryKind]) -> Sequence[IndexRow]:
        """What there is, oldest first. The database takes the fields out of the bodies, which can be large."""
        stands = await self._stands(run_id, kinds)
        entries = columns(*_ENTRY).where(*stands).order_by(col(RunEvent.seq))
        found: list[IndexRow] = []
        async with self._database.read() as session:
            connection = await session.connection()
            while (at_once := min(limit - len(found), INDEXED_AT_ONCE)) > 0:
                some = entries.where(col(RunEvent.seq) > (found[-1].seq if found else after)).limit(at_once)
                query = columns(*_INDEXED).select_from(some.subquery("entry")).order_by(_SEQ)
                rows = [_index_row(row) for row in await connection.execute(query)]
                found += rows
                if len(rows) < at_once:
                    break
        return found

    async def search(
        self, run_id: str, text: str, *, after: int, limit: int, kinds: Collection[EntryKind]
    ) -> SearchPage:
        """Entries that say `text` in something that people read; upper and lower case are the same."""
        wanted = " ".join(text.split()).lower()
        if not wanted:
            return SearchPage([], None)
        stands = await self._stands(run_id, kinds)
        hits: list[SearchHit] = []
        place = after
        for _ in range(SEARCH_SCAN // SEARCH_PAGE):
            rows = await self._perhaps(stands, wanted, place)
            for row in rows:
                if hit := _hit(row, wanted):
                    hits.append(hit)
                if len(hits) == limit:
                    return SearchPage(hits, row.seq)
            if len(rows) < SEARCH_PAGE:
                return SearchPage(hits, None)
            place = rows[-1].seq
        return SearchPage(hits, place)

    async def _perhaps(self, stands: Sequence[ColumnElement[bool]], wanted: str, after: int) -> Sequence[RunEvent]:
        query = select(RunEvent).where(*stands, RunEvent.seq > after).order_by(col(RunEvent.seq))
        for sure in _PLAIN.findall(wanted)[:MAX_SCANNED_WORDS]:
            query = query.where(sql_cast(col(RunEvent.body), Text).icontains(sure, autoescape=True))
        async with self._database.read() as session:
            return (await session.exec(query.limit(SEARCH_PAGE))).all()

    async def _stands(self, run_id: str, kinds: Collection[EntryKind]) -> Sequence[ColumnElement[bool]]:
        """What holds for the entries of a run; the first ones may be those of the run that it goes on from."""
        return entries_in(await self._lineage.spans(run_id)), col(RunEvent.kind).in_(sorted(kinds))


# Entries are made readable in a query of their own: once each, and not for each field that is taken out of them.
_ENTRY = (col(RunEvent.seq), col(RunEvent.at), col(RunEvent.kind), Readable(col(RunEvent.body)).label("body"))
_SEQ, _AT, _KIND = column("seq", Counter), column("at", UtcDateTime), column("kind", String)
_BODY = column("body", JSON)
_BODY_TEXT = sql_cast(_BODY, Text)
_NOTE = func.coalesce(
    _BODY["state"].as_string() + " " + func.coalesce(_BODY["reason"].as_string(), ""),
    *(_BODY[place].as_string() for place in ("command", "target", ("content", 0, "name"), ("chosen", 0), "path")),
    "",
)
_IS_ERROR = or_(
    _BODY_TEXT.contains('"is_error": true'),
    _BODY_TEXT.contains('"is_error":true'),
    func.coalesce(_BODY[("result", "exit_code")].as_string(), "0") != "0",
    and_(_KIND == "state", _BODY["state"].as_string() == "failed"),
)
_IS_QUESTION = func.coalesce(_BODY[("pending", "request_id")].as_string(), "") != ""
_INDEXED = (
    _SEQ,
    _AT,
    _KIND,
    func.coalesce(_BODY["type"].as_string(), ""),
    func.coalesce(_BODY["source"].as_string(), ""),
    _NOTE,
    _BODY[("models_usage", "prompt_tokens")].as_string(),
    _BODY[("models_usage", "completion_tokens")].as_string(),
    func.length(_BODY_TEXT),
    case((_IS_ERROR, 1), else_=0),
    case((_IS_QUESTION, 1), else_=0),
)


def _index_row(row: Sequence[object]) -> IndexRow:
    *fields, prompt, completion, size, is_error, is_question = row
    return IndexRow._make([*fields, _count(prompt), _count(completion), size, bool(is_error), bool(is_question)])


def _count(value: object) -> int:
    """A number of tokens. A server may tell anything, at which a database would refuse the whole page."""
    return int(value) if isinstance(value, str) and value.isdecimal() else 0


def _hit(row: RunEvent, wanted: str) -> SearchHit | None:
    for said in _texts(row.body):
        text = " ".join(said.split())
        at = text.lower().find(wanted)
        if at >= 0:
            end = at + len(wanted)
            return SearchHit(row.seq, _clipped(text, at), text[at:end], text[end : end + AFTER_CHARS])
    return None


def _clipped(text: str, end: int) -> str:
    start = max(0, end - BEFORE_CHARS)
    return ("…" if start else "") + text[start:end]


def _texts(value: JsonValue) -> Iterator[str]:
    """All that people read in a body, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in UNINDEXED:
                yield from _texts(part)
