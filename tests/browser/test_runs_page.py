"""The page of all runs: found, opened and deleted, by pointer and by keyboard."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import agent, expect_end, give_task, round_robin

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def speaker() -> JsonObject:
    model: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "config": {"chat_completions": ["Done."]},
    }
    return round_robin(agent("speaker", model), message_count=2)


def ran(page: Page, address: str, *tasks: str) -> str:
    """Let the team do these, one after the other. Returns the studio's address."""
    for task in tasks:
        give_task(page, address, task)
        expect_end(page)
    return page.url.split("/runs/")[0]


def test_runs_are_found_opened_and_deleted_together(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    page, address = open_page(), make_team(speaker())
    studio = ran(page, address, "Zebra one", "Zebra two", "Zebra three")
    page.goto(f"{studio}/teams")
    page.get_by_role("link", name="Runs", exact=True).click()
    rows = page.locator("[data-run]").filter(has_text="Zebra")
    page.get_by_role("searchbox").fill("zebra")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(3)
    page.get_by_label("Sort").select_option("oldest")
    expect(rows.first).to_contain_text("Zebra one")
    page.get_by_role("link", name="Zebra one").click()
    expect_end(page)

    page.go_back()
    delete = page.locator("[data-delete-runs]")
    expect(delete).to_be_hidden()
    page.get_by_label("Select Zebra one").check()
    page.get_by_label("Select Zebra three").focus()
    page.keyboard.press("Space")
    delete.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Delete 2 runs?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(rows).to_have_count(3)
    delete.click()
    page.get_by_role("button", name="Delete 2 runs", exact=True).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Zebra two")
    assert [run["task"] for run in api.get("/api/runs?text=zebra").json()] == ["Zebra two"]


def test_a_run_that_another_continues_is_deleted_with_it(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    page, address = open_page(), make_team(speaker())
    studio = ran(page, address, "Yak")
    run_id = page.url.rsplit("/", 1)[1]
    fork = api.post(f"/api/runs/{run_id}/fork", json={"seq": 2}).raise_for_status().json()["id"]
    page.goto(f"{studio}/runs/{fork}")
    expect_end(page)
    page.goto(f"{studio}/runs?text=yak&order=oldest")
    expect(page.get_by_label("Select Yak")).to_have_count(2)
    page.get_by_label("Select all ended runs on this page").check()
    page.locator("[data-delete-runs]").click()
    page.get_by_role("button", name="Delete 2 runs", exact=True).click()
    expect(page.get_by_role("heading", name="No runs found")).to_be_visible()
