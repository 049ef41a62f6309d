"""Deployments: publish a team, freeze releases, let one go live, make and revoke keys, list calls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.deployments import NAME_PATTERN, NOBODYS, DeploymentSettings, KeyUse
from studio.services import publishing
from studio.services.release_gates import MAX_REASON, RequiredEvaluation, check_first_release, check_release, pass_gate
from studio.store import CallSummary, Store
from studio.store.deployment_tables import CallerKey, Deployment, Release
from studio.web.auth.person import Person
from studio.web.dependencies import PersonDep, StoreDep, SupervisorDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/deployments", tags=["deployments"])
Label = Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S")]
MAX_DAYS = 3650
TOKEN_LASTS = timedelta(hours=1)
Override = Annotated[
    str,
    Field(
        max_length=MAX_REASON,
        description="Why it goes live though a suite that gates releases did not pass. Needs the role admin.",
    ),
]


class PublishTeam(RequestBody):
    """The team is published as it is saved now. `key_label` names the first key; none is made without it."""

    team_id: str
    name: str = Field(pattern=NAME_PATTERN, description="Part of the address of its callers.")
    summary: str = Field("", max_length=2000)
    settings: DeploymentSettings = DeploymentSettings()
    key_label: Label | None = None
    override: Override = ""


class ChangeDeployment(RequestBody):
    """What is not given stays."""

    summary: str | None = Field(None, max_length=2000)
    settings: DeploymentSettings | None = None
    is_on: bool | None = None


class NewReleaseIn(RequestBody):
    note: str = Field("", max_length=2000)


class GoLive(RequestBody):
    number: int
    override: Override = ""


class SendToCanary(RequestBody):
    number: int = Field(description="A release that is not live.")
    percent: int = Field(ge=1, le=99, description="Of the new threads. Each stays on the release that it began with.")
    override: Override = ""


class NewKey(RequestBody):
    label: Label
    days: int | None = Field(None, ge=1, le=MAX_DAYS, description="After which it expires; never without this.")
    opens: Literal["calls", "link"] = Field(
        "calls", description="`link` opens the chat page: `/d/{deployment}/chat#KEY` is the address to hand out."
    )


class ReleaseOut(DeferredModel):
    number: int
    team_revision: int
    note: str
    by: str
    at: datetime
    live_at: datetime | None


class KeyOut(DeferredModel):
    """A key without what opens: `ending` is its last characters."""

    id: str
    label: str
    ending: str
    opens: KeyUse
    by: str
    created_at: datetime
    expires_at: datetime | None
    seen_at: datetime | None
    revoked_at: datetime | None


class MadeKey(KeyOut):
    """`key` is told this once."""

    key: str


class DeploymentOut(DeferredModel):
    name: str
    team_id: str | None
    team_name: str
    summary: str
    settings: DeploymentSettings
    live: int
    canary: int | None
    canary_percent: int
    is_on: bool
    by: str
    created_at: datetime


class DeploymentDetails(DeploymentOut):
    releases: list[ReleaseOut]
    keys: list[KeyOut]


class PublishedTeam(DeploymentOut):
    key: MadeKey | None


class CallListed(DeferredModel):
    """A call as its owner sees it; `state` is empty where its run was deleted."""

    id: str
    release: int
    key_label: str
    thread: str
    protocol: str
    at: datetime
    state: str
    task: str
    micro_usd: int


@router.post("", status_code=201, summary="Publish a team; 403 with `missing` when something is not approved")
async def publish_team(
    body: PublishTeam, store: StoreDep, supervisor: SupervisorDep, person: PersonDep
) -> PublishedTeam:
    await _pass(store, await check_first_release(store, body.team_id), body.override, person, body.name)
    made = await publishing.publish(
        store, supervisor, body.team_id, body.name, body.settings, summary=body.summary, by=person.name
    )
    key = await _made_key(store, body.name, body.key_label, None, person.name) if body.key_label else None
    return PublishedTeam(**_deployment(made), key=key)


@router.get("", summary="List deployments")
async def list_deployments(store: StoreDep) -> list[DeploymentOut]:
    return [DeploymentOut(**_deployment(each)) for each in await store.deployments.list()]


@router.get("/{deployment}", summary="Read a deployment with its releases and keys")
async def read_deployment(deployment: str, store: StoreDep) -> DeploymentDetails:
    return await details(store, await store.deployments.get(deployment))


@router.patch("/{deployment}", summary="Change what callers see and may use, or turn it off")
async def change_deployment(
    deployment: str, body: ChangeDeployment, store: StoreDep, supervisor: SupervisorDep
) -> DeploymentDetails:
    if body.settings is not None:
        await publishing.check_settings(store, supervisor, await store.deployments.get(deployment), body.settings)
    changed = await store.deployments.change(deployment, settings=body.settings, summary=body.summary, is_on=body.is_on)
    return await details(store, changed)


@router.delete(
    "/{deployment}", status_code=204, summary="Delete a deployment with its keys; the runs of its calls stay"
)
async def delete_deployment(deployment: str, store: StoreDep) -> None:
    await store.deployments.delete(deployment)


@router.post(
    "/{deployment}/releases", status_code=201, summary="Freeze the team as it is saved now; it is not live yet"
)
async def add_release(
    deployment: str, body: NewReleaseIn, store: StoreDep, supervisor: SupervisorDep, person: PersonDep
) -> ReleaseOut:
    found = await store.deployments.get(deployment)
    made = await publishing.make_release(store, supervisor, found, note=body.note, by=person.name)
    return _release(made)


@router.put("/{deployment}/live", summary="Let a release go live, or roll back to one; threads stay on theirs")
async def go_live(deployment: str, body: GoLive, store: StoreDep, person: PersonDep) -> DeploymentDetails:
    """409 with `required` where a suite of the team gates releases, and no evaluation of this version passed."""
    await _pass_release(store, deployment, body, person)
    return await details(store, await store.deployments.go_live(deployment, body.number))


@router.put("/{deployment}/canary", summary="Send a part of the new threads to a release that is not live")
async def send_to_canary(deployment: str, body: SendToCanary, store: StoreDep, person: PersonDep) -> DeploymentDetails:
    """Usage by release tells how both do. To let a release go live ends it. Gates hold as for going live."""
    await _pass_release(store, deployment, body, person)
    return await details(store, await store.deployments.send_to_canary(deployment, body.number, body.percent))


@router.delete("/{deployment}/canary", summary="Send all new threads to the live release again")
async def end_canary(deployment: str, store: StoreDep) -> DeploymentDetails:
    return await details(store, await store.deployments.send_to_canary(deployment, None, 0))


@router.post("/{deployment}/keys", status_code=201, summary="Make a key, shown only once")
async def add_key(deployment: str, body: NewKey, store: StoreDep, person: PersonDep) -> MadeKey:
    lasts = timedelta(days=body.days) if body.days else None
    return await _made_key(store, deployment, body.label, lasts, person.name, body.opens)


@router.post("/{deployment}/tokens", status_code=201, summary="Make a key for a page, which expires in an hour")
async def add_token(deployment: str, store: StoreDep, person: PersonDep) -> MadeKey:
    return await _made_key(store, deployment, f"Try it ({person.name})", TOKEN_LASTS, person.name)


@router.delete("/{deployment}/keys/{key_id}", status_code=204, summary="Revoke a key")
async def revoke_key(deployment: str, key_id: str, store: StoreDep) -> None:
    await store.deployments.revoke_key(deployment, key_id)


@router.get("/{deployment}/calls", summary="List the newest calls; each is a run with the same ID")
async def list_calls(deployment: str, store: StoreDep) -> list[CallListed]:
    found = await store.deployments.get(deployment)
    return [listed(each) for each in await store.calls.list(found.id)]


async def details(store: Store, deployment: Deployment) -> DeploymentDetails:
    """A deployment with all that belongs to it but its calls."""
    return DeploymentDetails(
        **_deployment(deployment),
        releases=[_release(each) for each in await store.deployments.releases(deployment.id)],
        keys=[_key(each) for each in await store.deployments.keys(deployment.id) if each.opens not in NOBODYS],
    )


def listed(call: CallSummary) -> CallListed:
    """A call with what its run tells of it."""
    row, run = call.call, call.run
    return CallListed(
        id=row.id,
        release=row.release,
        key_label=call.key_label,
        thread=row.thread,
        protocol=row.protocol,
        at=row.at,
        state=run.state if run else "",
        task=run.task_text if run else "",
        micro_usd=run.micro_usd if run else 0,
    )


async def _pass_release(store: Store, name: str, body: GoLive | SendToCanary, person: Person) -> None:
    found = await store.deployments.get(name)
    await _pass(store, await check_release(store, found, body.number), body.override, person, name)


async def _pass(store: Store, missing: Sequence[RequiredEvaluation], override: str, person: Person, name: str) -> None:
    """Raises: ReleaseGateNotPassed, NeedsRole: A gate holds the release back, or one who is no admin overrides it."""
    if missing and override.strip():
        person.must("admin")
    await pass_gate(store, missing, override=override.strip(), by=person.name, thing=f"/api/deployments/{name}")


async def _made_key(
    store: Store, name: str, label: str, lasts: timedelta | None, by: str, opens: KeyUse = "calls"
) -> MadeKey:
    row, key = await store.deployments.add_key(name, label.strip(), lasts, opens=opens, by=by)
    return MadeKey(**_key(row).model_dump(), key=key)


def _deployment(row: Deployment) -> dict[str, Any]:
    return {**row.model_dump(exclude={"id", "settings"}), "settings": DeploymentSettings.model_validate(row.settings)}


def _release(row: Release) -> ReleaseOut:
    return ReleaseOut.model_validate(row.model_dump(include=set(ReleaseOut.model_fields)))


def _key(row: CallerKey) -> KeyOut:
    return KeyOut.model_validate(row.model_dump())
