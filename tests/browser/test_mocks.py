"""Test runs in which models and tools give fixed answers and agents are left out: set on the cards, also by key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, call, limit, open_team, saved, team
from tests.browser.panel import TURNS, card, pair, run

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

WRITER = "/config/participants/0"
CALL: JsonObject = {
    "finish_reason": "function_calls",
    "content": [{"id": "1", "name": "shout", "arguments": '{"text": "hi"}'}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    "cached": False,
}


def shouting() -> JsonObject:
    """A writer whose model always calls a tool that nobody has approved."""
    able = {"vision": False, "function_calling": True, "json_output": False, "structured_output": False}
    script: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "replay_chat_completion_client",
        "label": "Script",
        "config": {"chat_completions": [CALL], "repeats": True, "model_info": {**able, "family": "unknown"}},
    }
    source = "def shout(text: str) -> str:\n    return text.upper()\n"
    config: JsonObject = {"name": "shout", "description": "Loud.", "source_code": source, "global_imports": []}
    tool: JsonObject = {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}
    return team(agent("writer", model_client=script, tools=[tool]), termination_condition=limit(2))


def chip(page: Page, end: str) -> Locator:
    return page.locator(f'[data-canvas] .chip[data-component="{WRITER}/config/{end}"]')


def mocks_of(page: Page, team_id: str) -> JsonObject:
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    return call(page, "GET", f"/api/teams/{team_id}")["layout"].get("mocks", {})


def test_a_mocked_tool_is_not_called_and_the_run_says_so(open_page: OpenPage) -> None:
    page = open_page()
    document = shouting()
    team_id = open_team(page, document)
    chip(page, "tools/0").click()
    page.keyboard.press("k")
    dialog = page.get_by_role("dialog", name="Mock shout")
    expect(dialog.get_by_label("Result")).to_be_focused()
    page.keyboard.type("LOUD")
    dialog.get_by_role("button", name="Mock", exact=True).click()
    expect(chip(page, "tools/0")).to_have_attribute("data-mocked", "fixed")
    expect(chip(page, "tools/0")).to_have_attribute("aria-description", "Mocked in test runs")
    run(page, "Go.")
    expect(page.locator(TURNS).last).to_contain_text("LOUD")
    expect(page.locator("[data-run-panel] [data-part=mocked]")).to_have_text("1 mock")
    assert saved(page, team_id) == document
    assert mocks_of(page, team_id) == {"/participants/writer/tools/shout": {"kind": "fixed", "text": "LOUD"}}

    page.get_by_role("checkbox", name="Use 1 mock").uncheck()
    page.locator("[data-run]").click()  # with the last task
    expect(page.get_by_role("dialog", name="Approve this team?")).to_contain_text("run 1 piece of Python")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Open in the playground").click()
    expect(page.locator(".playground-header [data-part=mocked]")).to_have_attribute(
        "title", "This run used 1 mock: writer › shout (mocked)."
    )


def test_an_agent_is_disabled_by_a_key_and_undone(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, pair())
    card(page, "critic").locator(".node-head").click()
    page.keyboard.press("d")
    expect(card(page, "critic")).to_have_attribute("data-mocked", "disable")
    page.get_by_role("tab", name="Outline").click()
    row = page.get_by_role("treeitem").filter(has_text="critic")
    expect(row).to_have_attribute("aria-description", "Disabled in test runs")
    run(page, "Go.")
    expect(page.locator("[data-run-panel] .run-end")).to_be_visible()
    expect(page.locator("[data-run-panel] .turn[data-source=critic]")).to_have_count(0)
    card(page, "critic").locator(".node-head").click()
    page.keyboard.press("Control+z")
    expect(card(page, "critic")).not_to_have_attribute("data-mocked", "disable")
    expect(page.get_by_role("checkbox", name="Use 1 mock")).to_be_hidden()
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Shift+k")
    expect(card(page, "critic")).not_to_have_attribute("data-mocked", "disable")
    assert mocks_of(page, team_id) == {}


def test_the_last_reply_of_a_model_is_pinned_and_follows_its_agent(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, pair())
    chip(page, "model_client").click()
    page.keyboard.press("p")
    expect(page.locator(".toast")).to_contain_text("Run the team first.")
    run(page, "Go.")
    expect(page.locator("[data-run-panel] .run-end")).to_be_visible()
    chip(page, "model_client").click()
    page.keyboard.press("p")
    expect(chip(page, "model_client")).to_have_attribute("data-mocked", "pin")
    card(page, "writer").locator(".node-head").click()
    page.locator("#panel-form").get_by_role("textbox", name="Name", exact=True).fill("poet")
    card(page, "poet").locator(".node-head").click()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".node[data-card] .node-name")).to_have_text(["critic", "poet"])
    pinned = {"kind": "pin", "text": "A line about rain."}
    assert mocks_of(page, team_id) == {"/participants/poet/model_client": pinned}
    page.locator("[data-run]").click()  # with the last task
    expect(page.locator("[data-run-panel] .turn[data-source=poet]")).to_contain_text("A line about rain.")

    card(page, "poet").locator(".node-head").click()
    page.keyboard.press("Delete")
    assert mocks_of(page, team_id) == {}
