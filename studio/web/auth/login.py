"""What the guard answers before anybody is in: the sign-in form, and the way to the identity provider and back.

These are no routes of the application. A route is reached by who is in; there is no list of exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive

from studio.web.auth.oidc import STATE_LIFETIME, Provider, SignInFailed
from studio.web.auth.request_info import RequestInfo, read_form
from studio.web.auth.session_cache import BROWSER_LASTS
from studio.web.auth.sessions import ANONYMOUS, Accounts, TooManyGuesses

PASSWORD = ("POST", "/login")
TO_PROVIDER = ("GET", "/login/oidc")
FROM_PROVIDER = ("GET", "/login/oidc/callback")
FORM_BYTES = 16 * 1024
MAX_KEPT_ADDRESS = 2000
"""Characters of the address that a sign-in leads to; a browser would drop a cookie of 4096."""
HOME_PATH = "/teams"
OURS = re.compile(r"/(?![/\\])[^\\\x00-\x1f]*")
WRONG = "Wrong name or password."


@dataclass(frozen=True)
class LoginPage:
    """A page that needs no other file, since without a key none is served; `csp` allows its one style element."""

    html: Callable[..., str]
    csp: str

    def response(
        self,
        message: str = "",
        status: int = 401,
        *,
        has_accounts: bool = False,
        provider: str = "",
        goes_to: str = "",
        goes_on_to: str = "",
    ) -> Response:
        """The page.

        Args:
            has_accounts: Whether people sign in by name, not by the studio's token.
            provider: What to call the identity provider; empty when there is none.
            goes_to: What was asked for, where a sign-in leads.
            goes_on_to: Where somebody who is in by now goes at once.
        """
        headers = {
            "Content-Security-Policy": self.csp,
            "Referrer-Policy": "same-origin",  # else the browser would send the form without saying from where
        }
        html = self.html(
            message=message, has_accounts=has_accounts, provider=provider, goes_to=goes_to, goes_on_to=goes_on_to
        )
        return HTMLResponse(html, status, headers)


@dataclass(frozen=True)
class LoginMiddleware:
    """The way in to a studio that has accounts."""

    accounts: Accounts
    page: LoginPage

    def sign_in_page(
        self, request: RequestInfo, message: str = "", *, status: int = 401, goes_to: str = ""
    ) -> Response:
        provider = self.accounts.provider
        return self.page.response(
            message,
            status,
            has_accounts=True,
            provider=provider.settings.oidc_name if provider else "",
            goes_to=goes_to or request.clean_url,
        )

    async def answer(self, request: RequestInfo, receive: Receive) -> Response | None:
        """The answer to somebody at the door; None to who asks for anything behind it."""
        asked = (request.method, request.path)
        if asked == PASSWORD:
            return await self._by_password(request, receive)
        provider = self.accounts.provider
        if provider is None or asked not in (TO_PROVIDER, FROM_PROVIDER):
            return None
        if wait_s := await self.accounts.wait_s(request.address):
            return self._too_often(request, wait_s, HOME_PATH)
        try:
            if asked == TO_PROVIDER:
                return await self._to_provider(request, provider)
            return await self._from_provider(request, provider)
        except SignInFailed as error:
            await self.accounts.count_wrong(request.address)
            await self.accounts.record(ANONYMOUS, "sign in", request.address, "refused by or for the identity provider")
            return self.sign_in_page(request, f"{error.what} {error.fix}".strip(), goes_to=HOME_PATH)

    async def _by_password(self, request: RequestInfo, receive: Receive) -> Response:
        form = await read_form(receive, FORM_BYTES)
        given = form or {}
        goes_to = _ours(given.get("next", ""))
        name = given.get("name", "")
        try:
            user = await self.accounts.with_password(name, given.get("password", ""), request.address)
        except TooManyGuesses as error:
            return self._too_often(request, error.wait_s, goes_to)
        if user is None:
            return self.sign_in_page(request, WRONG, goes_to=goes_to)
        key = await self.accounts.open(user, request.address, browser_of(request))
        return self._let_in(request, RedirectResponse(quote(goes_to, safe="/?&=%:@!$'()*+,;~-._#"), 303), key)

    async def _to_provider(self, request: RequestInfo, provider: Provider) -> Response:
        address, state = await provider.begin(_callback(request))
        response = RedirectResponse(address, 303)
        goes_to = quote(_ours(request.query.get("next", "")), safe="/")
        kept = f"{state}:{goes_to if len(goes_to) <= MAX_KEPT_ADDRESS else HOME_PATH}"
        # Lax: it must come back from a page of the provider. It opens nothing.
        response.set_cookie(
            _state_cookie(request),
            kept,
            httponly=True,
            samesite="lax",
            secure=request.is_secure,
            max_age=int(STATE_LIFETIME.total_seconds()),
            path=TO_PROVIDER[1],
        )
        return response

    async def _from_provider(self, request: RequestInfo, provider: Provider) -> Response:
        state, _, goes_to = (request.cookie_named(_state_cookie(request)) or "").partition(":")
        identity = await provider.finish(request.query, state, _callback(request))
        user = await self.accounts.with_identity(identity, request.address)
        key = await self.accounts.open(user, request.address, browser_of(request))
        # A page, not a redirect: after one from another site the browser would keep the new cookie back.
        response = self.page.response(status=200, goes_on_to=_ours(unquote(goes_to)))
        response.delete_cookie(
            _state_cookie(request), path=TO_PROVIDER[1], httponly=True, samesite="lax", secure=request.is_secure
        )
        return self._let_in(request, response, key)

    def _let_in(self, request: RequestInfo, response: Response, key: str) -> Response:
        return request.with_cookie(response, key, int(BROWSER_LASTS.total_seconds()))

    def _too_often(self, request: RequestInfo, wait_s: int, goes_to: str) -> Response:
        message = f"Too many attempts. Try again in {wait_s} s."
        response = self.sign_in_page(request, message, status=429, goes_to=goes_to)
        response.headers["Retry-After"] = str(wait_s)
        return response


def _callback(request: RequestInfo) -> str:
    return f"{request.origin}{FROM_PROVIDER[1]}"


def _state_cookie(request: RequestInfo) -> str:
    return f"{request.cookie_name.removeprefix('__Host-')}-oidc"


def _ours(address: str) -> str:
    """An address within the studio; whatever else is asked for, its first page."""
    is_ours = OURS.fullmatch(address) and OURS.fullmatch(unquote(address))
    return address if is_ours and not address.startswith(("/login", "/api/", "/fragments/")) else HOME_PATH


def browser_of(request: RequestInfo) -> str:
    """What somebody recognises a browser by, as far as it says."""
    agent = request.headers.get("user-agent", "")
    kind = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return " on ".join(part for part in (kind, system) if part) or "A browser"


BROWSERS = (("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
