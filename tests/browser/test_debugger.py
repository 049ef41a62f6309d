"""Approving a tool, stopping at a breakpoint, changing what was said: by pointer and by keyboard."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from studio.components import JsonObject
from tests.browser.building import wait_for_builder
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.debugging import DECISION, ask_before, pair, shouting
from tests.browser.playing import MESSAGES, STATE, expect_end, give_task, round_robin

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_a_person_changes_the_arguments_of_a_tool_and_allows_it(open_page: OpenPage, make_team: MakeTeam) -> None:
    address = make_team(shouting())
    page = open_page()
    page.goto(address, wait_until="domcontentloaded")
    ask_before(page, "shout")
    give_task(page, address)
    card = page.locator(DECISION)
    expect(card).to_contain_text("clerk wants to use shout")
    expect(page.locator("[data-inbox-count]")).to_have_text("1")
    arguments = card.get_by_label("Exact arguments")
    expect(arguments).to_have_value('{\n  "text": "hello"\n}')
    arguments.fill("no JSON")
    card.get_by_role("button", name="Allow with changes").click()
    expect(card.get_by_role("alert")).to_have_text("The arguments must be a JSON object.")
    arguments.fill('{"text": "bye"}')
    card.get_by_role("button", name="Allow with changes").click()
    expect_end(page)
    expect(page.locator(MESSAGES).last).to_contain_text("BYE")
    expect(page.locator(".chat")).to_contain_text("The call of shout was allowed with other arguments by you")


QUICK_HANDS = """new MutationObserver(() => {
  const allow = document.querySelector('[data-part="ask"] [value="allow"], [data-part="ask"] button[type=submit]')
  if (allow && !window.hasAllow) { window.hasAllow = true; allow.focus() }
}).observe(document, { childList: true, subtree: true })"""
"""Goes to the first button of a question as soon as that is there."""


def test_who_is_at_a_question_before_the_page_has_settled_stays_there(open_page: OpenPage, make_team: MakeTeam) -> None:
    address = make_team(shouting())
    page = open_page(is_new=True)
    page.goto(address, wait_until="domcontentloaded")
    ask_before(page, "shout")
    page.add_init_script(QUICK_HANDS)
    give_task(page, address)
    expect(page.locator("[data-playground]")).to_have_attribute("aria-busy", "false")
    expect(page.locator(DECISION).get_by_role("button", name="Allow", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect_end(page)


def test_a_tool_is_refused_in_the_inbox_by_keyboard(open_page: OpenPage, make_team: MakeTeam) -> None:
    address = make_team(shouting())
    page = open_page()
    page.goto(address, wait_until="domcontentloaded")
    ask_before(page, "shout")
    give_task(page, address)
    expect(page.locator(DECISION)).to_be_visible()
    run_address = page.url
    page.get_by_role("link", name="Inbox").click()
    card = page.locator(DECISION)
    expect(card).to_be_visible()
    card.get_by_label("Reason (shown to the agent)").focus()
    page.keyboard.type("Too loud.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Inbox is empty")).to_be_visible()
    page.goto(run_address, wait_until="domcontentloaded")
    expect_end(page)
    expect(page.locator(".chat")).to_contain_text("This call was refused. Too loud.")


def test_a_run_waits_at_a_breakpoint_and_goes_on_in_steps_by_keyboard(open_page: OpenPage, make_team: MakeTeam) -> None:
    address = make_team(pair())
    page = open_page()
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("tab", name="Debug").click()
    form = page.get_by_role("form", name="New breakpoint")
    form.get_by_label("Agent", exact=True).fill("critic")
    page.keyboard.press("Enter")
    point = page.get_by_role("checkbox", name="Before critic")
    expect(point).to_be_checked()
    give_task(page, address)
    page.get_by_role("tab", name="Debug").click()
    expect(page.locator(STATE)).to_have_text("Paused at a breakpoint")
    expect(page.locator("[data-part=debug-why]")).to_have_text("Breakpoint: before critic speaks.")
    expect(page.locator(MESSAGES)).to_have_count(2)
    point.focus()
    page.keyboard.press("Space")
    expect(point).not_to_be_checked()
    page.get_by_role("region", name="Messages").focus()
    page.keyboard.press("Shift+S")
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    expect(page.locator(MESSAGES)).to_have_count(3)
    page.keyboard.press("a")
    expect(page.locator(".chat")).to_contain_text("A step to the next agent by you")
    expect(page.locator(MESSAGES)).to_have_count(3)
    page.keyboard.press("Space")
    expect_end(page)


def test_a_box_that_is_pressed_while_the_run_goes_on_keeps_the_press(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    address = make_team(pair())
    page = open_page()
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("tab", name="Debug").click()
    page.get_by_role("form", name="New breakpoint").get_by_label("Agent", exact=True).fill("critic")
    page.keyboard.press("Enter")
    point = page.get_by_role("checkbox", name="Before critic")
    expect(point).to_be_checked()
    give_task(page, address)
    page.get_by_role("tab", name="Debug").click()
    expect(page.locator(STATE)).to_have_text("Paused at a breakpoint")
    expect(page.locator(".breakpoint .badge")).to_have_text("1×")
    point.focus()
    page.keyboard.down("Space")
    step = {"command": "step", "data": {"until": "turn"}}
    api.post(f"/api/runs/{page.url.rpartition('/')[2]}/commands", json=step).raise_for_status()  # by somebody else
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    expect(page.locator(".breakpoint[data-here]")).to_have_count(0)
    page.keyboard.up("Space")
    expect(point).not_to_be_checked()
    page.get_by_role("button", name="Remove breakpoint: Before critic").click()


def test_what_is_added_before_the_stored_settings_are_read_leaves_them_in_place(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    address = make_team(shouting())
    team = f"/api/teams/{address.split('/')[-2]}"
    stored = {"id": "b", "on": "agent", "name": "clerk", "when": "after", "visit": 1}
    api.put(f"{team}/breakpoints", json={"breakpoints": [stored]}).raise_for_status()
    rule: JsonObject = {"tool": "other", "when": [], "verdict": "deny", "reason": "No."}
    api.put(f"{team}/policy", json={"policy": {"rules": [rule]}}).raise_for_status()
    page = open_page()
    late: list[Route] = []

    def hold_back(route: Route) -> None:
        late.append(route) if route.request.method == "GET" else route.continue_()

    page.route(re.compile(r"/api/teams/[^/]+/(breakpoints|policy)$"), hold_back)
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("tab", name="Debug").click()
    form = page.get_by_role("form", name="New breakpoint")
    form.get_by_label("Agent", exact=True).fill("clerk")
    page.keyboard.press("Enter")
    unanswered = page.get_by_label("Action if unanswered")
    expect(unanswered).to_have_count(0)
    with page.expect_response(lambda each: each.request.method == "PUT" and each.url.endswith("/breakpoints")):
        for route in late:
            route.continue_()
    expect(page.get_by_role("checkbox", name="Before clerk")).to_be_checked()
    expect(page.get_by_role("checkbox", name="After clerk")).to_be_checked()
    with page.expect_response(lambda each: each.request.method == "PUT" and each.url.endswith("/policy")):
        unanswered.select_option("allow")
    assert len(api.get(f"{team}/breakpoints").json()["breakpoints"]) == 2
    kept = api.get(f"{team}/policy").json()["policy"]
    assert ([each["tool"] for each in kept["rules"]], kept["on_timeout"]) == (["other"], "allow")


def test_the_last_message_is_changed_and_another_handed_in(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    address = make_team(pair())
    team_id = address.split("/")[-2]
    points = [{"id": "b", "on": "agent", "name": "writer", "when": "after", "visit": 1}]
    api.put(f"/api/teams/{team_id}/breakpoints", json={"breakpoints": points}).raise_for_status()
    page = open_page()
    give_task(page, address)
    expect(page.locator(STATE)).to_have_text("Paused at a breakpoint")
    page.get_by_role("tab", name="Debug").click()
    page.get_by_label("Last message, by writer").fill("Uno.")
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator(".chat")).to_contain_text("Message changed by you")
    expect(page.locator(MESSAGES).nth(1).locator(".prose").first).to_have_text("Uno.")
    expect(page.locator(MESSAGES).nth(1).get_by_text("Show original")).to_be_visible()
    page.get_by_label("Say as").select_option("critic")
    page.get_by_label("Message", exact=True).fill("Hm.")
    page.locator("[data-part=inject]").get_by_role("button", name="Send").click()
    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    page.get_by_role("button", name="Resume").click()
    expect_end(page)
    expect(page.locator(MESSAGES).nth(2)).to_contain_text("Hm.")


def walk(page: Page, to: Locator, key: str = "Tab") -> None:
    """With one key from stop to stop, as somebody does who sees only where the focus is."""
    for _ in range(80):
        if to.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {to}.")


def test_a_breakpoint_a_step_a_changed_message_and_a_fork_need_no_pointer(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    page = open_page()
    page.goto(make_team(pair()), wait_until="domcontentloaded")
    task = page.get_by_role("textbox", name="Task for the team")
    expect(task).to_be_focused()
    walk(page, page.get_by_role("tab", name="Flow"))
    while not page.get_by_role("tab", name="Debug", selected=True).is_visible():
        page.keyboard.press("ArrowRight")
    form = page.get_by_role("form", name="New breakpoint")
    walk(page, form.get_by_label("When"))
    page.keyboard.press("ArrowDown")
    walk(page, form.get_by_label("Agent", exact=True))
    page.keyboard.type("writer")
    page.keyboard.press("Tab")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox", name="After writer")).to_be_checked()
    walk(page, task, "Shift+Tab")
    page.keyboard.type("Write two lines.")
    page.keyboard.press("Enter")
    expect(page.locator(STATE)).to_have_text("Paused at a breakpoint")

    said = page.get_by_label("Last message, by writer")
    expect(said).to_have_value("One.")
    walk(page, said)
    page.keyboard.press("Control+A")
    page.keyboard.type("Uno.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".chat")).to_contain_text("Message changed by you")
    expect(page.locator(MESSAGES).nth(1).locator(".prose").first).to_have_text("Uno.")
    assert page.evaluate("document.activeElement !== document.body")
    page.keyboard.press("Shift+S")
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    expect(page.locator(MESSAGES)).to_have_count(3)

    before = page.url
    page.keyboard.press("Shift+G")
    page.keyboard.press("k")
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog", name="Fork from")
    text = dialog.get_by_role("textbox", name="Message text")
    expect(text).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Another line.")
    walk(page, dialog.get_by_role("button", name="Fork", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator(".run-origin")).to_contain_text("Fork of another run")
    expect(page.locator(".chat")).to_contain_text("Another line.")
    forked = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()
    assert (forked["origin"], before.rsplit("/", 1)[1]) == ("fork", forked["parent_id"])


def test_a_question_with_a_form_is_answered(open_page: OpenPage, make_team: MakeTeam) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"size": {"type": "integer", "title": "Size"}, "colour": {"enum": ["red", "blue"]}},
        "required": ["size"],
    }
    person: JsonObject = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "person", "description": "", "answer_schema": schema},
    }
    page = open_page()
    give_task(page, make_team(round_robin(person, message_count=2)))
    form = page.locator(".question-form")
    expect(form.get_by_label("Size")).to_be_visible()  # what is asked may come before the form that it is asked with
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("alert")).to_have_text("Fill in Size.")
    form.get_by_label("Size").fill("3")
    form.get_by_label("colour").select_option("blue")
    form.get_by_label("Size").press("Enter")
    expect_end(page)
    expect(page.locator(MESSAGES).last).to_contain_text('"size":3')


def test_the_form_of_a_tool_leads_to_when_it_asks(open_page: OpenPage, make_team: MakeTeam) -> None:
    page = open_page()
    page.goto(make_team(shouting()).removesuffix("/play"), wait_until="domcontentloaded")
    wait_for_builder(page)
    to_rules = page.get_by_role("link", name="Choose when tools ask before they run")
    expect(to_rules).to_be_hidden()
    page.locator(".node[data-card] .chip[data-kind=tool]").click()
    to_rules.click()
    expect(page.get_by_label("Rule for shout")).to_be_visible()
