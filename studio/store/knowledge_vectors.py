"""Vectors of the passages of knowledge bases: which are missing, and all of them to be compared."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from sqlalchemy import func
from sqlmodel import col, delete, select

from studio.errors import NotFound
from studio.store.database import Database
from studio.store.knowledge import NO_BASE
from studio.store.knowledge_tables import KnowledgeBase, KnowledgePassage, KnowledgeVector

ROWS_AT_ONCE = 1_000


class KnowledgeVectors:
    """Those of all knowledge bases of a studio."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def choose_model(self, base_id: str, connection_id: str, model: str) -> None:
        """Say what makes vectors from now on; those of another model go.

        Raises:
            NotFound: There is no such knowledge base.
        """
        async with self._database.write() as session:
            row = await session.get(KnowledgeBase, base_id)
            if row is None:
                raise NotFound(NO_BASE.format(base_id))
            if (row.embedding_connection, row.embedding_model) != (connection_id, model):
                row.embedding_connection, row.embedding_model = connection_id, model
                session.add(row)
                await session.exec(delete(KnowledgeVector).where(col(KnowledgeVector.base_id) == base_id))

    async def missing(self, base_id: str, limit: int) -> Sequence[tuple[int, str]]:
        """Ids and texts of passages without a vector."""
        known = select(KnowledgeVector.passage_id).where(KnowledgeVector.base_id == base_id)
        query = select(KnowledgePassage.id, KnowledgePassage.text).where(
            KnowledgePassage.base_id == base_id, col(KnowledgePassage.id).not_in(known)
        )
        async with self._database.read() as session:
            rows = (await session.exec(query.order_by(col(KnowledgePassage.id)).limit(limit))).all()
        return [(passage_id, text) for passage_id, text in rows if passage_id is not None]

    async def missing_count(self, base_id: str) -> int:
        """How many passages have no vector."""
        passages = select(func.count(col(KnowledgePassage.id))).where(KnowledgePassage.base_id == base_id)
        vectors = select(func.count(col(KnowledgeVector.passage_id))).where(KnowledgeVector.base_id == base_id)
        async with self._database.read() as session:
            return (await session.exec(passages)).one() - (await session.exec(vectors)).one()

    async def add(self, base: KnowledgeBase, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep what a model has made, of passages that are there still, unless another model was chosen meanwhile."""
        ids = [passage_id for passage_id, _ in vectors]
        async with self._database.write() as session:
            now = await session.get(KnowledgeBase, base.id)
            if now is None or now.embedding_model != base.embedding_model:
                return
            there = select(KnowledgePassage.id).where(col(KnowledgePassage.id).in_(ids))
            known = select(KnowledgeVector.passage_id).where(col(KnowledgeVector.passage_id).in_(ids))
            wanted = set((await session.exec(there)).all()) - set((await session.exec(known)).all())
            session.add_all(
                KnowledgeVector(passage_id=passage_id, base_id=base.id, vector=vector)
                for passage_id, vector in vectors
                if passage_id in wanted
            )

    async def all(self, base_id: str) -> AsyncGenerator[Sequence[tuple[int, bytes]]]:
        """The vectors of a knowledge base, some at a time."""
        after = 0
        while True:
            query = select(KnowledgeVector.passage_id, KnowledgeVector.vector).where(
                KnowledgeVector.base_id == base_id, KnowledgeVector.passage_id > after
            )
            async with self._database.read() as session:
                rows = (await session.exec(query.order_by(col(KnowledgeVector.passage_id)).limit(ROWS_AT_ONCE))).all()
            if not rows:
                return
            yield rows
            after = rows[-1][0]
