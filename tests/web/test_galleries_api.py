"""Galleries through the API and their pages."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.fakes.file_server import http_server
from tests.web.documents import assistant, function_tool, gallery, replay_model, team
from tests.web.doors import BASE_URL, TOKEN, client_of

SHIPPED = "team-studio"


def add(client: TestClient, document: object) -> str:
    response = client.post("/api/galleries", json={"text": json.dumps(document)})
    assert response.status_code == 201, response.text
    return response.json()["id"]


def test_a_preview_stores_nothing(client: TestClient):
    before = client.get("/api/galleries").json()
    preview = client.post("/api/galleries/preview", json={"text": json.dumps(gallery(teams=[team()]))}).json()
    assert preview["counts"] == {"teams": 1}
    assert preview["report"]["components"][0]["where"] == "/components/teams/0"
    assert client.get("/api/galleries").json() == before


def test_what_is_added_is_what_was_previewed(client: TestClient):
    text = json.dumps(gallery(teams=[team()]))
    digest = client.post("/api/galleries/preview", json={"text": text}).json()["digest"]
    assert client.post("/api/galleries", json={"text": text + " ", "digest": digest}).status_code == 409
    assert client.post("/api/galleries", json={"text": text, "digest": digest}).status_code == 201


def test_an_uploaded_gallery_comes_out_as_it_went_in(client: TestClient):
    groups = {"teams": [team()], "agents": [assistant("one")], "models": [replay_model("x")]}
    document = gallery("Mine", **groups)
    files = {"file": ("mine.json", json.dumps(document))}
    added = client.post("/api/galleries", files=files).json()
    exported = client.get(f"/api/galleries/{added['id']}/export")
    assert exported.headers["Content-Disposition"] == 'attachment; filename="mine.json"'
    for group, members in groups.items():
        assert exported.json()["components"][group] == members


def test_a_gallery_is_deleted_but_not_one_that_shipped(client: TestClient):
    own = add(client, gallery(teams=[team()]))
    assert client.delete(f"/api/galleries/{own}").status_code == 204
    assert client.get(f"/api/galleries/{own}").status_code == 404
    assert client.delete(f"/api/galleries/{SHIPPED}").status_code == 403


def test_the_library_takes_and_gives_components(client: TestClient):
    kept = assistant("kept")
    for _ in range(2):
        assert client.post("/api/galleries/library/components", json={"component": kept}).status_code == 201
    assert client.get("/api/galleries/library").json()["components"]["agents"] == [kept]
    assert client.get("/api/galleries/library/components/agents/0").json() == kept
    assert client.delete("/api/galleries/library/components/agents/0").status_code == 204
    assert client.get("/api/galleries/library").json()["counts"] == {}
    assert client.delete(f"/api/galleries/{SHIPPED}/components/teams/0").status_code == 403


def test_shipped_galleries_are_there_and_their_code_is_approved(client: TestClient):
    shipped = client.get(f"/api/galleries/{SHIPPED}").json()
    assert shipped["origin"] == "shipped"
    approvals = client.get("/api/approvals").json()
    assert {approval["by"] for approval in approvals} == {"Team Studio"}
    assert {approval["kind"] for approval in approvals} == {"python"}


@pytest.mark.embedded
def test_a_shipped_gallery_that_is_damaged_is_put_back_and_approves_nothing(settings: Settings):
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        before = client.get(f"/api/galleries/{SHIPPED}").json()
        for approval in client.get("/api/approvals").json():
            assert client.delete(f"/api/approvals/{approval['id']}").status_code == 204
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as connection, connection:
        assert connection.execute("UPDATE gallery SET config = '{' WHERE id = ?", (SHIPPED,)).rowcount == 1
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        assert client.get(f"/api/galleries/{SHIPPED}").json()["counts"] == before["counts"]
        assert client.get("/api/approvals").json() == []


def test_a_gallery_calls_components_what_they_are_and_not_by_their_classes(client: TestClient):
    page = client.get(f"/galleries/{SHIPPED}").text
    assert re.findall(r">\s*(\w+(?:Termination|Condition|GroupChat|Client|Workbench))\s*<", page) == []


def test_what_was_revoked_stays_revoked_after_a_restart(settings: Settings):
    authorised = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, authorised)
        first = client.get("/api/approvals").json()[0]["hash"]
        assert client.delete(f"/api/approvals/{first}").status_code == 204
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        hashes = [approval["hash"] for approval in client_of(server, authorised).get("/api/approvals").json()]
        assert hashes
        assert first not in hashes


def test_only_what_a_stored_document_asks_for_can_be_approved(client: TestClient):
    tool = function_tool("def shout(text: str) -> str:\n    return text.upper()\n")
    report = client.post("/api/validate", json={"component": tool}).json()
    wanted = [capability["hash"] for capability in report["capabilities"] if capability["kind"] == "python"]
    assert client.post("/api/approvals", json={"hashes": wanted}).status_code == 404
    add(client, gallery(tools=[tool]))
    approved = client.post("/api/approvals", json={"hashes": wanted})
    assert approved.status_code == 201
    assert "upper()" in approved.json()[0]["detail"]
    again = client.post("/api/validate", json={"component": tool}).json()
    assert [capability["approved"] for capability in again["capabilities"]] == [True]


def test_a_gallery_from_a_url_needs_the_operators_leave_for_private_addresses(client: TestClient):
    with http_server() as port:
        response = client.post("/api/galleries/preview", json={"url": f"http://127.0.0.1:{port}/g.json"})
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "url_refused"


def test_a_gallery_is_fetched_from_a_url_when_asked(settings: Settings):
    allowing = settings.model_copy(update={"allow_private_urls": True})
    document = json.dumps(gallery("From afar", teams=[team()])).encode()
    with (
        http_server({"/g.json": document}) as port,
        TestClient(create_app(allowing), base_url=BASE_URL) as server,
    ):
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        added = client.post("/api/galleries", json={"url": f"http://127.0.0.1:{port}/g.json"}).json()
        stored = client.get(f"/api/galleries/{added['id']}").json()
    assert (stored["name"], stored["origin"]) == ("From afar", "url")


def test_the_preview_page_tells_what_each_part_could_do(client: TestClient):
    tool = function_tool("def shout(text: str) -> str:\n    return text.upper()\n")
    document = gallery(tools=[tool, {"provider": "os.system", "config": {}}], teams=[team(max_messages="many")])
    html = client.post("/fragments/galleries/preview", json={"text": json.dumps(document)}).text
    assert "1 permission" in html
    assert "text.upper()" in html
    assert "Not installed" in html
    assert "/components/teams/0/config/termination_condition/config/max_messages" in html


def test_names_in_a_gallery_cannot_become_markup(client: TestClient):
    nasty = assistant("<img src=x onerror=alert(1)>")
    own = add(client, gallery("<script>alert(1)</script>", agents=[nasty]))
    for path in ("/galleries", f"/galleries/{own}"):
        html = client.get(path).text
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_places_for_a_component_are_those_of_its_kind(client: TestClient):
    made = client.post("/api/teams", json={"component": team(assistant("writer"))}).json()
    own = add(client, gallery(agents=[assistant("new")], models=[replay_model("x")]))
    agents = client.post("/fragments/places", json={"gallery_id": own, "group": "agents", "index": 0}).text
    assert f'value="{made["id"]} /config/participants"' in agents
    models = client.post("/fragments/places", json={"gallery_id": own, "group": "models", "index": 0}).text
    assert "writer · model client (replaces the current one)" in models
    assert "Greeters · participants" not in models


@pytest.mark.parametrize("path", ["/teams", "/galleries", f"/galleries/{SHIPPED}", "/galleries/library", "/settings"])
def test_pages_hold_nothing_that_the_policy_blocks(client: TestClient, path: str):
    client.post("/api/teams", json={"component": team()})
    html = client.get(path).text
    assert " style=" not in html
    assert "hx-on" not in html
    assert "<style" not in html
    assert html.count("<script") == html.count("<script src=") + html.count('<script type="module"') + 1


def test_templates_use_no_expressions_of_htmx():
    templates = Path(__file__).parents[2] / "frontend" / "templates"
    for file in templates.rglob("*.html"):
        text = file.read_text()
        assert "js:" not in text, file
        assert "hx-on" not in text, file
