"""Knowledge bases: their documents, the passages of these, and what is found in them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import func, insert
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.files import unique_name
from studio.knowledge import Hit, Passage, index_pairs, search_words
from studio.store.database import Database
from studio.store.knowledge_index import ranked_passages
from studio.store.knowledge_tables import KnowledgeBase, KnowledgeDocument, KnowledgePassage
from studio.store.tables import table_of

MAX_BASES = 500
MAX_DOCUMENTS = 10_000
"""Of one knowledge base."""
MAX_HITS = 50
ROWS_AT_ONCE = 500
DELETED_AT_ONCE = 20
"""Documents that are deleted in one transaction."""
NO_BASE = "There is no knowledge base {!r}."


class BaseSummary(NamedTuple):
    """A knowledge base, and how much is in it."""

    base: KnowledgeBase
    documents: int
    passages: int


class ReadDocument(NamedTuple):
    """A document as it was read; its text is in its passages."""

    name: str
    sha256: str
    size: int
    media_type: str
    url: str
    pages: int | None
    characters: int
    passages: Sequence[Passage]


class Knowledge:
    """All knowledge bases of a studio."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> Sequence[BaseSummary]:
        """All of them, by name."""
        counts = (
            select(
                KnowledgeDocument.base_id,
                func.count(col(KnowledgeDocument.id)).label("documents"),
                func.sum(col(KnowledgeDocument.passages)).label("passages"),
            )
            .group_by(col(KnowledgeDocument.base_id))
            .subquery()
        )
        query = (
            select(KnowledgeBase, func.coalesce(counts.c.documents, 0), func.coalesce(counts.c.passages, 0))
            .join(counts, counts.c.base_id == col(KnowledgeBase.id), isouter=True)
            .order_by(col(KnowledgeBase.key))
        )
        async with self._database.read() as session:
            return [BaseSummary(base, int(docs), int(parts)) for base, docs, parts in (await session.exec(query)).all()]

    async def get(self, base_id: str) -> KnowledgeBase:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _base(session, base_id)

    async def names(self) -> Sequence[str]:
        """Of all knowledge bases, in order."""
        async with self._database.read() as session:
            return (await session.exec(select(KnowledgeBase.name).order_by(col(KnowledgeBase.key)))).all()

    async def id_of(self, name: str) -> str | None:
        """The knowledge base of that name, in any case of its letters."""
        async with self._database.read() as session:
            return (await session.exec(select(KnowledgeBase.id).where(KnowledgeBase.key == name.casefold()))).first()

    async def create(self, name: str, description: str, by: str) -> KnowledgeBase:
        """Raises: Conflict: The name is taken, or there are too many."""
        now = datetime.now(UTC)
        row = KnowledgeBase(
            id=uuid4().hex,
            name=name,
            key=name.casefold(),
            description=description,
            by=by,
            created_at=now,
            updated_at=now,
        )
        async with self._database.write() as session:
            if (await session.exec(select(KnowledgeBase.id).where(KnowledgeBase.key == row.key))).first() is not None:
                raise Conflict(f"There is a knowledge base {name!r} already.", fix="Choose another name.")
            if (await session.exec(select(func.count(col(KnowledgeBase.id))))).one() >= MAX_BASES:
                raise Conflict(f"A studio has up to {MAX_BASES} knowledge bases.", fix="Delete some of them.")
            session.add(row)
        return row

    async def delete(self, base_id: str) -> None:
        """Delete a knowledge base with its documents; files that nothing else uses go within a day.

        Some documents at a time: others want to write as well. One that is broken off leaves the rest, to be deleted
        again.

        Raises:
            NotFound: There is none.
        """
        some = select(KnowledgeDocument.id).where(KnowledgeDocument.base_id == base_id).limit(DELETED_AT_ONCE)
        while True:
            async with self._database.write() as session:
                base = await _base(session, base_id)
                ids = (await session.exec(some)).all()
                await session.exec(delete(KnowledgeDocument).where(col(KnowledgeDocument.id).in_(ids)))
                if len(ids) < DELETED_AT_ONCE:
                    await session.delete(base)
                    return

    async def documents(self, base_id: str, *, offset: int = 0, limit: int = 100) -> Sequence[KnowledgeDocument]:
        """Some of a knowledge base, by name."""
        query = select(KnowledgeDocument).where(KnowledgeDocument.base_id == base_id)
        query = query.order_by(col(KnowledgeDocument.name), col(KnowledgeDocument.id)).offset(offset).limit(limit)
        async with self._database.read() as session:
            return (await session.exec(query)).all()

    async def document(self, base_id: str, document_id: str) -> KnowledgeDocument:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _document(session, base_id, document_id)

    async def named(self, base_name: str, file: str) -> KnowledgeDocument:
        """A document by its name and that of its knowledge base.

        Raises:
            NotFound: There is none.
        """
        query = (
            select(KnowledgeDocument)
            .join(KnowledgeBase, col(KnowledgeBase.id) == col(KnowledgeDocument.base_id))
            .where(KnowledgeBase.key == base_name.casefold(), KnowledgeDocument.name == file)
        )
        async with self._database.read() as session:
            row = (await session.exec(query)).first()
        if row is None:
            raise NotFound(f"There is no document {file!r} in the knowledge base {base_name!r}.")
        return row

    async def with_content(self, base_id: str, sha256: str) -> KnowledgeDocument | None:
        """The document of a knowledge base that has this content."""
        async with self._database.read() as session:
            return await _with_content(session, base_id, sha256)

    async def add(self, base_id: str, read: ReadDocument, by: str) -> tuple[KnowledgeDocument, bool]:
        """Keep a document, unless its content is here already; and whether it is new.

        Raises:
            NotFound: The knowledge base was deleted.
            Conflict: It has too many documents.
        """
        async with self._database.write() as session:
            base = await _base(session, base_id)
            if (known := await _with_content(session, base_id, read.sha256)) is not None:
                return known, False
            names = set(
                (await session.exec(select(KnowledgeDocument.name).where(KnowledgeDocument.base_id == base_id))).all()
            )
            if len(names) >= MAX_DOCUMENTS:
                raise Conflict(
                    f"A knowledge base has up to {MAX_DOCUMENTS:,} documents.", fix="Make another knowledge base."
                )
            now = datetime.now(UTC)
            row = KnowledgeDocument(
                id=uuid4().hex,
                base_id=base_id,
                name=unique_name(read.name, names),
                sha256=read.sha256,
                media_type=read.media_type,
                size=read.size,
                url=read.url,
                pages=read.pages,
                characters=read.characters,
                passages=len(read.passages),
                by=by,
                added_at=now,
                read_at=now,
            )
            base.updated_at = now
            session.add_all([base, row])
            await session.flush()
            await _add_passages(session, row, read.passages)
        return row, True

    async def replace(self, base_id: str, document_id: str, read: ReadDocument) -> KnowledgeDocument:
        """Put a document as it was read again in place of what was kept of it; its name stays.

        Raises:
            NotFound: It was removed.
            Conflict: Another document of the knowledge base has this content.
        """
        async with self._database.write() as session:
            base, row = await _base(session, base_id), await _document(session, base_id, document_id)
            known = await _with_content(session, base_id, read.sha256)
            if known is not None and known.id != document_id:
                raise Conflict(f"{known.name!r} has this content already.", fix="Remove one of the two.")
            row.sha256, row.size, row.media_type, row.pages = read.sha256, read.size, read.media_type, read.pages
            row.characters, row.passages = read.characters, len(read.passages)
            row.read_at = base.updated_at = datetime.now(UTC)
            session.add_all([base, row])
            if not await _has_passages(session, document_id, read.passages):  # else their vectors stay, too
                await session.exec(delete(KnowledgePassage).where(col(KnowledgePassage.document_id) == document_id))
                await _add_passages(session, row, read.passages)
        return row

    async def remove(self, base_id: str, document_id: str) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            base = await _base(session, base_id)
            base.updated_at = datetime.now(UTC)
            session.add(base)
            await session.delete(await _document(session, base_id, document_id))

    async def ranked(self, base_id: str, query: str, limit: int) -> Sequence[tuple[int, float]]:
        """Ids and scores of the passages that hold words of a question, the best first."""
        words = search_words(query)
        if not words:
            return []
        async with self._database.read() as session:
            return await ranked_passages(session, base_id, words, min(limit, MAX_HITS))

    async def hits(self, scores: Mapping[int, float]) -> Sequence[Hit]:
        """The passages with these ids, in this order."""
        if not scores:
            return []
        async with self._database.read() as session:
            found = select(KnowledgePassage, KnowledgeDocument.name)
            found = found.join(KnowledgeDocument, col(KnowledgeDocument.id) == col(KnowledgePassage.document_id))
            rows = (await session.exec(found.where(col(KnowledgePassage.id).in_(scores)))).all()
        hits = {row.id: _hit(row, file, scores[row.id]) for row, file in rows if row.id is not None}
        return [hits[each] for each in scores if each in hits]

    async def search(self, base_id: str, query: str, limit: int) -> Sequence[Hit]:
        """The passages that fit a question best by its words, the best first; none where it has no words."""
        return await self.hits(dict(await self.ranked(base_id, query, limit)))

    async def passages(self, document_id: str, *, first: int, last: int) -> Sequence[KnowledgePassage]:
        """Those of a document with these numbers, in order."""
        number = col(KnowledgePassage.number)
        query = select(KnowledgePassage).where(KnowledgePassage.document_id == document_id, number.between(first, last))
        async with self._database.read() as session:
            return (await session.exec(query.order_by(number))).all()

    async def first_of_page(self, document_id: str, page: int) -> int:
        """The number of the first passage on a page, or after it; 1 where there is none."""
        query = select(func.min(col(KnowledgePassage.number))).where(
            KnowledgePassage.document_id == document_id, col(KnowledgePassage.page) >= page
        )
        async with self._database.read() as session:
            return (await session.exec(query)).one() or 1


