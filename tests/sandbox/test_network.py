"""The proxy of jailed programs: to the granted hosts, and nowhere else. The programs are real, the jail is not here."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from asyncio import StreamReader, StreamWriter
from pathlib import Path
from typing import Any

import h11
import pytest

from studio.egress import keeping_out_of, resolving
from studio.executors.program import run_program
from studio.sandbox.http_request import HEAD_LIMIT, BadRequest, Request, next_request
from studio.sandbox.proxy import CONNECTIONS_AT_ONCE, Traffic, network_for
from tests.sandbox.sites import ASK, asking, served, site

TUNNEL = """
import http.client, sys
place, inside = sys.argv[1:]
import os
proxy = os.environ["HTTPS_PROXY"].removeprefix("http://")
connection = http.client.HTTPConnection(proxy, timeout=10)
connection.set_tunnel(place)
try:
    connection.request("GET", inside)
    print(connection.getresponse().read().decode())
except OSError as error:
    print("no way:", error)
"""
TRY = """
    import os, socket
    with socket.create_connection(("127.0.0.1", int(os.environ["HTTP_PROXY"].rpartition(":")[2]))) as connection:
        connection.recv(1)
""".strip()
HTTPX = "import httpx, sys; print(httpx.get(sys.argv[1]).text)"


async def printed(command: list[str], *hosts: str, traffic: Traffic | None = None) -> str:
    """What a program prints that may reach these hosts."""
    async with network_for(hosts, traffic) as network:
        outcome = await run_program(network.command(command), environment={"PATH": os.defpath}, timeout_s=15)
    return f"{outcome.stdout}{outcome.stderr}".strip()


async def test_no_hosts_are_no_network_and_no_proxy() -> None:
    async with network_for(()) as network:
        assert (network.command(["true"]), network.readable) == (["true"], ())


async def test_a_granted_host_is_reached_and_another_is_not() -> None:
    async with site("granted") as here, site("other") as there:
        assert await printed(asking(f"http://{here}/a?b=1"), here) == "granted GET /a?b=1 HTTP/1.1"
        refused = await printed(asking(f"http://{there}/"), here)
    assert refused.startswith(f"403 The sandbox does not allow this code to reach {there}.")
    assert f"It was approved for {here}." in refused
    assert "add it to the hosts in the approval of the code" in refused


async def test_a_tunnel_goes_to_granted_hosts_only() -> None:
    async with site("granted") as here, site("other") as there:
        open_one = [sys.executable, "-c", TUNNEL, here, "/in"]
        shut_one = [sys.executable, "-c", TUNNEL, there, "/in"]
        assert await printed(open_one, here) == "granted GET /in HTTP/1.1"
        assert await printed(shut_one, here) == (
            f"no way: Tunnel connection failed: 403 The sandbox does not allow this code to reach {there}"
        )


async def test_other_clients_find_the_proxy_too() -> None:
    async with site("granted") as here:
        assert await printed([sys.executable, "-c", HTTPX, f"http://{here}/x"], here) == "granted GET /x HTTP/1.1"


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "fd00:ec2::254"])
async def test_a_public_name_that_leads_inside_is_refused(address: str) -> None:
    def inside(_host: str, _port: int) -> list[str]:
        return [address]

    with resolving(inside):
        for hosts in (("api.example.com",), ("api.example.com:80",), ("*",)):
            assert (await printed(asking("http://api.example.com/"), *hosts)).startswith("403 ")


async def test_every_public_host_is_not_this_machine() -> None:
    async with site() as here:
        port = here.rpartition(":")[2]
        for url in (
            f"http://{here}/",
            f"http://localhost:{port}/",
            f"http://127.1:{port}/",
            f"http://2130706433:{port}",
        ):
            # Such names need no proxy by themselves: in a jail they mean its own loopback.
            command = ["/usr/bin/env", "NO_PROXY=", "no_proxy=", *asking(url)]
            assert (await printed(command, "*")).startswith("403 ")


async def test_the_studio_itself_is_refused_though_it_was_granted() -> None:
    async with site("studio") as here:
        name, port = "studio.example.org", int(here.rpartition(":")[2])
        assert await printed(asking(f"http://{here}/"), here) == "studio GET / HTTP/1.1"
        with keeping_out_of(port, [name]), resolving(lambda _host, _port: ["93.184.216.34"]):
            for url, grant in ((f"http://{here}/", here), (f"http://{name}/", name), (f"http://{name}/", "*")):
                refused = await printed(asking(url), grant)
                assert refused.startswith("403 ")
                assert "The studio itself is at" in refused
                assert "add it to the hosts" not in refused, "nobody can"


async def test_a_host_that_is_down_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        place = f"127.0.0.1:{unused.getsockname()[1]}"
    assert (await printed(asking(f"http://{place}/"), place)).startswith(f"502 {place} cannot be reached: ")


async def test_what_a_program_exchanges_is_bounded() -> None:
    async def pour(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(bytes(65_536))
            await writer.drain()

    count = "import sys, urllib.request; print(len(urllib.request.urlopen(sys.argv[1]).read()))"
    async with served(pour) as here:
        told = await printed([sys.executable, "-c", count, f"http://{here}/"], here, traffic=Traffic(bytes=200_000))
    assert 100_000 < int(told) < 200_000


async def test_a_silent_connection_is_closed() -> None:
    is_asked = asyncio.Event()

    async def say_nothing(reader: StreamReader, _: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        is_asked.set()
        await reader.read()

    async with served(say_nothing) as here:
        told = await printed(asking(f"http://{here}/"), here, traffic=Traffic(idle_s=0.1))
    assert is_asked.is_set()
    assert told.startswith("no way:")


async def test_leaving_the_block_ends_what_is_under_way() -> None:
    is_asked, has_ended = asyncio.Event(), asyncio.Event()

    async def wait(reader: StreamReader, _: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        is_asked.set()
        await reader.read()
        has_ended.set()

    async with served(wait) as here, asyncio.TaskGroup() as tasks:
        async with network_for((here,)) as network:
            command = network.command(asking(f"http://{here}/"))
            running = tasks.create_task(run_program(command, environment={"PATH": os.defpath}))
            await is_asked.wait()
        await has_ended.wait()
    assert running.result().stdout.startswith("no way:")
    assert not os.path.exists(command[-5])  # noqa: ASYNC240 -- a look at one name


async def test_what_else_comes_through_the_door_is_dropped(tmp_path: Path) -> None:
    async with site("granted") as here, network_for((here,)) as network:
        door = network.command([])[-2]
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel,
            (tmp_path / "file").open("w") as file,
            socket.socket() as unbound,
        ):
            channel.connect(door)
            channel.send(b"no handle")
            socket.send_fds(channel, [b"a file"], [file.fileno()])
            socket.send_fds(channel, [b"no listener"], [unbound.fileno()])
        outcome = await run_program(
            network.command(asking(f"http://{here}/")), environment={"PATH": os.defpath}, timeout_s=15
        )
    assert outcome.stdout.startswith("granted")


def parsed(head: bytes) -> Request | None:
    return next_request(h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT), head)


async def test_connections_that_fail_at_once_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the server has no file handles left for a moment."""
    opened, failures = asyncio.open_connection, iter(range(CONNECTIONS_AT_ONCE + 5))

    async def failing(*args: Any, **named: Any) -> Any:
        if "sock" in named and next(failures, None) is not None:
            raise OSError(24, "Too many open files")
        return await opened(*args, **named)

    monkeypatch.setattr(asyncio, "open_connection", failing)
    async with site("granted") as here:
        code = f"import subprocess, sys\nfor _ in range({CONNECTIONS_AT_ONCE + 5}):\n    {TRY}\n{ASK}"
        assert (await printed([sys.executable, "-c", code, f"http://{here}/"], here)).startswith("granted GET /")


