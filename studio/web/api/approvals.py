"""What runs may do on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field, JsonValue

from studio.components import Capability, validate_component
from studio.components.deferred_model import DeferredModel
from studio.components.manifest import Manifest
from studio.components.named_hosts import is_host
from studio.egress import leads_to_studio
from studio.errors import ConfigError, NotFound
from studio.sandbox.grants import ANY_HOST
from studio.services.code_scores import stored_code
from studio.services.team_checks import TeamChecks
from studio.settings import Settings
from studio.store import ALL_TEAMS, ANYWHERE, Store, publisher_of, team_scope
from studio.store.tables import Approval, Team
from studio.web.dependencies import QUEUED, PersonDep, SettingsDep, StoreDep, TeamChecksDep
from studio.web.requests import RequestBody
from studio.web.review.review import gallery_manifest, remember_allowed, team_manifest
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/approvals", tags=["approvals"])
MAX_HOSTS = 50
MAX_LISTED = 200


class ApproveRequest(RequestBody):
    """Hashes of capabilities that a team, gallery or suite of this studio has, or `component`, which may be unsaved."""

    hashes: list[str] = Field(min_length=1, max_length=1000)
    component: JsonValue = None
    team_id: str = Field("", max_length=100, description="The team that needs them.")
    gallery_id: str = Field("", max_length=100, description="The gallery whose components need them.")
    suite_id: str = Field("", max_length=100, description="The suite whose scorers in Python are approved.")
    scope: Literal["anywhere", "team", "publisher"] = Field(
        "anywhere",
        description="Where they apply: in all teams, in that team or the suite's, or in all teams of a publisher.",
    )
    hosts: dict[str, list[str]] = Field(
        default_factory=dict[str, list[str]],
        max_length=1000,
        description='By hash of the code: the hosts that it can reach, as `name`, `name:port` or "*".',
    )
    typed: bool = Field(False, description="You typed this code; only if the studio setting allows it.")


class ApprovalOut(DeferredModel):
    """`scope` is "" in all teams, `team:ID`, `url:ADDRESS` or `gallery:ID`; `revoked_at` is set when it ended."""

    id: str
    hash: str
    kind: str
    text: str
    detail: str
    scope: str
    hosts: list[str]
    by: str
    at: datetime
    revoked_by: str
    revoked_at: datetime | None


class CannotAllow(ConfigError):
    """What was asked to be allowed makes no sense."""

    code = "cannot_allow"


@router.get("", summary="List approvals, newest first; with `revoked`, the revoked ones")
async def list_approvals(
    store: StoreDep,
    revoked: bool = False,
    before: Annotated[
        str | None, Query(max_length=100, description="Only approvals after the one with this ID.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = MAX_LISTED,
) -> list[ApprovalOut]:
    """A page ends after `limit` approvals or a megabyte of their content; the page after the last is empty."""
    wanted = store.approvals.revoked if revoked else store.approvals.list
    return [_out(row) for row in await wanted(before=before, limit=limit)]


@router.post("", status_code=201, dependencies=[QUEUED], summary="Approve exactly these capabilities")
async def approve(
    body: ApproveRequest, store: StoreDep, checks: TeamChecksDep, person: PersonDep, settings: SettingsDep
) -> list[ApprovalOut]:
    team = await store.teams.get(body.team_id) if body.team_id else None
    scope = await _scope(body, store, team)
    wanted = frozenset(body.hashes)
    manifest = await team_manifest(team) if team else None
    found = await _wanted(body, store, checks, manifest)
    if missing := wanted - found.keys():
        raise NotFound(
            f"{'This suite' if body.suite_id else 'This team'} does not need {sorted(missing)[0]!r}.",
            fix="It may have changed. Open the review again.",
        )
    if body.typed:
        _check_typed(body, found.values(), settings)
    hosts = {key: await _hosts(found.get(key), names) for key, names in body.hosts.items()}
    rows = await store.approvals.approve(list(found.values()), by=person.name, scope=scope, hosts=hosts)
    if team is not None and manifest is not None:
        await remember_allowed(store, team.id, manifest, by=person.name)
    return [_out(row) for row in rows]


@router.delete(
    "/{capability_hash}", status_code=204, summary="Revoke one approval by its ID, or all of a capability by its hash"
)
async def revoke(capability_hash: str, store: StoreDep, person: PersonDep) -> None:
    """Active runs are not affected."""
    await store.approvals.revoke(capability_hash, by=person.name)


def _check_typed(body: ApproveRequest, wanted: Iterable[Capability], settings: Settings) -> None:
    """Raises: CannotAllow: The studio wants code to be read, or it is more than code."""
    if not settings.trust_typed_code:
        raise CannotAllow("This studio requires a review of typed code.", fix="See `STUDIO_TRUST_TYPED_CODE`.")
    if body.hosts or (body.scope != "team" and body.team_id) or any(each.kind != "python" for each in wanted):
        raise CannotAllow(
            "Only Python can be approved as typed, in its own team and without network access.", where="/typed"
        )


def _out(row: Approval) -> ApprovalOut:
    return ApprovalOut.model_validate(row, from_attributes=True)


async def _scope(body: ApproveRequest, store: Store, team: Team | None) -> str:
    if body.scope == "anywhere":
        return ANYWHERE
    if body.scope == "team":
        if team is None and body.suite_id:
            return team_scope((await store.suites.get(body.suite_id)).team_id)
        if team is None:
            raise CannotAllow("The team is missing.", fix="Give `team_id`.", where="/team_id")
        return team_scope(team.id)
    publisher = team.publisher if team else ""
    if body.gallery_id:
        publisher = publisher_of(await store.galleries.get(body.gallery_id))
    if not publisher:
        raise CannotAllow("Unknown publisher.", fix="Approve it for the team.", where="/scope")
    return publisher


async def _wanted(
    body: ApproveRequest, store: Store, checks: TeamChecks, manifest: Manifest | None
) -> dict[str, Capability]:
    """The exact things behind the hashes, as this server reads them; what a client says about them does not count.

    Only what is said to ask for them is read, and all that is stored where nothing is said.

    Args:
        manifest: Of the team that is said to.
    """
    wanted = frozenset(body.hashes)
    found = await asyncio.to_thread(_capabilities_in, body.component, wanted)
    if body.suite_id:
        row = await store.suites.get(body.suite_id)
        _pick(await asyncio.to_thread(stored_code, row.document), wanted, found)
    if manifest is not None:
        _pick(manifest.capabilities.values(), wanted, found)
    elif body.gallery_id:
        _pick((await gallery_manifest(await store.galleries.get(body.gallery_id))).capabilities.values(), wanted, found)
    elif body.component is None and not body.suite_id:
        found.update(await _capabilities(store, checks, wanted))
    return found


async def _hosts(capability: Capability | None, names: Collection[str]) -> list[str]:
    """Raises: CannotAllow."""
    if capability is None or not capability.may_have_network:
        raise CannotAllow("Network access can be allowed only for code and programs in this approval.", where="/hosts")
    if len(names) > MAX_HOSTS:
        raise CannotAllow(f"These are more than {MAX_HOSTS} hosts.", fix="Allow any host.", where="/hosts")
    hosts = [name.strip().lower() for name in names]
    for host in hosts:
        if host != ANY_HOST and not is_host(host):
            raise CannotAllow(
                f"{host!r} is not a host.", fix="Enter only a host name, such as api.example.com.", where="/hosts"
            )
        if await leads_to_studio(host):
            fix = "Remove it, or add the port of another service there."
            raise CannotAllow(f"{host!r} is the studio itself; teams cannot call it.", fix=fix, where="/hosts")
    return hosts


async def _capabilities(store: Store, checks: TeamChecks, wanted: Collection[str]) -> Mapping[str, Capability]:
    missing, found = set(wanted), dict[str, Capability]()
    for team_id, check in (await checks.get_many(await store.teams.list(ALL_TEAMS))).items():
        if missing & check.capabilities:
            team = await store.teams.get(team_id)
            found.update(await asyncio.to_thread(_capabilities_in, team.component, missing & check.capabilities))
            missing -= found.keys()
    if missing:
        for gallery_id, hashes in (await checks.of_galleries(await store.galleries.list())).items():
            if missing & hashes:
                manifest = await gallery_manifest(await store.galleries.get(gallery_id))
                _pick(manifest.capabilities.values(), missing & hashes, found)
                missing -= found.keys()
    return found


def _capabilities_in(component: JsonValue, wanted: Collection[str]) -> dict[str, Capability]:
    found: dict[str, Capability] = {}
    if component is not None:
        _pick(validate_component(component).capabilities, wanted, found)
    return found


def _pick(capabilities: Iterable[Capability], wanted: Collection[str], found: dict[str, Capability]) -> None:
    found.update({capability.hash: capability for capability in capabilities if capability.hash in wanted})
