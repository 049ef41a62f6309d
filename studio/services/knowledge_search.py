"""The knowledge bases of a studio, as its runs read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from studio.components import Capability
from studio.errors import Finding
from studio.knowledge import Hit, KnowledgeUnavailable
from studio.store import Store


class StoredKnowledge:
    """Fulfils `studio.knowledge.KnowledgeSource`. What a team may read is a capability, approved before it runs."""

    def __init__(self, store: Store) -> None:
        self._knowledge = store.knowledge

    async def find(self, base_name: str, query: str, limit: int) -> Sequence[Hit]:
        base_id = await self._knowledge.id_of(base_name)
        if base_id is None:
            raise KnowledgeUnavailable(f"There is no knowledge base {base_name!r}.", fix=MISSING_FIX)
        return await self._knowledge.search(base_id, query, limit)


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
