"""HTTP clients behind a guard, against servers that mean no good."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import httpx
import httpx2
import pytest

from studio.egress import Guard, HostRefused, TooLong, Unreadable, http_client, put_behind_guard, resolving
from studio.web import fetch
from tests.egress.answering import answering, response
from tests.egress.conftest import METADATA, NAME, Inside


def redirect(to: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n".encode()


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


async def test_a_kept_connection_is_used_again_and_no_name_is_looked_up_twice(library: Any, inside: Inside):
    async with answering(response(b"ok")) as url:
        port = int(url.rpartition(":")[2])
        async with http_client(Guard.for_host("server.lan", port), client_class=library.AsyncClient) as client:
            for _ in range(3):
                assert (await client.get(f"http://server.lan:{port}/")).text == "ok"
    assert inside.asked == ["server.lan"]


async def test_a_name_that_leads_inside_is_not_asked(library: Any, inside: Inside):
    async with http_client(Guard.for_host(NAME, inside.port), client_class=library.AsyncClient) as client:
        with pytest.raises(HostRefused):
            await client.get(f"http://{NAME}:{inside.port}/")
    with (
        http_client(Guard.for_host(NAME, inside.port), client_class=library.Client) as client,
        pytest.raises(HostRefused),
    ):
        await asyncio.to_thread(client.get, f"http://{NAME}:{inside.port}/")
    assert not inside.visits


@pytest.mark.parametrize(
    "to",
    [
        f"http://{METADATA}/latest/meta-data/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://metadata.google.internal/",
        "//169.254.169.254/",
        "http://api.example.com@169.254.169.254/",
        f"http://{NAME}/",
        "http://10.0.0.1/",
    ],
)
async def test_a_redirect_leads_nowhere_inside(library: Any, inside: Inside, to: str):
    async with answering(redirect(to)) as url:
        host = Guard(Guard.for_url(url).named, elsewhere=True)
        async with http_client(host, client_class=library.AsyncClient, follow_redirects=True) as client:
            with pytest.raises(HostRefused):
                await client.get(url)
    assert not inside.visits


@pytest.mark.parametrize("to", ["file:///etc/passwd", "gopher://127.0.0.1:70/", "http://[fe80::1%25eth0]/"])
async def test_a_redirect_to_something_else_than_http_is_an_error(library: Any, to: str):
    async with answering(redirect(to)) as url, http_client(Guard.for_url(url), follow_redirects=True) as client:
        with pytest.raises((httpx.HTTPError, httpx.InvalidURL, HostRefused)):
            await client.get(url)
    async with (
        answering(redirect(to)) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, follow_redirects=True) as client,
    ):
        with pytest.raises((library.HTTPError, library.InvalidURL, HostRefused)):
            await client.get(url)


async def test_a_redirect_to_a_public_host_that_nobody_named_is_refused(library: Any):
    async with (
        answering(redirect("https://evil.example/collect")) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, follow_redirects=True) as client,
    ):
        with pytest.raises(HostRefused, match=r"evil\.example:443 is not among the approved hosts"):
            await client.get(url)


async def test_an_answer_is_taken_up_to_its_limit(library: Any):
    async with (
        answering(response(b"x" * 1001)) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=1000) as client,
    ):
        with pytest.raises(TooLong):
            await client.get(url)
        with http_client(Guard.for_url(url), client_class=library.Client, limit=1000) as client, pytest.raises(TooLong):
            await asyncio.to_thread(client.get, url)
        async with http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=1001) as client:
            assert len((await client.get(url)).content) == 1001


async def test_an_answer_without_an_end_is_cut(library: Any):
    async def pour(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
            await writer.drain()

    async with (
        answering(pour) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=100_000) as client,
    ):
        with pytest.raises(TooLong):
            await client.get(url)


async def test_a_packed_answer_is_measured_unpacked(library: Any):
    bomb = gzip.compress(b"\0" * 20_000_000)
    async with (
        answering(response(bomb, content_encoding="gzip")) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=1_000_000) as client,
    ):
        with pytest.raises(TooLong):
            await client.get(url)
    async with (
        answering(response(gzip.compress(b"hello"), content_encoding="gzip")) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient) as client,
    ):
        assert (await client.get(url)).text == "hello"


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "gzip"])
async def test_what_cannot_be_unpacked_in_bounds_is_refused(library: Any, packing: str):
    async with (
        answering(response(b"...", content_encoding=packing)) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient) as client,
    ):
        with pytest.raises(Unreadable):
            await client.get(url)


@pytest.mark.parametrize("charset", ["punycode", "PunyCode", "idna", "unicode_escape", "zlib", "none-such"])
async def test_letters_are_read_only_by_what_the_web_writes_them_in(library: Any, charset: str):
    """Python's Punycode takes minutes for megabytes, and the server chooses."""
    answer = response("é-99".encode(), content_type=f"text/plain; charset={charset}")
    async with (
        answering(answer) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient) as client,
    ):
        assert (await client.get(url)).text == "é-99"


