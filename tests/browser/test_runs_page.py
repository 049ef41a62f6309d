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
    selected = page.get_by_role("toolbar", name="Selected runs")
    expect(selected).to_be_hidden()
    page.get_by_label("Select Zebra one").check()
    page.get_by_label("Select Zebra three").focus()
    page.keyboard.press("Space")
    selected.get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Zebra two")
    assert [run["task"] for run in api.get("/api/runs?text=zebra").json()] == ["Zebra two"]
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(3)


def test_a_run_is_renamed_starred_tagged_and_archived(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    page, address = open_page(), make_team(speaker())
    studio = ran(page, address, "Gnu")
    page.goto(f"{studio}/runs?text=gnu")
    page.get_by_role("button", name="Star Gnu").click()
    page.get_by_role("link", name="Gnu", exact=True).focus()
    page.keyboard.press("F2")
    page.keyboard.type("The first gnu")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="The first gnu")).to_be_focused()
    page.get_by_role("button", name="More for The first gnu").click()
    page.get_by_role("button", name="Tags…").click()
    page.get_by_role("textbox", name="Tags").fill("herd")
    page.get_by_role("button", name="Save tags").click()
    expect(page.locator("a.tag")).to_have_text(["herd"])
    page.get_by_label("Starred").check()
    page.get_by_role("combobox", name="Tag").select_option("herd")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.get_by_role("button", name="More for The first gnu").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("[data-row]")).to_have_count(0)
    assert [run["title"] for run in api.get("/api/runs?listing=archived&tag=herd").json()] == ["The first gnu"]


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
    page.get_by_label("Select all runs on this page").check()
    page.get_by_role("toolbar", name="Selected runs").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No runs found")).to_be_visible()
    emptied = api.delete("/api/trash").json()
    assert (emptied["deleted"], emptied["left"]) == (2, 0)


def test_the_list_of_the_playground_is_searched_and_kept_in_order(open_page: OpenPage, make_team: MakeTeam) -> None:
    page, address = open_page(), make_team(speaker())
    ran(page, address, "Ibis one", "Ibis two")
    rows = page.locator("[data-part=run-list] a")
    page.get_by_role("searchbox", name="Search runs of this team").fill("one")
    expect(rows).to_have_count(1)
    page.get_by_role("searchbox", name="Search runs of this team").fill("")
    expect(rows).to_have_count(2)

    def choose(item: str) -> None:
        page.get_by_role("button", name="More for this run").click()
        page.get_by_role("menuitem", name=item).click()

    choose("Rename run…")
    page.get_by_role("textbox", name="Name").fill("A sacred ibis")
    page.keyboard.press("Enter")
    expect(rows.first).to_contain_text("A sacred ibis")
    choose("Star run")
    expect(rows.first.locator("[data-icon=star]")).to_be_visible()
    choose("Edit tags…")
    page.get_by_role("textbox", name="Tags").fill("bird")
    page.keyboard.press("Enter")
    expect(rows.first.locator(".tag")).to_have_text(["bird"])
    choose("Delete run")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(2)
