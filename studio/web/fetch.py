"""Fetch a gallery or a picture from a URL without becoming somebody's way into the network behind the server.

Nobody approved the address, so it must be public, and so must each one that it redirects to. A proxy of the environment
is not used: it would look the name up again, where nobody checks what is found.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from studio.egress import Guard, HostRefused, TooLong, Unreadable, http_client
from studio.errors import StudioError, TooLarge

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 5 * 1024 * 1024
TIMEOUT_S = 10.0
DOCUMENTS = "application/json, application/yaml, text/plain;q=0.9"
WEB_PAGES = "text/html, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.5"
PICTURES = "image/png, image/jpeg, image/gif, image/webp"
MAX_REDIRECTS = 3
MAX_ETAG = 500


class UrlRefused(StudioError):
    """The studio does not fetch from there."""

    code = "url_refused"


class UrlUnreachable(StudioError):
    """The other server gave no usable answer. Safe to retry."""

    code = "url_unreachable"


class Fetched(NamedTuple):
    """What an address gave. `content` is None where it has not changed since the given `etag`."""

    content: bytes | None
    etag: str


async def fetch_document(
    url: str, *, allow_private: bool = False, accept: str = DOCUMENTS, instead: str = "Import it as a file."
) -> bytes:
    """Get the bytes behind an http or https URL, as `fetch_changed` does."""
    found = await fetch_changed(url, "", allow_private=allow_private, accept=accept, instead=instead)
    return found.content or b""


async def fetch_changed(
    url: str,
    etag: str,
    *,
    allow_private: bool = False,
    accept: str = DOCUMENTS,
    instead: str = "Import it as a file.",
) -> Fetched:
    """Get the bytes behind an http or https URL, unless they are those that had this `etag`.

    `instead` tells a person what to do where the studio may not.

    Raises:
        UrlRefused: Not http(s), or an address that is not on the public internet.
        UrlUnreachable: No answer in 10 s, an error status, or too many redirects.
        TooLarge: More than 5 MB.
    """
    import httpx  # slow to load

    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _follow(url, allow_private, {"Accept": accept} | ({"If-None-Match": etag} if etag else {}))
    except TimeoutError as error:
        raise UrlUnreachable(
            f"{url!r} did not respond completely within {TIMEOUT_S:.0f} s.", fix="Try again."
        ) from error
    except TooLong as error:
        raise TooLarge(f"{url!r} is larger than {MAX_BYTES // (1024 * 1024)} MB.", fix=instead) from error
    except Unreadable as error:
        raise UrlUnreachable(f"{url!r}: {error.what}", fix="Check the address.") from error
    except HostRefused as error:
        raise UrlRefused(
            error.what,
            fix=f"{instead} Or ask the operator to set `STUDIO_ALLOW_PRIVATE_URLS`.",
        ) from error
    except httpx.HTTPError as error:
        raise UrlUnreachable(f"{url!r} cannot be read: {error}.", fix="Check the address, then try again.") from error


async def _follow(url: str, allow_private: bool, headers: dict[str, str]) -> Fetched:
    guard = Guard(elsewhere=True, unlimited=allow_private)
    async with http_client(guard, limit=MAX_BYTES, trust_env=False, timeout=TIMEOUT_S) as client:
        for _ in range(MAX_REDIRECTS + 1):
            answer = await _get(client, _parsed(url), headers)
            if isinstance(answer, Fetched):
                return answer
            url = answer
    raise UrlUnreachable(f"{url!r} redirects more than {MAX_REDIRECTS} times.", fix="Use the final address.")


async def _get(client: httpx.AsyncClient, url: httpx.URL, headers: dict[str, str]) -> Fetched | str:
    """The content, or the address that it redirects to."""
    async with client.stream("GET", url, headers=headers | {"User-Agent": "team-studio"}) as response:
        if response.has_redirect_location:
            return _joined(url, response.headers["location"])
        if response.status_code == 304 and "If-None-Match" in headers:
            return Fetched(None, headers["If-None-Match"])
        if response.status_code != 200:
            raise UrlUnreachable(f"{str(url)!r} answered with status {response.status_code}.", fix="Check the address.")
        etag = response.headers.get("etag", "")
        is_kept = len(etag) <= MAX_ETAG and etag.isascii()  # else it could not be sent back
        return Fetched(await response.aread(), etag if is_kept else "")


def _joined(url: httpx.URL, location: str) -> str:
    import httpx  # slow to load

    try:
        return str(url.join(location))
    except (httpx.InvalidURL, ValueError) as error:
        raise UrlUnreachable(f"{str(url)!r} redirects to {location!r}, which is not a URL.") from error


def _parsed(url: str) -> httpx.URL:
    import httpx  # slow to load

    try:
        parsed = httpx.URL(url.strip())
        host, port = parsed.host, parsed.port
    except (httpx.InvalidURL, ValueError) as error:  # the host is decoded when it is asked for
        raise UrlRefused(
            f"{url!r} is not a URL: {error}.", fix="Enter an address that starts with https://."
        ) from error
    if parsed.scheme not in {"http", "https"} or not host:
        raise UrlRefused(f"{url!r} is not an http or https address.", fix="Enter an address that starts with https://.")
    if port is not None and not 0 < port < 65536:
        raise UrlRefused(f"{url!r} has no port between 1 and 65535.", fix="Copy the address from a browser.")
    if parsed.userinfo:
        raise UrlRefused("The URL contains a user name or password.", fix="Download the file yourself.")
    return parsed
