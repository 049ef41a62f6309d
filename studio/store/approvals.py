"""What a person has allowed components to do, by the hash of exactly that thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from sqlmodel import col, select

from studio.components import Capability
from studio.errors import NotFound
from studio.store.database import Database
from studio.store.tables import Approval


class Approvals:
    """The approvals given so far; an approval holds until it is revoked."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def approve(self, capabilities: Collection[Capability], *, by: str = "") -> None:
        """Allow these. What was allowed before keeps its date."""
        async with self._database.write() as session:
            for capability in {item.hash: item for item in capabilities}.values():
                if await session.get(Approval, capability.hash) is None:
                    session.add(
                        Approval(
                            hash=capability.hash,
                            kind=capability.kind,
                            text=capability.text,
                            detail=capability.detail,
                            by=by,
                            at=datetime.now(UTC),
                        )
                    )

    async def list(self) -> Sequence[Approval]:
        """All approvals, the newest first."""
        async with self._database.read() as session:
            rows = await session.exec(select(Approval).order_by(col(Approval.at).desc(), col(Approval.hash)))
            return rows.all()

    async def approved(self, hashes: Collection[str]) -> frozenset[str]:
        """Those of the hashes that are allowed."""
        async with self._database.read() as session:
            rows = await session.exec(select(Approval.hash).where(col(Approval.hash).in_(sorted(hashes))))
            return frozenset(rows)

    async def revoke(self, capability_hash: str) -> None:
        """Allow it no longer; a run that is under way is not touched.

        Raises:
            NotFound: It was not allowed.
        """
        async with self._database.write() as session:
            approval = await session.get(Approval, capability_hash)
            if approval is None:
                raise NotFound(f"Nothing is approved under {capability_hash!r}.")
            await session.delete(approval)
