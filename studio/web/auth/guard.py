"""The one guard in front of every route: pages, fragments, API, static files and event streams alike.

A studio on a laptop is reached by every page the browser has open and by every program on the machine, so loopback
is no exception. In order: Host, Origin, who it is, CSRF header, role, size of the body; then headers on whatever comes
back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.deployments import DeploymentSettings
from studio.errors import StudioError
from studio.settings import Settings
from studio.store import StorageUnavailable
from studio.web.auth import chat_gate
from studio.web.auth.access_token import Keys, is_same
from studio.web.auth.authorization import AUTH_CONTEXT, Authorization
from studio.web.auth.login import LoginMiddleware, LoginPage
from studio.web.auth.person import OWNER, TOKEN_HOLDER, VISITOR, Guest, OAuthClient, Sender
from studio.web.auth.request_info import RESOURCE_METADATA, RequestInfo, has_port
from studio.web.auth.roles import NEEDS, SAFE_METHODS
from studio.web.auth.routes import CHECKED, Routes
from studio.web.auth.session_cache import AuthContext
from studio.web.auth.sessions import ANONYMOUS, Accounts

DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 10.0


class Rejection(Exception):
    """The guard does not let this request through; `response` says why."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def problem(status: int, code: str, message: str, fix: str = "", where: str = "") -> Response:
    """An error in the one JSON shape."""
    return JSONResponse({"error": {"code": code, "message": message, "fix": fix, "where": where}}, status)


def unauthorized(code: str, message: str, fix: str) -> Response:
    """The answer to who shows nothing that opens this."""
    response = problem(401, code, message, fix)
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def refused_with(error: StudioError) -> Response:
    return JSONResponse(error.as_json(), 403)


def _not_now(error: StorageUnavailable) -> Response:
    """Nobody is identified yet, so this does not say which database it is, as `error` does."""
    response = problem(503, error.code, "The database does not answer now.", "Try again in a moment.")
    response.headers["Retry-After"] = "1"
    return response


async def answer_early(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer before the body came, then throw the body away: a client that is cut off would never read the answer."""

    async def hold_open(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    if not RequestInfo(scope).has_body:
        await response(scope, receive, send)
        return
    await response(scope, receive, hold_open)
    try:
        async with asyncio.timeout(DRAIN_S):
            await _drain(receive)
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    seen = 0
    while seen < DRAIN_BYTES:
        message = await receive()
        seen += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


OPEN_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
"""The only routes without this guard. The first two say whether the process and its database answer, and nothing else;
the third has a token of its own, and none of the studio's opens it."""
CSRF_HEADER = "x-studio-csrf"
GUEST_KB = 4
CLIENT_KB = 16
HOOK_KB = 256
"""Also of who has no signature: it can only be checked when the body is there."""
TOKEN_COOKIE_S = 400 * 24 * 3600
HTTPS_FOR_S = 365 * 24 * 3600
NO_FRAMES = "frame-ancestors 'none'"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::")


class BodyLimit(NamedTuple):
    """How large the body of a request may be, and what is said of a larger one."""

    max_bytes: int
    message: str
    fix: str


@dataclass(frozen=True)
class Policy:
    """What the guard compares with."""

    keys: Keys
    hosts: frozenset[str]
    public_hosts: frozenset[str]
    """Under which only deployments answer."""
    only_deployments: bool
    csp: str
    login: LoginPage
    body_limit: BodyLimit
    route_limits: Mapping[str, BodyLimit]
    """Of routes that take something larger."""
    routes: Routes
    accounts: Callable[[], Accounts | None]
    """None before the server has started."""
    refusal_page: Callable[[RequestInfo, StudioError], Response]


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """Every value that the Host header may have. Never a wildcard: that is what stops DNS rebinding."""
    names = {*LOOPBACK} if settings.host in (*ANY_ADDRESS, *_unbracketed(LOOPBACK)) else {_bracketed(settings.host)}
    hosts = {f"{name}:{settings.port}" for name in names}
    if settings.port == 80:
        hosts |= names
    return frozenset(hosts) | _with_ports(settings.allowed_hosts, settings.port)


def public_hosts(settings: Settings) -> frozenset[str]:
    """The values of the Host header for which only deployments answer."""
    return _with_ports(settings.public_hosts, settings.port)


def _with_ports(names: Iterable[str], port: int) -> frozenset[str]:
    hosts = {name for given in names if (name := given.strip().lower())}
    return frozenset(hosts | {f"{name}:{port}" for name in hosts if not has_port(name)})


def content_security_policy(
    *, scripts: Iterable[str] = (), styles: Iterable[str] = (), frames: Iterable[str] = ()
) -> str:
    """The policy of FRONTEND: nothing from elsewhere, nothing inline but what is named by its hash.

    Args:
        scripts: Hashes of inline scripts.
        styles: Hashes of inline styles.
        frames: Origins of the sites that may show the page in a frame; none by default.
    """
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self'", *(f"'{value}'" for value in scripts))),
            " ".join(("style-src 'self'", *(f"'{value}'" for value in styles))),
            "connect-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "media-src blob:",
            "frame-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            " ".join(("frame-ancestors", *frames)) if (frames := tuple(frames)) else NO_FRAMES,
        )
    )


