"""One container for the code of a model: what it is held to, its way to the network, and its end."""

from __future__ import annotations

import asyncio
import csv
import io
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import Field

from studio.components import Capability
from studio.components.folders import FIX, FolderRefused, describe_folder, lies_in, resolve_folder
from studio.executors.base import ExecutorUnavailable
from studio.executors.command_line import reason
from studio.executors.docker_engine import (
    OWNER,
    PULL_LIMIT_S,
    Engine,
    docker,
    owner,
    remove_left_containers,
    require_engine,
)
from studio.executors.program import Outcome
from studio.messages import CancellationToken
from studio.sandbox import Quota, current_jail, network_for
from studio.sandbox.enter_network import WANTED_PORT, variables
from studio.sandbox.grants import granted_hosts
from studio.sandbox.linux import user_for

HOME = "/tmp"
"""In memory, as all that the code may change beside its folders."""
PROXY_PORT = 3128
"""Of the container's own loopback, where hosts were granted."""
MAX_CPUS = 2
QUOTA = Quota()
NOBODY = 65534
VOLUME_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
"""Of what the engine keeps itself; anything else is a place of this machine."""

ContainerName = Annotated[
    str | None,
    Field(
        pattern="^[a-zA-Z0-9][a-zA-Z0-9_.-]*$",
        description="Generated if empty.",
        json_schema_extra={"x-advanced": True},
    ),
]
AutoRemove = Annotated[bool, Field(description="Remove the container when it stops.")]
StopContainer = Annotated[bool, Field(description="Stop the container at the end of a run.")]
STAYS = "It keeps running after the run ends."
"""What a person must know who decides about a container that is not stopped."""


