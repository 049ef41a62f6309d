"""Publishing a file from the command line, and calling it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from studio.components import JsonObject
from studio.store import open_store
from tests.cli.conftest import Typed, written
from tests.processes import StudioProcess
from tests.web.documents import USER_PROXY, assistant, shouting, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


@contextmanager
def serving(folder: Path, *arguments: object) -> Generator[list[str]]:
    """A studio in a process of its own, and the lines that it printed once it was ready."""
    command = ("serve", "--port", "0", "--data-dir", folder / "data", *arguments)
    with StudioProcess.start(*command, errors="apart") as process:
        lines = [process.output.readline().strip()]
        if "--team" in arguments:
            lines.append(process.output.readline().strip())
        yield lines
        process.terminate()
        lines += process.output.read().splitlines()


def test_a_file_is_published_and_a_change_waits_for_its_decision(typed: Typed, tmp_path: Path):
    file = written(tmp_path)
    first = json.loads(typed("deploy", file, "--name", "support", "--day-usd", "5", "--json").out)
    assert (first["name"], first["live"], first["release"]) == ("support", 1, 1)
    assert first["key"].startswith("sk-studio-")
    again = typed("deploy", file, "--name", "support")
    assert again.out == "support: release 1 is live.\n"

    written(tmp_path, team(assistant("writer", "Another."), max_messages=2))
    second = typed("deploy", file, "--name", "support", "--note", "Shorter")
    assert "release 2 is ready; release 1 is live." in second.out
    assert typed("deployments", "live", "support", "2").out == "support: release 2 is live.\n"
    for number in ("9", "99999999999999999999"):
        assert "There is no release" in typed("deployments", "live", "support", number).err
    written(tmp_path, team(assistant("writer", "A third."), max_messages=2))
    assert json.loads(typed("deploy", file, "--name", "support", "--live", "--json").out)["live"] == 3

    [listed] = json.loads(typed("deployments", "list", "--json").out)
    assert (listed["name"], listed["live"], listed["by"]) == ("support", 3, "command line")
    assert typed("deployments", "off", "support").out == "support is off.\n"
    assert "support                  off release 3" in typed("deployments", "list").out
    actions = [json.loads(line)["action"] for line in typed("audit", "--who", "command line").out.splitlines()]
    assert actions[:2] == ["publish a team", "make a key"]
    assert actions[-1] == "turn a deployment off"


def test_a_canary_gets_some_of_the_new_threads_until_it_ends(typed: Typed, tmp_path: Path):
    file = written(tmp_path)
    typed("deploy", file, "--name", "support")
    written(tmp_path, team(assistant("writer", "Another."), max_messages=2))
    typed("deploy", file, "--name", "support")
    assert typed("deployments", "canary", "support").out == "support: all new threads use release 1.\n"
    sent = typed("deployments", "canary", "support", "2", "--percent", "25")
    assert sent.out == "support: 25 % of the new threads use release 2.\n"
    shown = typed("deployments", "canary", "support")
    assert shown.out == "support: 25 % of the new threads use release 2, all others 1.\n"
    assert typed("deployments", "list").out.endswith(", 25 % of new threads on release 2\n")
    [listed] = json.loads(typed("deployments", "list", "--json").out)
    assert (listed["canary"], listed["canary_percent"]) == (2, 25)
    refused = (("1",), ("9",), ("2", "--percent", "100"), ("2", "--end"))
    assert all(typed("deployments", "canary", "support", *each).code != 0 for each in refused)
    assert typed("deployments", "canary", "support", "--end").out == "support: all new threads use release 1.\n"
    actions = [json.loads(line)["action"] for line in typed("audit", "--who", "command line").out.splitlines()]
    assert actions[-2:] == ["send new threads to a canary", "end a canary"]


def test_what_a_team_asks_for_is_approved_or_nothing_is_published(typed: Typed, tmp_path: Path):
    file = written(tmp_path, shouting())
    refused = typed("deploy", file, "--name", "loud")
    assert refused.code == 2
    assert "Runs the Python function of the tool 'shout'" in refused.err
    assert typed("deployments", "list").out.startswith("Nothing is published.")
    done = typed("deploy", file, "--name", "loud", "--approve", "--tool-results")
    assert "loud: release 1 is live." in done.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--name", "No Name"), "No Name"),
        (("--name", "x", "--day-usd", "-1"), "day-usd"),
        (("--name", "support", "--sees", "everything"), "sees"),
        (("--name", "support", "--chat", "everybody"), "chat"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(typed: Typed, tmp_path: Path, arguments: tuple[str, ...], told: str):
    refused = typed("deploy", written(tmp_path), *arguments)
    assert refused.code != 0
    assert refused.err.count("\n") == 1
    assert told in refused.err


def test_keys_are_made_listed_and_revoked(typed: Typed, tmp_path: Path):
    typed("deploy", written(tmp_path), "--name", "support")
    key = typed("keys", "create", "support", "shop", "--days", "30").out.strip()
    assert key.startswith("sk-studio-")
    assert f"{key[-4:]}  valid    shop" in typed("keys", "list", "support").out
    assert "key_hash" not in typed("keys", "list", "support", "--json").out
    assert typed("keys", "revoke", "support", key[-4:]).code == 0
    assert f"{key[-4:]}  revoked  shop" in typed("keys", "list", "support").out
    assert typed("keys", "revoke", "support", key[-4:]).code == 2
    assert typed("keys", "list", "nowhere").code == 2


def test_a_chat_page_is_turned_on_and_its_links_are_keys_of_their_own(typed: Typed, tmp_path: Path):
    file = written(tmp_path)
    typed("deploy", file, "--name", "support", "--chat", "link")
    link = typed("keys", "create", "support", "customers", "--link").out.strip()
    assert link.startswith("/d/support/chat#studio-chat-")
    assert f"{link[-4:]}  valid    customers (chat link)" in typed("keys", "list", "support").out
    with serving(tmp_path) as lines:
        url = lines[0].removeprefix("Team Studio is ready: ").partition("/?")[0]
        headers = {"Authorization": f"Bearer {link.partition('#')[2]}"}
        tokens = f"{url}/d/support/chat/tokens"
        assert httpx.post(tokens, headers=headers, json={}).status_code == 200
        typed("keys", "revoke", "support", link[-4:])
        assert httpx.post(tokens, headers=headers, json={}).status_code == 401


def test_one_command_serves_the_team_of_a_file(tmp_path: Path, typed: Typed):
    file = written(tmp_path, name="help-desk.json")
    with serving(tmp_path, "--team", file, "--name", "desk", "--only-deployments") as lines:
        url = lines[0].removeprefix("Team Studio is ready: ")
        assert "token" not in url
        assert lines[1] == f"desk takes calls at {url}/d/desk"
        for path in ("/teams", "/api/teams", "/static/css/studio.css", "/login"):
            assert httpx.get(f"{url}{path}").status_code == 404, path
        assert httpx.get(f"{url}/healthz").status_code == 200
        key = typed("keys", "create", "desk", "test").out.strip()
        answered = typed("call", "desk", "Say hello.", "--at", url, "--key", key)
        assert (answered.code, answered.out) == (0, "The answer.\n")
        call = json.loads(typed("call", "desk", "Go.", "--at", url, "--key", key, "--json").out)
        assert (call["state"], call["answer"]) == ("finished", "The answer.")
        wrong = typed("call", "desk", "Go.", "--at", url, "--key", "sk-studio-wrong")
        assert (wrong.code, wrong.err.count("\n")) == (2, 1)
        assert "is not valid for this address" in wrong.err
    assert any(line.startswith("Key, shown this once: sk-studio-") for line in lines)
    with serving(tmp_path, "--team", file, "--name", "desk") as lines:
        assert "token=" in lines[0]
    assert not any("Key" in line for line in lines)
    assert json.loads(typed("deployments", "list", "--json").out)[0]["live"] == 1


def test_a_question_that_nobody_can_answer_ends_the_command_and_not_the_call(tmp_path: Path, typed: Typed):
    file = written(tmp_path, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3))
    key = json.loads(typed("deploy", file, "--name", "asks", "--json").out)["key"]
    with serving(tmp_path) as lines:
        url = lines[0].partition(": ")[2].partition("/?")[0]
        asked = typed("call", "asks", "Go.", "--at", url, "--key", key)
        assert asked.code == 1
        assert "there is no terminal" in asked.err
        call_id = asked.err.rsplit("Call ", 1)[1].split()[0]
        found = httpx.get(f"{url}/d/asks/calls/{call_id}", headers={"Authorization": f"Bearer {key}"}).json()
        assert found["state"] == "waiting"


def test_a_team_is_called_by_mcp(tmp_path: Path, typed: Typed):
    key = json.loads(typed("deploy", written(tmp_path), "--name", "plain", "--json").out)["key"]
    with serving(tmp_path) as lines:
        url = lines[0].partition(": ")[2].partition("/?")[0]
        by_mcp = ("call", "plain", "Go.", "--at", url, "--protocol", "mcp")
        assert typed(*by_mcp, "--key", key).out == "The answer.\n"
        assert json.loads(typed(*by_mcp, "--key", key, "--json").out)["state"] == "finished"
        wrong = typed(*by_mcp, "--key", "wrong")
        assert (wrong.code, wrong.err.count("\n")) == (2, 1), wrong
        assert "This key is not valid for this address." in wrong.err
    unreachable = typed(*by_mcp, "--key", key)
    assert unreachable.code == 2
    assert "--at" in unreachable.err


def test_without_a_key_or_a_studio_a_call_says_what_to_do(typed: Typed, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("STUDIO_KEY", raising=False)
    assert "STUDIO_KEY" in typed("call", "support", "Go.").err
    unreachable = typed("call", "support", "Go.", "--key", "x", "--at", "http://127.0.0.1:9")
    assert unreachable.code == 2
    assert "--at" in unreachable.err
    assert "is not an address" in typed("call", "support", "Go.", "--key", "x", "--at", "not an address").err


@contextmanager
def answering(body: bytes, status: int = 200, encoding: str = "identity") -> Generator[str]:
    """A server that is no studio, and answers all alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Encoding", encoding)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"state": "finished"}', b"[" * 100_000, b"\xff", b""])
@pytest.mark.parametrize("status", [200, 500])
def test_what_is_no_studio_is_told_in_a_line(typed: Typed, body: bytes, status: int):
    with answering(body, status) as url:
        told = typed("call", "x", "Go.", "--key", "k", "--at", url)
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1), told
    with answering(body, status, "gzip") as url:
        assert typed("call", "x", "Go.", "--key", "k", "--at", url).code == 2


