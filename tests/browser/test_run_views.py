"""Long runs in the playground: a window over the conversation, one selection for all views, filters, search, keys."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, StudioServer
from tests.browser.long_runs import write_long_run
from tests.browser.playing import STATE, expect_pausing, give_task
from tests.fakes.openai_server import OpenAIServer, Reply

SHOWN = 3000
SCROLLER = "[data-part=chat-scroll]"
SELECTED = ".chat > [data-selected]"
AGENT = "[data-filter=agent]"
KIND = "[data-filter=kind]"


@pytest.fixture(scope="module")
def long_run(studio_server: StudioServer) -> str:
    return f"{studio_server.url}/runs/{write_long_run(studio_server, SHOWN)}"


@pytest.fixture
def page(open_page: OpenPage, long_run: str) -> Page:
    made = open_page()
    made.goto(long_run, wait_until="domcontentloaded")
    expect(made.locator(".run-end")).to_be_visible()
    expect(made.locator('[data-filter="agent"] option')).to_have_count(7)  # the index is there: all speak, and the task
    return made


def turn(page: Page, number: int) -> Locator:
    return page.locator(".chat > .turn", has_text=re.compile(rf"Message {number}\. "))


def scroll_by(page: Page, pixels: int) -> None:
    page.locator(SCROLLER).evaluate("(node, by) => node.scrollBy(0, by)", pixels)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def top_of(item: Locator) -> float:
    return item.evaluate("(node) => node.getBoundingClientRect().top")


def test_a_long_run_opens_at_its_end_with_few_elements_and_reaches_its_start(page: Page):
    expect(page.locator(".chat > *")).not_to_have_count(0)
    assert page.locator(".chat *").count() < 1500
    page.keyboard.press("g")
    expect(page.locator(".chat > .turn", has_text="Write a long book together.")).to_be_in_viewport()
    assert page.locator(".chat *").count() < 1500
    page.keyboard.press("Shift+G")
    expect(page.locator(".run-end")).to_be_in_viewport()
    expect(page.locator("[data-part=to-live]")).to_be_hidden()


def test_the_middle_of_a_long_run_is_read_when_somebody_looks_at_it(page: Page):
    with page.expect_response(re.compile(r"/events\?after=\d+&before=\d+")):
        page.locator(SCROLLER).evaluate("(node) => { node.scrollTop = node.scrollHeight / 2 }")
    expect(page.locator(".turn-waiting")).to_have_count(0)
    shown = page.locator(".chat > .turn[data-kind=message]").all_inner_texts()
    numbers = [int(found.group(1)) for text in shown if (found := re.search(r"Message (\d+)", text))]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert 50 < numbers[0] < 700


def test_what_is_in_view_stays_in_its_place_while_other_heights_become_known(page: Page):
    page.locator(SCROLLER).evaluate("(node) => { node.scrollTop = node.scrollHeight / 2 }")
    expect(page.locator(".turn-waiting")).to_have_count(0)
    for _ in range(12):
        item = page.locator(f".chat > .turn[id={page.wait_for_function(IN_VIEW).json_value()}]")
        before = top_of(item)
        scroll_by(page, -240)
        assert abs(top_of(item) - before - 240) < 2


IN_VIEW = """() => [...document.querySelectorAll('.chat > .turn')].find((node) => {
  const { top } = node.getBoundingClientRect()
  return top > 300 && top < 600
})?.id"""


def test_a_link_opens_a_run_at_one_entry_which_every_view_shows(page: Page, long_run: str):
    page.goto(f"{long_run}#e1000", wait_until="domcontentloaded")
    expect(page.locator(SELECTED)).to_be_in_viewport()
    expect(page.locator(".flow-node[data-selected], .flow-edge[data-selected]").first).to_be_visible()
    page.keyboard.press("l")
    expect(page.locator("#toasts")).to_contain_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{long_run}#e1000"


def test_selecting_in_one_view_selects_in_all(page: Page):
    turn(page, 815).locator(".turn-body").click(position={"x": 300, "y": 4})
    expect(turn(page, 815)).to_have_attribute("data-selected", "")
    expect(page.locator(".flow-edge[data-selected]")).to_have_count(1)
    expect(page.locator("[data-part=flow-chosen]")).to_have_text("agent_0agent_1164 of 164")
    page.get_by_role("button", name="Previous message").click()
    expect(turn(page, 810)).to_have_attribute("data-selected", "")
    page.keyboard.press("2")
    page.get_by_text("As a list").click()
    current = page.locator("[data-part=timeline-list] tr[aria-current]")
    expect(current).to_have_text("agent_0message0 ms150")
    page.locator("[data-part=timeline-list] tr[aria-current] + tr button").click()
    expect(page.locator(SELECTED)).to_contain_text("Message 811.")
    page.keyboard.press("Escape")
    expect(page.locator(SELECTED)).to_have_count(0)


def test_the_timeline_is_walked_and_zoomed_with_keys(page: Page):
    page.keyboard.press("2")
    timeline = page.get_by_role("group", name=re.compile("^Timeline:"))
    timeline.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(SELECTED)).to_be_in_viewport()
    first = page.locator(SELECTED).inner_text()
    page.keyboard.press("ArrowUp")
    expect(page.locator(SELECTED)).not_to_have_text(first)
    expect(timeline).to_be_focused()
    track = page.locator(".timeline-track")
    expect(track).to_have_attribute("data-whole", "")
    page.keyboard.press("+")
    expect(track).not_to_have_attribute("data-whole", "")
    page.keyboard.press("0")
    expect(track).to_have_attribute("data-whole", "")
    page.get_by_text("Tokens", exact=True).first.click()
    expect(page.locator("[data-part=timeline-caption]")).to_contain_text("tokens")


def test_a_bar_of_the_timeline_is_pointed_at_and_chosen(page: Page):
    page.get_by_role("tab", name="Timeline").click()
    page.get_by_text("Steps", exact=True).click()
    canvas = page.locator(".timeline-canvas")
    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    width = canvas.evaluate("(node) => node.clientWidth")
    for x in range(4, width, 3):
        canvas.hover(position={"x": x, "y": 12})
        if page.locator("[data-part=timeline-tip]").is_visible():
            break
    expect(page.locator("[data-part=timeline-tip]")).to_contain_text("agent_0")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(SELECTED)).to_contain_text("agent_0")


def test_search_walks_through_hits_that_are_not_on_the_page(page: Page):
    page.keyboard.press("/")
    page.keyboard.type("message 41")
    expect(page.locator("[data-part=search-status]")).to_have_text("11 hits")
    page.keyboard.press("Enter")
    expect(turn(page, 41)).to_have_attribute("data-selected", "")
    expect(page.locator("[data-part=search-status]")).to_have_text("1 of 11")
    page.locator(SCROLLER).focus()
    page.keyboard.press("n")
    expect(turn(page, 410)).to_be_in_viewport()
    page.keyboard.press("Shift+N")
    page.keyboard.press("Shift+N")
    expect(turn(page, 419)).to_have_attribute("data-selected", "")
    page.keyboard.press("/")
    page.keyboard.type("nowhere at all")
    expect(page.locator("[data-part=search-status]")).to_have_text("Nothing found")


def test_filters_show_one_agent_or_kind_and_say_when_nothing_is_left(page: Page):
    page.locator(KIND).select_option("errors")
    expect(page.locator(".chat > .turn").first).to_contain_text("look_up")
    expect(page.locator(".chat > .turn:not(:has(.tool-call[data-state=error]))")).to_have_count(0)
    page.locator(AGENT).select_option("agent_3")
    expect(page.locator(".chat-none")).to_be_visible()
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(page.locator(".run-end")).to_be_attached()
    page.locator(KIND).select_option("decisions")
    expect(page.locator(".chat > .marker").last).to_contain_text("Next: agent_")


def test_detail_is_chosen_by_key_or_pointer_and_kept(page: Page, long_run: str):
    page.keyboard.press("Shift+D")
    page.keyboard.press("Shift+D")
    expect(page.get_by_role("radio", name="Messages")).to_be_checked()
    expect(page.locator(".chat > [data-kind=tools]")).to_have_count(0)
    page.goto(long_run, wait_until="domcontentloaded")
    expect(page.get_by_role("radio", name="Messages")).to_be_checked()
    expect(page.locator(".run-end")).to_be_visible()
    expect(page.locator(".chat > [data-kind=tools]")).to_have_count(0)
    page.get_by_text("+ raw").click()
    expect(page.locator(".raw-entry").last).to_contain_text('"state": "finished"')
    expect(page.locator(".raw-entry", has_text="TerminationProgressEvent").first).to_be_attached()


def test_keys_go_to_errors_tools_and_items_and_are_listed(page: Page):
    page.keyboard.press("g")
    expect(page.locator(SELECTED)).to_contain_text("Write a long book")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(SELECTED)).to_contain_text("Message 0.")
    page.keyboard.press("k")
    expect(page.locator(SELECTED)).to_contain_text("look_up")
    page.keyboard.press("e")
    expect(page.locator(f"{SELECTED} .tool-call[data-state=error]")).to_be_visible()
    error = page.locator(SELECTED).get_attribute("data-seq")
    page.keyboard.press("t")
    expect(page.locator(f"{SELECTED} .tool-call[data-state=ok]")).to_be_visible()
    page.keyboard.press("Shift+E")
    expect(page.locator(SELECTED)).to_have_attribute("data-seq", str(error))
    page.keyboard.press("?")
    expect(page.get_by_role("row", name="Next error")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Commands").fill("only errors")
    page.keyboard.press("Enter")
    expect(page.locator(KIND)).to_have_value("errors")


def test_the_flow_tells_the_design_from_what_happened(page: Page):
    page.get_by_text("As a table").click()
    rows = page.locator("[data-part=flow-table] tr")
    expect(rows).to_have_count(6)
    expect(rows.first).to_have_text("Taskagent_01yes")
    page.get_by_text("Designed", exact=True).first.click()
    expect(page.locator(".flow-edge .flow-count:visible")).to_have_count(0)
    page.locator(".flow-edge").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=flow-chosen]")).to_contain_text("Task")


def test_a_reader_further_up_is_told_how_much_is_new(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
):
    openai_server.say(Reply("One line.\n\n" * 12, hold=0))
    openai_server.always("And one more.")
    page = open_page(height_px=420)
    give_task(page, pair(50))
    openai_server.wait_until_held()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    expect_pausing(page)
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")
    pill = page.get_by_role("button", name="Jump to live")
    expect(pill).to_be_hidden()
    page.locator(SCROLLER).hover()
    page.mouse.wheel(0, -5000)
    expect(pill).to_be_visible()
    before = page.locator(SCROLLER).evaluate("(node) => node.scrollTop")
    for count in (1, 2):
        page.keyboard.press("s")
        expect(pill).to_have_attribute("data-count", str(count))
        expect(page.locator(STATE)).to_have_text("Paused after a step")
    assert page.locator(SCROLLER).evaluate("(node) => node.scrollTop") == before
    pill.click()
    expect(pill).to_be_hidden()
    expect(page.locator(".chat > .turn").last).to_be_in_viewport()
    newest = str(page.locator(".chat > .turn").last.get_attribute("data-seq"))
    page.keyboard.press("s")
    expect(page.locator(".chat > .turn").last).not_to_have_attribute("data-seq", newest)
    expect(page.locator(".chat > .turn").last).to_be_in_viewport()


def test_the_timeline_shows_the_run_that_is_opened_next(open_page: OpenPage, pair: Callable[[int], str]) -> None:
    page = open_page()
    address = pair(2)
    for task in ("First.", "Second."):
        give_task(page, address, task)
        expect(page.locator(".run-end")).to_be_visible()
    page.get_by_role("tab", name="Timeline").click()
    caption = page.locator("[data-part=timeline-caption]")
    expect(caption).not_to_have_text("Nothing yet")
    page.get_by_role("link", name=re.compile("First\\.")).click()
    expect(page.locator(".turn", has_text="First.")).to_be_visible()
    expect(page.locator(".run-end")).to_be_visible()
    expect(caption).not_to_have_text("Nothing yet")
    expect(page.get_by_role("group", name=re.compile("^Timeline: 1 steps"))).to_be_visible()
