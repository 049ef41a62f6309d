"""The words of all passages, as each database indexes them: FTS5 of SQLite, a `tsvector` of PostgreSQL.

Both stem English words and rank by how often a word is in a passage and how rare it is in the others. The migration
that makes the index also makes triggers that keep it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import TextClause, text
from sqlmodel.ext.asyncio.session import AsyncSession

INDEX = "knowledge_index"
"""Also the beginning of the names of the tables that SQLite makes for it."""

_SQLITE = text(
    f"SELECT rowid, -bm25({INDEX}, 0.0, 2.0, 1.0) AS score FROM {INDEX} "
    f"WHERE {INDEX} MATCH :query ORDER BY bm25({INDEX}, 0.0, 2.0, 1.0), rowid LIMIT :most"
)
_POSTGRESQL = text(
    f"""
    WITH word AS (
        SELECT quote_literal(lexeme)::tsquery AS query
        FROM unnest(tsvector_to_array(to_tsvector('english', :query))) AS lexeme
    ), passage_count AS (
        SELECT count(*)::float AS passages FROM {INDEX} WHERE base_id = :base_id
    ), weight AS (
        SELECT query, ln(1 + (passages - found + 0.5) / (found + 0.5)) AS rarity FROM word, passage_count,
        LATERAL (SELECT count(*)::float AS found FROM {INDEX} WHERE base_id = :base_id AND words @@ query) AS counted
    )
    SELECT passage_id, sum(rarity * ts_rank('{{0.5, 0.5, 0.5, 1.0}}', words, query, 1)) AS score
    FROM weight JOIN {INDEX} ON base_id = :base_id AND words @@ query
    GROUP BY passage_id ORDER BY score DESC, passage_id LIMIT :most
    """
)


async def ranked_passages(
    session: AsyncSession, base_id: str, words: Sequence[str], most: int
) -> Sequence[tuple[int, float]]:
    """The ids of the passages of a knowledge base that hold some of these words, with scores, the best first.

    Args:
        session: To read with.
        base_id: Made of letters and digits.
        words: Letters and digits only, so that no operator is among them.
        most: How many.
    """
    connection = await session.connection()
    query: TextClause
    if connection.dialect.name == "sqlite":
        looked_for = " OR ".join(f'"{word}"' for word in words)
        query = _SQLITE.bindparams(query=f'base_id : "{base_id}" AND {{heading text}} : ({looked_for})', most=most)
    else:
        query = _POSTGRESQL.bindparams(query=" ".join(words), base_id=base_id, most=most)
    return [(int(found), float(score)) for found, score in (await connection.execute(query)).all()]
