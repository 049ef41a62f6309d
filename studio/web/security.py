"""The one guard in front of every route: pages, fragments, API, static files and event streams alike.

A studio on a laptop is reached by every page the browser has open and by every program on the machine, so loopback
is no exception. In order: Host, Origin, token, CSRF header, size of the body; then headers on whatever comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.access import Guesses, Keys

OPEN_PATH = "/healthz"
"""The only route without a guard; it says that the process answers, and nothing else."""
CSRF_HEADER = "x-studio-csrf"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
NOT_PAGES = ("/api/", "/fragments/", "/static/", "/vendor/")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::")
DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 10.0


class Refused(Exception):
    """The guard does not let this request through; `response` says why."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


@dataclass(frozen=True)
class LoginPage:
    """A page that needs no other file, since without a token none is served; `csp` allows its one style element."""

    html: Callable[[str], str]
    csp: str

    def response(self, message: str) -> Response:
        return HTMLResponse(self.html(message), 401, {"Content-Security-Policy": self.csp})


@dataclass(frozen=True)
class Policy:
    """What the guard compares with."""

    keys: Keys
    hosts: frozenset[str]
    csp: str
    login: LoginPage
    max_body_bytes: int
    guesses: Guesses = field(default_factory=Guesses)


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """Every value that the Host header may have. Never a wildcard: that is what stops DNS rebinding."""
    names = {*LOOPBACK} if settings.host in (*ANY_ADDRESS, *_unbracketed(LOOPBACK)) else {_bracketed(settings.host)}
    hosts = {f"{name}:{settings.port}" for name in names}
    if settings.port == 80:
        hosts |= names
    for given in settings.allowed_hosts:
        name = given.strip().lower()
        hosts |= {name} if _has_port(name) else {name, f"{name}:{settings.port}"}
    return frozenset(host for host in hosts if host)


