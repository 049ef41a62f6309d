"""Undo in the browser: over everything, all the way back, after a reload, and with nothing lost that was not saved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, agent, limit, names, open_team, saved, team

WATCH = """() => {
  const dispatch = EventTarget.prototype.dispatchEvent
  EventTarget.prototype.dispatchEvent = function (event) {
    if (event.type === 'change' && 'doc' in this && 'undo' in this) window.watched = this
    return dispatch.call(this, event)
  }
}"""
NO_SAVING = """() => {
  const real = window.fetch
  window.fetch = (url, given) => (given?.method === 'PUT' ? Promise.reject(new TypeError('offline')) : real(url, given))
}"""
DOC = "() => JSON.stringify(window.watched.doc)"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until the canvas shows the document as it is."""


def card(page: Page, number: int) -> None:
    """Select one of the cards and put the focus there, if there are any."""
    page.evaluate(DRAWN)
    count = page.locator(".node[data-card]").count()
    if count:
        page.locator(".node[data-card] .node-name").nth(number % count).click()
        page.locator(".node[data-card]").nth(number % count).focus()


def on_card(*keys: str) -> Callable[[Page, int], None]:
    def act(page: Page, number: int) -> None:
        card(page, number)
        for key in keys:
            page.keyboard.press(key)

    return act


def drag_card(page: Page, number: int) -> None:
    page.evaluate(DRAWN)
    count = page.locator(".node[data-card]").count()
    box = page.locator(".node[data-card]").nth(number % count).bounding_box() if count else None
    if box is None:
        return
    page.mouse.move(box["x"] + 60, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + 90 + 20 * number, box["y"] + 60 + 10 * number, steps=4)
    page.mouse.up()


def write_field(page: Page, number: int) -> None:
    card(page, number)
    page.keyboard.press("Enter")
    page.keyboard.type(f"_{number}")


def write_name(page: Page, number: int) -> None:
    page.get_by_label("Name of the team").fill(f"Team {number}")


def press(*keys: str) -> Callable[[Page, int], None]:
    def act(page: Page, _: int) -> None:
        page.locator("[data-canvas]").focus()
        for key in keys:
            page.keyboard.press(key)

    return act


GESTURES: dict[str, Callable[[Page, int], None]] = {
    "remove": on_card("Delete"),
    "duplicate": on_card("Control+d"),
    "move later": on_card("Alt+ArrowRight"),
    "copy and paste": on_card("Control+c", "Control+v"),
    "drag": drag_card,
    "write a field": write_field,
    "name the team": write_name,
    "undo": press("Control+z"),
    "redo": press("Control+Shift+z"),
    "save": press("Control+s"),
}


def to_the_end(page: Page, button: str) -> None:
    page.evaluate(
        """async (name) => {
          const button = document.querySelector(name)
          for (let count = 0; !button.disabled; count++) {
            if (count > 200) throw new Error(`${name} has no end`)
            button.click()
            await new Promise((done) => setTimeout(done))
          }
        }""",
        button,
    )


@pytest.mark.extended
@pytest.mark.timeout(180)  # many gestures, one page
def test_any_gestures_are_undone_to_the_first_document_and_redone_to_the_last(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    page.evaluate(WATCH)
    write_name(page, 0)
    first = page.evaluate("() => JSON.stringify(window.watched.past[0].doc)")

    @settings(
        max_examples=5,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(st.tuples(st.sampled_from(sorted(GESTURES)), st.integers(0, 4)), min_size=5, max_size=9))
    def play(gestures: list[tuple[str, int]]) -> None:
        for name, number in gestures:
            GESTURES[name](page, number)
        to_the_end(page, "[data-redo]")
        last = page.evaluate(DOC)
        to_the_end(page, "[data-undo]")
        assert page.evaluate(DOC) == first, gestures
        to_the_end(page, "[data-redo]")
        assert page.evaluate(DOC) == last, gestures
        to_the_end(page, "[data-undo]")

    play()


def test_what_could_not_be_saved_survives_a_reload_with_its_history(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two")))
    page.evaluate(NO_SAVING)
    on_card("Delete")(page, 1)
    write_name(page, 7)
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        page.reload(wait_until="domcontentloaded")
    expect(page.locator(".toast").filter(has_text="Your unsaved changes were restored.")).to_be_visible()
    expect(page.get_by_label("Name of the team")).to_have_value("Team 7")
    expect(names(page)).to_have_text(["one"])
    assert saved(page, team_id)["label"] == "Team 7"
    for _ in range(2):
        page.get_by_role("button", name="Undo", exact=True).click()
    expect(names(page)).to_have_text(["one", "two"])
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_what_a_closed_tab_had_not_saved_is_offered_to_the_next(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two"), termination_condition=limit(4)))
    context, url = page.context, page.url
    page.evaluate(NO_SAVING)
    on_card("Delete")(page, 1)
    expect(names(page)).to_have_text(["one"])
    page.close()
    fresh = context.new_page()
    fresh.goto(url, wait_until="domcontentloaded")
    dialog = fresh.get_by_role("dialog", name="Unsaved changes were found")
    expect(dialog).to_contain_text("agent two removed")
    dialog.get_by_role("button", name="Restore").click()
    expect(names(fresh)).to_have_text(["one"])
    assert len(saved(fresh, team_id)["config"]["participants"]) == 1
    fresh.get_by_role("button", name="Undo", exact=True).click()
    expect(names(fresh)).to_have_text(["one", "two"])