def test_what_belongs_to_one_connection_is_not_passed_on() -> None:
    request = parsed(
        b"GET http://Example.org:8080/a?b HTTP/1.1\r\nHost: elsewhere\r\nProxy-Authorization: x\r\n"
        b"Connection: keep-alive\r\nAccept: */*\r\n\r\n"
    )
    assert request is not None
    assert request.target == ("example.org", 8080)
    assert request.head == (b"GET /a?b HTTP/1.1\r\nHost: Example.org:8080\r\nConnection: close\r\nAccept: */*\r\n\r\n")


@pytest.mark.parametrize(
    "first",
    [
        "GET / HTTP/1.1",
        "GET https://example.org/ HTTP/1.1",
        "GET http://user:pass@example.org/ HTTP/1.1",
        "GET http://example.org:99999/ HTTP/1.1",
        "GET http:///etc/passwd HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "GET http://example.org/ HTTP/2",
        "CONNECT example.org HTTP/1.1",
        "CONNECT example.org:0 HTTP/1.1",
        "CONNECT user@example.org:443 HTTP/1.1",
        "CONNECT example.org:443/x HTTP/1.1",
        "CONNECT [::1 HTTP/1.1",
        "POST http://example.org/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
        "POST http://example.org/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4",
        "POST http://example.org/ HTTP/1.1\r\nContent-Length: +3",
        "POST http://example.org/ HTTP/1.1\r\nTransfer-Encoding: xchunked",
        "POST http://example.org/ HTTP/1.1\r\nTransfer-Encoding: chunked, identity",
        "GET http://example.org/ HTTP/1.1\r\nHost : y",
        "GET http://example.org/ HTTP/1.1\r\nHost: y",
        "GET http://example.org/\t HTTP/1.1",
        "GET http://example.org/ HTTP/1.1 ",
        "GET  http://example.org/ HTTP/1.1",
        "GET http://example.org/ HTTP/1.1\r\nA: \0",
        "GET http://example.org/ HTTP/1.1\r\nA: b\rC: d",
        "GET http://example.org:80:81/ HTTP/1.1",
        "G@T http://example.org/ HTTP/1.1",
        "GET http://example.org/ HTTP/1.1\r\nno header",
        "GET http://example.org/ HTTP/1.1\r\n folded: yes",
        "GET http://example.org/ HTTP/1.1\r\nA: b\nHost: c",
        "\x16\x03\x01",
    ],
)
def test_what_is_no_request_to_a_proxy_is_refused(first: str) -> None:
    with pytest.raises(BadRequest):
        parsed(f"{first}\r\nHost: x\r\n\r\n".encode("latin-1"))
