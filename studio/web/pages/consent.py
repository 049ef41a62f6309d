"""The page on which a person lets a client of MCP call a deployment.

It never leads anywhere by itself: anybody can register an address, so only a person's press sends a browser there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from fastapi import Request, Response
from pydantic import ConfigDict, Field, ValidationError

from studio.components.deferred_model import DeferredModel
from studio.deployments.oauth import CHALLENGE_PATTERN, ClientMetadata, OAuthRefused, check_redirect_uri, sent_back
from studio.services.oauth_clients import read_metadata
from studio.store import Store
from studio.store.deployment_tables import Deployment
from studio.web.auth.oauth_tokens import CONSENT_LASTS, MAX_CLIENT_ID, Consent
from studio.web.auth.person import Person
from studio.web.auth.request_info import CALLS, RequestInfo
from studio.web.auth.sessions import Accounts
from studio.web.dependencies import AccountsDep, PersonDep, StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
MAX_STATE = 4_000
UNNAMED = "A client without a name"
TEMPLATE = "pages/consent.html"


class _Request(DeferredModel):
    """What a client asks for (RFC 6749, 7636, 8707)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    response_type: str
    code_challenge: str = Field(pattern=CHALLENGE_PATTERN)
    code_challenge_method: str
    resource: str = Field(max_length=1_000)


@dataclass(frozen=True)
class Asking:
    """A client that is known, and the address that its person is sent back to."""

    id: str
    client: ClientMetadata
    redirect_uri: str
    state: str
    issuer: str

    @property
    def name(self) -> str:
        return self.client.client_name or UNNAMED

    @property
    def described_at(self) -> str:
        """The host that says what this client is; "" of one that has registered itself."""
        return urlsplit(self.id).netloc if self.id.startswith("https://") else ""

    def back(self, error: str) -> str:
        """Where a person goes who does not allow it."""
        return sent_back(self.redirect_uri, {"error": error, "state": self.state, "iss": self.issuer})


@router.get("/authorize", summary="Ask a person whether a client may call a deployment")
async def consent_page(
    request: Request, store: StoreDep, accounts: AccountsDep, person: PersonDep, templates: TemplatesDep
) -> Response:
    issuer = RequestInfo(request.scope).origin
    asking: Asking | None = None
    try:
        query = _query(request)
        asking = await _asking(query, accounts, issuer)
        asked = _asked(query)
        deployment = await _deployment(store, asked.resource, issuer)
    except OAuthRefused as error:
        back = asking.back(error.error) if asking else ""
        page = templates.page(request, TEMPLATE, title="Access", refused=error.what, back=back)
        page.status_code = 400
        return page
    offer = accounts.presence.oauth_tokens.offer(_consent(asking, asked, deployment, person))
    return templates.page(
        request,
        TEMPLATE,
        title="Allow access",
        refused="",
        back=asking.back("access_denied"),
        asking=asking,
        leads_to=_leads_to(asking.redirect_uri),
        deployment=deployment,
        offer=offer,
    )


async def _asking(query: Mapping[str, str], accounts: Accounts, issuer: str) -> Asking:
    client_id, redirect_uri = query.get("client_id", ""), query.get("redirect_uri", "")
    if not client_id or len(client_id) > MAX_CLIENT_ID:
        raise OAuthRefused("invalid_client", "The request names no client.")
    client = accounts.presence.oauth_tokens.registered(client_id) or await read_metadata(client_id)
    if not redirect_uri and len(client.redirect_uris) == 1:
        redirect_uri = client.redirect_uris[0]
    check_redirect_uri(redirect_uri)
    if not client.may_be_answered_at(redirect_uri):
        raise OAuthRefused(
            "invalid_redirect_uri", "The client has not registered the address that it wants the answer at."
        )
    state = query.get("state", "")
    if len(state) > MAX_STATE or not state.isprintable():  # cut, it would not be what the client looks for
        raise OAuthRefused("invalid_request", "The state of the request is too long, or no text.")
    return Asking(client_id, client, redirect_uri, state, issuer)


def _asked(query: Mapping[str, str]) -> _Request:
    if query.get("response_type") != "code":
        raise OAuthRefused("unsupported_response_type", "The client asks for something other than a code.")
    try:
        asked = _Request.model_validate(query)
    except ValidationError as error:
        names = ", ".join(str(each["loc"][0]) for each in error.errors())
        raise OAuthRefused("invalid_request", f"Missing or invalid in the request: {names}.") from error
    if asked.code_challenge_method != "S256":
        raise OAuthRefused("invalid_request", "The client must prove that it asked, by PKCE with S256.")
    return asked


async def _deployment(store: Store, resource: str, issuer: str) -> Deployment:
    name = resource.removeprefix(f"{issuer}{CALLS}").removesuffix("/mcp")
    found = await store.deployments.find(name) if resource == f"{issuer}{CALLS}{name}/mcp" else None
    if found is None:
        raise OAuthRefused("invalid_target", "There is no such deployment at this address.")
    return found


def _consent(asking: Asking, asked: _Request, deployment: Deployment, person: Person) -> Consent:
    return Consent(
        expires_at=int((datetime.now(UTC) + CONSENT_LASTS).timestamp()),
        person=person.id,
        deployment=deployment.name,
        deployment_id=deployment.id,
        client_id=asking.id,
        client_name=asking.name,
        redirect_uri=asking.redirect_uri,
        challenge=asked.code_challenge,
        resource=asked.resource,
        state=asking.state,
    )


def _query(request: Request) -> Mapping[str, str]:
    """What a client asked; a name that comes twice could be read in two ways."""
    given = request.query_params.multi_items()
    if len({name for name, _ in given}) != len(given):
        raise OAuthRefused("invalid_request", "A part of the request is there twice.")
    return dict(given)


def _leads_to(redirect_uri: str) -> str:
    """Where the answer goes, in words that a person can judge."""
    parts = urlsplit(redirect_uri)
    if parts.scheme == "http":
        return "a program on this computer"
    return parts.netloc if parts.scheme == "https" else f"the app that opens {parts.scheme}:// addresses"
