"""Copy, cut and paste between teams and windows, and JSON that is pasted from anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, names, open_team, saved, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def swarm(*members: JsonObject) -> JsonObject:
    return {**team(*members), "provider": "autogen_agentchat.teams.Swarm"}


def clipboard(page: Page) -> Any:
    return json.loads(page.evaluate("navigator.clipboard.readText()"))


def copy_from_elsewhere(page: Page, text: str) -> None:
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)


def focus_canvas(page: Page) -> None:
    page.locator(".frame-name").click()


def test_agents_are_copied_into_another_window_with_the_handoffs_between_them(open_page: OpenPage) -> None:
    page = open_page()
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "api_key": "env:MY_KEY"},
    }
    open_team(page, swarm(agent("one", handoffs=["two", "three"], model_client=model), agent("two"), agent("three")))
    page.locator(".node-name").nth(0).click()
    page.locator(".node-name").nth(1).click(modifiers=["Shift"])
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+c")
    expect(page.locator("#announcer")).to_have_text("Copied 2 parts.")
    other = page.context.new_page()
    other.goto(page.url, wait_until="domcontentloaded")
    team_id = open_team(other, swarm(agent("one")))
    focus_canvas(other)
    other.keyboard.press("Control+v")
    expect(names(other)).to_have_text(["one", "one_2", "two"])
    participants = saved(other, team_id)["config"]["participants"]
    assert participants[1]["config"]["handoffs"] == ["two"]
    assert participants[1]["config"]["model_client"]["config"]["api_key"] == "env:MY_KEY"


def test_what_is_cut_can_be_pasted_again_and_each_is_one_step(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    page.locator(".node-name").nth(0).click()
    page.locator(".node-name").nth(1).click(modifiers=["Shift"])
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+x")
    expect(names(page)).to_have_text(["three"])
    assert len(clipboard(page)["team-studio"]["components"]) == 2
    page.keyboard.press("Control+v")
    expect(names(page)).to_have_text(["three", "one", "two"])
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["one", "two", "three"])


def test_component_json_from_anywhere_is_pasted_and_other_text_says_why_not(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    copy_from_elsewhere(page, json.dumps([agent("pasted"), agent("one")]))
    focus_canvas(page)
    page.keyboard.press("Control+v")
    expect(names(page)).to_have_text(["one", "pasted", "one_2"])
    copy_from_elsewhere(page, '{"hello": "world"}')
    page.keyboard.press("Control+v")
    expect(page.locator(".toast")).to_contain_text('needs a "provider"')
    expect(names(page)).to_have_count(3)


def test_the_search_for_a_component_takes_pasted_json(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    copy_from_elsewhere(page, json.dumps(agent("pasted")))
    frame = page.locator(".frame").bounding_box()
    assert frame is not None
    page.mouse.dblclick(frame["x"] + 10, frame["y"] + frame["height"] + 40)
    expect(page.get_by_role("combobox", name="Add to Pair")).to_be_focused()
    page.keyboard.press("Control+v")
    expect(names(page)).to_have_text(["one", "pasted"])


def test_a_text_field_keeps_its_own_copy_and_paste(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    page.locator(".node-name").first.click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("one")
    field = page.get_by_label("Description", exact=True)
    copy_from_elsewhere(page, json.dumps(agent("pasted")))
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")
    expect(names(page)).to_have_text(["one"])
    expect(field).to_have_value(json.dumps(agent("pasted")))