@dataclass(slots=True)
class Container:
    """A container of this process. Another one of the same name that somebody else made is left alone.

    Args:
        image: What it is made of; the engine gets it where it is missing.
        name: What it is called.
        is_removed: Whether it is gone when it stops. Else the next start under this name removes it.
        is_stopped: Whether it ends with the run. Else it stays, also when the studio has ended.
    """

    image: str
    name: str
    is_removed: bool
    is_stopped: bool
    _start_id: str = field(default_factory=lambda: str(uuid4()))
    _hand_over: Sequence[str] = ()
    """The program that gives the studio's proxy its port in the container."""
    _resources: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(
        self,
        options: Sequence[str],
        command: Sequence[str] = (),
        *,
        folder: Path | None,
        memory: Sequence[str] = (),
        capabilities: Sequence[Capability],
    ) -> None:
        """Start it, with no network but the hosts that a person granted to one of the capabilities.

        Args:
            options: More of them for `docker run`. None of them can take back what the container is held to.
            command: What it runs instead of what its image says. It is the first process there, which has to collect
                those that others leave, unless an option has the engine do it.
            folder: What the code changes of this machine.
            memory: Folders of the container, in memory, that the code may change beside its home.
            capabilities: Of the component that it is for.

        Raises:
            ExecutorUnavailable: There is no engine, or the container does not start.
        """
        engine = await require_engine()
        await remove_left_containers()
        await _remove_those(f"label=studio.name={self.name}", "status=exited")
        user = await asyncio.to_thread(_user_of, folder, engine)
        try:
            network = await self._network(granted_hosts(capabilities))
            held = [*self._labels(), *options, *network, *confinement(engine, user, (HOME, *memory))]
            outcome = await docker("run", "--detach", *held, self.image, *command, limit_s=PULL_LIMIT_S)
            if outcome.exit_code != 0:
                raise ExecutorUnavailable(
                    f"No container of the image {self.image!r} could be started: {reason(outcome)}",
                    fix="Check the name of the image, and that the Docker engine can pull it.",
                )
            await self._open_network()
        except BaseException:
            await self.discard()
            raise

    async def discard(self) -> None:
        """Remove what this start has made, whether or not it came up."""
        await self._resources.aclose()
        await _remove_those(f"label=studio.start={self._start_id}")

    def _labels(self) -> Sequence[str]:
        owned = ["--label", f"{OWNER}={owner()}"] if self.is_stopped else []
        named = [
            "--name",
            self.name,
            "--label",
            f"studio.name={self.name}",
            "--label",
            f"studio.start={self._start_id}",
        ]
        return [*named, *owned, *(["--rm"] if self.is_removed else [])]

    async def _network(self, hosts: Sequence[str]) -> Sequence[str]:
        """Options for no network; where hosts were granted, also for the way to the studio's proxy.

        In a person's own script the container has the engine's network, as the script itself has the machine's.
        """
        if not current_jail.get().is_confining:
            return []
        if not hosts:
            return ["--network", "none"]
        network = await self._resources.enter_async_context(network_for(hosts))
        self._hand_over = ("python3", *network.prefix[1:], "true")
        shown = [option for place in network.readable for option in bound(place, str(place), is_writable=False)]
        pairs = variables(PROXY_PORT, network.prefix[-1]).items()
        return [
            "--network",
            "none",
            *shown,
            *(part for pair in pairs for part in ("--env", "=".join(pair))),
        ]

    async def _open_network(self) -> None:
        if not self._hand_over:
            return
        outcome = await docker("exec", "--env", f"{WANTED_PORT}={PROXY_PORT}", self.name, *self._hand_over)
        if outcome.exit_code != 0:
            raise ExecutorUnavailable(
                f"The container cannot reach the allowed hosts: {reason(outcome)}",
                fix="Use an image with `python3`, and a Docker engine on the studio's Linux machine.",
            )

    async def execute(self, *command: str, limit_s: float, token: CancellationToken | None = None) -> Outcome:
        """Run a program in it. What is stopped from outside takes all the container's processes along.

        So does what begins while those that were left running take most of the room for processes.
        """
        left = await docker("top", self.name, "-eo", "pid")
        if len(left.stdout.splitlines()) > QUOTA.processes // 2:
            await self._restart()
        is_done = False
        try:
            outcome = await docker("exec", self.name, *command, limit_s=limit_s, token=token)
            is_done = not outcome.stopped
        finally:
            if not is_done:
                await self._restart()
        return outcome

    async def _restart(self) -> None:
        await docker("restart", "--time", "0", self.name)
        await self._open_network()

    async def stop(self) -> None:
        """Stop it, unless it is to stay; a network that it was granted ends in any case."""
        try:
            if not self.is_stopped:
                return
            if self.is_removed:
                await docker("rm", "--force", "--volumes", self.name)
            else:
                await docker("stop", "--time", "0", self.name)
        finally:
            await self._resources.aclose()


