"""Where addresses lie, however they are written."""

from __future__ import annotations

import ipaddress

import pytest

from studio.egress.addresses import AddressScope, address_in, is_local_name, plain_host, reach_of


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "0.0.0.0",
        "240.0.0.1",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "::7f00:1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2001:0:4136:e378:8000:63bf:f5ff:fffe",
        "2a00:1450::5efe:10.0.0.1",
        "fc00::1",
        "fec0::1",
        "192.88.99.1",
        "198.18.0.1",
        "203.0.113.1",
        "2001:db8::1",
    ],
)
def test_addresses_of_the_own_network_are_private(address: str):
    assert reach_of(ipaddress.ip_address(address)) is AddressScope.PRIVATE


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "224.0.0.1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::1",
        "ff02::1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
    ],
)
def test_where_a_cloud_keeps_its_keys_nobody_goes(address: str):
    assert reach_of(ipaddress.ip_address(address)) is AddressScope.NEVER


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "2002:808:808::1"]
)
def test_the_public_internet_is_public(address: str):
    assert reach_of(ipaddress.ip_address(address)) is AddressScope.PUBLIC


@pytest.mark.parametrize(
    ("written", "address", "is_plain"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("[::1]", "::1", True),
        ("2130706433", "127.0.0.1", False),
        ("0x7f000001", "127.0.0.1", False),
        ("0x7f.1", "127.0.0.1", False),
        ("0177.0.0.1", "127.0.0.1", False),
        ("127.1", "127.0.0.1", False),
        ("0251.0376.0251.0376", "169.254.169.254", False),
        ("127.0.0.1.", "127.0.0.1", True),
        ("\uff11\uff12\uff17.0.0.1", "127.0.0.1", True),
    ],
)
def test_an_address_is_known_in_each_spelling(written: str, address: str, is_plain: bool):
    assert address_in(plain_host(written)) == (ipaddress.ip_address(address), is_plain)


@pytest.mark.parametrize("name", ["example.com", "beef", "0x.example", "localhost", "1.2.3.4.5.example"])
def test_a_name_is_no_address(name: str):
    assert address_in(plain_host(name)) is None


@pytest.mark.parametrize(
    "host", ["", "[]", ".", "fe80::1%eth0", "::1%25lo", "a b", "a/b", "a\\b", "user@host", "a..b", "x" * 64, "a\0b"]
)
def test_what_is_no_host_is_refused(host: str):
    with pytest.raises((ValueError, UnicodeError)):
        plain_host(host)


def test_local_names_are_those_that_no_stranger_can_own():
    assert all(
        map(is_local_name, ("localhost", "ollama", "nas.lan", "db.internal", "x.localhost", "a.svc.cluster.local"))
    )
    assert not any(map(is_local_name, ("example.com", "localhost.example.com", "local.dev")))
