"""A knowledge base is made, filled and searched on its pages; a hit leads to its place in the document."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.fakes.embedding_server import EmbeddingServer
from tests.web.knowledge_bases import added, made

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
GOOD = FilePayload(name="leave.md", mimeType="text/markdown", buffer=b"# Travel\n\nFlights are booked by the office.\n")
BAD = FilePayload(name="picture.png", mimeType="image/png", buffer=b"\x89PNG\r\n\x1a\n" + b"\0" * 50)


@also_narrow
def test_a_question_leads_to_its_place_in_a_document(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/knowledge")
    page.get_by_role("button", name="New knowledge base").first.click()
    page.keyboard.type(f"Handbook {width_px}")
    page.get_by_role("button", name="Add knowledge base").press("Enter")
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    page.locator("[data-pick-files]").set_input_files([GOOD, BAD])
    expect(page.get_by_text("picture.png is no UTF-8 text")).to_be_visible()
    inspection.look("adding")
    page.get_by_role("button", name="Show documents").click()
    expect(page.get_by_role("link", name="leave.md")).to_be_visible()
    inspection.look("documents")
    page.get_by_role("searchbox", name="Search the documents").fill("Who is booking flights?")
    page.keyboard.press("Enter")
    hit = page.get_by_role("link", name="leave.md, section 1")
    expect(hit).to_be_visible()
    inspection.look("hits")
    hit.press("Enter")
    expect(page.locator('[aria-current="location"]')).to_contain_text("Flights are booked by the office.")
    inspection.look("document")
    page.get_by_role("link", name=f"Handbook {width_px}").click()
    page.get_by_role("button", name="Remove leave.md").click()
    page.get_by_role("button", name="Remove document").click()
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    assert inspection.faults == []


@also_narrow
def test_a_question_in_other_words_is_found_by_its_meaning(
    open_page: OpenPage, api: httpx.Client, width_px: int
) -> None:
    with EmbeddingServer() as service:
        connection = {"name": f"Own {width_px}", "service": "openai-compatible", "address": service.url, "key": ""}
        assert api.post("/api/connections", json=connection).status_code == 201
        base = made(api, f"Letters {width_px}")
        for text in ("aaaa", "bbbb", "zzzz"):
            added(api, base, f"{text} {text}", f"{text}.txt")
        inspection = Inspection(open_page(width_px))
        page = inspection.page
        page.goto(f"{str(api.base_url).rstrip('/')}/knowledge/{base}")
        page.get_by_role("button", name="More for this knowledge base").press("Enter")
        page.get_by_role("button", name="Search by meaning").press("Enter")
        page.get_by_label("Model connection").select_option(f"Own {width_px}")
        page.get_by_label("Embedding model").fill("small")
        inspection.look("choosing")
        page.get_by_role("button", name="Save").press("Enter")
        expect(page.get_by_text("Searched by words, and by meaning with small.")).to_be_visible()
        expect(page.get_by_role("button", name="Make their vectors")).to_have_count(0)
        page.get_by_role("searchbox", name="Search the documents").fill("bbba")
        page.keyboard.press("Enter")
        expect(page.locator(".knowledge-hit").first).to_contain_text("bbbb.txt")
        inspection.look("found")
    assert inspection.faults == []


def test_a_model_on_the_server_needs_no_service(open_page: OpenPage, api: httpx.Client) -> None:
    pytest.importorskip("wordllama")
    base = made(api, "Cars")
    added(api, base, "Cars are parked behind the house.", "parking.txt")
    inspection = Inspection(open_page())
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/knowledge/{base}?q=automobile")
    page.get_by_role("button", name="More for this knowledge base").click()
    page.get_by_role("button", name="Search by meaning").click()
    name = page.get_by_label("Embedding model")
    expect(name).to_be_hidden()
    page.get_by_label("Model connection").select_option("WordLlama, on this server")
    expect(name).to_be_hidden()
    inspection.look("chosen")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("and by meaning with WordLlama.")).to_be_visible()
    expect(page.locator(".knowledge-hit").first).to_contain_text("parking.txt")
    assert inspection.faults == []
