"""The words of all passages, as each database indexes them: FTS5 of SQLite, a `tsvector` of PostgreSQL.

Both stem English words and rank by how often a word is in a passage and how rare it is in the others. A passage is
ranked if it holds one of the rare words, so that a word of all passages does not let all of them be ranked. The
migration that makes the index also makes triggers that keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.knowledge import begins_pair

INDEX = "knowledge_index"
"""Also the beginning of the names of the tables that SQLite makes for it."""
FIELDS = "{heading text pairs}"

MAX_RANKED = 10_000
"""Passages of one search; ranking one takes about 10 microseconds."""

_SQLITE = text(
    f"SELECT id, score FROM (SELECT rowid AS id, -bm25({INDEX}, 0.0, 2.0, 1.0, 1.0) AS score FROM {INDEX} "
    f"WHERE {INDEX} MATCH :query LIMIT :ranked) ORDER BY score DESC, id LIMIT :most"
)
_SQLITE_SIZE = text("SELECT max(id) FROM knowledge_passage")
_SQLITE_FOUND = text(f"SELECT count(*) FROM (SELECT 1 FROM {INDEX} WHERE {INDEX} MATCH :query LIMIT :most)")
_POSTGRESQL = text(
    f"""
    WITH word AS (
        SELECT (quote_literal(lexeme) || CASE WHEN char_length(lexeme) = 1 AND octet_length(lexeme) > 2 THEN ':*'
        ELSE '' END)::tsquery AS query FROM unnest(tsvector_to_array(to_tsvector('english', :query))) AS lexeme
    ), passage_count AS (
        SELECT count(*)::float AS passages FROM {INDEX} WHERE base_id = :base_id
    ), weight AS (
        SELECT query, ln(1 + (passages - found + 0.5) / (found + 0.5)) AS rarity,
        sum(found) OVER (ORDER BY found, query ROWS UNBOUNDED PRECEDING) AS together,
        row_number() OVER (ORDER BY found, query) AS place FROM word, passage_count,
        LATERAL (SELECT count(*)::float AS found FROM {INDEX} WHERE base_id = :base_id AND words @@ query) AS counted
        WHERE found > 0
    ), candidate AS (
        SELECT DISTINCT passage_id FROM weight JOIN {INDEX} ON base_id = :base_id AND words @@ query
        WHERE together <= :ranked OR place = 1 LIMIT :ranked
    )
    SELECT passage_id, sum(rarity * ts_rank('{{0.5, 0.5, 0.5, 1.0}}', words, query, 1)) AS score
    FROM candidate JOIN {INDEX} USING (passage_id) JOIN weight ON words @@ query
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
    if connection.dialect.name == "sqlite":
        asked = await _sqlite_query(connection, base_id, words, most)
        query = _SQLITE.bindparams(query=asked, ranked=MAX_RANKED, most=most)
    else:
        query = _POSTGRESQL.bindparams(query=" ".join(words), base_id=base_id, ranked=MAX_RANKED, most=most)
    return [(int(found), float(score)) for found, score in (await connection.execute(query)).all()]


async def _sqlite_query(connection: AsyncConnection, base_id: str, words: Sequence[str], most: int) -> str:
    """Asks for passages with one of the words; where these may be too many, with one of the rare words.

    Where no word is rare, for passages with all of them, if there are so many, else with the rarest.
    """
    terms = [f'"{word}" *' if begins_pair(word) else f'"{word}"' for word in words]
    any_term = _within(base_id, " OR ".join(terms))
    if ((await connection.execute(_SQLITE_SIZE)).scalar() or 0) <= MAX_RANKED:
        return any_term
    found = [(await _found(connection, _within(base_id, term)), term) for term in terms]
    found = sorted((each for each in found if each[0]), key=lambda each: each[0])
    together = accumulate(count for count, _ in found)
    rare = [term for so_many, (_, term) in zip(together, found, strict=True) if so_many <= MAX_RANKED]
    if not found or len(rare) == len(found):
        return any_term
    if rare:
        return f"{any_term} AND {FIELDS} : ({' OR '.join(rare)})"
    all_terms = _within(base_id, " AND ".join(term for _, term in found))
    has_enough = await _found(connection, all_terms) >= most
    return all_terms if has_enough else _within(base_id, found[0][1])


async def _found(connection: AsyncConnection, query: str) -> int:
    """How many passages there are, up to one more than are ranked."""
    return int((await connection.execute(_SQLITE_FOUND.bindparams(query=query, most=MAX_RANKED + 1))).scalar_one())


def _within(base_id: str, terms: str) -> str:
    return f'base_id : "{base_id}" AND {FIELDS} : ({terms})'
