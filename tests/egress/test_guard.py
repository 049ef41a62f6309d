"""What a guard lets through, and that a connection goes to just what it saw."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from studio.egress import Guard, HostRefused, Resolver, keeping_out_of, leads_to_studio, resolving
from tests.egress.conftest import METADATA, NAME, Inside

PUBLIC = "93.184.216.34"


def leading_to(*addresses: str) -> Resolver:
    def found(*_: object) -> Sequence[str]:
        return addresses

    return found


async def test_a_public_name_that_leads_inside_is_refused_with_what_to_do(inside: Inside):
    with pytest.raises(HostRefused, match="not on the public internet") as refused:
        await Guard.for_host(NAME, inside.port).open_connection(NAME, inside.port)
    assert "STUDIO_ALLOW_PRIVATE_URLS" in refused.value.fix
    assert "Enter the address itself" in refused.value.fix
    assert not inside.visits


async def test_one_private_address_among_public_ones_is_enough_to_refuse():
    with resolving(leading_to(PUBLIC, "10.0.0.1")), pytest.raises(HostRefused):
        await Guard.for_host(NAME, 443).addresses(NAME, 443)


async def test_a_name_is_judged_anew_for_each_connection():
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    def rebinding(*_: object) -> Sequence[str]:
        return next(answers)

    guard = Guard.for_host(NAME, 443)
    with resolving(rebinding):
        assert [str(address) for address in await guard.addresses(NAME, 443)] == [PUBLIC]
        with pytest.raises(HostRefused):
            await guard.addresses(NAME, 443)


async def test_the_connection_goes_to_the_address_that_was_judged(inside: Inside):
    guard = Guard.for_host("inside.lan", inside.port)
    _, writer = await guard.open_connection("inside.lan", inside.port)
    assert writer.get_extra_info("peername") == ("127.0.0.1", inside.port)
    assert inside.asked == ["inside.lan"]  # once: nobody asks again, and gets another answer
    writer.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST.", "ollama", "[::1]", "10.1.2.3"])
async def test_a_private_place_that_was_named_may_be_reached_at_its_port_only(host: str):
    guard = Guard.for_host(host, 11434)
    with resolving(leading_to("10.0.0.9")):
        assert await guard.addresses(host, 11434)
        with pytest.raises(HostRefused):
            await guard.addresses(host, 8040)
        with pytest.raises(HostRefused):
            await guard.addresses(host, 443)


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1"])
async def test_an_address_that_a_person_cannot_read_is_not_named(host: str):
    with pytest.raises(HostRefused):
        await Guard.for_host(host, 80).addresses(host, 80)


@pytest.mark.parametrize(
    "host", [METADATA, "fd00:ec2::254", "metadata.google.internal", "::ffff:a9fe:a9fe", "2852039166"]
)
async def test_the_keys_of_a_cloud_are_refused_even_when_named(host: str):
    with resolving(leading_to(METADATA)), pytest.raises(HostRefused):
        await Guard.for_host(host, 80).addresses(host, 80)
    with resolving(leading_to(METADATA)), pytest.raises(HostRefused):
        await Guard(elsewhere=True, private=True).addresses(host, 80)


async def test_the_operator_may_allow_everything(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with resolving(leading_to("10.0.0.1")):
        assert await Guard.for_host(NAME, 80).addresses(NAME, 80)
    assert await Guard(elsewhere=True).addresses(METADATA, 80)


async def test_names_that_take_long_keep_nothing_else_waiting():
    are_answered = threading.Event()

    def slow(*_: object) -> Sequence[str]:
        are_answered.wait(10)
        return [PUBLIC]

    guard = Guard.for_host(NAME, 443)
    with resolving(slow):
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(guard.addresses(NAME, 443)) for _ in range(64)]
            await asyncio.sleep(0)  # all of them have begun
            try:
                async with asyncio.timeout(5):
                    assert await asyncio.to_thread(threading.current_thread)
            finally:
                are_answered.set()
    assert {str(address) for each in asked for address in each.result()} == {PUBLIC}


async def test_nobody_reaches_the_studio_itself(inside: Inside, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with keeping_out_of(inside.port):
        for host in ("127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", NAME):
            with pytest.raises(HostRefused, match="studio itself"):
                await Guard.for_host(host, inside.port).open_connection(host, inside.port)
    assert not inside.visits
    assert await Guard.for_host(NAME, inside.port).addresses(NAME, inside.port), "it listens there no longer"


async def test_nobody_reaches_the_studio_by_its_public_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with keeping_out_of(8040, ["Studio.example.org", "other.example.org:8443"]), resolving(leading_to(PUBLIC)):
        for host, port in (("studio.example.org", 443), ("STUDIO.example.org.", 80), ("other.example.org", 8443)):
            for guard in (Guard.for_host(host, port), Guard.for_hosts([host]), Guard.for_hosts(["*"])):
                with pytest.raises(HostRefused, match="studio itself"):
                    await guard.addresses(host, port)
        for host, port in (("studio.example.org", 11434), ("other.example.org", 443)):
            assert await Guard.for_host(host, port).addresses(host, port)


async def test_a_grant_that_leads_to_the_studio_is_seen(inside: Inside):
    own = ("127.0.0.1", "localhost", "0.0.0.0", "2130706433", "anything.lan", "studio.example.org")
    with keeping_out_of(inside.port, ["studio.example.org"]):
        for host in (*(f"{name}:{inside.port}" for name in own), "studio.example.org", "STUDIO.example.org:443"):
            assert await leads_to_studio(host), host
        for host in ("*", "localhost", "localhost:1", "api.example.com", "studio.example.org:9000", "a..b:80"):
            assert not await leads_to_studio(host), host


async def test_a_name_that_is_not_known_is_no_studio():
    def unknown(*_: object) -> Sequence[str]:
        raise OSError("no such name")

    with keeping_out_of(8040), resolving(unknown):
        assert not await leads_to_studio("gone.example.com:8040")


async def test_a_guard_that_names_hosts_lets_nobody_else_through():
    guard = Guard.for_hosts(("api.example.com", "localhost:8000", "[::1]:81"))
    with resolving(leading_to(PUBLIC)):
        assert await guard.addresses("API.example.com", 8443)
        for host, port in (("example.com", 443), ("evil-api.example.com", 443), ("api.example.com.evil.org", 443)):
            with pytest.raises(HostRefused, match="not among the approved hosts"):
                await guard.addresses(host, port)
    assert guard.check("::1", 81)


async def test_all_public_hosts_are_no_private_ones(inside: Inside):
    guard = Guard.for_hosts(("*",))
    with resolving(leading_to(PUBLIC)):
        assert await guard.addresses(NAME, 443)
    for host in ("127.0.0.1", "localhost", "10.0.0.1", NAME):
        with pytest.raises(HostRefused):
            await guard.addresses(host, inside.port)


async def test_a_private_host_that_was_granted_without_its_port_is_refused():
    with pytest.raises(HostRefused, match="with its port"):
        await Guard.for_hosts(("127.0.0.1",)).addresses("127.0.0.1", 80)


async def test_the_next_address_is_tried_when_one_does_not_answer(inside: Inside):
    guard = Guard.for_host("twice.lan", inside.port)
    with resolving(leading_to("127.0.0.9", "127.0.0.1")):
        _, writer = await guard.open_connection("twice.lan", inside.port)
    writer.close()


@pytest.mark.parametrize(
    "url", ["", "example.com", "http://", "http://[", "http://a:99999/", "http://fe80::1%eth0/", "x://a/"]
)
def test_a_url_without_a_host_that_can_be_reached_is_refused(url: str):
    with pytest.raises(HostRefused):
        Guard.for_url(url)


def test_a_user_name_in_a_url_hides_no_host():
    assert Guard.for_url("https://api.openai.com@evil.example/v1").named == (("evil.example", 443),)
