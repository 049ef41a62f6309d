"""Runs parts of a test in a jail, and as a plain process for comparison."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

import pytest

from studio.components import Capability
from studio.sandbox import Jail, JailUnavailable, PlainProcess, current_jail, detect_jail, examined
from studio.sandbox.grants import Grants, grants

NAMES = ("landlock", "bubblewrap")
FIRST_NAMES = (NAMES[0], pytest.param(NAMES[1], marks=pytest.mark.extended))
"""For what is no attack: the other sandbox is extended."""
PLAIN = PlainProcess()
DAEMON = """
import os
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        alive = open("alive", "w")
        os.close(1), os.close(2)
        os.write(tell, b"x")
        open("stop").read()
    os._exit(0)
os.read(told, 1)
"""
"""Leaves a process behind that has left the session; it ends when somebody opens `stop`."""


def jail_named(name: str) -> Jail:
    """The jail of that name; the test is skipped where it does not work."""
    for each in examined():
        if each.works and each.jail.name == name:
            return each.jail
    pytest.skip(f"the sandbox {name!r} does not work on this machine")


def best_jail() -> Jail:
    """The jail that a server takes here unless told otherwise; the test is skipped where none works."""
    try:
        return detect_jail("auto")
    except JailUnavailable as error:
        pytest.skip(error.what)


@contextmanager
def within(jail: Jail, granted: Iterable[Capability] = (), hosts: tuple[str, ...] = ()) -> Generator[None]:
    """Start programs in that jail inside the block, with these hosts granted to these capabilities."""
    jail_token = current_jail.set(jail)
    grants_token = grants.set(Grants({each.hash: hosts for each in granted}))
    try:
        yield
    finally:
        grants.reset(grants_token)
        current_jail.reset(jail_token)
