"""What the builder does for a change must not grow with the team. Counted, since times differ with the machine."""

from __future__ import annotations

from typing import Any, Protocol, cast

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, open_team, replay, team


class Devtools(Protocol):
    """What is used of Chromium's own interface; Playwright leaves its types open."""

    def send(self, method: str) -> dict[str, Any]: ...

    def detach(self) -> None: ...


SIZES = (100, 300)
MOVES = 20

WATCH = """() => {
  const cards = document.querySelector('.nodes')
  window.made = 0
  window.placed = 0
  new MutationObserver((records) => {
    for (const each of records) {
      if (each.type === 'childList' && each.target === cards) window.made += each.addedNodes.length
      if (each.type === 'attributes' && each.target.parentNode === cards) window.placed += 1
    }
  }).observe(cards, {childList: true, attributeFilter: ['style'], subtree: true})
}"""
OPENING = """() => {
  const asked = performance.getEntriesByType('resource')
  const modules = asked.filter((each) => each.name.endsWith('.js'))
  const isNamed = ({name}) => document.querySelector(`script[src="${new URL(name).pathname}"]`)
  return {
    modules: modules.length,
    late: modules.filter((each) => each.initiatorType === 'script' && !isNamed(each)).map((each) => each.name),
    catalogues: asked.filter((each) => each.name.includes('/api/components')).length,
    cards: document.querySelectorAll('.node').length,
    lines: document.querySelectorAll('.edge').length,
    inside: document.querySelectorAll('.node *').length,
  }
}"""
SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def crowd(size: int) -> JsonObject:
    """A selector's team, whose cards may stand anywhere."""
    made = team(*[agent(f"a{index}") for index in range(size)], model_client=replay("a0"))
    return {**made, "provider": "autogen_agentchat.teams.SelectorGroupChat"}


def opened(page: Page, size: int) -> dict[str, Any]:
    """Open a team, and tell what was asked for and what is drawn."""
    open_team(page, crowd(size))
    expect(page.locator("#panel-form [data-form]")).to_be_visible()
    return page.evaluate(OPENING)


def layouts_of(page: Page) -> int:
    session = cast("Devtools", page.context.new_cdp_session(page))
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return next(int(each["value"]) for each in metrics if each["name"] == "LayoutCount")


@pytest.mark.slow
def test_a_larger_team_asks_for_no_more_and_draws_no_more(open_page: OpenPage) -> None:
    page = open_page()
    small, large = (opened(page, size) for size in SIZES)
    assert small["modules"] == large["modules"]
    assert large["late"] == [], "every module is named in the page, none is found by reading another"
    assert large["catalogues"] == 1, "what is fetched ahead is used"
    assert large["cards"] == large["lines"] + 1, "of cards, and so of lines, only those around the view are made"
    assert large["cards"] <= small["cards"] < SIZES[0]
    assert large["inside"] / large["cards"] < 26


@pytest.mark.slow
@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.extended), SIZES[1]])
def test_a_drag_and_its_undo_touch_one_card(open_page: OpenPage, size: int) -> None:
    page = open_page()
    opened(page, size)
    card = page.locator(".node[data-card]").first
    box = card.locator(".node-head").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 20, box["y"] + 26, steps=2)
    page.evaluate(SETTLED)
    before = layouts_of(page)
    for step in range(MOVES):
        page.mouse.move(box["x"] + box["width"] / 2 + 20 + step * 2, box["y"] + 60 + step * 3)
    layouts = layouts_of(page) - before
    page.mouse.up()
    expect(page.locator("[data-undo]")).to_be_enabled()
    page.evaluate(SETTLED)
    page.evaluate(WATCH)
    page.keyboard.press("Control+z")
    expect(page.locator("[data-undo]")).to_be_disabled()
    page.evaluate(SETTLED)
    assert layouts <= MOVES * 2, "a layout for each move, and one for what the pointer is over"
    assert page.evaluate("window.made") == 0
    assert page.evaluate("window.placed") == 1


@pytest.mark.slow
def test_a_key_typed_into_a_form_makes_one_card_anew(open_page: OpenPage) -> None:
    page = open_page()
    opened(page, SIZES[1])
    page.locator('.node[data-card="/config/participants/0"] .node-head').click()
    field = page.locator('#panel-form [data-pointer="/config/participants/0/config/description"][data-kind]')
    expect(field).to_be_visible()
    page.evaluate(WATCH)
    field.press("End")
    field.press("x")
    expect(page.locator('.node[data-card="/config/participants/0"] .node-text')).to_contain_text("x")
    assert page.evaluate("window.made") == 1
    assert page.evaluate("window.placed") == 2, "the place and the height of the new one"


@pytest.mark.slow
def test_cards_out_of_view_are_reached_by_key_by_search_and_by_tab(open_page: OpenPage) -> None:
    page = open_page()
    opened(page, SIZES[1])
    most = page.locator(".node").count() * 2
    here = page.locator(".node:focus")

    page.locator('.node[data-card="/config/participants/0"] .node-head').click()
    page.locator('.node[data-card="/config/participants/0"]').focus()
    for _ in range(12):  # by key, far to the right of where the view was
        before = here.get_attribute("data-card")
        page.keyboard.press("ArrowRight")
        expect(here).not_to_have_attribute("data-card", str(before))
        expect(here).to_be_in_viewport(ratio=0.9)
        assert page.locator(".node").count() < most

    page.keyboard.press("Control+k")  # by name
    page.keyboard.type("@a287")
    expect(page.locator(".chooser [role=option]").first).to_contain_text("a287")
    page.keyboard.press("Enter")
    expect(here).to_have_attribute("data-card", "/config/participants/287")
    expect(here).to_be_in_viewport(ratio=0.9)
    assert page.locator(".node").count() < most

    page.locator("[data-zoom=out]").focus()  # by Tab, after the view has gone elsewhere
    page.locator("[data-canvas]").hover()
    page.mouse.wheel(0, 6_000)
    page.wait_for_function("document.querySelectorAll('.node').length < 3", timeout=15_000)  # the selected, the last
    expect(page.locator('.node[data-card="/config/participants/287"]')).not_to_be_in_viewport()
    page.keyboard.press("Shift+Tab")
    expect(here).to_have_attribute("data-card", "/config/participants/287")
    expect(here).to_be_in_viewport(ratio=0.9)


@pytest.mark.slow
def test_cards_are_as_high_as_was_worked_out_before_they_were_made(open_page: OpenPage) -> None:
    page = open_page()
    words = ["knows", "a", "great", "deal", "about", "many", "things", "and", "says", "so", "to", "whoever", "asks"]
    tool = {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool"}
    named = [
        {**tool, "config": {"name": f"tool_{index}", "source_code": f"def tool_{index}() -> str: ..."}}
        for index in range(4)
    ]
    members = [
        agent(f"a{index}", description=" ".join(words[: index % 14]), tools=named[: index % 5]) for index in range(60)
    ]
    made = team(*members, model_client=replay("a0"))
    open_team(page, {**made, "provider": "autogen_agentchat.teams.SelectorGroupChat"})
    page.locator("[data-zoom=fit]").click()
    expect(page.locator(".node")).to_have_count(61)
    wrong = page.evaluate(
        """() => [...document.querySelectorAll('.node')].flatMap((node) => {
          const planned = node.style.minHeight
          node.style.minHeight = ''
          document.querySelector('.world').dataset.detail = 'full'
          return planned === `${node.offsetHeight}px` ? [] : [[node.dataset.component, planned, node.offsetHeight]]
        })"""
    )
    assert wrong == []
