"""Who did what, for admins."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Query

from studio.components.deferred_model import DeferredModel
from studio.web.dependencies import StoreDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/audit", tags=["audit"])
MAX_ID = 2**63 - 1


class AuditOut(DeferredModel):
    """`action` is a route or a word; `outcome` the status of the answer, or what came of it."""

    id: int
    at: datetime
    who: str
    action: str
    object: str
    address: str
    outcome: str


@router.get("", summary="Read the audit log, newest first")
async def read_audit(
    store: StoreDep,
    before: Annotated[int | None, Query(ge=0, le=MAX_ID)] = None,
    who: Annotated[str, Query(max_length=300)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[AuditOut]:
    rows = await store.audit.list(before=before, who=who, limit=limit)
    return [AuditOut.model_validate(row, from_attributes=True) for row in rows]
