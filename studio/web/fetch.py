"""Fetch a gallery from a URL without becoming somebody's way into the network behind the server.

Every address of the name is checked before one of them is used, and the connection goes to exactly that address, so
a name that resolves differently a moment later changes nothing. Each redirect is checked again in the same way.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

import httpx

from studio.errors import StudioError, TooLarge
from studio.tools.addresses import IPAddress, is_public

MAX_BYTES = 5 * 1024 * 1024
TIMEOUT_S = 10.0
MAX_REDIRECTS = 3


class UrlRefused(StudioError):
    """The studio does not fetch from there."""

    code = "url_refused"


class UrlUnreachable(StudioError):
    """The other server gave no usable answer. Safe to retry."""

    code = "url_unreachable"


async def fetch_document(url: str, *, allow_private: bool = False) -> bytes:
    """Get the bytes behind an http or https URL.

    Raises:
        UrlRefused: Not http(s), or an address that is not on the public internet.
        UrlUnreachable: No answer in 10 s, an error status, or too many redirects.
        TooLarge: More than 5 MB.
    """
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _follow(url, allow_private)
    except TimeoutError as error:
        raise UrlUnreachable(f"{url!r} gave no complete answer in {TIMEOUT_S:.0f} s.", fix="Try again.") from error
    except httpx.HTTPError as error:
        raise UrlUnreachable(f"{url!r} cannot be read: {error}.", fix="Check the address, then try again.") from error


async def _follow(url: str, allow_private: bool) -> bytes:
    async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=TIMEOUT_S) as client:
        for _ in range(MAX_REDIRECTS + 1):
            answer = await _get(client, _parsed(url), allow_private)
            if isinstance(answer, bytes):
                return answer
            url = answer
    raise UrlUnreachable(f"{url!r} redirects more than {MAX_REDIRECTS} times.", fix="Use the final address.")


async def _get(client: httpx.AsyncClient, url: httpx.URL, allow_private: bool) -> bytes | str:
    """The content, or the address that it redirects to."""
    address = await _resolved(url, allow_private)
    request = client.build_request(
        "GET",
        url.copy_with(host=str(address)),
        headers={
            "Host": url.netloc.decode("ascii"),
            "Accept": "application/json, application/yaml, text/plain;q=0.9",
            "Accept-Encoding": "identity",
            "User-Agent": "team-studio",
        },
        extensions={"sni_hostname": url.host},
    )
    response = await client.send(request, stream=True)
    try:
        if response.has_redirect_location:
            return _joined(url, response.headers["location"])
        if response.status_code != 200:
            raise UrlUnreachable(f"{str(url)!r} answered with status {response.status_code}.", fix="Check the address.")
        return await _bounded(response, url)
    finally:
        await response.aclose()


async def _bounded(response: httpx.Response, url: httpx.URL) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise UrlUnreachable(f"{str(url)!r} answered with a compressed body, which was not asked for.")
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > MAX_BYTES:
            raise TooLarge(f"{str(url)!r} is larger than {MAX_BYTES // (1024 * 1024)} MB.", fix="Import it as a file.")
    return bytes(content)


def _joined(url: httpx.URL, location: str) -> str:
    try:
        return str(url.join(location))
    except (httpx.InvalidURL, ValueError) as error:
        raise UrlUnreachable(f"{str(url)!r} redirects to {location!r}, which is not a URL.") from error


def _parsed(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip())
        host, port = parsed.host, parsed.port
    except (httpx.InvalidURL, ValueError) as error:  # the host is decoded when it is asked for
        raise UrlRefused(f"{url!r} is not a URL: {error}.", fix="Give an address that starts with https://.") from error
    if parsed.scheme not in {"http", "https"} or not host:
        raise UrlRefused(f"{url!r} is not an http or https address.", fix="Give an address that starts with https://.")
    if port is not None and not 0 < port < 65536:
        raise UrlRefused(f"{url!r} has no port between 1 and 65535.", fix="Give the address as a browser shows it.")
    if parsed.userinfo:
        raise UrlRefused("A URL with a user name or password in it is not fetched.", fix="Download the file yourself.")
    return parsed


async def _resolved(url: httpx.URL, allow_private: bool) -> IPAddress:
    """One address of the host, after all of them were found to be public."""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(entry[4][0])) for entry in found]
    except (OSError, ValueError) as error:
        raise UrlUnreachable(f"The name {url.host!r} is not known.", fix="Check the address.") from error
    private = [address for address in addresses if not is_public(address)]
    if private and not allow_private:
        raise UrlRefused(
            f"{url.host!r} is at {str(private[0])!r}, which is not on the public internet.",
            fix="Download the file yourself and import it, or ask the operator for `STUDIO_ALLOW_PRIVATE_URLS`.",
        )
    if not addresses:
        raise UrlUnreachable(f"The name {url.host!r} has no address.", fix="Check the address.")
    return addresses[0]
