"""What other services post to hooks: each post that is genuine begins a call, and is answered at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import cast

from fastapi import Request, Response

from studio.components import parse_json
from studio.components.deferred_model import DeferredModel
from studio.deployments.hooks import MAX_ID_CHARACTERS, HookKind, delivery_id, is_genuine, make_task
from studio.deployments.webhooks import make_webhook_secret
from studio.errors import ConfigError, Conflict
from studio.services.calls import CallRequest
from studio.store import Store
from studio.store.deployment_tables import Deployment, Hook
from studio.store.deployments import OpenedDeployment
from studio.web.auth.guard import problem, unauthorized
from studio.web.auth.sessions import ANONYMOUS, Accounts
from studio.web.dependencies import AccountsDep, CallDeskDep, StoreDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/d/{deployment}/hooks", include_in_schema=False)
PROTOCOL = "hook"
NOBODYS_SECRET = make_webhook_secret()
"""Compared with where there is no such hook, so that it takes as long to be told so."""


class BegunCall(DeferredModel):
    """What a service is told: the call, which goes on by itself."""

    call_id: str


@router.post("/{hook_id}", status_code=202, summary="Begin a call, as another service asks")
async def take_post(
    deployment: str, hook_id: str, request: Request, store: StoreDep, desk: CallDeskDep, accounts: AccountsDep
) -> Response:
    body, address = await request.body(), request.client.host if request.client else ""
    found = await _genuine(store, deployment, hook_id, request, body)
    if found is None:
        return await _refusal(accounts, address)
    hook, owner = found
    if hook.kind == "github" and request.headers.get("x-github-event") == "ping":
        return Response(status_code=204)
    if not hook.is_on:
        raise Conflict("This hook is paused.", fix="Ask its owner.")
    sent_id = delivery_id(kind_of(hook), request.headers)
    if len(sent_id) > MAX_ID_CHARACTERS:
        raise ConfigError(f"The ID of a delivery has up to {MAX_ID_CHARACTERS} characters.")
    task = await asyncio.to_thread(lambda: make_task(hook.task, parse_json(body)))
    by = OpenedDeployment(await store.deployments.hook_key(owner), owner)
    sent_under = f"{hook.id} {sent_id}" if sent_id else ""
    call = await desk.begin(by, CallRequest(task, PROTOCOL, idempotency_key=sent_under, address=address))
    return AsciiJSONResponse(BegunCall(call_id=call.id).model_dump(), 202)


def kind_of(hook: Hook) -> HookKind:
    return cast("HookKind", hook.kind)


async def _genuine(
    store: Store, deployment: str, hook_id: str, request: Request, body: bytes
) -> tuple[Hook, Deployment] | None:
    """The hook and its deployment, where the post is signed with its secret."""
    found = await store.hooks.find(deployment, hook_id)
    kind, secret = (kind_of(found[0]), store.hooks.secret_of(found[0])) if found else ("standard", NOBODYS_SECRET)
    return found if is_genuine(kind, secret, request.headers, body, datetime.now(UTC)) else None


async def _refusal(accounts: Accounts, address: str) -> Response:
    """The same for a wrong signature and for a hook that is not there; guesses are counted."""
    if wait_s := await accounts.count_wrong(address):
        response = problem(429, "too_many_guesses", "Too many wrong signatures.", f"Try again in {wait_s} s.")
        response.headers["Retry-After"] = str(wait_s)
        return response
    await accounts.record(ANONYMOUS, "use a token", address, "refused")
    return unauthorized(
        "wrong_signature", "There is no hook here with this signature.", "Check the address and the secret."
    )
