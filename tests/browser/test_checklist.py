"""The checklist: what is wrong or worth a look, the way to each place, and what a press mends."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.building import OpenPage, agent, call, limit, open_team, saved, team

SELECTOR = "autogen_agentchat.teams.SelectorGroupChat"
OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"


def endless(*members: Any) -> Any:
    return team(*members or (agent("writer"), agent("editor")), termination_condition=None)


def button(page: Page) -> Locator:
    return page.locator("[data-checklist]")


def entry(page: Page, code: str) -> Locator:
    return page.locator(f"#checklist [data-code={code}]")


def open_list(page: Page) -> None:
    expect(button(page)).not_to_have_attribute("data-state", "waiting")
    button(page).press("Enter")
    expect(page.locator("#checklist")).to_be_visible()


def test_a_hint_leads_to_its_place_and_is_mended_in_one_step(open_page: OpenPage):
    page = open_page()
    team_id = open_team(page, endless())
    expect(button(page)).to_have_text("1 warning")
    open_list(page)
    warning = entry(page, "may_run_forever")
    expect(warning.locator(".checklist-item")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-field='/config/termination_condition'] :focus")).to_be_visible()
    open_list(page)
    expect(warning.locator(".checklist-item")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(warning.get_by_role("button", name="Add a limit of 20 messages")).to_be_focused()
    page.keyboard.press("Enter")
    expect(button(page)).to_have_text("Ready")
    expect(page.get_by_text("No errors.")).to_be_visible()
    assert saved(page, team_id)["config"]["termination_condition"]["config"]["max_messages"] == 20
    page.keyboard.press("Escape")
    expect(button(page)).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(button(page)).to_have_text("1 warning")


def test_a_dismissed_warning_stays_away_until_it_is_wanted_again(open_page: OpenPage):
    page = open_page()
    team_id = open_team(page, endless())
    open_list(page)
    page.get_by_role("tab", name="Outline").dispatch_event("click")
    marks = page.locator("[data-problems-at=''], .tree-row[data-component=''] .badge")
    expect(marks).to_have_count(2)
    for mark in marks.all():
        expect(mark).to_have_attribute("data-state", "warning")
        expect(mark).to_be_visible()
    entry(page, "may_run_forever").get_by_role("button", name="Dismiss this warning").click()
    expect(button(page)).to_have_text("Ready")
    expect(marks.first).to_be_hidden()
    saved(page, team_id)
    page.reload(wait_until="domcontentloaded")
    expect(button(page)).to_have_text("Ready")
    open_list(page)
    page.get_by_text("1 warning dismissed").click()
    page.get_by_role("button", name="Show this warning again").click()
    expect(button(page)).to_have_text("1 warning")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").click()
    expect(button(page)).to_have_text("Ready")


def test_an_error_takes_the_way_to_its_field_and_run_leads_there(open_page: OpenPage):
    page = open_page()
    wrong = agent("writer", description="")
    wrong["config"]["name"] = "two words"
    open_team(page, team(agent("editor"), wrong))
    expect(button(page)).to_have_text("1 error")
    page.get_by_role("tab", name="JSON").click()
    page.locator("[data-run]").click()
    item = page.locator("#checklist .checklist-item").first
    expect(item).to_be_focused()
    page.keyboard.press("Enter")
    name = page.get_by_role("textbox", name="Name", exact=True)
    expect(name).to_be_focused()
    expect(name).to_have_value("two words")
    expect(page.get_by_role("tab", name="Form")).to_have_attribute("aria-selected", "true")
    open_list(page)
    page.get_by_role("button", name="Rename to two_words").click()
    expect(name).to_have_value("two_words")
    expect(button(page)).to_have_text("Ready")


def test_advice_alone_does_not_stop_a_run(open_page: OpenPage):
    page = open_page()
    open_team(page, endless())
    expect(button(page)).to_have_text("1 warning")
    page.locator("[data-run]").click()
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_focused()


def test_a_missing_secret_is_set_on_the_spot(open_page: OpenPage):
    page = open_page()
    model = {
        "provider": OPENAI,
        "component_type": "model",
        "config": {"model": "gpt-4o", "api_key": "env:NOT_SET_HERE"},
    }
    team_id = open_team(page, team(agent("writer", model_client=model), agent("editor", model_client=model)))
    expect(button(page)).to_have_text("1 secret missing")
    open_list(page)
    page.get_by_label("Value of not-set-here").fill("sk-1")
    page.keyboard.press("Enter")
    expect(button(page)).to_have_text("Ready")
    keys = [
        each["config"]["model_client"]["config"]["api_key"] for each in saved(page, team_id)["config"]["participants"]
    ]
    assert keys == ["secret:not-set-here"] * 2
    assert [each["reference"] for each in call(page, "GET", "/api/secrets") if each["set"]] == ["secret:not-set-here"]


def test_the_page_claims_nothing_before_the_first_report(open_page: OpenPage):
    page = open_page()
    held: list[Route] = []
    page.route("**/api/validate", lambda route: held.append(route))
    with page.expect_request("**/api/validate"):
        open_team(page, endless())
    expect(button(page)).to_have_text("Checking")
    held[-1].continue_()
    expect(button(page)).to_have_text("1 warning")


def test_arrow_keys_walk_the_list_and_the_focus_stays_in_it(open_page: OpenPage):
    page = open_page()
    prompt = "Choose well."
    document = {"provider": SELECTOR, "component_type": "team", "config": {
        "participants": [agent("writer"), agent("editor")], "model_client": agent("x")["config"]["model_client"],
        "selector_prompt": prompt, "termination_condition": limit(1),
    }}  # fmt: skip
    open_team(page, document)
    expect(button(page)).to_have_text("2 warnings")
    open_list(page)
    items = page.locator("#checklist .checklist-item")
    expect(items.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(0)).to_be_focused()
    entry(page, "question_lacks").get_by_role("button", name="Use the default prompt").press("Enter")
    expect(items).to_have_count(1)
    expect(items.first).to_be_focused()


def test_a_team_that_cannot_be_python_says_why_and_leads_there(open_page: OpenPage):
    page = open_page()
    wrong = agent("writer")
    wrong["config"]["name"] = "two words"
    open_team(page, team(agent("editor"), wrong))
    page.get_by_role("tab", name="Python").click()
    notice = page.locator("[data-python-blocked]")
    expect(notice).to_contain_text("must be a valid Python identifier")
    expect(page.locator("[data-python]")).to_be_hidden()
    notice.locator(".checklist-item").press("Enter")
    name = page.get_by_role("textbox", name="Name", exact=True)
    expect(name).to_be_focused()
    name.fill("two_words")
    page.get_by_role("tab", name="Python").click()
    expect(page.locator("[data-python]")).to_be_visible()
    expect(notice).to_be_hidden()
