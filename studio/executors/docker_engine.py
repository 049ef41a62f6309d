"""The `docker` command and the engine behind it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from studio.executors.base import ExecutorUnavailable
from studio.executors.command_line import reason
from studio.executors.program import Outcome, run_program
from studio.messages import CancellationToken

PULL_LIMIT_S = 600
"""How long getting or building an image and starting a container may take."""
COMMAND_LIMIT_S = 30
OWNER = "studio.owner"
"""The label of a container that must not outlive the process that started it."""
SOCKET = Path("/var/run/docker.sock")
SETTINGS = "~/.docker/config.json"
"""Where the `docker` command looks for its engine, unless a variable names one."""
LIMITS = {"MemoryLimit": "memory", "PidsLimit": "processes", "CpuCfsQuota": "CPU time"}
"""What an engine tells it can limit, by the name in its own answer."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What matters here of a Docker engine.

    Args:
        is_rootless: Whether it runs as an ordinary user, who is root in its containers.
        cpus: How many it has.
    """

    is_rootless: bool
    cpus: int


async def require_engine() -> Engine:
    """See that a Docker engine answers which can hold containers to limits.

    Raises:
        ExecutorUnavailable: There is no `docker` command, or no such engine behind it.
    """
    fix = "Start Docker on the studio's machine, or choose another executor."
    if shutil.which("docker") is None:
        raise ExecutorUnavailable("The team runs code in Docker, but the `docker` command is not installed.", fix=fix)
    outcome = await docker("info", "--format", "{{json .}}")
    info = _info_in(outcome.stdout if outcome.exit_code == 0 else "")
    if not info.get("ServerVersion"):
        errors = cast("list[str]", info.get("ServerErrors") or [])
        said = errors[0] if errors else reason(outcome)
        raise ExecutorUnavailable(f"The team runs code in Docker, but no Docker engine answers: {said}", fix=fix)
    if missing := [words for name, words in LIMITS.items() if info.get(name) is False]:
        raise ExecutorUnavailable(
            f"The Docker engine cannot limit {' and '.join(missing)}, so no container is started.",
            fix="Enable the control groups of the engine. For rootless Docker, delegate them with systemd.",
        )
    return Engine("name=rootless" in (info.get("SecurityOptions") or ()), int(info.get("NCPU") or 1))


def _info_in(text: str) -> Mapping[str, Any]:
    try:
        info: object = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", info) if isinstance(info, dict) else {}


def owner() -> str:
    """This process, so that no other one on any machine has the same name, also not a later one."""
    return _process(os.getpid()) or f"{os.getpid()}"


def _process(pid: int) -> str | None:
    """A process by its machine's start, its namespace, its number and its own start; None when it has ended.

    Source: proc(5): the name in `stat` may hold anything but ends with the last parenthesis; the start is field 22.
    """
    try:
        started = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        return f"{_machine()}/{pid}/{started}"
    except OSError:
        return None


def _machine() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"


def _is_left(name: str) -> bool:
    """Whether a process of this name ran here and has ended. Of another machine nothing is known."""
    machine, _, process = name.rpartition("/")[0].rpartition("/")
    try:
        return process.isdigit() and machine == _machine() and _process(int(process)) != name
    except OSError:
        return False


async def remove_left_containers() -> None:
    """Remove the containers of a studio that was killed."""
    if shutil.which("docker") is None or not _may_have_engine():
        return
    listed = await docker(
        "ps", "--all", "--filter", f"label={OWNER}", "--format", f'{{{{.ID}}}} {{{{.Label "{OWNER}"}}}}'
    )
    found = (line.partition(" ") for line in listed.stdout.splitlines() if listed.exit_code == 0)
    if left := [identity for identity, _, name in found if _is_left(name)]:
        await docker("rm", "--force", "--volumes", *left)


def _may_have_engine() -> bool:
    """Whether the `docker` command knows an engine: to tell that it has none, it takes a tenth of a studio's start."""
    variables = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG")
    places = (SOCKET, Path(os.path.expanduser(SETTINGS)))  # raises nothing where there is no home
    return any(map(os.environ.get, variables)) or any(place.exists() for place in places)


async def docker(
    *arguments: str,
    limit_s: float = COMMAND_LIMIT_S,
    token: CancellationToken | None = None,
) -> Outcome:
    """Run the `docker` command to its end."""
    return await run_program(("docker", *arguments), timeout_s=limit_s, token=token)
