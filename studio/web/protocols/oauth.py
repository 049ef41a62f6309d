"""OAuth for clients of MCP: where a person lets them in, and what they get for it.

The studio is resource server and authorization server at once. Clients have no secret: each proves with PKCE that it
began what it ends. Errors are those of RFC 6749, which their libraries look at.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from fastapi import Request, Response
from pydantic import ValidationError

from studio.components import JsonObject
from studio.deployments.oauth import TOKEN_LASTS, ClientMetadata, OAuthRefused, check_redirect_uri
from studio.errors import InvalidDocument
from studio.store.oauth import GivenAccess
from studio.web.auth.request_info import RESOURCE_METADATA, RequestInfo
from studio.web.auth.sessions import Accounts
from studio.web.dependencies import AccountsDep, StoreDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
MAX_FIELD = 6_000


@router.get(f"{RESOURCE_METADATA}/d/{{deployment}}/mcp", summary="Learn who lets clients in (RFC 9728)")
async def resource_metadata(deployment: str, request: Request) -> Response:
    """The same whether there is such a deployment or not."""
    origin = RequestInfo(request.scope).origin
    return AsciiJSONResponse(
        {
            "resource": f"{origin}/d/{deployment}/mcp",
            "authorization_servers": [origin],
            "bearer_methods_supported": ["header"],
            "resource_name": deployment,
        }
    )


@router.get("/.well-known/oauth-authorization-server", summary="Learn how clients are let in (RFC 8414)")
async def server_metadata(request: Request) -> Response:
    origin = RequestInfo(request.scope).origin
    return AsciiJSONResponse(
        {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize",
            "token_endpoint": f"{origin}/token",
            "registration_endpoint": f"{origin}/register",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }
    )


@router.post("/register", summary="Register a client (RFC 7591); what it says is in its ID, and kept nowhere")
async def register(request: Request, accounts: AccountsDep) -> Response:
    try:
        client = ClientMetadata.model_validate(await request.json())
        for uri in client.redirect_uris:
            check_redirect_uri(uri)
    except (InvalidDocument, ValidationError):
        return _refused(
            OAuthRefused("invalid_client_metadata", "`redirect_uris` and `client_name` are missing or long.")
        )
    except OAuthRefused as error:
        return _refused(error)
    registered: JsonObject = {
        "client_id": accounts.presence.oauth_tokens.register(client),
        **client.model_dump(mode="json"),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    return AsciiJSONResponse(registered, 201)


@router.post("/token", summary="Get access for a code, or renew it")
async def give_token(request: Request, store: StoreDep, accounts: AccountsDep) -> Response:
    address = request.client.host if request.client else ""
    try:
        fields = _fields(await request.body())
        resource = fields.get("resource")
        match fields.get("grant_type"):
            case "authorization_code":
                code, verifier, client_id, redirect_uri = _needed(
                    fields, "code", "code_verifier", "client_id", "redirect_uri"
                )
                given = await store.oauth.exchange(code, client_id, redirect_uri, verifier, resource)
            case "refresh_token":
                token, client_id = _needed(fields, "refresh_token", "client_id")
                given = await store.oauth.renew(token, client_id, resource)
            case _:
                raise OAuthRefused("unsupported_grant_type", "Use `authorization_code` or `refresh_token`.")
    except OAuthRefused as error:
        if error.is_guess and (wait_s := await accounts.count_wrong(address)):
            return _refused(error, 429, {"Retry-After": str(wait_s)})
        return _refused(error)
    return _given(given, accounts)


def _given(given: GivenAccess, accounts: Accounts) -> Response:
    return AsciiJSONResponse(
        {
            "access_token": accounts.presence.oauth_tokens.make_access(given.key, given.resource),
            "token_type": "Bearer",
            "expires_in": int(TOKEN_LASTS.total_seconds()),
            "refresh_token": given.refresh_token,
        }
    )


def _fields(body: bytes) -> Mapping[str, str]:
    """The fields of a form; one that comes twice could be read in two ways."""
    try:
        given = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=30)
    except ValueError as error:
        raise OAuthRefused("invalid_request", "The body is not a form.") from error
    fields = dict(given)
    if len(fields) != len(given) or any(len(value) > MAX_FIELD for value in fields.values()):
        raise OAuthRefused("invalid_request", "A field is too long, or there twice.")
    return fields


def _needed(fields: Mapping[str, str], *names: str) -> list[str]:
    if missing := [name for name in names if not fields.get(name)]:
        raise OAuthRefused("invalid_request", f"Missing: {', '.join(missing)}.")
    return [fields[name] for name in names]


def _refused(error: OAuthRefused, status: int = 400, headers: Mapping[str, str] | None = None) -> Response:
    return AsciiJSONResponse({"error": error.error, "error_description": error.what}, status, headers)