def security_headers(csp: str) -> Mapping[str, str]:
    """Set on every response that does not bring its own value."""
    frames = {"X-Frame-Options": "DENY"} if NO_FRAMES in csp else {}  # older browsers cannot be told of several sites
    return {
        "Content-Security-Policy": csp,
        "X-Content-Type-Options": "nosniff",
        **frames,
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cache-Control": "no-store",
    }


class Guard:
    """Outermost ASGI middleware."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = RequestInfo(scope)
        send = self._with_headers(send, request)
        try:
            if request.path in OPEN_PATHS:
                scope[CHECKED] = f"GET {request.path}"
                _check_length(request, self.policy.body_limit)
                await self.app(scope, _bounded(receive, self.policy.body_limit), send)
                return
            self._check_host(request)
            accounts, limit = self._accounts(), None
            await self._check_origin(request, accounts)
            if request.is_hook or request.is_oauth:
                who, kilobytes = (Sender(), HOOK_KB) if request.is_hook else (OAuthClient(), CLIENT_KB)
                admitted, limit = AuthContext(who, ""), _body_limit_of_kb(kilobytes)
            elif request.deployment is not None:
                by = self._chatter if request.is_chat else self._caller
                admitted = await by(request, accounts)
                limit = _body_limit(admitted)
            else:
                has_accounts = await accounts.presence.has_accounts()
                login = LoginMiddleware(accounts, self.policy.login)
                if has_accounts and (answer := await login.answer(request, receive)):
                    await answer(scope, receive, send)
                    return
                admitted = await (self._member(request, accounts) if has_accounts else self._owner(request, accounts))
            self._check_csrf(request, admitted)
            passed = await self._check_role(request, admitted, accounts)
            limit = limit or self.policy.route_limits.get(passed.route, self.policy.body_limit)
            _check_length(request, limit)
        except Rejection as refused:
            await answer_early(refused.response, scope, receive, send)
            return
        except StorageUnavailable as error:
            await answer_early(_not_now(error), scope, receive, send)
            return
        await passed(self.app, _bounded(receive, limit), send)

    def _check_host(self, request: RequestInfo) -> None:
        """The name that was asked, and whether it is served at all where only published teams are."""
        is_public = request.host in self.policy.public_hosts
        if self._serves_only_deployments(request) and request.deployment is None:
            raise Rejection(problem(404, "not_found", "Only published teams answer at this address."))
        if request.host not in self.policy.hosts and not is_public:
            raise Rejection(
                problem(
                    421,
                    "wrong_host",
                    "This studio is not served under that host name.",
                    "Add the name to `STUDIO_ALLOWED_HOSTS`.",
                )
            )

    def _serves_only_deployments(self, request: RequestInfo) -> bool:
        return self.policy.only_deployments or request.host in self.policy.public_hosts

    async def _check_origin(self, request: RequestInfo, accounts: Accounts) -> None:
        """That no other site makes a browser ask, but for chat pages; those list the sites whose scripts may."""
        if not request.is_foreign or request.is_opening_chat:
            return
        request.allowed_origin = await chat_gate.allowed_origin(request, accounts.store)
        if not request.allowed_origin:
            raise Rejection(
                problem(
                    403,
                    "wrong_origin",
                    "This request came from another site. The studio accepts requests only from its own pages.",
                )
            )
        if request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            raise Rejection(Response(status_code=204, headers=chat_gate.PREFLIGHT))

    def _accounts(self) -> Accounts:
        accounts = self.policy.accounts()
        if accounts is None:
            raise Rejection(problem(503, "not_started", "The studio is not ready.", "Try again in a moment."))
        return accounts

    async def _caller(self, request: RequestInfo, accounts: Accounts) -> AuthContext:
        """Who holds a key of the deployment that is called. What has no such key is not told what there is."""
        key = request.bearer
        token = accounts.presence.oauth_tokens.read_access(key) if key else None
        if token is not None:
            found = await accounts.presence.find_client(token, request.mcp_resource)
        else:
            found = await accounts.presence.find_caller(key) if key else None
        if found is not None and found.opened.deployment.name == request.deployment:
            return found
        if key and found is None and token is None:  # a token was right some time
            await self._count_wrong(request, accounts)
        response = unauthorized(
            "wrong_key",
            "This address needs a caller key of its deployment."
            if key is None
            else "This key is not valid for this address.",
            "Send `Authorization: Bearer <key>` with a key that has not expired or been revoked.",
        )
        if request.mcp_resource and not self._serves_only_deployments(request):
            response.headers["WWW-Authenticate"] = _challenge(request)
        raise Rejection(response)

    async def _chatter(self, request: RequestInfo, accounts: Accounts) -> AuthContext:
        """Who comes to a chat page. A token or a link that opens nothing here is refused, and guesses are counted."""
        admitted = await chat_gate.identify(request, accounts, self.policy.keys)
        if admitted is not None:
            return admitted
        if accounts.presence.chat_tokens.read(request.bearer or "") is None:  # else it was right some time
            await self._count_wrong(request, accounts)
        raise Rejection(
            unauthorized("wrong_token", "This chat token or link is not valid here.", "Open the chat page again.")
        )

    async def _owner(self, request: RequestInfo, accounts: Accounts) -> AuthContext:
        """Who holds the token of a studio without users."""
        keys = self.policy.keys
        if request.is_page and "token" in request.query:
            await self._take_token(request, accounts)
        if request.cookie and keys.is_cookie(request.cookie):
            return AuthContext(OWNER, keys.csrf)
        given = request.bearer or request.cookie
        if given is None:
            raise Rejection(self._replay_body(request) or self._unauthorized(request))
        if request.bearer is not None and keys.is_token(request.bearer):
            return AuthContext(OWNER, "")
        await self._count_wrong(request, accounts)
        raise Rejection(request.without_cookie(self._unauthorized(request, wrong=True)))

    async def _member(self, request: RequestInfo, accounts: Accounts) -> AuthContext:
        """Who has signed in, or whose program sends a token."""
        if request.cookie and (admitted := await accounts.presence.find(request.cookie, "browser")):
            return admitted
        if request.bearer is not None:
            if admitted := await accounts.presence.find(request.bearer, "token"):
                return admitted
            if accounts.token_is_named and self.policy.keys.is_token(request.bearer):
                return AuthContext(TOKEN_HOLDER, "")
            await self._count_wrong(request, accounts)
            raise Rejection(self._unauthorized(request, wrong=True))
        if request.is_page:
            page = self._replay_body(request) or LoginMiddleware(accounts, self.policy.login).sign_in_page(request)
            raise Rejection(request.without_cookie(page))
        response = problem(401, "not_signed_in", "You are not signed in.", "Open a page of the studio and sign in.")
        response.headers["WWW-Authenticate"] = "Bearer"
        raise Rejection(request.without_cookie(response))

    def _replay_body(self, request: RequestInfo) -> Response | None:
        """For who follows a link from another site: the browser keeps our cookie back, but not when we ask again."""
        if request.is_cross_site_navigation and request.bearer is None:
            return self.policy.login.response(status=200, goes_on_to=request.clean_url)
        return None

    async def _take_token(self, request: RequestInfo, accounts: Accounts) -> None:
        """Turn `?token=` into a cookie; the address that stays in the browser has no token in it."""
        if not self.policy.keys.is_token(request.query["token"]):
            await self._count_wrong(request, accounts)
            raise Rejection(self._unauthorized(request, wrong=True))
        response = RedirectResponse(request.clean_url, 303)
        raise Rejection(request.with_cookie(response, self.policy.keys.cookie, TOKEN_COOKIE_S))

    async def _count_wrong(self, request: RequestInfo, accounts: Accounts) -> None:
        """Slow down who sends wrong tokens. The right one is always let in: others must not be able to lock it out."""
        if wait_s := await accounts.count_wrong(request.address):
            response = problem(429, "too_many_guesses", "Too many wrong access tokens.", f"Try again in {wait_s} s.")
            response.headers["Retry-After"] = str(wait_s)
            raise Rejection(response)
        await accounts.record(ANONYMOUS, "use a token", request.address, "refused")

    def _unauthorized(self, request: RequestInfo, *, wrong: bool = False) -> Response:
        if request.is_page:
            return self.policy.login.response(
                "Invalid access token. Copy it from the output of studio serve." if wrong else ""
            )
        what = "Invalid access token." if wrong else "The request has no access token."
        response = problem(401, "no_token", what, "Send `Authorization: Bearer <token>`, or open a page of the studio.")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _check_csrf(self, request: RequestInfo, admitted: AuthContext) -> None:
        changes = request.method not in SAFE_METHODS
        if changes and admitted.csrf and not is_same(request.headers.get(CSRF_HEADER, ""), admitted.csrf):
            raise Rejection(
                problem(403, "csrf", f"The header {CSRF_HEADER!r} is missing or wrong.", "Reload the page.")
            )

    async def _check_role(self, request: RequestInfo, admitted: AuthContext, accounts: Accounts) -> Authorization:
        route = self.policy.routes.name_of(request.method, request.path)
        passed = Authorization(request, admitted, route, NEEDS.get(route), accounts)
        request.scope[AUTH_CONTEXT], request.scope[CHECKED] = admitted, route
        if isinstance(admitted.who, Guest) and passed.need and passed.need.role == VISITOR:
            raise Rejection(
                unauthorized("no_token", "This address needs the token of a chat.", "Open the chat page again.")
            )
        if refusal := passed.refusal:
            await passed.record("403")
            raise Rejection(self.policy.refusal_page(request, refusal) if request.is_page else refused_with(refusal))
        return passed

    def _with_headers(self, send: Send, request: RequestInfo) -> Send:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if request.is_secure:
                    headers.setdefault("Strict-Transport-Security", f"max-age={HTTPS_FOR_S}")
                if request.allowed_origin:
                    headers["Access-Control-Allow-Origin"] = request.allowed_origin
                    headers["Access-Control-Expose-Headers"] = "Retry-After"
                if request.is_chat:
                    headers.add_vary_header("Origin")
                for name, value in security_headers(headers.get("Content-Security-Policy", self.policy.csp)).items():
                    headers.setdefault(name, value)
            await send(message)

        return with_headers


def _challenge(request: RequestInfo) -> str:
    """Where a client of MCP learns how a person can let it in (RFC 9728)."""
    metadata = f'resource_metadata="{request.origin}{RESOURCE_METADATA}/d/{request.mcp_deployment}/mcp"'
    return f'Bearer error="invalid_token", {metadata}' if request.bearer else f"Bearer {metadata}"


def _check_length(request: RequestInfo, limit: BodyLimit) -> None:
    length = request.headers.get("content-length", "")
    if length and (not length.isdigit() or int(length) > limit.max_bytes):
        raise Rejection(problem(413, "too_large", limit.message, limit.fix))


def _bounded(receive: Receive, limit: BodyLimit) -> Receive:
    """Stop reading a body that is larger than it may be, also when it did not tell its length."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit.max_bytes:
            raise HTTPException(413, limit.message)
        return message

    return bounded


def _body_limit(admitted: AuthContext) -> BodyLimit:
    """What a caller may send in one request."""
    if isinstance(admitted.who, Guest):
        kilobytes = GUEST_KB
    else:
        kilobytes = DeploymentSettings.model_validate(admitted.opened.deployment.settings).limits.body_kb
    return _body_limit_of_kb(kilobytes)


def _body_limit_of_kb(kilobytes: int) -> BodyLimit:
    return BodyLimit(kilobytes * 1024, f"The request is larger than {kilobytes} KB.", "Send less.")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _unbracketed(hosts: Iterable[str]) -> tuple[str, ...]:
    return tuple(host.strip("[]") for host in hosts)
