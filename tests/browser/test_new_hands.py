"""What somebody who is new to the builder runs into: undo while typing, focus after adding, the way back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.building import OpenPage, agent, names, open_team, saved, team, wait_for_builder

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def field(page: Page, name: str) -> Locator:
    return page.locator(f'#panel-form [data-pointer="/config/participants/0/config/{name}"][data-kind]')


def test_undo_takes_back_what_was_typed_in_one_go_and_leaves_the_caret_in_the_field(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator(".node[data-card] .node-name").click()
    for name, before in [("description", "The writer."), ("name", "writer")]:
        field(page, name).press("End")
        page.keyboard.type("sandtext")
        expect(field(page, name)).to_have_value(f"{before}sandtext")
        page.keyboard.press("Control+z")
        expect(field(page, name)).to_have_value(before)
        expect(field(page, name)).to_be_focused()
        page.keyboard.press("Control+y")
        expect(field(page, name)).to_have_value(f"{before}sandtext")
        page.keyboard.press("Control+z")
    title = page.get_by_role("textbox", name="Name of the team")
    title.press("End")
    page.keyboard.type("ing")
    page.keyboard.press("Control+z")
    expect(title).to_have_value("Pair")
    expect(title).to_be_focused()


def test_undo_in_a_field_that_is_no_part_of_the_team_leaves_the_team_alone(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic")))
    page.locator(".node[data-card] .node-name").first.click()
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["critic"])
    search = page.get_by_role("searchbox", name="Search components")
    search.press("a")
    search.press("Control+z")
    expect(search).to_have_value("")
    expect(names(page)).to_have_text(["critic"])


def test_a_picker_opened_before_the_library_came_gets_it(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    held: list[Route] = []
    opened: list[bool] = []
    page.route(re.compile(r"/api/galleries(/.*)?$"), lambda route: route.continue_() if opened else held.append(route))
    page.reload()
    wait_for_builder(page)
    page.get_by_role("button", name="writer").first.click()
    page.locator(".node[data-card]").first.press("a")
    page.keyboard.type("calculator")
    expect(page.locator(".chooser-none")).to_have_text("Searching galleries…")
    opened.append(True)
    for route in held:
        route.continue_()
    expect(page.locator(".chooser-option").first).to_contain_text("alculator")


def test_what_is_added_by_key_has_the_focus(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator(".frame-name").press("a")
    page.keyboard.type("assistant agent")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_count(2)
    expect(page.locator(".node[data-card]").nth(1)).to_be_focused()


def test_enter_on_a_chip_goes_to_its_form(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator(".node[data-card] .chip[data-kind=model]").press("Enter")
    expect(page.locator('#panel-form [data-form$="/model_client"] [data-field] :focus')).to_have_count(1)


def test_a_nested_team_stays_open_over_a_reload_and_back_leaves_it(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), team(agent("deep"), name="inner")))
    page.locator(".node[data-nested]").press("o")
    expect(names(page)).to_have_text(["deep"])
    page.locator(".node[data-card]").first.click()
    page.reload()
    expect(names(page)).to_have_text(["deep"])
    expect(page.locator("[data-inspector-head] [data-title]")).to_have_text("deep")
    page.go_back()
    expect(names(page)).to_have_text(["writer", "inner"])
    page.go_forward()
    expect(names(page)).to_have_text(["deep"])


def test_on_a_narrow_screen_what_is_added_is_shown(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    open_team(page, team(agent("writer")))
    page.locator("[data-builder-tabs] [data-show=palette]").click()
    page.locator(".palette-item[data-new][data-kind=agent]").first.click()
    expect(page.locator(".tree-row[aria-selected=true]")).to_be_visible()
    expect(page.locator(".tree-row[aria-selected=true]")).to_contain_text("assistant")


def test_the_palette_is_one_stop_of_the_tab_key_and_a_link_skips_to_the_canvas(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.get_by_role("searchbox", name="Search components").focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-palette-list] :focus")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    here = page.locator("[data-palette-list] :focus").text_content()
    page.keyboard.press("Tab")
    expect(page.locator("[data-palette-list] :focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(page.locator("[data-palette-list] :focus")).to_have_text(str(here))
    page.get_by_role("link", name="Skip to the canvas").press("Enter")
    expect(page.locator("[data-canvas] :focus, [data-canvas]:focus")).to_have_count(1)


def test_several_that_are_selected_show_no_form_of_one_of_them(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic")))
    page.locator(".node[data-card]").first.click()
    page.locator(".chip[data-kind=model]").nth(1).click(modifiers=["Shift"])
    expect(page.locator("[data-inspector-head] [data-title]")).to_have_text("2 selected")
    expect(page.locator("#panel-form [data-form]")).to_have_count(0)
    expect(page.locator("#panel-form [data-multi-edit] li")).to_have_text(["writer", "Script"])
    page.locator("#panel-form [data-multi-edit] li button").first.click()
    expect(page.locator('#panel-form [data-form="/config/participants/0"]')).to_be_visible()


def test_several_of_one_type_have_one_form_whose_changes_are_made_in_all(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic"), agent("editor")))
    page.locator(".node[data-card]").first.click()
    page.locator(".node[data-card]").nth(1).click(modifiers=["Shift"])
    form = page.locator("#panel-form")
    expect(form.locator("[data-multi-edit] li")).to_have_text(["writer", "critic"])
    expect(form.get_by_text("Changes here apply to all of them.")).to_be_visible()
    expect(form.get_by_role("textbox", name="Name", exact=True)).to_have_count(0)
    expect(form.locator("[data-field$=description]")).to_contain_text("Values differ.")
    form.get_by_role("textbox", name="Description").fill("Both alike.")
    expect(form.get_by_text("Values differ.")).to_have_count(0)

    def described() -> list[object]:
        return [each["config"]["description"] for each in saved(page, team_id)["config"]["participants"]]

    assert described() == ["Both alike.", "Both alike.", "The editor."]
    page.get_by_role("button", name="Undo").click()
    expect(form.get_by_role("textbox", name="Description")).to_have_value("The critic.")
    expect(form.get_by_text("Values differ.")).to_be_visible()


def test_the_same_message_is_shown_once(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    page.locator("[data-canvas] .frame-name").focus()
    for _ in range(3):
        page.evaluate("""() => {
          const data = new DataTransfer()
          data.setData('text/plain', 'no component')
          const pasted = {clipboardData: data, bubbles: true, cancelable: true}
          document.activeElement.dispatchEvent(new ClipboardEvent('paste', pasted))
        }""")
    expect(page.locator(".toast")).to_have_count(1)
