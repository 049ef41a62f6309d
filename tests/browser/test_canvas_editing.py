"""Several cards at once on the canvas: selected, moved, aligned, copied and removed, by pointer and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import (
    JsonObject,
    OpenPage,
    agent,
    drag,
    names,
    open_team,
    palette,
    replay,
    saved,
    team,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def selector(*members: JsonObject) -> JsonObject:
    """A team whose cards may stand anywhere."""
    provider = "autogen_agentchat.teams.SelectorGroupChat"
    return {**team(*members, model_client=replay("one")), "provider": provider}


def card(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True))


def selected(page: Page) -> Locator:
    return page.locator('.node[data-selected=""] .node-name')


def place(page: Page, name: str) -> tuple[float, float]:
    """Where a card stands on the canvas, as it was told; nothing is rounded to the window."""
    told: str = card(page, name).evaluate("(node) => node.style.transform")
    x, y = re.findall(r"-?[\d.]+", told)
    return float(x), float(y)


def settled(page: Page, name: str, has_come: Callable[[float, float], bool]) -> None:
    """Wait until a card has come to a place."""
    for _ in range(100):
        if has_come(*place(page, name)):
            return
        page.evaluate("() => new Promise(requestAnimationFrame)")
    raise AssertionError(f"{name} stands at {place(page, name)}")


def test_cards_are_selected_one_by_one_and_in_a_rectangle_and_undo_selects_them_again(
    open_page: OpenPage,
) -> None:
    page = open_page()
    open_team(page, selector(agent("one"), agent("two"), agent("three")))
    card(page, "one").locator(".node-name").click()
    card(page, "three").locator(".node-name").click(modifiers=["Shift"])
    expect(selected(page)).to_have_text(["one", "three"])
    card(page, "one").locator(".node-name").click(modifiers=["ControlOrMeta"])
    expect(selected(page)).to_have_text(["three"])
    frame = page.locator(".frame").bounding_box()
    assert frame is not None
    page.keyboard.down("Shift")
    page.mouse.move(frame["x"] + 4, frame["y"] + frame["height"] - 4)
    page.mouse.down()
    page.mouse.move(frame["x"] + frame["width"] - 4, frame["y"] + 90, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(selected(page)).to_have_text(["one", "two", "three"])
    expect(page.locator(".selection-count")).to_have_text("3 selected")
    page.locator("[data-act=remove]").click()
    expect(names(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(selected(page)).to_have_text(["one", "two", "three"])


def test_keys_select_several_cards_and_escape_leaves_them(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    card(page, "one").locator(".node-name").click()
    card(page, "one").focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(selected(page)).to_have_text(["one", "two"])
    page.keyboard.press("Control+a")
    expect(selected(page)).to_have_text(["one", "two", "three"])
    expect(page.locator("#announcer")).to_have_text("3 selected")
    page.keyboard.press("Escape")
    expect(selected(page)).to_have_count(0)


def test_selected_members_change_places_as_a_block_by_drag_and_by_key(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    card(page, "two").locator(".node-name").click()
    card(page, "three").locator(".node-name").click(modifiers=["Shift"])
    drag(page, card(page, "three").locator(".node-head"), card(page, "one"), (0.1, 0.2))
    expect(names(page)).to_have_text(["two", "three", "one"])
    expect(selected(page)).to_have_text(["two", "three"])
    card(page, "two").focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(names(page)).to_have_text(["one", "two", "three"])
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["two", "three", "one"])
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["one", "two", "three"])


def test_cards_in_an_order_cannot_be_aligned_and_it_says_why(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+a")
    expect(page.locator("[data-act=align-left]")).to_have_count(0)
    page.keyboard.press("Control+Alt+ArrowRight")
    expect(page.locator(".toast")).to_contain_text("are ordered: drag a card to reorder them")


def test_cards_are_moved_together_aligned_and_tidied_each_in_one_step(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, selector(agent("one"), agent("two"), agent("three")))
    before = {name: place(page, name) for name in ("one", "two", "three")}
    card(page, "one").locator(".node-name").click()
    card(page, "two").locator(".node-name").click(modifiers=["Shift"])
    drag(page, card(page, "two").locator(".node-head"), page.locator(".frame"), (0.62, 0.9))
    settled(page, "two", lambda x, y: (x, y) != before["two"])
    moved = [place(page, name)[axis] - before[name][axis] for name in ("one", "two") for axis in (0, 1)]
    assert moved[:2] == moved[2:]
    page.locator("[data-act=align-top]").click()
    settled(page, "two", lambda _x, y: y == place(page, "one")[1])
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    settled(page, "two", lambda x, y: (x, y) == before["two"])
    card(page, "one").focus()
    page.keyboard.press("Control+Alt+ArrowDown")
    settled(page, "one", lambda _x, y: y > before["one"][1])
    page.get_by_role("button", name="Tidy").click()
    settled(page, "one", lambda x, y: (x, y) == before["one"])
    expect(page.get_by_role("button", name="Tidy")).to_be_hidden()


def test_a_card_stays_where_it_was_put_when_its_agent_is_renamed(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, selector(agent("one"), agent("two")))
    before = place(page, "two")
    drag(page, card(page, "two").locator(".node-head"), page.locator(".frame"), (0.5, 1.1))
    settled(page, "two", lambda x, y: (x, y) != before)
    there = place(page, "two")
    card(page, "two").locator(".node-name").click()
    field = page.get_by_label("Name", exact=True)
    expect(field).to_have_value("two")
    field.fill("second")
    expect(names(page)).to_have_text(["one", "second"])
    assert place(page, "second") == there


def test_several_are_duplicated_and_removed_by_key_each_in_one_step(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    card(page, "one").locator(".node-name").click()
    card(page, "two").locator(".node-name").click(modifiers=["Shift"])
    card(page, "two").focus()
    page.keyboard.press("Control+d")
    expect(names(page)).to_have_text(["one", "two", "one_2", "two_2", "three"])
    expect(selected(page)).to_have_text(["one_2", "two_2"])
    page.locator('.node[data-selected=""]').first.focus()
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["one", "two", "three"])
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["one", "two", "one_2", "two_2", "three"])
    page.keyboard.press("Control+z")
    expect(names(page)).to_have_text(["one", "two", "three"])


def test_a_double_click_on_the_ground_asks_what_to_add_there(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two")))
    gap = card(page, "two").bounding_box()
    assert gap is not None
    page.mouse.dblclick(gap["x"] - 20, gap["y"] + gap["height"] + 12)
    search = page.get_by_role("combobox", name="Add to Pair")
    expect(search).to_be_focused()
    search.fill("user proxy")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["one", "user_proxy", "two"])
    page.mouse.dblclick(gap["x"] - 20, gap["y"] + gap["height"] + 12)
    expect(page.get_by_role("dialog").get_by_role("option").first).to_contain_text("User proxy")
    page.keyboard.press("Escape")
    card(page, "one").locator(".node-name").click()
    page.keyboard.press("a")
    expect(page.get_by_role("combobox", name="Add to one")).to_be_focused()
    page.keyboard.press("Escape")
    providers = [each["provider"] for each in saved(page, team_id)["config"]["participants"]]
    assert providers[1] == "autogen_agentchat.agents.UserProxyAgent"


def test_what_is_dragged_lights_up_every_place_that_takes_it_and_no_other(open_page: OpenPage) -> None:
    page = open_page()
    local = "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor"
    executor: JsonObject = {"provider": local, "component_type": "code_executor", "config": {}}
    coder: JsonObject = {
        "provider": "autogen_agentchat.agents.CodeExecutorAgent",
        "component_type": "agent",
        "config": {"name": "coder", "code_executor": executor},
    }
    open_team(page, selector(agent("one"), coder, {**team(agent("inner")), "label": "Inner"}))
    cases = {
        ("Assistant", "agent"): "participants",
        ("OpenAI", "model"): "model_client",
        ("HTTP tool", "tool"): "tools",
        ("Agent as a tool", "tool"): "tools",
        ("Team as a tool", "tool"): "tools",
        ("List memory", "memory"): "memory",
        ("Buffered", "context"): "model_context",
        ("MCP workbench", "workbench"): "workbench",
        ("Docker command line", "executor"): "code_executor",
        ("Max message", "termination"): "termination_condition",
    }
    every_group = "(list) => list.querySelectorAll('details').forEach((each) => { each.open = true })"
    page.locator("[data-palette-list]").evaluate(every_group)
    fields = "(all) => all.map((each) => each.dataset.drop.split('/').at(-1))"
    for (title, kind), field in cases.items():
        item = palette(page, title, kind)
        item.scroll_into_view_if_needed()
        box = item.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + 60, box["y"] + 14, steps=3)
        fitting = page.locator(".canvas [data-drop][data-fit=yes]").evaluate_all(fields)
        page.keyboard.press("Escape")
        page.mouse.up()
        assert field in fitting, (title, fitting)
        assert set(fitting) <= {field, "participants", "tools"}, (title, fitting)
