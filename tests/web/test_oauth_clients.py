"""Clients of MCP that a person lets in: the SDKs for Python and JavaScript, over real HTTP, from no key to a call."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.web.mcp_clients import ERAS, Era, said
from tests.web.oauth_clients import CALLBACK, PlainClient, allowed, answer_in
from tests.web.openai_clients import Server, writer
from tests.web.publishing import LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CLIENTS = Path(__file__).parents[1] / "clients"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        made = Server(owner, clients)
        made.published("plain", writer(), limits=LIMITS)
        yield made


@dataclass
class Kept:
    """What a client keeps between two starts."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    was_given: list[str] = field(default_factory=list[str])

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens
        self.was_given.append(tokens.refresh_token or "")  # replaced with each renewal

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Person:
    """Who is asked in a browser; how often."""

    server: Server
    asked: int = 0
    answer: dict[str, str] = field(default_factory=dict[str, str])

    async def open(self, address: str) -> None:
        self.asked += 1
        self.answer = answer_in(allowed(self.server.owner, address))

    async def answered(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult.model_validate(self.answer)


async def call(server: Server, kept: Kept, person: Person, era: Era, *, is_late: bool = False) -> str:
    """What the deployment answers to the SDK's client, which has nothing but its address."""
    url = f"{str(server.owner.base_url).rstrip('/')}/d/plain/mcp"
    metadata = OAuthClientMetadata(client_name="Notebook", redirect_uris=[AnyUrl(CALLBACK)])
    auth = OAuthClientProvider(url, metadata, kept, person.open, person.answered)
    auth.context.token_expiry_time = 1.0 if is_late else None  # long ago; it has only kept what it was given
    async with (
        httpx2.AsyncClient(auth=auth, timeout=httpx2.Timeout(10, read=60), trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        return said(await client.call_tool("plain", {"task": "Go."}))


@pytest.mark.parametrize("era", ERAS)
async def test_the_client_for_python_is_let_in_by_a_person_and_renews_its_access(server: Server, era: Era):
    kept, person = Kept(), Person(server)
    assert await call(server, kept, person, era) == "The answer."
    assert await call(server, kept, person, era) == "The answer."
    assert person.asked == 1
    newest = server.calls("plain")[0]
    assert (newest["protocol"], newest["key_label"]) == ("mcp", "Notebook")
    assert await call(server, kept, person, era, is_late=True) == "The answer."
    assert (person.asked, len(set(kept.was_given))) == (1, 2)


def test_the_client_for_javascript_is_let_in_by_a_person_and_renews_its_access(server: Server):
    if shutil.which("node") is None or not (CLIENTS / "node_modules").is_dir():
        pytest.skip("Node.js or the packages of tests/clients are not installed; scripts/test tests installs them.")
    given = {"url": str(server.owner.base_url).rstrip("/"), "owner": server.owner.headers["Authorization"]}
    command = ["node", str(CLIENTS / "mcp_oauth.mjs"), json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_conformance_suite_finds_an_authorization_server(server: Server):
    """Its metadata, and a code that a person gave, as the suite for authorization servers wants them."""
    suite = CLIENTS / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if shutil.which("node") is None or not suite.is_file():
        pytest.skip("Node.js or the packages of tests/clients are not installed; scripts/test tests installs them.")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    base = str(server.owner.base_url).rstrip("/")
    with httpx.Client(base_url=base, trust_env=False) as http:
        client = PlainClient(http, "plain", base, redirect_uri=f"http://127.0.0.1:{port}/callback")
        client.register()
    options = ["--url", base, "--client-id", client.id, "--resource", client.resource, "--port", str(port)]
    command = ["node", str(suite), "authorization", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as suite_process:
        assert suite_process.stdout is not None
        printed: list[str] = []
        for line in suite_process.stdout:
            printed.append(line)
            if (asked := re.search(r"http://\S*/authorize\?\S+", line)) is not None:
                httpx.get(allowed(server.owner, asked[0]), trust_env=False)
    assert suite_process.returncode == 0, "".join(printed)
    assert "3 passed" in printed[-1] + printed[-2], "".join(printed)
