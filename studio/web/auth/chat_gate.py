"""Who comes to a chat page, and from which sites scripts may ask for what is behind it."""

from __future__ import annotations

from studio.deployments import LINK_PREFIX, ChatSettings, DeploymentSettings
from studio.store import Store
from studio.web.auth.access_token import Keys
from studio.web.auth.person import OWNER, Guest, Person
from studio.web.auth.request_info import RequestInfo
from studio.web.auth.session_cache import AuthContext
from studio.web.auth.sessions import Accounts

OFF = ChatSettings()
PREFLIGHT_S = 600
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, Last-Event-ID",
    "Access-Control-Max-Age": str(PREFLIGHT_S),
}
"""What scripts of the listed sites may send. No cookies: their answers never allow credentials."""


async def chat_of(store: Store, name: str) -> ChatSettings:
    """How the chat page of a deployment is set; turned off where there is no such deployment."""
    found = await store.deployments.find(name)
    return DeploymentSettings.model_validate(found.settings).chat if found else OFF


async def allowed_origin(request: RequestInfo, store: Store) -> str:
    """The other site that asks, where the deployment lists it and its chat page is on; else ""."""
    if not request.is_chat or not (origin := request.foreign_origin):
        return ""
    chat = await chat_of(store, request.deployment or "")
    return origin if chat.access != "off" and origin in chat.origins else ""


async def identify(request: RequestInfo, accounts: Accounts, keys: Keys) -> AuthContext | None:
    """Who asks; None where the token or the link that came with the request opens nothing here.

    Cookies tell who is signed in on the studio's own pages only.
    """
    if (given := request.bearer) is not None:
        if given.startswith(LINK_PREFIX) and (link := await accounts.presence.find_link(given)):
            return AuthContext(Guest(link), "") if link.deployment.name == request.deployment else None
        visitor = await accounts.presence.find_visitor(given)
        return visitor if visitor and visitor.opened.deployment.name == request.deployment else None
    return AuthContext(Guest(person=None if request.allowed_origin else await _person(request, accounts, keys)), "")


async def _person(request: RequestInfo, accounts: Accounts, keys: Keys) -> Person | None:
    if not request.cookie:
        return None
    if await accounts.presence.has_accounts():
        found = await accounts.presence.find(request.cookie, "browser")
        return found.person if found else None
    return OWNER if keys.is_cookie(request.cookie) else None
