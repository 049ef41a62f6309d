"""The conformance suite of MCP and the command line of its Inspector, against a running studio."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.openai_clients import Server, writer
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CLIENTS = Path(__file__).parents[1] / "clients"
SUITE = CLIENTS / "node_modules/@modelcontextprotocol/conformance"
INSPECTOR = CLIENTS / "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
NEWEST = "2026-07-28"
REVISIONS = ("2025-11-25", NEWEST)
NOT_AUTHORIZED = 3
NOT_FOUND = 5


PAIR = assistant("writer", "One."), assistant("critic", "Two.")
SLOW = assistant("writer", *["On."] * 100), assistant("critic", *["And on."] * 100)
TEAMS: Mapping[str, tuple[JsonObject, JsonObject]] = {
    "plain": (writer(), {}),
    "simple": (team(assistant("writer", "This is a simple text response for testing."), max_messages=2), {}),
    "asks": (ASKS, {}),
    "open": (team(*PAIR, max_messages=3), {"sees": "messages"}),
    "limited": (team(*PAIR), {"limits": {**LIMITS, "call_turns": 1}}),
    "slow": (team(*SLOW, max_messages=160), {"limits": {**LIMITS, "call_turns": 1000}}),
}
"""Teams by the names of their deployments, and how these are set."""
TOOLS: Mapping[str, str] = {
    "test_simple_text": "simple",
    "test_error_handling": "limited",
    "test_tool_with_progress": "open",
    "test_input_required_result_elicitation": "asks",
    "test_input_required_result_request_state": "asks",
    "test_input_required_result_tampered_state": "asks",
    "test_input_required_result_multi_round": "asks",
    "test_streaming_elicitation": "asks",
    "slow_compute": "slow",
    "failing_job": "limited",
    "confirm_delete": "asks",
}
"""The tools that the suite calls by name, and the deployment that does the same."""


@dataclass(frozen=True)
class Site:
    """A running studio, and the keys of its deployments."""

    url: str
    keys: Mapping[str, str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed.")
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {
            name: server.published(name, made, **{"limits": LIMITS, **how}).api_key
            for name, (made, how) in TEAMS.items()
        }
        yield Site(str(owner.base_url).rstrip("/"), keys)


@pytest.mark.skipif(not SUITE.is_dir(), reason="scripts/test tests installs the packages of tests/clients")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_deployment_conforms_but_for_what_a_team_cannot_have(site: Site, revision: str):
    """The suite fails where something else fails, and where something of the baseline passes.

    Its tools are called at the newer revision only: a session of the older one belongs to one deployment.
    """
    given: dict[str, Any] = {"url": site.url, "deployments": site.keys, "tools": TOOLS if revision == NEWEST else {}}
    baseline = CLIENTS / f"mcp_baselines/{revision}.yml"
    script = CLIENTS / "mcp_conformance.mjs"
    done = run("node", str(script), json.dumps(given), revision, str(baseline))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def test_each_entry_of_a_baseline_has_a_reason():
    for revision in REVISIONS:
        groups = (CLIENTS / f"mcp_baselines/{revision}.yml").read_text().split("server:\n")[1].split("\n\n")
        assert all(group.lstrip().startswith("# ") for group in groups), revision


@pytest.mark.extended
@pytest.mark.skipif(not INSPECTOR.is_file(), reason="scripts/test extended installs the packages of the Inspector")
class TestInspector:
    def test_the_tool_of_a_deployment_is_listed_and_called(self, site: Site):
        [tool] = inspected(site, "tools/list")["tools"]
        assert tool["name"] == "plain"
        called = inspected(site, "tools/call", "--tool-name", "plain", "--tool-arg", "task=Go.")
        assert called["content"] == [{"type": "text", "text": "The answer."}]
        assert called["structuredContent"]["state"] == "finished"

    @pytest.mark.parametrize("kind", ["resources", "prompts"])
    def test_there_is_nothing_else_to_list(self, site: Site, kind: str):
        assert inspected(site, f"{kind}/list") == {kind: []}

    def test_what_is_refused_is_told(self, site: Site):
        unknown = inspect(site, "tools/call", "--tool-name", "other", "--tool-arg", "task=Go.")
        assert unknown.returncode == NOT_FOUND, unknown.stderr
        wrong = inspect(Site(site.url, {"plain": "sk-studio-wrong"}), "tools/list")
        assert wrong.returncode == NOT_AUTHORIZED, wrong.stderr


def inspected(site: Site, method: str, *options: str) -> Any:
    done = inspect(site, method, *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def inspect(site: Site, method: str, *options: str) -> subprocess.CompletedProcess[str]:
    given = ["--transport", "http", "--header", f"Authorization: Bearer {site.keys['plain']}", "--method", method]
    return run("node", str(INSPECTOR), "--cli", f"{site.url}/d/plain/mcp", *given, *options)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=90, stdin=subprocess.DEVNULL)