def content_security_policy(*, scripts: Iterable[str] = (), styles: Iterable[str] = ()) -> str:
    """The policy of FRONTEND: nothing from elsewhere, nothing inline but what is named by its hash."""
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self'", *(f"'{value}'" for value in scripts))),
            " ".join(("style-src 'self'", *(f"'{value}'" for value in styles))),
            "connect-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def security_headers(csp: str) -> Mapping[str, str]:
    """Set on every response that does not bring its own value."""
    return {
        "Content-Security-Policy": csp,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
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
        send = self._with_headers(send)
        try:
            request = _Request(scope)
            if request.path != OPEN_PATH:
                self._check(request)
            self._check_length(request)
        except Refused as refused:
            await _answer_early(refused.response, scope, receive, send)
            return
        await self.app(scope, self._bounded(receive), send)

    def _check(self, request: _Request) -> None:
        if request.host not in self.policy.hosts:
            raise Refused(
                problem(
                    421,
                    "wrong_host",
                    "This studio is not served under that host name.",
                    "Add the name to `STUDIO_ALLOWED_HOSTS`.",
                )
            )
        if request.is_foreign:
            raise Refused(problem(403, "wrong_origin", "Another site asked for this; the studio only answers its own."))
        by_cookie = self._check_token(request)
        changes = request.method not in SAFE_METHODS
        if changes and by_cookie and not self.policy.keys.is_csrf(request.headers.get(CSRF_HEADER, "")):
            raise Refused(problem(403, "csrf", f"The header {CSRF_HEADER!r} is missing or wrong.", "Reload the page."))

    def _check_token(self, request: _Request) -> bool:
        """True when the cookie let the request in, false for a bearer token."""
        keys = self.policy.keys
        if request.is_page and "token" in request.query:
            self._sign_in(request)
        if request.cookie and keys.is_cookie(request.cookie):
            return True
        given = request.bearer or request.cookie
        if given is None:
            raise Refused(self._unauthorized(request))
        self._slow_down(request)
        if request.bearer is not None and keys.is_token(request.bearer):
            return False
        self.policy.guesses.add_wrong(request.address)
        raise Refused(_without_cookie(self._unauthorized(request, wrong=True), request))

    def _sign_in(self, request: _Request) -> None:
        """Turn `?token=` into a cookie; the address that stays in the browser has no token in it."""
        self._slow_down(request)
        if not self.policy.keys.is_token(request.query["token"]):
            self.policy.guesses.add_wrong(request.address)
            raise Refused(self._unauthorized(request, wrong=True))
        response = RedirectResponse(request.clean_url, 303)
        response.set_cookie(
            request.cookie_name,
            self.policy.keys.cookie,
            httponly=True,
            samesite="strict",
            secure=request.is_secure,
            max_age=400 * 24 * 3600,
        )
        raise Refused(response)

    def _slow_down(self, request: _Request) -> None:
        wait_s = self.policy.guesses.wait_s(request.address)
        if wait_s:
            response = problem(429, "too_many_guesses", "Too many wrong access tokens.", f"Try again in {wait_s} s.")
            response.headers["Retry-After"] = str(wait_s)
            raise Refused(response)

    def _unauthorized(self, request: _Request, *, wrong: bool = False) -> Response:
        if request.is_page:
            return self.policy.login.response("That access token is not right." if wrong else "")
        what = "That access token is not right." if wrong else "An access token is needed."
        response = problem(401, "no_token", what, "Send `Authorization: Bearer <token>`, or open a page of the studio.")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _check_length(self, request: _Request) -> None:
        length = request.headers.get("content-length", "")
        if length and (not length.isdigit() or int(length) > self.policy.max_body_bytes):
            raise Refused(problem(413, "too_large", *self._too_large()))

    def _too_large(self) -> tuple[str, str]:
        megabytes = self.policy.max_body_bytes // (1024 * 1024)
        return f"The request is larger than {megabytes} MB.", "Send less, or raise `STUDIO_MAX_UPLOAD_MB`."

    def _bounded(self, receive: Receive) -> Receive:
        """Stop reading a body that is larger than it may be, also when it did not tell its length."""
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.policy.max_body_bytes:
                raise HTTPException(413, self._too_large()[0])
            return message

        return bounded

    def _with_headers(self, send: Send) -> Send:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in security_headers(self.policy.csp).items():
                    headers.setdefault(name, value)
            await send(message)

        return with_headers


class _Request:
    """The few things of a request that the guard looks at."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.headers = Headers(scope=scope)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        client: tuple[str, int] | None = scope.get("client")
        self.address = client[0] if client else ""
        self.is_secure = scope.get("scheme") == "https"
        self.is_page = self.method in {"GET", "HEAD"} and not self.path.startswith(NOT_PAGES)

    @property
    def host(self) -> str:
        hosts = self.headers.getlist("host")
        return hosts[0].lower() if len(hosts) == 1 else ""

    @property
    def is_foreign(self) -> bool:
        """True when another site, or another port of this machine, made the browser ask."""
        origins = self.headers.getlist("origin")
        if any(origin not in (f"http://{self.host}", f"https://{self.host}") for origin in origins):
            return True
        if self.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}:
            return False
        return not (self.is_page and self.headers.get("sec-fetch-mode") == "navigate" and self._is_top_level)

    @property
    def _is_top_level(self) -> bool:
        return self.headers.get("sec-fetch-dest", "document") == "document"

    @property
    def cookie_name(self) -> str:
        """Browsers share cookies between the ports of a machine, so the port is part of the name."""
        return f"studio-{self.host.rpartition(':')[2]}" if _has_port(self.host) else "studio"

    @property
    def cookie(self) -> str | None:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(self.headers.get("cookie", ""))
        except CookieError:
            return None
        morsel = cookies.get(self.cookie_name)
        return morsel.value if morsel else None

    @property
    def bearer(self) -> str | None:
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        return value.strip() if scheme.lower() == "bearer" else None

    @property
    def clean_url(self) -> str:
        rest = urlencode({name: value for name, value in self.query.items() if name != "token"})
        path = "/" + quote(self.path.lstrip("/\\"), safe="/:@!$&'()*+,;=~-._")
        return f"{path}?{rest}" if rest else path


def problem(status: int, code: str, message: str, fix: str = "", where: str = "") -> Response:
    """An error in the one JSON shape."""
    return JSONResponse({"error": {"code": code, "message": message, "fix": fix, "where": where}}, status)


def _without_cookie(response: Response, request: _Request) -> Response:
    if request.cookie is not None:
        response.delete_cookie(request.cookie_name, httponly=True, samesite="strict")
    return response


async def _answer_early(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer before the body came, then throw the body away: a client that is cut off would never read the answer."""

    async def hold_open(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    has_body = "content-length" in Headers(scope=scope) or "transfer-encoding" in Headers(scope=scope)
    if not has_body:
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


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _unbracketed(hosts: Iterable[str]) -> tuple[str, ...]:
    return tuple(host.strip("[]") for host in hosts)