async def test_letters_of_the_web_are_read(library: Any):
    for charset in ("utf-8", "latin1", "windows-1251", "koi8-r", "Shift_JIS", "EUC-KR", "gb18030", "Big5", "utf-16le"):
        answer = response("Yes".encode(charset), content_type=f"text/plain; charset={charset}")
        async with (
            answering(answer) as url,
            http_client(Guard.for_url(url), client_class=library.AsyncClient) as client,
        ):
            got = await client.get(url)
            assert (got.charset_encoding, got.text) == (charset.lower(), "Yes")


async def test_a_session_may_go_on_but_no_event_of_it(library: Any):
    events = response(b"data: 12345\n\n" * 50, content_type="text/event-stream")
    async with (
        answering(events) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=100, is_session=True) as client,
    ):
        assert (await client.get(url)).text.count("data:") == 50
    endless = response(b"data: " + b"x" * 1000, content_type="text/event-stream")
    async with (
        answering(endless) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient, limit=100, is_session=True) as client,
    ):
        with pytest.raises(TooLong):
            await client.get(url)


async def test_headers_without_an_end_are_cut(library: Any):
    async with (
        answering(response(b"", x_long="x" * 1_000_000)) as url,
        http_client(Guard.for_url(url), client_class=library.AsyncClient) as client,
    ):
        with pytest.raises(library.RemoteProtocolError):
            await client.get(url)


async def test_a_name_that_takes_too_long_to_find_is_a_timeout(library: Any):
    async with http_client(Slow(("slow.lan", 80)), client_class=library.AsyncClient, timeout=0.05) as client:
        with pytest.raises(library.ConnectTimeout):
            await client.get("http://slow.lan/")


class Slow(Guard):
    """A guard whose names are never found."""

    def __init__(self, *named: tuple[str, int]) -> None:
        super().__init__(named)

    async def addresses(self, host: str, port: int) -> list[Any]:
        del host, port
        return await asyncio.get_running_loop().create_future()


async def test_an_unknown_name_is_an_error_of_the_connection(library: Any):
    def unknown(*_: object) -> list[str]:
        raise OSError("no such name")

    with resolving(unknown):
        async with http_client(Guard.for_host("nobody.lan", 80), client_class=library.AsyncClient) as client:
            with pytest.raises(library.ConnectError, match="not known"):
                await client.get("http://nobody.lan/")


async def test_a_proxy_of_the_environment_is_used_and_spellings_are_still_judged(
    library: Any, monkeypatch: pytest.MonkeyPatch
):
    async with answering(response(b"from the proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("http_proxy", proxy)
        guard = Guard(elsewhere=True)
        async with http_client(guard, client_class=library.AsyncClient) as client:
            assert (await client.get(f"http://{NAME}/")).text == "from the proxy"
            for host in (METADATA, "127.0.0.1", "2130706433", "metadata.google.internal"):
                with pytest.raises(HostRefused):
                    await client.get(f"http://{host}/")


async def test_what_the_environment_exempts_from_its_proxy_is_reached_directly_and_judged(
    library: Any, inside: Inside, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    monkeypatch.setenv("no_proxy", f"server.lan,{NAME}")
    async with answering(response(b"direct")) as url:
        port = int(url.rpartition(":")[2])
        guard = Guard((("server.lan", port), (NAME, inside.port)))
        async with http_client(guard, client_class=library.AsyncClient) as client:
            assert (await client.get(f"http://server.lan:{port}/")).text == "direct"
            with pytest.raises(HostRefused):
                await client.get(f"http://{NAME}:{inside.port}/")
    assert not inside.visits


async def test_a_client_that_a_package_made_is_guarded_with_its_proxies(
    library: Any, inside: Inside, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    with library.Client() as client:
        monkeypatch.delenv("http_proxy")
        put_behind_guard(client, Guard.for_host(NAME, inside.port))
        with pytest.raises(HostRefused):
            await asyncio.to_thread(client.get, f"http://{NAME}:{inside.port}/")
    assert not inside.visits


async def test_an_answer_that_only_drips_is_given_up(monkeypatch: pytest.MonkeyPatch):
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    monkeypatch.setattr(fetch, "TIMEOUT_S", 0.2)
    async with answering(drip) as url:
        with pytest.raises(fetch.UrlUnreachable, match="did not respond completely"):
            await fetch.fetch_document(url, allow_private=True)
