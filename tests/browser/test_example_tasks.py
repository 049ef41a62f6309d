"""Example tasks of a team: edited, offered before the first run, and filled in where they have variables."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import wait_for_builder
from tests.browser.conftest import OpenPage
from tests.browser.playing import MESSAGES, expect_end
from tests.web.documents import assistant, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def open_playground(page: Page, api: httpx.Client) -> str:
    made = api.post("/api/teams", json={"component": team(assistant("writer"), max_messages=2)}).json()
    page.goto(f"{api.base_url}/teams/{made['id']}/play".replace("//teams", "/teams"), wait_until="domcontentloaded")
    return str(made["id"])


def test_an_example_with_variables_is_made_in_the_playground_and_run(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    team_id = open_playground(page, api)
    page.get_by_role("button", name="Edit examples").click()
    dialog = page.get_by_role("dialog", name="Example tasks")
    expect(dialog.get_by_role("textbox", name="Example 1")).to_be_focused()
    page.keyboard.type("Write about {{topic}} in {{number_of}} lines.")
    dialog.get_by_role("button", name="Add example").press("Enter")
    expect(dialog.get_by_role("textbox", name="Example 2")).to_be_focused()
    page.keyboard.type("Sum up the news.")
    dialog.get_by_role("button", name="Add example").click()
    dialog.get_by_role("button", name="Remove example 3").click()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    examples = page.locator("[data-part=examples] button")
    expect(examples).to_have_text(["Write about {{topic}} in {{number_of}} lines.", "Sum up the news."])
    page.reload(wait_until="domcontentloaded")
    expect(examples).to_have_count(2)
    assert len(api.get(f"/api/teams/{team_id}/examples").json()["examples"]) == 2

    examples.nth(1).click()
    expect(page.get_by_role("textbox", name="Task for the team")).to_have_value("Sum up the news.")
    examples.first.press("Enter")
    form = page.get_by_role("dialog", name="Fill in the task")
    expect(form.get_by_role("textbox", name="Topic")).to_be_focused()
    page.keyboard.type("rain")
    page.keyboard.press("Tab")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    expect(page.locator(MESSAGES).first).to_contain_text("Write about rain in two lines.")
    expect_end(page)
    run = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()
    assert run["task"] == "Write about rain in two lines."


def test_a_value_that_is_missing_is_asked_for(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    team_id = open_playground(page, api)
    api.put(f"/api/teams/{team_id}/examples", json={"examples": ["Write about {{topic}}."]}).raise_for_status()
    page.reload(wait_until="domcontentloaded")
    page.get_by_role("button", name="Write about {{topic}}.").click()
    form = page.get_by_role("dialog", name="Fill in the task")
    form.get_by_role("button", name="Run").click()
    expect(form).to_be_visible()
    expect(form.get_by_role("textbox", name="Topic")).to_be_focused()
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(page.locator("[data-view=new]")).to_be_visible()


def test_examples_are_edited_from_the_builder(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    team_id = open_playground(page, api)
    page.goto(f"{api.base_url}/teams/{team_id}".replace("//teams", "/teams"), wait_until="domcontentloaded")
    wait_for_builder(page)
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("Example tasks")
    expect(page.locator(".chooser [role=option][aria-selected=true]")).to_contain_text("Example tasks…")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Example tasks").get_by_role("textbox").fill("Rhyme.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Example tasks saved.")).to_be_visible()
    assert api.get(f"/api/teams/{team_id}/examples").json() == {"examples": ["Rhyme."]}
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
