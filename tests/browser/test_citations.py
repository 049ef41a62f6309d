"""What agents found in a knowledge base shows in the run; citations in answers lead to their places."""

from __future__ import annotations

from typing import cast

import httpx
import pytest
from playwright.sync_api import Page, expect

from studio.components import JsonObject
from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, expect_end, give_task, round_robin
from tests.web.knowledge_bases import added, made, with_memory, with_tool
from tests.web.sample_documents import pdf

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
FILE = "travel_and_leave (v2).pdf"
QUESTION = "Who is booking my flight?"
ANSWER = f"The **office** does [{FILE}, p. 2]. The weather is fine [weather.pdf, p. 1], see `[{FILE}, p. 1]`."


def fill(api: httpx.Client, name: str) -> None:
    content = pdf("Vacation days are accrued monthly.", "Flights are booked by the office.", "Lunch is at noon.")
    assert added(api, made(api, name), content, FILE).status_code == 201


def open_citation(page: Page) -> None:
    """The one that is a link; it opens the page beside the run."""
    answer = page.locator(MESSAGES).last
    expect(answer.locator(".prose")).to_contain_text(f"[{FILE}, p. 2]. The weather is fine [weather.pdf, p. 1]")
    expect(answer.get_by_role("link", name="p. ")).to_have_count(1)
    with page.expect_popup() as opened:
        answer.get_by_role("link", name=f"[{FILE}, p. 2]").press("Enter")
    place = opened.value.locator('[aria-current="location"]')
    expect(place).to_contain_text("Flights are booked by the office.")
    opened.value.close()


@also_narrow
@pytest.mark.parametrize("streams", [False, True])
def test_an_answer_from_memory_leads_to_its_page(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client, width_px: int, streams: bool
) -> None:
    base = f"Handbook {width_px} {streams}"
    fill(api, base)
    agent = with_memory(ANSWER, knowledge_base=base)
    cast("JsonObject", agent["config"])["model_client_stream"] = streams
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    give_task(page, make_team(round_robin(agent, message_count=2)), QUESTION)
    expect_end(page)
    open_citation(page)
    page.reload()
    open_citation(page)
    found = page.locator(".turn[data-kind=note]")
    found.get_by_text(f"Found 1 passage in {base}").click()
    expect(found.locator(".excerpt")).to_contain_text("In the prompt")
    expect(found.locator(".excerpt")).to_contain_text("Flights are booked by the office.")
    expect(found.get_by_role("link", name=f"{FILE}, p. 2")).to_be_visible()
    inspection.look("found")
    assert inspection.faults == []


def test_a_tool_shows_what_it_found(open_page: OpenPage, make_team: MakeTeam, api: httpx.Client) -> None:
    fill(api, "Handbook")
    agent: JsonObject = with_tool(QUESTION, ANSWER)
    page = open_page(1440)
    give_task(page, make_team(round_robin(agent, message_count=2)), "Find out.")
    expect_end(page)
    page.get_by_text("Found 1 passage in Handbook").click()
    expect(page.locator(".excerpt")).to_contain_text("Score")
    open_citation(page)
