"""Where the studio itself is. A team that could ask the studio could ask it for anything."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager

from studio.egress.addresses import plain_host

WEB_PORTS = (80, 443)

_ports: list[int] = []
_places: list[tuple[str, int]] = []


@contextmanager
def keeping_out_of(port: int, names: Iterable[str] = ()) -> Generator[None]:
    """Let nothing in this process connect to the studio while the block lasts.

    Args:
        port: Of this machine, where the studio listens.
        names: What browsers call it, `name` or `name:port`: a proxy in front may be another machine.
    """
    places = [place for name in names for place in _places_of(name.strip(), port)]
    _ports.append(port)
    _places.extend(places)
    try:
        yield
    finally:
        _ports.remove(port)
        for place in places:
            _places.remove(place)


def listens_at(port: int) -> bool:
    """Whether this machine's port is the studio's."""
    return port in _ports


def is_named(plain: str, port: int | None) -> bool:
    """Whether a plain host is the studio's own at that port; with None, at any."""
    return any(plain == name for name, _ in _places) if port is None else (plain, port) in _places


def _places_of(text: str, own: int) -> Iterator[tuple[str, int]]:
    name, separator, port = text.rpartition(":")
    if separator and port.isdecimal():
        yield plain_host(name), int(port)
    elif text:
        yield from ((plain_host(text), each) for each in (*WEB_PORTS, own))
