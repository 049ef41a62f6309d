"""The few things of a request that the guard looks at, before anything else has seen it."""

from __future__ import annotations

import re
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope

from studio.deployments import NAME_PATTERN

CALLS = "/d/"
"""Before the name of a deployment, in the addresses of its callers."""
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
WELL_KNOWN = "/.well-known/oauth-"
OAUTH = ("/token", "/register")
"""Where clients of MCP are let in. They try these addresses also where they have forgotten what the studio said."""
NAME = re.compile(NAME_PATTERN.strip("^$"))
NOT_PAGES = ("/api/", "/fragments/", "/static/", "/vendor/", CALLS, WELL_KNOWN)


class RequestInfo:
    """One request at the door."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.headers = Headers(scope=scope)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        client: tuple[str, int] | None = scope.get("client")
        self.address = client[0] if client else ""
        self.is_secure = scope.get("scheme") == "https"
        self.allowed_origin = ""
        """Another site that may read the answer."""
        self.is_page = self.method in {"GET", "HEAD"} and not self.path.startswith(NOT_PAGES) and not self.is_oauth

    @property
    def has_body(self) -> bool:
        """Whether something comes after the headers."""
        return "content-length" in self.headers or "transfer-encoding" in self.headers

    @property
    def deployment(self) -> str | None:
        """The name of the deployment that is called; None for what is no call."""
        return self.path.split("/")[2] if self.path.startswith(CALLS) else None

    @property
    def is_chat(self) -> bool:
        """Whether it is about the chat page of a deployment."""
        return self.deployment is not None and self.path.split("/")[3:4] == ["chat"]

    @property
    def is_hook(self) -> bool:
        """Whether another service posts to a hook of a deployment."""
        return self.deployment is not None and self.path.split("/")[3:4] == ["hooks"]

    @property
    def is_oauth(self) -> bool:
        """Whether a client of MCP asks how it could be let in."""
        return is_oauth(self.path)

    @property
    def mcp_deployment(self) -> str:
        """The name of the deployment that is spoken to by MCP; "" for all else."""
        is_mcp = self.deployment is not None and self.path.split("/")[3:] == ["mcp"]
        return self.deployment or "" if is_mcp and NAME.fullmatch(self.deployment or "") else ""

    @property
    def mcp_resource(self) -> str:
        """What a client of MCP calls the deployment that it speaks to; "" for all else."""
        return f"{self.origin}{CALLS}{self.mcp_deployment}/mcp" if self.mcp_deployment else ""

    @property
    def foreign_origin(self) -> str:
        """The other site whose script asks, as its browser says; "" where there is none, or more than one."""
        origins = self.headers.getlist("origin")
        return origins[0] if len(origins) == 1 and self.is_foreign else ""

    @property
    def is_opening_chat(self) -> bool:
        """Whether a browser opens a chat page, by a link or in a frame, or loads the script that shows one.

        Any site may make it do so. Whether it may show the page in a frame is told with the page, by its policy.
        """
        mode, place = self.headers.get("sec-fetch-mode", ""), self.path.split("/")[4:]
        is_page = mode == "navigate" and place == []
        is_script = mode == "no-cors" and place == ["embed.js"]
        is_read = self.method in {"GET", "HEAD"} and "origin" not in self.headers
        return self.is_chat and is_read and (is_page or is_script)

    @property
    def host(self) -> str:
        hosts = self.headers.getlist("host")
        return hosts[0].lower() if len(hosts) == 1 else ""

    @property
    def is_foreign(self) -> bool:
        """True when another site, or another port of this machine, made the browser ask."""
        origins = self.headers.getlist("origin")
        own = {self.origin, f"https://{self.host}"}  # a proxy with HTTPS may be in front without saying so
        if any(origin not in own for origin in origins):
            return True
        if self.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}:
            return False
        return not (self.is_page and self.headers.get("sec-fetch-mode") == "navigate" and self._is_top_level)

    @property
    def is_cross_site_navigation(self) -> bool:
        """Whether a page elsewhere made the browser open one of ours."""
        from_elsewhere = self.headers.get("sec-fetch-site") in {"cross-site", "same-site"}
        return from_elsewhere and self.is_page and not self.is_foreign and self.cookie is None

    @property
    def _is_top_level(self) -> bool:
        return self.headers.get("sec-fetch-dest", "document") == "document"

    @property
    def cookie_name(self) -> str:
        """Browsers share cookies between the ports of a machine, so the port is part of the name."""
        name = f"studio-{self.host.rpartition(':')[2]}" if has_port(self.host) else "studio"
        return f"__Host-{name}" if self.is_secure else name

    @property
    def origin(self) -> str:
        """Where our own pages are, as this browser sees it."""
        return f"{'https' if self.is_secure else 'http'}://{self.host}"

    @property
    def cookie(self) -> str | None:
        return self.cookie_named(self.cookie_name)

    def cookie_named(self, name: str) -> str | None:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(self.headers.get("cookie", ""))
        except CookieError:
            return None
        morsel = cookies.get(name)
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

    def with_cookie(self, response: Response, value: str, lasts_s: int) -> Response:
        """Let the browser in from now on; scripts cannot read it and other sites cannot send it."""
        response.set_cookie(
            self.cookie_name, value, httponly=True, samesite="strict", secure=self.is_secure, max_age=lasts_s
        )
        return response

    def without_cookie(self, response: Response) -> Response:
        if self.cookie is not None:
            response.delete_cookie(self.cookie_name, httponly=True, samesite="strict", secure=self.is_secure)
        return response


async def read_form(receive: Receive, max_bytes: int) -> dict[str, str] | None:
    """The fields of a small form; None when it is larger than it may be."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
        if len(body) > max_bytes:
            return None
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def is_oauth(path: str) -> bool:
    """Whether clients of MCP ask there how they could be let in."""
    return path.startswith(WELL_KNOWN) or path in OAUTH


def has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")
