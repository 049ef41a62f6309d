"""The knowledge bases of a studio, as its runs read them."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from studio.components import Capability
from studio.errors import Finding, StudioError
from studio.knowledge import Hit, KnowledgeUnavailable
from studio.services.knowledge_vectors import nearest_passages
from studio.store import Store

logger = logging.getLogger(__name__)
POOL = 50
"""So many of each ranking are fused."""
RANK_OFFSET = 60
RANK_WEIGHT = 61 / 2
"""A passage that comes first in both has score 1."""


class StoredKnowledge:
    """Fulfils `studio.knowledge.KnowledgeSource`. What a team may read is a capability, approved before it runs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, base_name: str, query: str, limit: int) -> Sequence[Hit]:
        base_id = await self._store.knowledge.id_of(base_name)
        if base_id is None:
            raise KnowledgeUnavailable(f"There is no knowledge base {base_name!r}.", fix=MISSING_FIX)
        return await search(self._store, base_id, query, limit)


async def search(store: Store, base_id: str, query: str, limit: int) -> Sequence[Hit]:
    """The passages of a knowledge base that fit a question best, the best first.

    By its words; where the knowledge base has vectors, also by what it means. Without an answer of the service that
    makes vectors, by words alone.

    Raises:
        NotFound: There is no such knowledge base.
    """
    base = await store.knowledge.get(base_id)
    by_words = await store.knowledge.ranked(base_id, query, limit if not base.embedding_model else POOL)
    if not base.embedding_model or not query.strip():
        return await store.knowledge.hits(dict(by_words[:limit]))
    try:
        by_meaning = await nearest_passages(store, base, query, POOL)
    except StudioError as error:
        logger.warning("The knowledge base %r is searched by words alone: %s", base.name, error)
        return await store.knowledge.hits(dict(by_words[:limit]))
    return await store.knowledge.hits(_fused([each for each, _ in by_words], by_meaning, limit))


def _fused(by_words: Sequence[int], by_meaning: Sequence[int], limit: int) -> dict[int, float]:
    """Reciprocal rank fusion: what both find early comes first, whatever their scores mean."""
    scores = defaultdict[int, float](float)
    for found in (by_words, by_meaning):
        for rank, passage_id in enumerate(found, 1):
            scores[passage_id] += RANK_WEIGHT / (RANK_OFFSET + rank)
    return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit])


MISSING_FIX = "Add it on the page Knowledge, or choose another one."


def missing_bases(asked: Iterable[Capability], names: Collection[str]) -> list[Finding]:
    """A warning for each knowledge base that a team reads and that is not here."""
    known = {name.casefold() for name in names}
    return [
        Finding(
            "missing_knowledge_base",
            f"There is no knowledge base {each.detail!r} here.",
            MISSING_FIX,
            f"{each.where}/config/knowledge_base",
        )
        for each in asked
        if each.kind == "knowledge" and each.detail.casefold() not in known
    ]
