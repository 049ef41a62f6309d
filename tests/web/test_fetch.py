"""Fetching from a URL does not lead into the network behind the server."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

import pytest

from studio.egress import is_public
from studio.errors import TooLarge
from studio.web.fetch import UrlRefused, UrlUnreachable, fetch_document
from tests.fakes.file_server import http_server


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with http_server() as port:
        yield port


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.1.2.3/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0.0.0.0/",
    ],
)
async def test_private_addresses_are_refused_however_they_are_written(url: str):
    with pytest.raises(UrlRefused, match="not on the public internet"):
        await fetch_document(url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/x", "gopher://x", "example.org", "http://"])
async def test_only_http_is_fetched(url: str):
    with pytest.raises(UrlRefused):
        await fetch_document(url)


async def test_a_url_with_a_password_is_refused():
    with pytest.raises(UrlRefused, match="password"):
        await fetch_document("http://user:secret@example.org/")


@pytest.mark.parametrize(
    "address",
    ["100.64.0.1", "192.168.1.1", "172.16.0.1", "224.0.0.1", "240.0.0.1", "fe80::1", "fc00::1", "64:ff9b::7f00:1"],
)
def test_addresses_off_the_public_internet_are_known(address: str):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_addresses_of_the_public_internet_are_known(address: str):
    assert is_public(ipaddress.ip_address(address))


async def test_the_name_is_kept_when_the_address_is_pinned(port: int):
    body = await fetch_document(f"http://localhost:{port}/", allow_private=True)
    assert body == f"localhost:{port}".encode()


async def test_redirects_are_followed_three_times(port: int):
    assert await fetch_document(f"http://127.0.0.1:{port}/hop/3", allow_private=True)
    with pytest.raises(UrlUnreachable, match="redirects more than 3 times"):
        await fetch_document(f"http://127.0.0.1:{port}/hop/4", allow_private=True)


async def test_a_redirect_is_checked_like_the_first_address(port: int):
    with pytest.raises(UrlRefused, match="not an http or https address"):
        await fetch_document(f"http://127.0.0.1:{port}/to-file", allow_private=True)


async def test_more_than_five_megabytes_are_refused(port: int):
    with pytest.raises(TooLarge, match="larger than 5 MB"):
        await fetch_document(f"http://127.0.0.1:{port}/large", allow_private=True)


@pytest.mark.parametrize(("path", "reason"), [("missing", "status 404"), ("packed", "decompressed")])
async def test_an_unusable_answer_says_why(port: int, path: str, reason: str):
    with pytest.raises(UrlUnreachable, match=reason):
        await fetch_document(f"http://127.0.0.1:{port}/{path}", allow_private=True)


async def test_a_server_that_is_not_there_is_told():
    with http_server() as port:
        pass
    with pytest.raises(UrlUnreachable):
        await fetch_document(f"http://127.0.0.1:{port}/", allow_private=True)


@pytest.mark.parametrize("path", ["/to-nowhere", "/to-a-broken-address", "/to-a-port-that-is-none"])
async def test_a_redirect_that_leads_nowhere_is_told(port: int, path: str):
    with pytest.raises((UrlRefused, UrlUnreachable)):
        await fetch_document(f"http://127.0.0.1:{port}{path}", allow_private=True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/", "http://xn--/", "http://127.0.0.1:0/", "http://a..b/", "http://["]
)
async def test_an_address_that_is_none_is_refused(url: str):
    with pytest.raises((UrlRefused, UrlUnreachable)):
        await fetch_document(url, allow_private=True)
