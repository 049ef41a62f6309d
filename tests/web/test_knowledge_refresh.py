"""Web pages of knowledge bases are read again on a schedule: once, where they have changed; failures are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.sandbox import current_jail
from studio.services.documents import Documents
from studio.services.knowledge_refresh import KnowledgeRefresh
from studio.settings import Settings
from studio.store.knowledge_refreshes import CLAIM
from studio.web.app import create_app
from studio.web.fetch import WEB_PAGES, fetch_changed
from tests.fakes.page_server import Page, serve_page
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.knowledge_bases import added, made
from tests.web.publishing import running

pytestmark = pytest.mark.timeout(60)
DAY = timedelta(days=1)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TestClient]:
    """Its pages may be on this machine, where those of the tests are."""
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN, allow_private_urls=True)
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        yield server


@pytest.fixture
def client(server: TestClient) -> TestClient:
    return client_of(server, {"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def page() -> Iterator[Page]:
    with serve_page("The daily rate is ninety francs.", '"1"') as page:
        yield page


def page_added(client: TestClient, base: str, page: Page, refresh: str = "daily") -> Any:
    answer = client.post(f"/api/knowledge/{base}/pages", json={"url": page.url, "refresh": refresh})
    assert answer.status_code == 201, answer.text
    return answer.json()["document"]


def document(client: TestClient, base: str) -> Any:
    [only] = client.get(f"/api/knowledge/{base}/documents").json()
    return only


def found(client: TestClient, base: str, query: str) -> list[str]:
    answer = client.post(f"/api/knowledge/{base}/search", json={"query": query})
    return [hit["text"] for hit in answer.json()]


def refreshed(server: TestClient, now: datetime, *, servers: int = 1) -> int:
    """How many pages so many servers read together at a time."""
    store = running(server).store
    fetch = partial(fetch_changed, allow_private=True, accept=WEB_PAGES)

    async def at_once() -> int:
        each = [KnowledgeRefresh(store, Documents(store.files, current_jail.get()), fetch) for _ in range(servers)]
        return sum(await asyncio.gather(*(one.refresh_due(now) for one in each)))

    assert server.portal is not None
    return server.portal.call(at_once)


def due(row: Any) -> datetime:
    return datetime.fromisoformat(row["refresh_at"])


def test_a_page_that_has_changed_is_read_again_when_it_is_due(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    assert due(first) - datetime.fromisoformat(first["read_at"]) == pytest.approx(DAY, abs=timedelta(seconds=5))
    page.content, page.etag = "The daily rate is eighty francs.", '"2"'
    assert refreshed(server, due(first) - timedelta(minutes=1)) == 0
    assert refreshed(server, due(first)) == 1
    assert found(client, base, "daily rate") == ["The daily rate is eighty francs."]
    after = document(client, base)
    assert (due(after) - due(first), after["refresh_error"]) == (DAY, "")
    assert datetime.fromisoformat(after["checked_at"]) == due(first)


def test_a_page_that_has_not_changed_costs_no_reading(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    assert refreshed(server, due(first)) == 1
    second = document(client, base)
    page.etag = ""  # its content is the same, which only the hash tells now
    assert refreshed(server, due(second)) == 1
    assert page.statuses == [200, 304, 200]
    third = document(client, base)
    assert third["read_at"] == first["read_at"]
    assert datetime.fromisoformat(third["checked_at"]) == due(second)


def test_servers_that_see_a_page_together_read_it_once(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    assert refreshed(server, due(first), servers=4) == 1
    assert len(page.statuses) == 2


def test_a_page_is_read_by_another_server_when_one_is_killed(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    store = running(server).store
    assert server.portal is not None
    assert len(server.portal.call(store.refreshes.claim_due, due(first), 4)) == 1, "and then it is killed"
    assert refreshed(server, due(first) + CLAIM / 2) == 0
    assert refreshed(server, due(first) + CLAIM) == 1


def test_a_page_that_cannot_be_read_keeps_its_text_and_says_why(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    page.is_missing = True
    assert refreshed(server, due(first)) == 1
    after = document(client, base)
    assert "404" in after["refresh_error"]
    assert due(after) - due(first) == DAY
    assert found(client, base, "daily rate") == ["The daily rate is ninety francs."]
    assert "404" in client.get(f"/knowledge/{base}").text
    page.is_missing = False
    assert refreshed(server, due(after)) == 1
    assert document(client, base)["refresh_error"] == ""


def test_an_interval_is_chosen_and_ended(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page, refresh="")
    assert first["refresh_at"] is None
    path = f"/api/knowledge/{base}/documents/{first['id']}/refresh"
    hourly = client.put(path, json={"refresh": "hourly"}).json()
    assert due(hourly) - datetime.fromisoformat(first["read_at"]) < timedelta(minutes=61)
    shown = client.get(f"/knowledge/{base}").text
    assert '<option value="hourly" selected>' in shown
    assert "Next" in shown
    assert client.put(path, json={"refresh": ""}).json()["refresh_at"] is None
    assert refreshed(server, due(hourly) + DAY) == 0
    assert client.put(path, json={"refresh": "always"}).status_code == 422


def test_a_file_that_was_uploaded_has_no_interval(client: TestClient):
    base = made(client)
    file = added(client, base, "Flights leave at noon.", "flights.txt").json()["document"]
    answer = client.put(f"/api/knowledge/{base}/documents/{file['id']}/refresh", json={"refresh": "daily"})
    assert answer.status_code == 422
    assert "no address" in answer.text


def test_a_choice_made_while_a_page_is_read_counts(client: TestClient, server: TestClient, page: Page):
    base = made(client)
    first = page_added(client, base, page)
    store, portal = running(server).store, server.portal
    assert portal is not None
    [claimed] = portal.call(store.refreshes.claim_due, due(first), 4)
    body: JsonObject = {"refresh": ""}
    client.put(f"/api/knowledge/{base}/documents/{first['id']}/refresh", json=body)
    portal.call(store.refreshes.settle, claimed, due(first))
    assert document(client, base)["refresh_at"] is None


@pytest.mark.parametrize("etag", ['"\u00e9t\u00e9"', '"\u00c3\u00a9"', '"a\tb"', f'"{"x" * 600}"'])
def test_whatever_a_page_says_of_its_version_it_is_read_again(
    client: TestClient, server: TestClient, page: Page, etag: str
):
    page.etag = etag
    base = made(client)
    first = page_added(client, base, page)
    page.content = "The daily rate is eighty francs."
    page.etag = f"{etag[:-1]}2{etag[-1]}"
    assert refreshed(server, due(first)) == 1
    assert document(client, base)["refresh_error"] == ""
    assert found(client, base, "daily rate") == [page.content]
