"""What runs cost, estimates and limits, as their user sees them: by pointer and by keyboard."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Route, expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import STATE, expect_end, give_task
from tests.runs.middleware.budgeted import agent, in_turn

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]
MODEL = "ReplayChatCompletionClient"
PRICE = {"model": MODEL, "input": 100, "output": 1000}


def reporters() -> JsonObject:
    """Two that take 0.02 and 0.05 dollars for each message."""
    return in_turn(agent("writer", (100, 10), (100, 10)), agent("critic", (400, 10), (400, 10)), turns=4)


def test_a_run_shows_what_it_cost_and_the_next_one_what_it_will(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    api.put("/api/prices", json=PRICE).raise_for_status()
    address = make_team(reporters())
    page = open_page()
    page.goto(address)
    estimate = page.locator("[data-part=estimate]")
    expect(estimate).to_have_text("No estimate yet. Run the team once to get one.")
    give_task(page, address)
    expect_end(page)
    expect(page.locator("[data-part=totals]")).to_contain_text("$0.14")
    expect(estimate).to_contain_text("About 1,040 tokens, $0.14")

    page.get_by_role("tab", name="Flow").focus()
    page.keyboard.press("End")
    while page.locator("[data-run-view=cost]").is_hidden():
        page.keyboard.press("ArrowLeft")
    agents = page.get_by_role("table", name="Agents")
    expect(agents.get_by_role("row", name="critic")).to_contain_text("$0.10")
    expect(agents.get_by_role("row", name="writer")).to_contain_text("$0.0400")

    page.goto(page.url.split("/runs/")[0] + "/costs")
    expect(page.get_by_role("table", name="By model").get_by_role("row", name=MODEL)).to_contain_text("$0.14")
    expect(page.get_by_role("img", name="Bars for 30 days")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    hidden = page.locator(".costs-teams").evaluate_all(
        "tables => tables.map(({parentElement: box}) => box.scrollWidth - box.clientWidth)"
    )
    assert hidden == [0, 0]


def test_the_task_stays_where_it_is_when_the_estimate_comes(open_page: OpenPage, make_team: MakeTeam) -> None:
    page = open_page()
    held: list[Route] = []
    page.route("**/estimate", lambda route: held.append(route))
    with page.expect_request("**/estimate"):
        page.goto(make_team(reporters()), wait_until="domcontentloaded")
    task = page.get_by_role("textbox", name="Task for the team")
    expect(task).to_be_visible()
    before = task.bounding_box()
    for route in held:
        route.continue_()
    expect(page.locator("[data-part=estimate]")).to_contain_text("No estimate yet")
    assert task.bounding_box() == before


def test_a_budget_is_set_asked_about_and_raised(open_page: OpenPage, make_team: MakeTeam, api: httpx.Client) -> None:
    api.put("/api/prices", json=PRICE).raise_for_status()
    address = make_team(reporters())
    page = open_page()
    page.goto(address)
    page.get_by_role("tab", name="Cost").click()
    page.get_by_label("Each run, us dollars").fill("0.08")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Limits of the team saved.")).to_be_visible()

    give_task(page, address)
    expect(page.locator(STATE)).to_have_text("Paused at the budget limit")
    card = page.get_by_role("region", name="Waiting for you")
    expect(card).to_contain_text("This run has used $0.0700 of $0.0800. The next call may need up to $0.0200.")
    card.get_by_label("More US dollars").fill("0.01")
    page.keyboard.press("Enter")
    expect(card).to_contain_text("$0.0900 of $0.0900")
    page.get_by_role("tab", name="Cost").click()
    expect(page.get_by_role("list", name="Limits")).to_contain_text("$0.0900 of $0.0900")
    page.get_by_label("This run, us dollars").fill("1")
    page.get_by_role("button", name="Set for this run").click()
    expect_end(page)
    expect(page.locator("[data-part=totals]")).to_contain_text("$0.14")


def test_a_run_at_its_budget_can_be_stopped_with_the_keyboard(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    address = make_team(reporters())
    team_id = address.split("/teams/")[1].split("/")[0]
    api.put(f"/api/teams/{team_id}/budget", json={"run": {"turns": 1}}).raise_for_status()
    page = open_page(width_px=390, height_px=844)
    give_task(page, address)
    stop = page.get_by_role("button", name="Stop run")
    stop.focus()
    page.keyboard.press("Enter")
    expect_end(page, "Stopped")


def test_charts_are_chosen_by_pointer_and_keyboard(open_page: OpenPage, make_team: MakeTeam, api: httpx.Client) -> None:
    api.put("/api/prices", json=PRICE).raise_for_status()
    address = make_team(reporters())
    page = open_page()
    give_task(page, address)
    expect_end(page)
    page.goto(page.url.split("/runs/")[0] + "/costs")
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_role("img", name="Cost of 30 days")).to_be_visible()
    page.get_by_role("combobox", name="Show").select_option("outcome")
    expect(page.get_by_role("heading", name="Outcome by day")).to_be_visible()
    page.get_by_role("combobox", name="By").focus()
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="Outcome by model")).to_be_visible()
    expect(page.get_by_role("row", name=MODEL)).to_contain_text("finished")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
