"""The conformance suite of MCP and the command line of its Inspector, against a running studio."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.web.openai_clients import Server, writer
from tests.web.publishing import LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CLIENTS = Path(__file__).parents[1] / "clients"
SUITE = CLIENTS / "node_modules/@modelcontextprotocol/conformance"
INSPECTOR = CLIENTS / "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")
NOT_AUTHORIZED = 3
NOT_FOUND = 5


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Generator[dict[str, str]]:
    """The address of a studio, and the name and key of a deployment."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed.")
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        key = Server(owner, clients).published("plain", writer(), limits=LIMITS).api_key
        yield {"url": str(owner.base_url).rstrip("/"), "key": key, "name": "plain"}


@pytest.mark.skipif(not SUITE.is_dir(), reason="scripts/test tests installs the packages of tests/clients")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_deployment_conforms_but_for_what_a_team_cannot_have(deployment: dict[str, str], revision: str):
    """The suite fails where something else fails, and where something of the baseline passes."""
    baseline = CLIENTS / f"mcp_baselines/{revision}.yml"
    script = CLIENTS / "mcp_conformance.mjs"
    done = run("node", str(script), json.dumps(deployment), revision, str(baseline))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def test_each_entry_of_a_baseline_has_a_reason():
    for revision in REVISIONS:
        groups = (CLIENTS / f"mcp_baselines/{revision}.yml").read_text().split("server:\n")[1].split("\n\n")
        assert all(group.lstrip().startswith("# ") for group in groups), revision


@pytest.mark.skipif(not INSPECTOR.is_file(), reason="scripts/test tests installs the packages of tests/clients")
class TestInspector:
    def test_the_tool_of_a_deployment_is_listed_and_called(self, deployment: dict[str, str]):
        [tool] = inspected(deployment, "tools/list")["tools"]
        assert tool["name"] == "plain"
        called = inspected(deployment, "tools/call", "--tool-name", "plain", "--tool-arg", "task=Go.")
        assert called["content"] == [{"type": "text", "text": "The answer."}]
        assert called["structuredContent"]["state"] == "finished"

    @pytest.mark.parametrize("kind", ["resources", "prompts"])
    def test_there_is_nothing_else_to_list(self, deployment: dict[str, str], kind: str):
        assert inspected(deployment, f"{kind}/list") == {kind: []}

    def test_what_is_refused_is_told(self, deployment: dict[str, str]):
        unknown = inspect(deployment, "tools/call", "--tool-name", "other", "--tool-arg", "task=Go.")
        assert unknown.returncode == NOT_FOUND, unknown.stderr
        wrong = inspect({**deployment, "key": "sk-studio-wrong"}, "tools/list")
        assert wrong.returncode == NOT_AUTHORIZED, wrong.stderr


def inspected(deployment: dict[str, str], method: str, *options: str) -> Any:
    done = inspect(deployment, method, *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def inspect(deployment: dict[str, str], method: str, *options: str) -> subprocess.CompletedProcess[str]:
    url = f"{deployment['url']}/d/{deployment['name']}/mcp"
    given = ["--transport", "http", "--header", f"Authorization: Bearer {deployment['key']}", "--method", method]
    return run("node", str(INSPECTOR), "--cli", url, *given, *options)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
