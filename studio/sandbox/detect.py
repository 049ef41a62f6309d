"""Which jail works on this machine: found out by starting one and trying to get out of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from studio.sandbox.jail import Jail, JailUnavailable, PlainProcess, UnavailableJail
from studio.sandbox.linux import BubblewrapJail, LandlockJail, found_bubblewrap, is_linux
from studio.sandbox.policy import NOTHING, Policy, ServerPaths
from studio.settings import Sandbox

LinuxJail = LandlockJail | BubblewrapJail

PROBE_LIMIT_S = 20.0
PROBE = """
import os, socket, sys
canary, port, server = sys.argv[1:]
def read(): open(canary).close()
def write(): open(canary + ".left", "w").close()
def reach(): socket.create_connection(("127.0.0.1", int(port))).close()
def signal(): os.kill(int(server), 0)
for act in read, write, reach, signal:
    try:
        act()
    except OSError:
        continue
    if act is not write:
        sys.exit(f"It could {act.__name__} what it must not.")
open("here", "w").close()
"""
"""What is tried inside. All but the last must be refused; what is written into the jail's own memory stays there."""
WITHOUT = "Set `STUDIO_SANDBOX=process` to run approved code without a sandbox, with all rights of the studio's user."


@dataclass(frozen=True)
class Examined:
    """One way to confine code, and whether it works here."""

    jail: LinuxJail
    text: str
    """What it is, or why it does not work."""
    works: bool


def examined() -> Iterator[Examined]:
    """Every way to confine code on this machine, the best one first. It starts processes and waits for them."""
    if is_linux():
        yield _examine(LandlockJail(), "Landlock with namespaces")
        yield _examine_bubblewrap()
        yield _examine(LandlockJail(has_namespaces=False), "Landlock without namespaces, network and sockets")


def detect_jail(setting: Sandbox = "auto", outside: ServerPaths = NOTHING) -> Jail:
    """The jail that the setting names, when it works here. It starts processes and waits for them.

    Args:
        setting: Its name, or "auto".
        outside: What all code is given of the machine's files, and what none is.

    Raises:
        JailUnavailable: It does not work, or for "auto" none does.
    """
    if setting == "process":
        return PlainProcess()
    problems: list[str] = []
    for each in examined():
        if setting not in ("auto", each.jail.name):
            continue
        if each.works:
            return replace(each.jail, outside=outside)
        problems.append(each.text)
    name = "No sandbox works" if setting == "auto" else f"The sandbox {setting!r} does not work"
    reasons = "; ".join(problems) or "it needs Linux"
    raise JailUnavailable(f"{name} on this machine, so no code runs: {reasons}.", fix=_remedy(), where="STUDIO_SANDBOX")


def jail_or_refusal(setting: Sandbox, outside: ServerPaths = NOTHING) -> Jail:
    """The jail that the setting names, or one that refuses to start anything and says why."""
    try:
        return detect_jail(setting, outside)
    except JailUnavailable as error:
        return UnavailableJail(error)


def _remedy() -> str:
    other = next((each.jail.name for each in examined() if each.works), None)
    if other is not None:
        return f"Set `STUDIO_SANDBOX={other}`, which works here."
    return f"Install bubblewrap, or allow user namespaces. {WITHOUT}" if is_linux() else WITHOUT


def _examine_bubblewrap() -> Examined:
    program = found_bubblewrap()
    if program is None:
        return Examined(BubblewrapJail(), "bubblewrap is not installed", works=False)
    return _examine(BubblewrapJail(program), "bubblewrap")


@cache
def _examine(jail: LinuxJail, text: str) -> Examined:
    with (
        tempfile.TemporaryDirectory(prefix="studio-probe-") as outside,
        tempfile.TemporaryDirectory(prefix="studio-probe-", ignore_cleanup_errors=True) as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        canary = Path(outside) / "canary"
        canary.write_text("x")
        arguments = (str(canary), str(listener.getsockname()[1]), str(os.getpid()))
        problem = _problem(jail, (sys.executable, "-I", "-S", "-c", PROBE, *arguments), Path(folder))
        if len(os.listdir(outside)) > 1:
            problem = "It could write outside its folder"
    return Examined(jail, f"{text} does not work: {problem}" if problem else text, works=not problem)


def _problem(jail: Jail, argv: Sequence[str], folder: Path) -> str:
    """Why the jail does not hold, or does not start; empty when all is well."""
    try:
        command = jail.command(argv, Policy(folder))
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=PROBE_LIMIT_S, check=False, env={})
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
    return lines[-1].removesuffix(".")
