"""What a person allows a client of MCP on the page that asked them."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.deployments.oauth import sent_back
from studio.errors import ConfigError
from studio.store.oauth import NewGrant
from studio.web.auth.authorization import SUBJECT
from studio.web.auth.request_info import RequestInfo
from studio.web.dependencies import AccountsDep, PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/oauth", tags=["deployments"])


class AllowClient(RequestBody):
    offer: str = Field(max_length=20_000, description="What the page showed, signed.")


class Allowed(DeferredModel):
    """Where the browser takes the code."""

    location: str


@router.post("/consents", status_code=201, summary="Allow a client of MCP to call a deployment, as the page offered it")
async def allow(
    body: AllowClient, request: Request, store: StoreDep, accounts: AccountsDep, person: PersonDep
) -> Allowed:
    offered = accounts.presence.oauth_tokens.offered(body.offer)
    if offered is None or offered.person != person.id:
        raise _old()
    deployment = await store.deployments.get(offered.deployment)
    if deployment.id != offered.deployment_id:  # another one has its name now
        raise _old()
    code = await store.oauth.add(
        NewGrant(
            deployment_id=deployment.id,
            client_id=offered.client_id,
            client_name=offered.client_name,
            redirect_uri=offered.redirect_uri,
            challenge=offered.challenge,
            resource=offered.resource,
            by=person.name,
        )
    )
    client = f"{offered.client_name or 'without a name'} at {urlsplit(offered.redirect_uri).netloc}"
    request.scope[SUBJECT] = f"Deployment {deployment.name}, client {client}"
    issuer = RequestInfo(request.scope).origin
    return Allowed(location=sent_back(offered.redirect_uri, {"code": code, "state": offered.state, "iss": issuer}))


def _old() -> ConfigError:
    return ConfigError("This offer is not valid any more.", fix="Connect again from the client.", where="/offer")
