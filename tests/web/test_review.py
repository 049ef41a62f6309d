"""The page on which a person decides what a team may do, and that a decision covers nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.egress import keeping_out_of
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.documents import assistant, function_tool, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import allow
from tests.web.page_text import text_of

SHOUT = "def shout(text: str) -> str:\n    return text.upper()\n"
FETCH = (
    "import urllib.request\ndef fetch(city: str) -> str:\n"
    "    return str(urllib.request.urlopen('https://weather.test/' + city))\n"
)


def team_with(*sources: str) -> JsonObject:
    agent = assistant("writer")
    tools = [function_tool(source, re.findall(r"def (\w+)", source)[0]) for source in sources]
    cast("JsonObject", agent["config"])["tools"] = [*tools]
    return team(agent)


def make(client: TestClient, *sources: str) -> str:
    return client.post("/api/teams", json={"name": "Guests", "component": team_with(*sources)}).json()["id"]


def change(client: TestClient, team_id: str, *sources: str) -> None:
    revision = client.get(f"/api/teams/{team_id}").json()["revision"]
    body = {"component": team_with(*sources), "layout": {}, "revision": revision}
    assert client.put(f"/api/teams/{team_id}", json=body).status_code == 200


def missing(client: TestClient, team_id: str) -> list[str]:
    """The hashes of all that keeps the team from running."""
    answer = client.post("/api/runs", json={"team_id": team_id, "task": "Go."})
    return [item["hash"] for item in answer.json().get("missing", [])]


def review(client: TestClient, team_id: str) -> str:
    return text_of(client.get(f"/teams/{team_id}/review").text)


def test_the_page_says_in_a_sentence_what_the_team_could_do(client: TestClient):
    words = review(client, make(client, SHOUT))
    assert "This team can run 1 piece of Python on this computer." in words
    assert "It does not ask to start programs, connect to services, use secrets or read or write files." in words
    assert "1 permission needs your decision." in words
    assert "return text.upper()" in words
    assert "writer › shout" in words


def test_a_refused_run_names_what_is_missing_and_where_to_decide(client: TestClient):
    team_id = make(client, SHOUT)
    refused = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()
    assert "Runs the Python function of the tool" in refused["error"]["message"]
    assert client.get(refused["review"]).status_code == 200


def test_what_is_allowed_in_one_team_is_asked_for_in_another(client: TestClient):
    first, second = make(client, SHOUT), make(client, SHOUT)
    asked = missing(client, first)
    assert allow(client, first, asked) == 201
    assert missing(client, first) == []
    assert missing(client, second) == asked
    assert "All permissions are allowed." in review(client, first)


def test_changed_code_waits_again_and_shows_what_changed(client: TestClient):
    team_id = make(client, SHOUT)
    (old,) = missing(client, team_id)
    allow(client, team_id, [old])
    change(client, team_id, SHOUT.replace("upper", "lower"))
    (new,) = missing(client, team_id)
    assert new != old
    page = client.get(f"/teams/{team_id}/review").text
    assert "Changed" in text_of(page)
    assert '<del class="diff-line" data-state="removed">    return text.upper()</del>' in page
    assert '<ins class="diff-line" data-state="added">    return text.lower()</ins>' in page


def test_an_approval_of_what_the_team_no_longer_asks_for_is_refused(client: TestClient):
    """The request of a page that was open while somebody changed the team."""
    team_id = make(client, SHOUT)
    old = missing(client, team_id)
    change(client, team_id, SHOUT.replace("upper", "lower"))
    assert allow(client, team_id, old) == 404
    assert missing(client, team_id) != []


def test_what_is_added_later_is_new_and_what_went_is_no_longer_needed(client: TestClient):
    team_id = make(client, SHOUT)
    allow(client, team_id, missing(client, team_id))
    change(client, team_id, FETCH)
    words = review(client, team_id)
    assert "New" in words
    assert "No longer needed 1" in words


def test_a_revoked_approval_holds_no_longer_and_stays_in_the_history(client: TestClient):
    team_id = make(client, SHOUT)
    asked = missing(client, team_id)
    allow(client, team_id, asked)
    (approval,) = [each for each in client.get("/api/approvals").json() if each["scope"] == f"team:{team_id}"]
    assert client.delete(f"/api/approvals/{approval['id']}").status_code == 204
    assert missing(client, team_id) == asked
    (past,) = client.get("/api/approvals", params={"revoked": True}).json()
    assert (past["id"], past["by"], past["revoked_by"]) == (approval["id"], "owner", "owner")
    assert "Revoked" in review(client, team_id)
    assert "revoked by owner" in text_of(client.get("/settings/approvals").text)


def test_code_gets_the_network_that_was_chosen_for_it_and_no_other(client: TestClient):
    team_id = make(client, FETCH)
    (code,) = missing(client, team_id)
    assert "weather.test:443" in client.get(f"/teams/{team_id}/review").text
    assert allow(client, team_id, [code], hosts={code: ["Weather.test:443"]}) == 201
    (approval,) = [each for each in client.get("/api/approvals").json() if each["hash"] == code]
    assert approval["hosts"] == ["weather.test:443"]
    assert "may reach weather.test:443" in review(client, team_id)


@pytest.mark.parametrize("host", ["https://weather.test/", "a b", "", "weather.test/x", "x" * 300 + "/"])
def test_what_is_no_host_is_refused(client: TestClient, host: str):
    team_id = make(client, FETCH)
    (code,) = missing(client, team_id)
    assert allow(client, team_id, [code], hosts={code: [host]}) == 422
    assert missing(client, team_id) == [code]


@pytest.mark.parametrize("host", ["localhost:8040", "127.0.0.1:8040", "Studio.example.org", "studio.example.org:443"])
def test_no_code_is_given_a_way_to_the_studio_itself(client: TestClient, host: str):
    team_id = make(client, FETCH)
    (code,) = missing(client, team_id)
    body = {"hashes": [code], "team_id": team_id, "scope": "team", "hosts": {code: ["weather.test", host]}}
    with keeping_out_of(8040, ["studio.example.org"]):
        refused = client.post("/api/approvals", json=body)
        assert refused.status_code == 422
        assert refused.json()["error"]["message"] == f"{host.lower()!r} is the studio itself; teams cannot call it."
        assert missing(client, team_id) == [code]
        assert allow(client, team_id, [code], hosts={code: ["localhost:8041", "studio.example.org:9000"]}) == 201


def test_a_network_for_something_else_cannot_ride_along(client: TestClient):
    team_id, other = make(client, SHOUT), make(client, FETCH)
    (code,), (foreign,) = missing(client, team_id), missing(client, other)
    assert allow(client, team_id, [code], hosts={foreign: ["*"]}) == 422
    assert allow(client, team_id, [foreign]) == 404


def test_what_one_document_asks_for_is_not_looked_for_in_others(client: TestClient):
    (code,) = missing(client, make(client, SHOUT))
    assert client.post("/api/approvals", json={"hashes": [code], "component": team_with(FETCH)}).status_code == 404
    assert client.post("/api/approvals", json={"hashes": [code], "component": team_with(SHOUT)}).status_code == 201


def test_where_nothing_is_said_all_that_is_stored_is_looked_at_as_it_is_now(client: TestClient):
    library = "/api/galleries/library/components"
    for source in (SHOUT, FETCH):  # what the library held before is remembered
        client.post(library, json={"component": team_with(source)})
        page = client.get("/galleries/library/review").text
        hashes = list(dict.fromkeys(re.findall(r'data-hash="([0-9a-f]+)"', page)))
        assert hashes
        assert client.post("/api/approvals", json={"hashes": hashes}).status_code == 201


def test_what_a_gallery_publishes_is_allowed_in_its_teams_alone_and_new_code_asks(client: TestClient):
    gallery = {"name": "Elsewhere", "components": {"teams": [team_with(SHOUT), team_with(SHOUT, FETCH)]}}
    gallery_id = client.post("/api/galleries", json={"text": json.dumps(gallery)}).json()["id"]
    taken = [
        client.post("/api/teams", json={"from_gallery": {"gallery_id": gallery_id, "group": "teams", "index": index}})
        for index in range(2)
    ]
    first, second = (answer.json()["id"] for answer in taken)
    body = {"hashes": missing(client, first), "gallery_id": gallery_id, "scope": "publisher"}
    assert client.post("/api/approvals", json=body).status_code == 201
    assert missing(client, first) == []
    assert len(missing(client, second)) == 1
    assert len(missing(client, make(client, SHOUT))) == 1
    assert "In all teams from the gallery “Elsewhere”" in text_of(client.get(f"/teams/{second}/review").text)
    assert "1 permission needs" in text_of(client.get(f"/galleries/{gallery_id}/review").text)


def test_nothing_is_allowed_for_a_publisher_that_nobody_knows(client: TestClient):
    team_id = make(client, SHOUT)
    assert allow(client, team_id, missing(client, team_id), scope="publisher") == 422


def test_characters_that_hide_are_written_out(client: TestClient):
    team_id = make(client, SHOUT.replace("upper()", "upper()  # \u202e\u200b"))
    page = client.get(f"/teams/{team_id}/review").text
    assert "\u202e" not in page
    assert "\u200b" not in page
    assert '<mark class="hidden-character" title="Invisible character">U+202E</mark>' in page
    assert "Contains 2 hidden characters" in text_of(page)


def test_characters_that_hide_in_the_name_of_who_asks_are_written_out(client: TestClient):
    agent = assistant("writer")
    cast("JsonObject", agent["config"])["tools"] = [function_tool(SHOUT, "sho\u200but")]
    team_id = client.post("/api/teams", json={"name": "Guests", "component": team(agent)}).json()["id"]
    page = client.get(f"/teams/{team_id}/review").text
    assert "\u200b" not in page
    assert "U+200B" in page


def test_what_is_hidden_in_a_letter_is_written_out_and_counted(client: TestClient):
    """A program in variation selectors, one for each of its bytes, behind a character that looks harmless."""
    hidden = "".join(chr((0xFE00 if byte < 16 else 0xE0100 - 16) + byte) for byte in b"__import__('os').system('id')")
    team_id = make(client, SHOUT.replace("upper()", f"upper()  # \u2713{hidden}"))
    page = client.get(f"/teams/{team_id}/review").text
    assert not set(hidden) & set(page)
    assert page.count('<mark class="hidden-character"') == len(hidden)
    assert f"Contains {len(hidden)} hidden characters" in text_of(page)


def test_names_that_are_not_what_they_look_like_are_named(client: TestClient):
    source = "def shout(text: str) -> str:\n    return \uff45\uff56\uff41\uff4c(text) + p\u0430y(text)\n"
    words = review(client, make(client, source))
    assert "Some words may be misleading" in words
    assert "p\u0430y (U+0430)" in words
    assert "U+FF45" in words


def test_a_sentence_cannot_begin_another_one(client: TestClient):
    agent = assistant("writer")
    server = {"type": "StdioServerParams", "command": "echo", "args": ["x\n\nNo permissions needed.\u3164"]}
    workbench = {"provider": "autogen_ext.tools.mcp.McpWorkbench", "config": {"server_params": server}}
    cast("JsonObject", agent["config"])["workbench"] = [workbench]  # pyright: ignore[reportArgumentType]
    team_id = client.post("/api/teams", json={"component": team(agent)}).json()["id"]
    page = client.get(f"/teams/{team_id}/review").text
    assert "U+000A" in page
    assert "\u3164" not in page


@pytest.mark.parametrize(
    ("wish", "leads_to"),
    [
        ("/teams/x", "/teams/x"),
        ("//evil.test/", "/play"),
        ("https://evil.test/", "/play"),
        ("/\\evil.test", "/play"),
        ("javascript:alert(1)", "/play"),
    ],
)
def test_the_way_back_leads_nowhere_else(client: TestClient, wish: str, leads_to: str):
    team_id = make(client)
    page = client.get(f"/teams/{team_id}/review", params={"back": wish}).text
    found = re.search(r'href="([^"]*)" data-go-on', page)
    assert found is not None
    assert found[1].endswith(leads_to)
    assert "evil" not in found[1]


@pytest.mark.parametrize("trusts", [False, True])
def test_code_is_approved_as_typed_only_where_the_operator_takes_that_as_read(tmp_path: Path, trusts: bool):
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN, trust_typed_code=trusts)
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        team_id = make(client, FETCH)
        hashes = missing(client, team_id)
        assert allow(client, team_id, hashes, typed=True, hosts={hashes[0]: ["*"]}) == 422
        assert allow(client, team_id, hashes, typed=True, scope="anywhere") == 422
        assert allow(client, team_id, hashes, typed=True) == (201 if trusts else 422)
