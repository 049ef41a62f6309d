"""Hooks of a deployment: addresses at which other services call it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Request
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.deployments.hooks import MAX_TEMPLATE_CHARACTERS, HookKind
from studio.services import hook_settings
from studio.store.deployment_tables import Hook
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/deployments/{deployment}", tags=["hooks"])
Label = Annotated[
    str,
    Field(min_length=1, max_length=hook_settings.MAX_LABEL_CHARACTERS, description="Name of the service that posts."),
]
Template = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_TEMPLATE_CHARACTERS,
        description="What the team is to do; `{{/issue/title}}` is that part of the body, `{{body}}` all of it.",
    ),
]


class NewHook(RequestBody):
    """`kind` says how posts are known to be genuine: `standard` (Standard Webhooks), `github` or `bearer`."""

    label: Label
    kind: HookKind = "standard"
    task: Template


class ChangeHook(RequestBody):
    """What is not given stays."""

    label: Label | None = None
    task: Template | None = None
    is_on: bool | None = None


class HookOut(DeferredModel):
    """A hook without its secret; services post to `address`."""

    id: str
    label: str
    kind: str
    task: str
    is_on: bool
    by: str
    created_at: datetime
    address: str


class MadeHook(HookOut):
    """`secret` is told this once; the service needs it to sign what it posts."""

    secret: str


@router.get("/hooks", summary="List hooks, the oldest first")
async def list_hooks(deployment: str, request: Request, store: StoreDep) -> list[HookOut]:
    found = await store.deployments.get(deployment)
    return [_hook(request, deployment, each) for each in await store.hooks.list(found.id)]


@router.post("/hooks", status_code=201, summary="Let another service call a deployment; its secret is shown only once")
async def add_hook(deployment: str, body: NewHook, request: Request, store: StoreDep, person: PersonDep) -> MadeHook:
    found = await store.deployments.get(deployment)
    made, secret = await hook_settings.add_hook(store, found, body.label, body.kind, body.task, by=person.name)
    return MadeHook(**_hook(request, deployment, made).model_dump(), secret=secret)


@router.patch("/hooks/{hook_id}", summary="Change a hook, or turn it on or off")
async def change_hook(deployment: str, hook_id: str, body: ChangeHook, request: Request, store: StoreDep) -> HookOut:
    found = await store.deployments.get(deployment)
    said = body.model_dump(exclude_unset=True)
    return _hook(request, deployment, await hook_settings.change_hook(store, found, hook_id, **said))


@router.delete("/hooks/{hook_id}", status_code=204, summary="Delete a hook; its calls stay")
async def delete_hook(deployment: str, hook_id: str, store: StoreDep) -> None:
    await store.hooks.delete((await store.deployments.get(deployment)).id, hook_id)


def _hook(request: Request, deployment: str, row: Hook) -> HookOut:
    address = f"{str(request.base_url).rstrip('/')}/d/{deployment}/hooks/{row.id}"
    return HookOut(**row.model_dump(include={*HookOut.model_fields}), address=address)