def _hit(row: KnowledgePassage, file: str, score: float) -> Hit:
    return Hit(row.base_id, row.document_id, file, row.number, row.page, row.heading, round(score, 4), row.text)


async def _base(session: AsyncSession, base_id: str) -> KnowledgeBase:
    row = await session.get(KnowledgeBase, base_id)
    if row is None:
        raise NotFound(NO_BASE.format(base_id))
    return row


async def _document(session: AsyncSession, base_id: str, document_id: str) -> KnowledgeDocument:
    row = await session.get(KnowledgeDocument, document_id)
    if row is None or row.base_id != base_id:
        raise NotFound(f"There is no document {document_id!r} in this knowledge base.")
    return row


async def _with_content(session: AsyncSession, base_id: str, sha256: str) -> KnowledgeDocument | None:
    query = select(KnowledgeDocument).where(KnowledgeDocument.base_id == base_id, KnowledgeDocument.sha256 == sha256)
    return (await session.exec(query)).first()


async def _has_passages(session: AsyncSession, document_id: str, passages: Sequence[Passage]) -> bool:
    """Whether these are the passages that a document has."""
    query = select(KnowledgePassage).where(KnowledgePassage.document_id == document_id)
    rows = (await session.exec(query.order_by(col(KnowledgePassage.number)))).all()
    return [row.model_dump(include={*Passage._fields}) for row in rows] == [each._asdict() for each in passages]


async def _add_passages(session: AsyncSession, document: KnowledgeDocument, passages: Sequence[Passage]) -> None:
    connection = await session.connection()
    for first in range(0, len(passages), ROWS_AT_ONCE):
        rows = await asyncio.to_thread(_rows, document, passages[first : first + ROWS_AT_ONCE])
        await connection.execute(insert(table_of(KnowledgePassage)), rows)


def _rows(document: KnowledgeDocument, passages: Sequence[Passage]) -> Sequence[dict[str, object]]:
    """The passages as they are kept. Finding the pairs of a long text takes a while."""
    known = {"document_id": document.id, "base_id": document.base_id}
    return [{**each._asdict(), **known, "pairs": index_pairs(f"{each.heading}\n{each.text}")} for each in passages]
