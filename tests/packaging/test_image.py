"""The image, built and used as deploy-with-docker.md says. `scripts/test image` runs it: building takes a minute."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic, sleep

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import QUIET, chromium_path
from tests.browser.playing import expect_end, give_task
from tests.fakes.docker_engine import IMAGES
from tests.packaging.conftest import ROOT

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif("STUDIO_TEST_IMAGE" not in os.environ, reason="`scripts/test image` runs it"),
]
MAX_MB = 200
"""What the image may add to its base."""


def docker(engine: str, *arguments: str) -> str:
    done = subprocess.run(
        ["docker", "--host", engine, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "DOCKER_BUILDKIT": "0"},  # the engine's own builder, which needs no plugin
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout.strip()


@dataclass
class Served:
    """A container that serves."""

    engine: str
    name: str

    def entrance(self) -> str:
        """The address that it prints, once it does."""
        command = ["docker", "--host", self.engine, "logs", "--follow", self.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as log:
            assert log.stdout is not None
            found = next(filter(None, (re.search(r"http://\S+token=\S+", line) for line in log.stdout)), None)
            log.terminate()
        assert found is not None, docker(self.engine, "logs", self.name)
        return found.group()

    def becomes(self, health: str) -> None:
        """Wait for what the engine says of it."""
        end = monotonic() + 60
        while docker(self.engine, "inspect", "--format", "{{.State.Health.Status}}", self.name) != health:
            assert monotonic() < end, docker(self.engine, "inspect", self.name)
            sleep(0.2)


@pytest.fixture(scope="module")
def image(docker_engine: str) -> str:
    docker(docker_engine, "build", "--network", "host", "--tag", "team-studio", str(ROOT))
    return "team-studio"


@pytest.fixture(scope="module")
def served(docker_engine: str, image: str) -> Iterator[Served]:
    """The engine of the tests has no bridge to publish a port on, so the studio listens on one of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--detach",
        "--init",
        "--network",
        "host",
        "--env",
        f"STUDIO_PORT={port}",
        "--volume",
        "team-studio:/data",
    ]
    docker(docker_engine, "run", *options, "--name", "studio", "--health-interval", "1s", image)
    yield Served(docker_engine, "studio")
    docker(docker_engine, "rm", "--force", "--volumes", "studio")


def test_a_team_with_a_tool_runs_in_it_and_is_there_after_a_restart(served: Served):
    entrance = served.entrance()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        page = browser.new_page()
        page.goto(entrance)
        page.goto(entrance.split("/?")[0] + "/galleries/team-studio")
        team = page.locator(".component-row", has_text="Stargazing night").first
        team.get_by_role("button", name="Use as team").click()
        page.wait_for_url("**/teams/*")
        give_task(page, f"{page.url}/play", "We want to see the Milky Way.")
        expect_end(page, "Finished")
        expect(page.locator(".tool-call[data-state=ok]")).to_have_count(1)
        docker(served.engine, "restart", served.name)
        served.becomes("healthy")
        page.reload()
        expect_end(page, "Finished")
        expect(page.locator(".tool-call[data-state=ok]")).to_have_count(1)
        browser.close()


def test_its_user_is_not_root_and_changes_nothing_of_the_program(served: Served):
    served.becomes("healthy")
    seen = docker(served.engine, "exec", served.name, "sh", "-c", "id -u; find /opt -xdev -writable -type d")
    user, *writable = seen.split()
    assert user == "10001"
    assert writable == []


def test_doctor_finds_nothing_bad_in_it(served: Served):
    served.becomes("healthy")
    command = ["studio", "doctor", "--without-tls", "--without-accounts", "--json"]
    report = json.loads(docker(served.engine, "exec", served.name, *command))
    assert report["ok"]
    assert any("landlock" in finding["text"] for finding in report["findings"] if finding["area"] == "Sandbox")


def test_it_is_small_and_holds_the_packages_of_the_lock(docker_engine: str, image: str):
    sizes = [
        int(docker(docker_engine, "image", "inspect", "--format", "{{.Size}}", name)) for name in (image, IMAGES[1])
    ]
    assert sizes[0] - sizes[1] < MAX_MB * 1_000_000
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    locked = {(package["name"], package["version"]) for package in lock["package"]}
    listed = docker(docker_engine, "run", "--rm", "--network", "none", image, "pip", "list", "--format", "json")
    brought = {"pip", "setuptools"}  # by Python
    found = {(re.sub(r"[-_.]+", "-", each["name"]).lower(), each["version"]) for each in json.loads(listed)}
    assert {name for name, _ in found - locked} <= brought
    assert len(found) > len(brought)