def test_an_answer_without_end_is_not_read(typed: Typed, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.cli.call.MAX_REPLY", 2**20)
    with answering(b" " * (2**20 + 1)) as url:
        assert "more than 1 MB" in typed("call", "x", "Go.", "--key", "k", "--at", url).err


def test_an_answer_does_nothing_to_the_terminal(typed: Typed):
    call = {"id": "1", "state": "finished", "answer": "\x1b]0;owned\x07\x1b[2JHi", "question": None, "error": None}
    with answering(json.dumps(call).encode()) as url:
        assert typed("call", "x", "Go.", "--key", "k", "--at", url).out.endswith("[2JHi\n")
        assert "\x1b" not in typed("call", "x", "Go.", "--key", "k", "--at", url).out


def test_a_gate_holds_a_release_back_unless_there_is_a_reason(typed: Typed, tmp_path: Path):
    file = written(tmp_path)
    typed("deploy", file, "--name", "support")

    async def gate() -> None:
        async with open_store(tmp_path / "data") as store:
            [found] = await store.deployments.list()
            document: JsonObject = {"suite": "Must hold", "gate": {"releases": True}, "cases": []}
            await store.suites.add(found.team_id or "", "Must hold", document, 0, "")

    asyncio.run(gate())
    written(tmp_path, team(assistant("writer", "Another."), max_messages=2))
    typed("deploy", file, "--name", "support")
    for held in (("live", "support", "2"), ("canary", "support", "2")):
        assert "“Must hold” gates releases." in typed("deployments", *held).err
    done = typed("deployments", "live", "support", "2", "--override", "It is urgent.")
    assert done.out == "support: release 2 is live.\n"
    lines = [json.loads(line) for line in typed("audit", "--who", "command line").out.splitlines()]
    [override] = [line for line in lines if line["action"] == "override a gate"]
    assert override["outcome"] == "Reason: It is urgent."
