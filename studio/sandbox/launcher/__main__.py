"""Starts a program in a jail. Standard library only; run as `python -I -S launcher PLAN -- PROGRAM ARGUMENTS...`.

Four processes: the one that was started stays outside of the new namespaces and waits; the first inside makes the view
of the files, gives up its rights and watches; the second inside becomes the program, once it is held by Landlock, the
filter of system calls and the limits. When one of the upper ones ends, the kernel ends all that are below.

Everything fails closed: what the spec asks for and the kernel refuses ends the launcher before the program begins.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

import confinement
import kernel
import view
import watchdog
from jail_spec import JailSpec

SETUP_FAILED = 125
NOT_FOUND = 127
NAMESPACES = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS


def main() -> int:
    """Read the spec and follow it; returns how the program ended."""
    text, _, *argv = sys.argv[1:]
    kernel.forget_arguments()
    spec = JailSpec.read(text)
    kernel.end_with_parent(signal.SIGKILL)
    confinement.volunteer()
    try:
        if spec.stage == "all" and spec.has_namespaces:
            return _outside(spec, argv)
        return _inside(spec, argv)
    except OSError as error:
        return _failed(error)


def _failed(error: OSError) -> int:
    print(f"The sandbox could not be set up: {error}", file=sys.stderr, flush=True)
    return SETUP_FAILED


def _outside(spec: JailSpec, argv: list[str]) -> int:
    """Make the namespaces, start the first process in them, and wait for it."""
    if spec.user is None:
        _be_alone()
    else:
        confinement.give(spec)
    kernel.unshare(NAMESPACES)
    confinement.raise_loopback()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        os._exit(_first(spec, argv, theirs))
    theirs.close()
    watchdog.pass_on_termination(child)
    with suppress(OSError):  # it has ended: how, it says by its exit code
        ours.recv(1)
        ours.send(b"g")
    return watchdog.ended_like(os.waitpid(child, 0)[1])


def _be_alone() -> None:
    """A user namespace, in which this user has every right over what is new."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _first(spec: JailSpec, argv: list[str], channel: socket.socket) -> int:
    """The first process of the jail. It goes on when it has asked to end with its parent, and that is still there."""
    try:
        view.enter(spec)
        confinement.become(spec.user)
        kernel.end_with_parent(signal.SIGKILL)
        with channel:
            channel.send(b"r")
            if not channel.recv(1):
                return SETUP_FAILED
        return _inside(spec, argv)
    except OSError as error:
        return _failed(error)


def _inside(spec: JailSpec, argv: list[str]) -> int:
    """Start the program and watch over what it uses up."""
    if spec.stage == "inner" or not spec.has_namespaces:
        if spec.user is not None:
            confinement.give(spec)
        confinement.become(spec.user)
        kernel.end_with_parent(signal.SIGKILL)
    os.chdir(spec.folder)
    child = os.fork()
    if child == 0:
        os._exit(_become(spec, argv))
    if spec.has_namespaces:
        os.setsid()  # what the program tells its group is not told to this process
    return watchdog.watch(spec, child)


def _become(spec: JailSpec, argv: list[str]) -> int:
    """Take on every restriction and become the program."""
    try:
        kernel.end_with_parent(signal.SIGKILL)
        confinement.hold(spec)
    except OSError as error:
        return _failed(error)
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        print(f"{argv[0]!r} cannot be started: {error.strerror}", file=sys.stderr, flush=True)
        return NOT_FOUND


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
