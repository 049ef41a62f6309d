"""Clients in JavaScript, each the package of its protocol, against a running studio with published teams."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.documents import assistant, team
from tests.web.openai_clients import Server, writer
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CLIENTS = Path(__file__).parents[1] / "clients"
BOTH = team(assistant("writer", "One."), assistant("critic", "Two."), max_messages=3)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    if shutil.which("node") is None or not (CLIENTS / "node_modules").is_dir():
        pytest.skip("Node.js or the packages of tests/clients are not installed; scripts/test tests installs them.")
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        yield Server(owner, clients)


@pytest.fixture(scope="module")
def keys(server: Server) -> dict[str, str]:
    teams = {"plain": writer(), "once": writer(), "open": BOTH, "asks": ASKS}
    sees = {"open": "messages"}
    return {
        name: server.published(name, each, limits=LIMITS, sees=sees.get(name, "answer")).api_key
        for name, each in teams.items()
    }


@pytest.mark.parametrize("client", ["openai", "ai_sdk", "agui", "a2a", "mcp"])
def test_a_client_gets_what_it_expects(server: Server, keys: dict[str, str], client: str):
    given = json.dumps({"url": str(server.owner.base_url).rstrip("/"), "keys": keys})
    done = subprocess.run(
        ["node", str(CLIENTS / f"{client}.mjs"), given], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    if client == "openai":
        assert len(server.calls("once")) == 1, "three tries are one call"
