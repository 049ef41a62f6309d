"""What runs may do on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import Capability, validate_component
from studio.errors import NotFound
from studio.galleries import Gallery, parse_gallery
from studio.store import Store
from studio.web.dependencies import StoreDep, TeamChecksDep
from studio.web.requests import StudioRoute
from studio.web.team_checks import TeamChecks

router = APIRouter(prefix="/api/approvals", tags=["approvals"], route_class=StudioRoute)
PERSON = "you"


class ApproveRequest(BaseModel):
    """Hashes of capabilities that a team or gallery of this studio has, or `component`, which may be unsaved."""

    model_config = ConfigDict(extra="forbid")

    hashes: list[str] = Field(min_length=1, max_length=1000)
    component: JsonValue = None


class ApprovalOut(BaseModel):
    hash: str
    kind: str
    text: str
    detail: str
    by: str
    at: datetime


@router.get("", summary="List what is approved, the newest first")
async def list_approvals(store: StoreDep) -> list[ApprovalOut]:
    return [ApprovalOut.model_validate(row, from_attributes=True) for row in await store.approvals.list()]


@router.post("", status_code=201, summary="Approve exactly these things")
async def approve(body: ApproveRequest, store: StoreDep, checks: TeamChecksDep) -> list[ApprovalOut]:
    wanted = frozenset(body.hashes)
    found = await asyncio.to_thread(_capabilities_in, body.component, wanted)
    if missing := wanted - found.keys():
        found.update(await _capabilities(store, checks, missing))
    if missing := wanted - found.keys():
        raise NotFound(
            f"No team or gallery of this studio asks for {sorted(missing)[0]!r}.",
            fix="It may have changed since you looked; open the team again.",
        )
    await store.approvals.approve(list(found.values()), by=PERSON)
    return [approval for approval in await list_approvals(store) if approval.hash in wanted]


@router.delete("/{capability_hash}", status_code=204, summary="Revoke an approval; running teams are not touched")
async def revoke(capability_hash: str, store: StoreDep) -> None:
    await store.approvals.revoke(capability_hash)


async def _capabilities(store: Store, checks: TeamChecks, wanted: Collection[str]) -> Mapping[str, Capability]:
    """The exact things behind the hashes, as this server reads them; what a client says about them does not count."""
    found: dict[str, Capability] = {}
    for team in await store.teams.list():
        _pick((await checks.of(team)).capabilities, wanted, found)
        if len(found) == len(wanted):
            return found
    for summary in await store.galleries.list():
        gallery = parse_gallery((await store.galleries.get(summary.id)).config)
        _pick(await asyncio.to_thread(_capabilities_of, gallery), wanted, found)
        if len(found) == len(wanted):
            return found
    return found


def _capabilities_in(component: JsonValue, wanted: Collection[str]) -> dict[str, Capability]:
    found: dict[str, Capability] = {}
    if component is not None:
        _pick(validate_component(component).capabilities, wanted, found)
    return found


def _pick(capabilities: Iterable[Capability], wanted: Collection[str], found: dict[str, Capability]) -> None:
    found.update({capability.hash: capability for capability in capabilities if capability.hash in wanted})


def _capabilities_of(gallery: Gallery) -> list[Capability]:
    return [capability for entry in gallery.check().entries for capability in entry.report.capabilities]
