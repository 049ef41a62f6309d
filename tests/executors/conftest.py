"""A real Docker engine, as the tests of this folder use it."""

from __future__ import annotations

import subprocess

import pytest

from studio.executors.docker_jupyter import DOCKERFILE, IMAGE


def docker(*arguments: str) -> str:
    """What the `docker` command prints."""
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False).stdout.strip()


@pytest.fixture
def jupyter_image(engine: str) -> None:  # noqa: ARG001 -- there must be one
    """The studio's own image for kernels, built without a network: what it would get lies in the base."""
    if not docker("images", "--quiet", IMAGE):
        command = ["docker", "build", "--quiet", "--tag", IMAGE, "-"]
        text = "\n".join(line for line in DOCKERFILE.splitlines() if "pip install" not in line)
        subprocess.run(command, input=text, text=True, capture_output=True, check=True)
