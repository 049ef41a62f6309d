"""The fleet of scripts/deploy/compose.yaml, brought up as run-a-fleet.md says. `scripts/test fleet` runs it: it takes
some minutes, and makes the images that a registry would give."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from studio.components import JsonObject
from tests.browser.conftest import QUIET, chromium_path
from tests.browser.playing import agent, expect_end, give_task, round_robin
from tests.fakes.docker_engine import missing, running_engine
from tests.packaging.conftest import ROOT

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif("STUDIO_TEST_FLEET" not in os.environ, reason="`scripts/test fleet` runs it"),
]
COMPOSE = ROOT / "scripts/deploy/compose.yaml"
STAND_INS = Path(__file__).with_name("fleet_images")
DOMAIN = "studio.example"
PROXY = "172.30.40.2"
PASSWORD = "a long password of Ada"
METRICS_TOKEN = "metrics-token-of-16-and-more"
WORDS = [f"word{number}" for number in range(60)]
POST = """async ([path, body]) => {
  const csrf = document.querySelector("meta[name=csrf-token]").content;
  const headers = {"Content-Type": "application/json", "X-Studio-CSRF": csrf};
  const answer = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}"""
GET = "async (path) => (await fetch(path)).json()"


@dataclass(frozen=True)
class Deployment:
    """The containers of the fleet, on an engine of their own."""

    engine: str
    environment: dict[str, str]

    def docker(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["docker", "--host", self.engine, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, **self.environment, "DOCKER_BUILDKIT": "0"},
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout.strip()

    def compose(self, *arguments: str, stdin: str = "") -> str:
        return self.docker("compose", "--file", str(COMPOSE), *arguments, stdin=stdin)

    def containers(self, service: str) -> list[str]:
        """The ids of a service, as its processes know them by their host name."""
        return self.compose("ps", "--quiet", service).splitlines()

    def becomes(self, container: str, health: str) -> None:
        end = time.monotonic() + 120
        while self.docker("inspect", "--format", "{{.State.Health.Status}}", container) != health:
            assert time.monotonic() < end, self.docker("logs", container)
            time.sleep(0.5)


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    if (reason := missing()) is not None:
        pytest.skip(reason)
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode != 0:
        pytest.skip("The plugin `compose` of Docker is not installed.")
    environment = {
        "STUDIO_DOMAIN": DOMAIN,
        "STUDIO_TLS": "internal",
        "POSTGRES_PASSWORD": "0123456789abcdef",
        "STUDIO_METRICS_TOKEN": METRICS_TOKEN,
        "STUDIO_HTTPS_PORT": f"127.0.0.1:{_free_port()}",
        "STUDIO_HTTP_PORT": f"127.0.0.1:{_free_port()}",
    }
    with running_engine(has_networks=True) as engine:
        made = Deployment(engine, environment)
        build = ["build", "--network", "host"]
        made.docker(*build, "--build-arg", "EXTRAS=postgres", "--tag", "team-studio", str(ROOT))
        made.docker(*build, "--target", "database", "--tag", "postgres:17", str(STAND_INS))
        made.docker(*build, "--target", "proxy", "--tag", "caddy:2", str(STAND_INS))
        try:
            made.compose("run", "--rm", "migrate")
            add = ["studio", "users", "add", "ada", "--role", "admin"]
            made.compose("run", "--rm", "--no-TTY", "migrate", *add, stdin=f"{PASSWORD}\n")
            made.compose("up", "--detach", "--wait", "--wait-timeout", "300")
            yield made
        finally:  # a network that stays would be in the way of the next one
            made.compose("down", "--volumes")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def page(deployment: Deployment) -> Iterator[Page]:  # noqa: ARG001 -- it must be up
    """A browser that has signed in through the proxy."""
    with sync_playwright() as playwright:
        resolved = f"--host-resolver-rules=MAP {DOMAIN} {PROXY}"
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*QUIET, resolved])
        opened = browser.new_context(ignore_https_errors=True, base_url=f"https://{DOMAIN}").new_page()
        opened.goto("/galleries/team-studio")
        opened.get_by_label("Name").fill("ada")
        opened.get_by_label("Password", exact=True).fill(PASSWORD)
        opened.keyboard.press("Enter")
        expect(opened.locator(".component-row").first).to_be_visible()  # the address is that of the sign-in, too
        yield opened
        browser.close()


def slow_and_asking() -> JsonObject:
    """An agent that takes some 20 seconds, a person, and the agent once more."""
    model: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "config": {"chat_completions": [" ".join(WORDS), "The end."], "delay_s": 0.3},
    }
    person: JsonObject = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "guest"},
    }
    return round_robin(agent("writer", model), person, message_count=4)


def test_a_template_with_a_tool_runs_through_the_proxy(page: Page):
    team = page.locator(".component-row", has_text="Stargazing night").first
    team.get_by_role("button", name="Use as team").click()
    page.wait_for_url("**/teams/*")
    give_task(page, f"{page.url}/play", "We want to see the Milky Way.")
    expect_end(page, "Finished")
    expect(page.locator(".tool-call[data-state=ok]")).to_have_count(1)


def test_a_run_ends_though_its_worker_and_each_replica_are_stopped(deployment: Deployment, page: Page):
    team = page.evaluate(POST, ["/api/teams", {"component": slow_and_asking()}])
    give_task(page, f"/teams/{team['id']}/play")
    expect(page.locator(".chat")).to_contain_text(WORDS[2], timeout=60_000)
    first, second = deployment.containers("web")
    driving = [each["name"] for each in page.evaluate(GET, "/api/workers")["workers"] if each["run_count"]]
    [worker] = [each for each in deployment.containers("worker") if driving[0].startswith(each[:12])]
    deployment.docker("stop", worker)
    deployment.docker("stop", first)
    assert deployment.docker("inspect", "--format", "{{.State.ExitCode}}", worker) == "0"
    expect(page.locator(".question[data-answer=open]")).to_be_visible(timeout=120_000)
    expect(page.locator(".chat")).to_contain_text(WORDS[-1])
    deployment.docker("start", first)
    deployment.becomes(first, "healthy")
    deployment.docker("stop", second)
    page.locator(".question textarea").fill("Go on.")
    page.keyboard.press("Enter")
    expect_end(page, "Finished")
    expect(page.locator(".chat")).to_contain_text("The end.")
    page.reload()
    expect_end(page, "Finished")
    deployment.docker("start", second, worker)


def test_containers_change_nothing_of_themselves_and_share_their_keys(deployment: Deployment):
    look = "id -u; touch /opt/new 2>&1; cd /data && sha256sum secret.key cookie.key token"
    seen = {
        deployment.docker("exec", each, "sh", "-c", look)
        for service in ("web", "worker")
        for each in deployment.containers(service)
    }
    [same] = seen
    user, refused, *keys = same.splitlines()
    assert user == "10001"
    assert "Read-only file system" in refused
    assert len(keys) == 3


def test_each_process_has_metrics_in_the_network_of_the_fleet(deployment: Deployment):
    read = (
        "import os, urllib.request as u; r = u.Request('http://127.0.0.1:8040/metrics', headers="
        "{'Authorization': 'Bearer ' + os.environ['STUDIO_METRICS_TOKEN']}); print(u.urlopen(r).read().decode())"
    )
    processes = [*deployment.containers("web"), *deployment.containers("worker")]
    assert len(processes) == 5
    for each in processes:
        deployment.becomes(each, "healthy")
        assert "studio_database_up 1.0" in deployment.docker("exec", each, "python", "-c", read)
