"""The `docker` command and the engine behind it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from studio.executors.base import ExecutorUnavailable
from studio.executors.command_line import reason
from studio.executors.program import Outcome, run_program
from studio.messages import CancellationToken

PULL_LIMIT_S = 600
"""How long getting or building an image and starting a container may take."""
COMMAND_LIMIT_S = 30


async def require_engine() -> None:
    """See that a Docker engine answers.

    Raises:
        ExecutorUnavailable: There is no `docker` command, or no engine behind it.
    """
    fix = "Start Docker on the machine of the studio, or choose another executor for this team."
    if shutil.which("docker") is None:
        raise ExecutorUnavailable("The team runs code in Docker, but there is no `docker` command here.", fix=fix)
    outcome = await docker("version", "--format", "{{.Server.Version}}")
    if outcome.exit_code != 0:
        raise ExecutorUnavailable(
            f"The team runs code in Docker, but no Docker engine answers: {reason(outcome)}", fix=fix
        )


@dataclass(frozen=True, slots=True)
class Labels:
    """By what a container of ours is known from one of the same name that somebody else made.

    Args:
        name: What it is called.
    """

    name: str
    start_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def options(self) -> Sequence[str]:
        """For `docker run`."""
        return ("--label", f"studio.start={self.start_id}", "--label", f"studio.name={self.name}")

    async def remove_stopped(self) -> None:
        """Remove the container that an earlier start left under this name."""
        await _remove_those(f"label=studio.name={self.name}", "status=exited")

    async def remove_started(self) -> None:
        """Remove what this start has made, whether or not the container came up."""
        await _remove_those(f"label=studio.start={self.start_id}")


async def _remove_those(*filters: str) -> None:
    found = await docker("ps", "--all", "--quiet", *(part for each in filters for part in ("--filter", each)))
    if ids := found.stdout.split():
        await docker("rm", "--force", *ids)


async def docker(
    *arguments: str,
    limit_s: float = COMMAND_LIMIT_S,
    token: CancellationToken | None = None,
) -> Outcome:
    """Run the `docker` command to its end."""
    return await run_program(("docker", *arguments), timeout_s=limit_s, token=token)