def confinement(engine: Engine, user: str, memory: Sequence[str]) -> list[str]:
    """Options of `docker run` by which a container gets no more rights and no more of the machine than it needs."""
    most = {
        "--memory": f"{QUOTA.memory_mb}m",
        "--memory-swap": f"{QUOTA.memory_mb}m",  # of both together, so no swap
        "--cpus": str(min(MAX_CPUS, engine.cpus)),
        "--pids-limit": str(QUOTA.processes),
    }
    each = {"nofile": QUOTA.open_files, "fsize": QUOTA.file_mb * 1024 * 1024, "core": 0}
    return [
        *("--user", user, "--env", f"HOME={HOME}"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--ipc", "private"),
        *("--read-only", "--log-driver", "none"),
        *(part for place in memory for part in ("--tmpfs", _in_memory(place, user))),
        *(part for pair in most.items() for part in pair),
        *(part for name, value in each.items() for part in ("--ulimit", f"{name}={value}")),
    ]


def _in_memory(place: str, user: str) -> str:
    owner, _, group = user.partition(":")
    return f"{place}:rw,exec,nosuid,nodev,uid={owner},gid={group},size={QUOTA.disk_mb}m"


def bound(source: Path, target: str, *, is_writable: bool = True) -> list[str]:
    """The option that shows a container a file or folder of this machine, which must exist."""
    line = io.StringIO()
    fields = ["type=bind", f"source={source}", f"target={target}", *([] if is_writable else ["readonly"])]
    csv.writer(line, lineterminator="").writerow(fields)
    return ["--mount", line.getvalue()]


def volume(source: str, target: Mapping[str, str], asked: Iterable[Capability]) -> list[str]:
    """The option for a volume, as Docker's Python package describes it: a place of this machine, or one by its name.

    Args:
        source: The place or the name.
        target: Where in the container, and in which mode.
        asked: What the component asks for, with the place.

    Raises:
        FolderRefused: A team must not have that place.
    """
    if not VOLUME_NAME.fullmatch(source):
        place = resolve_folder(source, "read" if is_read_only(target) else "write", asked)
        if _is_or_holds_a_socket(place):
            raise FolderRefused(f"Code may not have {str(place)!r}: the Docker engine is reached there.", fix=FIX)
        source = str(place)
    return ["--volume", f"{source}:{target['bind']}:{target.get('mode', 'rw')}"]


def described_volume(source: str) -> str:
    """A volume for a person who decides."""
    return f"the Docker volume {source}" if VOLUME_NAME.fullmatch(source) else describe_folder(source)


def _is_or_holds_a_socket(place: Path) -> bool:
    if place.is_socket():
        return True
    kind, _, engine = os.environ.get("DOCKER_HOST", "").partition("://")
    return kind == "unix" and lies_in(os.path.realpath(engine), str(place))


def is_read_only(target: Mapping[str, str]) -> bool:
    """Whether code cannot change that volume."""
    return "ro" in target.get("mode", "rw").split(",")


def checked_volumes(volumes: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The volumes, each of which is one place for one place and opens nothing else.

    Raises:
        ValueError: One of them is not.
    """
    for source, target in volumes.items():
        place, modes = target.get("bind", ""), set(target.get("mode", "rw").split(","))
        if not source or ":" in source or ":" in place or not place.startswith("/"):
            raise ValueError(f"The volume {source!r} needs a path in the container as 'bind', and no colons.")
        if target.keys() - {"bind", "mode"} or modes - {"ro", "rw", "z", "Z"} or modes >= {"ro", "rw"}:
            raise ValueError(f"The volume {source!r} must have the mode 'ro' or 'rw'.")
    return volumes


def _user_of(folder: Path | None, engine: Engine) -> str:
    """Whom the code becomes: the studio's user, or for a studio of root one who owns nothing but the folder.

    In a rootless engine the containers' root is the engine's own user, and all others cannot change the folder.
    """
    if engine.is_rootless:
        return "0:0"
    if not hasattr(os, "geteuid"):
        return f"{NOBODY}:{NOBODY}"
    if os.geteuid() != 0:
        return f"{os.geteuid()}:{os.getegid()}"
    if folder is None:
        return f"{NOBODY}:{NOBODY}"
    now = folder.stat()
    if now.st_uid != 0:
        return f"{now.st_uid}:{now.st_gid}"
    user = user_for(folder)
    assert user is not None, "a studio of root has users to give"
    for _, names, files, handle in os.fwalk(folder, follow_symlinks=False):
        for name in (*names, *files):
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if found.st_uid == 0 and (found.st_nlink == 1 or not stat.S_ISREG(found.st_mode)):
                os.chown(name, user, user, dir_fd=handle, follow_symlinks=False)
        os.fchown(handle, user, user)
    return f"{user}:{user}"


async def _remove_those(*filters: str) -> None:
    found = await docker("ps", "--all", "--quiet", *(part for each in filters for part in ("--filter", each)))
    if ids := found.stdout.split():
        await docker("rm", "--force", "--volumes", *ids)
