"""What the pages tell."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.following import start, stream
from tests.web.page_text import text_of

DOCS = Path(__file__).parents[2] / "docs"


def model_with_key(reference: str) -> JsonObject:
    return {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "api_key": reference},
    }


def test_an_empty_studio_offers_teams_that_work(client: TestClient):
    words = text_of(client.get("/teams").text)
    assert "Start with a team that already works" in words
    assert "Blank team" in words


def test_the_list_tells_errors_and_the_last_run(client: TestClient):
    client.post("/api/teams", json={"component": team(label="Broken", max_messages="many")})
    unknown = team({"provider": "nobody.Knows", "config": {"name": "x"}}, label="Foreign")
    client.post("/api/teams", json={"component": unknown})
    stream(client, start(client, team(label="Sound")))
    page = client.get("/teams").text
    rows = {
        name: text_of(f"<main>{row}</main>") for name, row in re.findall(r'data-name="(\w+)"(.*?)</li>', page, re.S)
    }
    assert "1 error " in rows["Broken"]
    assert "Missing components" in rows["Foreign"]
    assert "Finished just now" in rows["Sound"]
    assert "Not run yet" in rows["Broken"]


def test_a_relative_time_shows_the_exact_one_with_its_zone_on_hover(client: TestClient):
    client.post("/api/teams", json={"component": team(label="Sound")})
    page = client.get("/teams").text
    shown = re.search(r'<time datetime="[^"]+\+00:00" title="([^"]+)">just now</time>', page)
    assert shown
    assert re.fullmatch(r"\d\d \w{3} \d{4}, \d\d:\d\d UTC", shown[1])


def test_no_template_words_a_time_of_its_own():
    templates = Path(__file__).parents[2] / "frontend" / "templates"
    found = [file.name for file in templates.rglob("*.html") if "<time" in file.read_text()]
    assert found == []


def test_where_a_file_is_imported_each_guide_for_moving_is_linked(client: TestClient):
    guides = sorted(f"/help/how-to/{name.stem}" for name in DOCS.glob("how-to/move-from-*.md"))
    for path in ("/galleries", "/teams"):
        assert sorted(re.findall(r'"(/help/how-to/move-from-[^"]+)"', client.get(path).text)) == guides


def test_the_root_leads_to_the_teams(client: TestClient):
    assert client.get("/").headers["Location"] == "/teams"
    assert client.get("/login").headers["Location"] == "/teams"


def test_a_team_has_a_builder_and_a_playground(client: TestClient):
    made = client.post("/api/teams", json={"component": team(label="Poets")}).json()
    for path in (f"/teams/{made['id']}", f"/teams/{made['id']}/play"):
        page = client.get(path)
        assert page.status_code == 200
        assert made["id"] in page.text
    missing = client.get("/teams/nobody")
    assert (missing.status_code, missing.headers["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_a_secret_goes_in_and_never_comes_out(client: TestClient):
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    client.post(
        "/api/teams",
        json={"component": team({**agent, "config": {**config, "model_client": model_with_key("secret:work")}})},
    )
    assert client.get("/api/secrets").json() == [
        {"name": "work", "reference": "secret:work", "set": False, "is_too_short": False, "used_by": ["Greeters"]}
    ]
    assert "secret:work Missing Greeters" in text_of(client.get("/settings").text)
    assert client.put("/api/secrets/work", json={"value": "sk-do-not-show"}).status_code == 204
    answers = [client.get(path).text for path in ("/api/secrets", "/settings", "/api/teams", "/teams")]
    assert '"set":true' in answers[0]
    assert "secret:work Set Greeters" in text_of(answers[1])
    assert not any("sk-do-not-show" in answer for answer in answers)
    assert client.delete("/api/secrets/work").status_code == 204
    assert client.delete("/api/secrets/work").status_code == 404


def test_a_secret_with_an_impossible_name_or_value_is_refused(client: TestClient):
    assert client.put("/api/secrets/two words", json={"value": "x"}).status_code == 422
    refused = client.put("/api/secrets/work", json={"value": ""})
    assert refused.status_code == 422
    wrong_type = client.put("/api/secrets/work", json={"value": ["sk-do-not-echo"]})
    assert "sk-do-not-echo" not in wrong_type.text


def test_the_settings_page_tells_what_is_approved_and_what_this_is(client: TestClient):
    words = text_of(client.get("/settings").text)
    assert "approvals. Show approvals" in words
    assert "Version Team Studio" in words
    assert "Largest upload 20 MB; from a URL 5 MB" in words


def test_an_approval_that_is_revoked_is_gone(client: TestClient):
    first = client.get("/api/approvals").json()[0]
    assert client.delete(f"/api/approvals/{first['hash']}").status_code == 204
    assert first not in client.get("/api/approvals").json()
    assert client.delete(f"/api/approvals/{first['hash']}").status_code == 404


def test_the_builder_offers_stored_secrets_and_the_usual_variables(client: TestClient):
    client.put("/api/secrets/work-key", json={"value": "sk-never-shown"})
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    page = client.get(f"/teams/{team_id}").text
    assert '<option value="secret:work-key">set</option>' in page
    assert '<option value="env:OPENAI_API_KEY">' in page
    assert "sk-never-shown" not in page
