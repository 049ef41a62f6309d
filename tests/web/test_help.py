"""Help over HTTP: each page of the documentation, its pictures, and the search."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from studio.help import load_library
from studio.web.assets.assets import find_frontend
from studio.web.help_links import HELP
from tests.web.documents import team
from tests.web.evaluating import added_suite, started
from tests.web.following import start, stream
from tests.web.page_text import text_of
from tests.web.publishing import publish


def addresses() -> list[str]:
    """Those of all pages. To read them takes a second, and each process of the tests imports this."""
    return sorted(load_library().pages)


class Names(HTMLParser):
    """The ids of a page, and where it leads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.leads: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.leads += [given[name] for name in ("href", "src") if name in given and tag in ("a", "img")]


def test_the_first_page_of_help_is_the_index_and_the_rail_leads_there(client: TestClient):
    assert '<a class="rail-item" href="/help">' in client.get("/teams").text
    page = client.get("/help").text
    assert 'href="/help" aria-current="page"' in page
    assert {*addresses()} <= set(Names(page).leads)


@pytest.mark.slow
def test_every_link_of_help_leads_to_a_page_a_heading_or_a_picture(client: TestClient):
    pages = {url: Names(client.get(url).text) for url in ["/help", *addresses()]}
    for url, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), url
    pictures = {lead for page in pages.values() for lead in page.leads if lead.startswith("/help/pictures/")}
    assert {client.get(picture).headers["content-type"] for picture in pictures} == {"image/png"}
    wrong = [
        (url, lead)
        for url, page in pages.items()
        for lead in page.leads
        if lead.startswith(("/help", "#")) and lead not in pictures
        for target, anchor in [(lead.partition("#")[0] or url, lead.partition("#")[2])]
        if target not in pages or (anchor and anchor not in pages[target].ids)
    ]
    assert wrong == []


def test_a_page_shows_where_it_is_and_what_comes_before_and_after(client: TestClient):
    page = client.get("/help/how-to/control-a-run").text
    assert "<title>Control a run · Team Studio</title>" in page
    assert '<a href="/help#how-to-guides">How-to guides</a>' in page
    assert re.search(r'<a rel="prev" href="/help/how-to/[\w-]+">', page)
    assert re.search(r'<a rel="next" href="/help/how-to/[\w-]+">', page)


def test_what_is_no_page_of_help_is_not_found(client: TestClient):
    for path in (
        "/help/how-to/nowhere",
        "/help/design/runs",
        "/help/how-to/..%2F..%2FREADME",
        "/help/%2e%2e/%2e%2e/README",
        "/help/pictures/..%2F..%2Fhow-to%2Fimages%2Fform.png",
        "/help/pictures/nowhere.png",
    ):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert "help" in answer.text.lower()


def test_a_search_is_answered_as_a_page_and_as_a_fragment(client: TestClient):
    page = client.get("/help?q=local+model").text
    assert 'value="local model"' in page
    fragment = client.get("/fragments/help?q=local+model").text
    for html in (page, fragment):
        assert '<a href="/help/how-to/use-a-local-model">Use a local model</a>' in html
    assert "<html" not in fragment
    assert "No results" in text_of(client.get("/help?q=qqqq").text)
    assert "No results" not in text_of(client.get("/help").text)
    assert client.get(f"/help?q={'x' * 201}").status_code == 422


def test_what_was_asked_for_is_shown_as_text(client: TestClient):
    page = client.get("/help?q=%3Cscript%3E%22%3E").text
    assert '<script>"' not in page
    assert "&lt;script&gt;&#34;&gt;" in page


def test_the_palette_finds_help(client: TestClient):
    results = client.get("/api/search?q=mcp+server").json()["results"]
    found = [each for each in results if each["group"] == "Help"]
    assert (found[0]["label"], found[0]["url"]) == (
        "Help: Use the tools of an MCP server",
        "/help/how-to/use-an-mcp-server",
    )
    assert len(found) <= 6
    assert any("#" in each["url"] and each["detail"] for each in found)
    empty = client.get("/api/search").json()["results"]
    assert [each["label"] for each in empty if each["url"].startswith("/help")] == ["Help"]


def test_every_page_of_the_studio_leads_to_its_how_to(shown: dict[str, str]):
    """Each template that is a page is shown here, so a new one needs a line in the table, and its address below."""
    templates = {f"pages/{file.name}" for file in (find_frontend() / "templates/pages").glob("*.html")}
    without = {"pages/login.html", "pages/chat.html"}  # nobody in front of them has the studio's help
    assert HELP.keys() == templates - without
    assert shown.keys() == templates - {*without, "pages/help.html"}
    for template, page in shown.items():
        assert re.findall(r'<a [^>]*href="([^"]*)" data-help ', page) == [HELP[template]], template


def test_every_how_to_that_a_page_leads_to_exists(client: TestClient):
    for url in {*HELP.values()} - {""}:
        assert client.get(url).status_code == 200, url


@pytest.fixture
def shown(client: TestClient) -> dict[str, str]:
    """The HTML of each page of the studio, by its template."""
    run_id = start(client, team(label="Poets"))
    stream(client, run_id)
    team_id = client.get(f"/api/runs/{run_id}").json()["team_id"]
    suite = client.post(f"/api/teams/{team_id}/suites", json={"document": {"suite": "Verses"}}).json()
    base, document = knowledge(client)
    gallery_id = client.get("/api/galleries").json()[0]["id"]
    addresses = {
        "account": "/account",
        "approvals": "/settings/approvals",
        "audit": "/audit",
        "beside": f"/runs/{run_id}/beside/{run_id}",
        "builder": f"/teams/{team_id}",
        "charts": "/costs/charts",
        "compare": f"/runs/{run_id}/compare/{run_id}",
        "consent": "/authorize",
        "costs": "/costs",
        "deployment": f"/deployments/{publish(client).name}",
        "deployments": "/deployments",
        "error": "/teams/nowhere",
        "evaluation": f"/evaluations/{started(client, added_suite(client, team_id), repeats=1)}",
        "labels": f"/evaluations/{started(client, added_suite(client, team_id), repeats=1)}/labels",
        "galleries": "/galleries",
        "gallery": f"/galleries/{gallery_id}",
        "health": "/settings/health",
        "workers": "/settings/workers",
        "inbox": "/inbox",
        "knowledge": "/knowledge",
        "knowledge_base": f"/knowledge/{base}",
        "knowledge_document": f"/knowledge/{base}/documents/{document}",
        "models": "/settings/models",
        "playground": f"/teams/{team_id}/play",
        "ready_team": "/ready-teams/compare-options",
        "ready_teams": "/ready-teams",
        "review": f"/teams/{team_id}/review",
        "runs": "/runs",
        "settings": "/settings",
        "share": f"/runs/{run_id}/share",
        "suite": f"/suites/{suite['id']}",
        "suites": "/suites",
        "teams": "/teams",
        "trash": "/trash",
        "users": "/users",
    }
    return {f"pages/{name}.html": client.get(address).text for name, address in addresses.items()}


def knowledge(client: TestClient) -> tuple[str, str]:
    """A knowledge base with a document."""
    base = client.post("/api/knowledge", json={"name": "Handbook"}).json()["id"]
    file_id = client.post("/api/files", params={"name": "leave.md"}, content="Two days a month.").json()["id"]
    added = client.post(f"/api/knowledge/{base}/documents", json={"file_id": file_id, "name": "leave.md"})
    return base, added.json()["document"]["id"]
