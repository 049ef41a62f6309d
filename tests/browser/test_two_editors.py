"""Two people, or two tabs, have the same team open: no edit is lost, and what both changed is asked about."""

from __future__ import annotations

from typing import Any

import httpx
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, agent, call, names, open_team, origin, saved, team, wait_for_builder


def open_again(page: Page, team_id: str) -> None:
    page.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(page)


def describe(page: Page, name: str, text: str) -> None:
    """Write the description of an agent, as a person does."""
    page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True)).locator(".node-name").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(name)
    page.get_by_label("Description", exact=True).fill(text)
    expect(page.locator("[data-save-state]")).not_to_have_attribute("data-state", "saved")


def save(page: Page) -> None:
    page.keyboard.press("Control+s")
    expect(page.locator("[data-save-state]")).to_have_attribute("data-state", "saved")


def descriptions(component: Any) -> dict[str, str]:
    return {each["config"]["name"]: each["config"]["description"] for each in component["config"]["participants"]}


def test_two_browsers_edit_at_once_and_nothing_is_lost(open_page: OpenPage) -> None:
    one, other = open_page(), open_page()
    team_id = open_team(one, team(agent("writer"), agent("critic")))
    open_again(other, team_id)
    describe(one, "writer", "Writes boldly.")
    describe(other, "critic", "Finds every fault.")
    save(one)
    save(other)
    expect(other.locator(".toast")).to_contain_text("writer: description “The writer.” → “Writes boldly.”")
    both = {"writer": "Writes boldly.", "critic": "Finds every fault."}
    assert descriptions(saved(other, team_id)) == both
    one.evaluate("dispatchEvent(new Event('focus'))")
    expect(one.locator(".toast")).to_contain_text("critic: description")
    expect(one.locator(".node").filter(has_text="critic")).to_contain_text("Finds every fault.")
    one.get_by_role("button", name="Undo", exact=True).click()
    expect(one.locator(".node").filter(has_text="critic")).to_contain_text("The critic.")
    one.get_by_role("button", name="Redo", exact=True).click()
    save(one)
    assert descriptions(saved(one, team_id)) == both


def test_what_both_changed_is_asked_about_and_answered_with_the_keyboard(open_page: OpenPage) -> None:
    one, other = open_page(), open_page()
    team_id = open_team(one, team(agent("writer"), agent("critic")))
    open_again(other, team_id)
    describe(one, "writer", "Writes boldly.")
    describe(other, "critic", "Finds every fault.")
    describe(other, "writer", "Writes carefully.")
    save(one)
    other.keyboard.press("Control+s")
    dialog = other.get_by_role("dialog", name="This team was changed elsewhere")
    expect(dialog.get_by_role("group", name="writer: description")).to_contain_text("Writes boldly.")
    expect(dialog.get_by_role("button", name="Merge", exact=True)).to_be_disabled()
    assert descriptions(call(other, "GET", f"/api/teams/{team_id}")["component"])["writer"] == "Writes boldly."
    other.keyboard.press("Space")
    expect(dialog.get_by_role("radio", name="Yours")).to_be_checked()
    other.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(other.locator("[data-save-state]")).to_have_attribute("data-state", "saved")
    merged = {"writer": "Writes carefully.", "critic": "Finds every fault."}
    assert descriptions(call(other, "GET", f"/api/teams/{team_id}")["component"]) == merged
    kept = [
        descriptions(call(other, "GET", f"/api/teams/{team_id}/versions/{each['number']}")["component"])["writer"]
        for each in call(other, "GET", f"/api/teams/{team_id}/versions")
    ]
    assert kept == ["Writes carefully.", "Writes carefully.", "Writes boldly.", "The writer."]


def test_a_question_left_for_later_loses_nothing(open_page: OpenPage) -> None:
    one, other = open_page(), open_page()
    team_id = open_team(one, team(agent("writer")))
    open_again(other, team_id)
    describe(one, "writer", "Writes boldly.")
    describe(other, "writer", "Writes carefully.")
    save(one)
    other.keyboard.press("Control+s")
    other.get_by_role("button", name="Decide later").click()
    expect(other.locator("[data-save-state]")).to_have_text("Changed elsewhere")
    other.reload(wait_until="domcontentloaded")
    dialog = other.get_by_role("dialog", name="This team was changed elsewhere")
    dialog.get_by_role("radio", name="Theirs").check()
    dialog.get_by_role("button", name="Merge", exact=True).click()
    other.locator(".node-name").filter(has_text="writer").click()
    expect(other.get_by_label("Description", exact=True)).to_have_value("Writes boldly.")


def test_another_tab_of_the_browser_follows_by_itself(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic")))
    tab = page.context.new_page()
    tab.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(tab)
    tab.locator(".node-name").filter(has_text="critic").click()
    tab.locator(".node[data-card]").nth(1).focus()
    tab.keyboard.press("Delete")
    save(tab)
    expect(names(page)).to_have_text(["writer"])
    expect(page.get_by_role("button", name="Undo", exact=True)).to_have_attribute(
        "title", "Undo: agent critic removed (Ctrl+Z)"
    )


def test_a_key_in_the_open_does_not_come_back_with_undo(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    model = {"provider": provider, "component_type": "model", "config": {"model": "gpt-4o"}}
    team_id = open_team(page, team(agent("writer", model_client=model)))
    page.get_by_role("tab", name="JSON").click()
    page.locator("#panel-json .cm-content").click()
    page.keyboard.press("Control+End")
    text = page.evaluate("document.querySelector('#panel-json json-code').text")
    page.evaluate(
        """text => {
          const code = document.querySelector('#panel-json json-code')
          code.dispatchEvent(new CustomEvent('json-code:input', { detail: { text }, bubbles: true }))
        }""",
        text.replace('"model": "gpt-4o"', '"model": "gpt-4o", "api_key": "sk-in-the-open"'),
    )
    expect(page.locator(".toast")).to_contain_text("stored as secrets", timeout=15_000)
    stored = saved(page, team_id)
    key = stored["config"]["participants"][0]["config"]["model_client"]["config"]["api_key"]
    assert key.startswith("secret:")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Redo", exact=True).click()
    assert "sk-in-the-open" not in page.evaluate("document.querySelector('#panel-json json-code').text")
    versions = api.get(f"/api/teams/{team_id}/versions").json()
    kept = [api.get(f"/api/teams/{team_id}/versions/{each['number']}").text for each in versions]
    assert "sk-in-the-open" not in "".join(kept)
