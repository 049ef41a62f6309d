"""The builder as a person uses it: every gesture with the pointer, and its twin on the keyboard."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.building import OpenPage, agent, call, drag, names, open_team, origin, palette, saved, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_an_agent_dropped_on_the_team_joins_it_and_is_saved(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer")))
    drag(page, palette(page, "Assistant"), page.locator(".frame"), (0.9, 0.5))
    expect(names(page)).to_have_text(["writer", "assistant"])
    participants = saved(page, team_id)["config"]["participants"]
    assert [each["config"]["name"] for each in participants] == ["writer", "assistant"]


def test_enter_on_a_palette_item_adds_it_too(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.keyboard.press("/")
    page.keyboard.type("user proxy")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_count(2)
    expect(page.locator("#announcer")).to_contain_text("Add")


def test_a_model_dropped_on_the_team_can_serve_every_agent(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic")))
    drag(page, palette(page, "OpenAI", "model"), page.locator(".frame-name"))
    page.get_by_role("menuitem", name="For every agent").click()
    expect(page.locator(".node[data-card] .chip[data-kind=model]")).to_have_count(2)
    models = [each["config"]["model_client"]["provider"] for each in saved(page, team_id)["config"]["participants"]]
    assert models == ["autogen_ext.models.openai.OpenAIChatCompletionClient"] * 2


def test_a_slot_that_cannot_take_the_component_says_why(open_page: OpenPage) -> None:
    page = open_page()
    proxy = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "you"},
    }
    open_team(page, team(agent("writer"), proxy))
    drag(page, palette(page, "OpenAI", "model"), page.locator(".node[data-card]").nth(1))
    expect(page.locator(".toast")).to_contain_text("you has no slot for a model.")


def test_a_second_condition_joins_the_first_as_the_reader_chooses(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer")))
    page.locator('details[data-group="terminations"]').scroll_into_view_if_needed()
    drag(page, palette(page, "Text mention"), page.locator(".sentence"))
    page.get_by_role("menuitem", name=re.compile(" or this")).click()
    expect(page.locator(".sentence .chip")).to_have_count(2)
    condition = saved(page, team_id)["config"]["termination_condition"]
    assert condition["provider"].endswith("OrTerminationCondition")


def test_participants_change_places_by_drag_and_by_key(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    drag(page, page.locator(".node[data-card]").nth(1), page.locator(".node[data-card]").nth(0), (0.1, 0.2))
    expect(names(page)).to_have_text(["two", "one"])
    page.locator(".node[data-card]").nth(0).focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(names(page)).to_have_text(["one", "two"])


def test_a_tool_moves_from_one_agent_to_another(open_page: OpenPage) -> None:
    page = open_page()
    tool = {
        "provider": "autogen_core.tools.FunctionTool",
        "component_type": "tool",
        "config": {"name": "add", "description": "Adds.", "source_code": "def add(a: int) -> int:\n    return a\n"},
    }
    team_id = open_team(page, team(agent("one", tools=[tool]), agent("two")))
    drag(page, page.locator(".chip[data-kind=tool]"), page.locator(".node[data-card]").nth(1))
    expect(page.locator(".node[data-card]").nth(1).locator(".chip[data-kind=tool]")).to_have_text("add")
    first, second = saved(page, team_id)["config"]["participants"]
    assert first["config"]["tools"] == []
    assert second["config"]["tools"][0]["config"]["name"] == "add"


def test_duplicate_delete_and_undo_by_key(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator(".node[data-card] .node-name").first.click()
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+d")
    expect(names(page)).to_have_text(["one", "one_2", "two"])
    page.locator('.node[data-card][data-selected=""]').focus()
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["one", "two"])
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["one", "two"])
    page.keyboard.press("Control+Shift+z")
    expect(names(page)).to_have_text(["one", "one_2", "two"])


def test_the_form_changes_the_document_and_an_undo_changes_the_form(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator(".node-name").first.click()
    field = page.locator("input[data-pointer='/config/participants/0/config/name']")
    field.fill("author")
    expect(names(page)).to_have_text(["author"])
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["writer"])
    expect(field).to_have_value("writer")


def test_an_error_is_marked_on_the_card_and_at_its_field_and_the_checklist_leads_there(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic")))
    page.locator(".node-name").nth(1).click()
    page.get_by_label("Name", exact=True).fill("not a name")
    expect(page.locator(".node[data-card]").nth(1).locator(".node-problems")).to_be_visible()
    expect(page.locator(".node[data-card]").nth(0).locator(".node-problems")).to_be_hidden()
    expect(page.locator("[data-error-for$='/participants/1/config/name']")).to_be_visible()
    page.locator(".frame-name").click()
    page.get_by_role("button", name=re.compile("error")).click()
    page.locator(".checklist-item").first.click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()


def test_json_and_team_follow_each_other_and_broken_json_changes_nothing(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator(".node-name").first.click()
    page.get_by_role("tab", name="JSON").click()
    code = page.locator("#panel-json json-code .cm-content")
    expect(code).to_contain_text('"writer"')
    code.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("{ broken")
    expect(page.locator("[data-json-problem]")).to_contain_text("the team is unchanged")
    expect(names(page)).to_have_text(["writer"])
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(json.dumps(agent("poet")))
    expect(names(page)).to_have_text(["poet"])


def test_broken_json_stays_as_a_draft_that_can_be_discarded(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic")))
    page.locator(".node-name").first.click()
    page.get_by_role("tab", name="JSON").click()
    code = page.locator("#panel-json json-code .cm-content")
    expect(code).to_contain_text('"writer"')
    code.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("{ broken")
    page.get_by_role("tab", name="Form").click()
    page.locator(".node-name").nth(1).click()
    expect(page.get_by_role("tab", name="JSON not applied")).to_be_visible()
    page.get_by_role("tab", name="JSON").click()
    expect(code).to_contain_text('"critic"')
    page.get_by_role("button", name="Go to error").click()
    expect(code).to_have_text("{ broken")
    page.get_by_role("button", name="Discard").click()
    expect(code).to_contain_text('"writer"')
    expect(page.locator("[data-json-draft]")).to_be_hidden()


def test_a_blank_team_has_an_agent_and_run_leads_to_what_it_lacks(open_page: OpenPage) -> None:
    page = open_page()
    made = [call(page, "POST", "/api/teams", {}) for _ in range(2)]
    assert [each["name"] for each in made] == ["New team", "New team 2"]
    page.goto(f"{origin(page)}/teams/{made[0]['id']}", wait_until="domcontentloaded")
    expect(names(page)).to_have_text(["assistant"])
    expect(page.locator("[data-checklist]")).to_have_attribute("data-state", "error")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#checklist .checklist-item").first).to_be_focused()
    expect(page).to_have_url(re.compile(f"/teams/{made[0]['id']}$"))


def test_a_team_keeps_its_name_when_the_field_is_emptied(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    name = page.get_by_role("textbox", name="Name of the team")
    name.fill("")
    name.blur()
    expect(name).to_have_value("Pair")
    name.fill("Poets")
    expect(page).to_have_title("Poets · Team Studio")
    expect(page.get_by_role("heading", level=1)).to_have_text("Poets")


def test_a_tool_added_beside_a_chosen_model_goes_to_its_agent(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer")))
    page.locator(".node[data-card] .chip[data-kind=model]").click()
    palette(page, "Python function").click()
    assert len(saved(page, team_id)["config"]["participants"][0]["config"]["tools"]) == 1


def test_the_python_tab_shows_the_team_as_a_script(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.get_by_role("tab", name="Python").click()
    expect(page.locator("#panel-python .cm-content")).to_contain_text("RoundRobinGroupChat")
    with page.expect_download() as download:
        page.locator("#panel-python [data-export=python]").click()
    assert download.value.suggested_filename == "pair.py"


def test_a_nested_team_opens_in_place_and_the_trail_leads_back(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("editor"), team(agent("reporter"), agent("checker"), name="desk")))
    page.locator("[data-open]").click()
    expect(names(page)).to_have_text(["reporter", "checker"])
    page.locator(".trail-step").first.click()
    expect(names(page)).to_have_text(["editor", "desk"])


def test_the_outline_is_a_second_way_to_everything(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.get_by_role("tab", name="Outline").click()
    page.get_by_role("treeitem", name=re.compile("^two")).focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(names(page)).to_have_text(["two", "one"])
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["one"])
    page.get_by_role("treeitem", name=re.compile("^one")).focus()
    page.keyboard.press("a")
    page.get_by_role("combobox", name="Add to one").fill("http")
    page.keyboard.press("Enter")
    expect(page.locator(".node[data-card] .chip[data-kind=tool]")).to_have_count(1)


def test_undo_survives_a_reload(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two")))
    page.locator(".node-name").nth(1).click()
    page.locator(".node[data-card]").nth(1).focus()
    page.keyboard.press("Delete")
    page.keyboard.press("Control+s")
    saved(page, team_id)
    page.reload(wait_until="domcontentloaded")
    expect(names(page)).to_have_text(["one"])
    page.get_by_role("button", name="Undo").click()
    expect(names(page)).to_have_text(["one", "two"])


def test_on_a_narrow_screen_outline_and_inspector_stand_in_for_the_canvas(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    team_id = str(call(page, "POST", "/api/teams", {"component": team(agent("writer"))})["id"])
    page.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    page.get_by_role("treeitem", name=re.compile("^writer")).click()
    page.get_by_label("Name", exact=True).fill("author")
    expect(page.get_by_role("treeitem", name=re.compile("^author"))).to_be_visible()
    page.get_by_role("button", name="Canvas").click()
    expect(names(page)).to_have_text(["author"])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
