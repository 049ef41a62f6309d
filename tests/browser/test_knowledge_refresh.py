"""How often a web page of a knowledge base is read again is chosen by pointer and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import NewStudio, OpenPage, StudioServer
from tests.fakes.page_server import serve_page

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory, new_studio: NewStudio) -> Iterator[StudioServer]:
    """A studio that fetches pages of this machine."""
    folder = tmp_path_factory.mktemp("studio") / "data"
    with new_studio(folder, {"STUDIO_ALLOW_PRIVATE_URLS": "1"}) as server:
        yield server


@also_narrow
def test_the_interval_of_a_web_page_is_chosen(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    base = api.post("/api/knowledge", json={"name": f"Rates {width_px}"}).json()["id"]
    with serve_page("The rate is ninety francs.") as served:
        api.post(f"/api/knowledge/{base}/pages", json={"url": served.url}).raise_for_status()
    page = open_page(width_px)
    inspection = Inspection(page)
    page.goto(f"{str(api.base_url).rstrip('/')}/knowledge/{base}", wait_until="domcontentloaded")
    choice = page.get_by_role("combobox", name="Read 127.0.0.1-rates.txt again")
    expect(choice).to_have_value("")
    following = page.locator("[data-next-refresh]")
    expect(following).to_be_empty()
    choice.select_option("daily")
    expect(following).to_contain_text("Next")
    inspection.look("a page that is read again")
    choice.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(following).to_be_empty()
    expect(choice).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(following).to_contain_text("Next")
    page.reload()
    expect(choice).to_have_value("hourly")
    assert inspection.faults == []
