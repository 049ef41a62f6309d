"""A Docker engine of the tests' own: real, in a temporary folder, behind a socket there; gone when they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

BASE = Path(os.environ.get("STUDIO_DOCKER_BASE", Path.home() / ".cache/team-studio/docker-base.tar"))
"""What `scripts/docker_base.sh` makes, and `scripts/test` has it make."""
IMAGES = ("python:3-slim", "python:3.13-slim-bookworm")
"""Under which names the engine has it, in the place of what a registry would give."""
MAKER = BASE.with_name(f"{BASE.name}.maker")
"""The process that makes it just now, beside the tests."""
START_LIMIT_S = 30
MAKING_LIMIT_S = 300


def missing() -> str | None:
    """Why there can be no engine here, if so."""
    if os.geteuid() != 0:
        return "a Docker engine of the tests' own needs root"
    if absent := [name for name in ("docker", "dockerd", "runc") if shutil.which(name) is None]:
        return f"{', '.join(absent)} not installed"
    _wait_for_base()
    return None if BASE.exists() else f"no base image at {BASE}: scripts/test makes it"


def _wait_for_base() -> None:
    until = time.monotonic() + MAKING_LIMIT_S
    with suppress(FileNotFoundError, ProcessLookupError, ValueError):
        while not BASE.exists() and time.monotonic() < until:
            os.kill(int(MAKER.read_text()), 0)
            time.sleep(1)


@contextmanager
def running_engine(*, has_networks: bool = False) -> Generator[str]:
    """The address of an engine with the base image, which ends with the block.

    Args:
        has_networks: Whether containers reach each other. The engine then adds rules to the machine's firewall.
    """
    # The system's folder, not pytest's: a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="studio-docker-"))
    address = f"unix://{folder}/socket"
    places = {"data-root": "data", "exec-root": "run", "pidfile": "pid"}
    options = [f"--{name}={folder / place}" for name, place in places.items()]
    # No bridge: nothing of the machine's own network is changed, and no container has one but by the studio.
    firewall = f"--iptables={str(has_networks).lower()}"
    quiet = ["--bridge=none", firewall, "--ip-forward=false", "--log-level=error"]
    (folder / "data").mkdir()
    # In memory: to delete so many files of a disk takes half a minute.
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3g", "studio", str(folder / "data")], check=True)
    with (folder / "log").open("wb") as log:
        engine = subprocess.Popen(
            ["dockerd", f"--host={address}", *options, *quiet], stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for(engine, address, folder)
        imported = _docker(address, "import", "--change", "ENV PIP_BREAK_SYSTEM_PACKAGES=1", str(BASE))
        for image in IMAGES:
            _docker(address, "tag", imported, image)
        yield address
    finally:
        _end(engine, folder)


def _end(engine: subprocess.Popen[bytes], folder: Path) -> None:
    """End it at once: in good order it would take most of a minute."""
    engine.kill()
    engine.wait()
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int((folder / "run/containerd/containerd.pid").read_text()), signal.SIGKILL)
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in reversed(mounted):
        if place.startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", place], check=True)
    shutil.rmtree(folder, ignore_errors=True)


def _wait_for(engine: subprocess.Popen[bytes], address: str, folder: Path) -> None:
    for _ in range(START_LIMIT_S * 10):
        if _answers(address):
            return
        try:
            engine.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    raise RuntimeError(f"dockerd does not start: {(folder / 'log').read_text()[-2000:]}")


def _answers(address: str) -> bool:
    return subprocess.run(["docker", "--host", address, "ps"], capture_output=True, check=False).returncode == 0


def _docker(address: str, *arguments: str) -> str:
    command = ["docker", "--host", address, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
