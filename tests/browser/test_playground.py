"""The playground as its user sees it: a task, messages as they are written, the buttons, the log afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import OpenPage, ShippedTeam, StudioServer
from tests.browser.playing import (
    MESSAGES,
    PIXEL,
    STATE,
    expect_end,
    give_task,
    logged_messages,
    shown_messages,
)
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.documents import assistant, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_what_a_team_may_not_do_yet_is_shown_exactly_and_refused_by_cancel(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill("Write.")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".capability summary").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.locator("pre").first).to_have_text(openai_server.url)
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("textbox", name="Task for the team")).to_have_value("Write.")
    assert openai_server.request_count == 0


def test_a_page_that_joins_in_mid_message_has_each_word_once(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str], api: httpx.Client
) -> None:
    openai_server.say(Reply("Old leaves fall down", hold=2), Reply("Not **bad** at all."))
    page = open_page()
    give_task(page, pair(3))
    openai_server.wait_until_held()
    expect(page.locator("[data-streaming] .prose")).to_have_text(re.compile(r"^Old leaves\s*$"))
    page.reload(wait_until="domcontentloaded")
    expect(page.locator("[data-streaming] .prose")).to_have_text(re.compile(r"^Old leaves\s*$"))
    other = page.context.new_page()
    other.goto(page.url, wait_until="domcontentloaded")
    expect(other.locator("[data-streaming] .prose")).to_have_text(re.compile(r"^Old leaves\s*$"))
    openai_server.release()
    for each in (page, other):
        expect(each.locator(".run-end p")).to_have_text(["Finished because 3 messages are reached"])
        expect(each.locator(MESSAGES).nth(1)).to_contain_text("Old leaves fall down")
        expect(each.locator(MESSAGES).nth(2).locator("strong")).to_have_text("bad")
        assert shown_messages(each) == logged_messages(api, page)


def test_a_model_server_that_refuses_ends_the_run_with_what_to_do(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.always(Reply(status=401))
    page = open_page()
    give_task(page, pair(5))
    expect(page.locator(".run-end[data-state=failed] p")).to_have_count(2)


def test_links_and_pictures_of_a_model_lead_nowhere_they_should_not(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(
        "[a](javascript:alert(1)) [b](https://example.org) ![c](https://example.org/c.png) snake_case_name"
    )
    page = open_page()
    give_task(page, pair(2))
    message = page.locator(MESSAGES).nth(1)
    expect(message.get_by_role("link", name="b")).to_have_attribute("href", "https://example.org")
    expect(message).to_contain_text("snake_case_name")
    assert message.locator("a[href^='javascript']").count() == 0
    assert message.locator("img[src]").count() == 0


def test_pictures_go_with_the_task_and_too_large_ones_into_the_folder(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    page.locator("input[type=file][multiple]").set_input_files(
        [
            {"name": "big.png", "mimeType": "image/png", "buffer": PIXEL + bytes(6 * 1024 * 1024)},
            {"name": "small.png", "mimeType": "image/png", "buffer": PIXEL},
        ]
    )
    expect(page.get_by_role("listitem").filter(has_text="big.png")).to_contain_text("Folder only")
    expect(page.get_by_label("How agents get small.png")).to_have_value("picture")
    page.get_by_role("textbox", name="Task for the team").fill("What is this?")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Approve and run").click()
    expect_end(page)
    expect(page.locator(MESSAGES).first.locator("img")).to_have_count(1)
    assert "image_url" in str(openai_server.requests[0].body["messages"])


def test_a_question_is_answered_at_its_place_and_stays_as_a_record(
    open_page: OpenPage, shipped_team: ShippedTeam
) -> None:
    page = open_page()
    give_task(page, shipped_team("Letter with approval", has_waits=True), "Draft a note to our neighbours.")
    expect(page.locator(STATE)).to_have_text("Waiting for your answer")
    box = page.locator(".question textarea")
    expect(box).to_be_focused()
    page.keyboard.type("APPR")
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(".run-state").first).to_have_text("Waiting for you")
    expect(box).to_have_value("APPR")
    box.press("End")
    page.keyboard.type("OVE")
    page.keyboard.press("Enter")
    expect_end(page, "Finished")
    expect(page.locator(".question[data-answer=answered]")).to_have_count(1)
    expect(page.locator(".turn[data-side=user]").last).to_contain_text("APPROVE")


def test_a_tool_call_is_folded_with_its_result_and_the_flow_counts_each_message(
    open_page: OpenPage, shipped_team: ShippedTeam
) -> None:
    page = open_page()
    give_task(page, shipped_team("Stargazing night"), "We want to see the Milky Way.")
    expect_end(page, "Finished")
    call = page.locator(".tool-call[data-state=ok]")
    expect(call.locator(".tool-detail")).to_be_hidden()
    call.locator("summary").click()
    expect(call.locator(".tool-detail pre")).to_have_count(2)
    page.get_by_text("As a table").click()
    expect(page.locator("[data-part=flow-table] tr").first).to_have_text("Taskguide1")
    expect(page.locator(".flow-node[data-state=heard]")).to_have_count(4)


def test_selecting_a_message_selects_it_in_the_flow_and_a_link_leads_to_it(
    open_page: OpenPage, shipped_team: ShippedTeam
) -> None:
    page = open_page()
    give_task(page, shipped_team("Writer and critic"))
    expect_end(page)
    page.locator("body").click(position={"x": 700, "y": 20})
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(f"{MESSAGES}[data-selected]")).to_contain_text("writer")
    expect(page.locator(".flow-edge[data-selected]")).to_have_count(1)
    seq = shown_messages(page)[2]
    page.goto(f"{page.url.split('#')[0]}#seq-{seq}", wait_until="domcontentloaded")
    expect(page.locator(f"#seq-{seq}")).to_have_attribute("data-selected", "")


def test_past_runs_are_reopened_from_the_log(open_page: OpenPage, shipped_team: ShippedTeam) -> None:
    page = open_page()
    address = shipped_team("Writer and critic")
    give_task(page, address, "The first task.")
    expect_end(page)
    first = page.url
    page.get_by_role("button", name="New run").click()
    expect(page.get_by_text("Give the team a task")).to_be_visible()
    row = page.locator(".run-row", has_text="The first task.")
    expect(row).to_contain_text("Finished")
    row.click()
    expect(page.locator(MESSAGES)).to_have_count(5)
    expect_end(page)
    assert page.url == first


def test_a_run_that_ends_while_its_page_opens_is_shown_to_its_end(
    open_page: OpenPage, shipped_team: ShippedTeam
) -> None:
    page = open_page()
    give_task(page, shipped_team("Writer and critic"), "Write a poem.")
    expect_end(page)

    def before_the_end(route: Route) -> None:
        answer = route.fetch()
        page_of_log = answer.json()
        route.fulfill(response=answer, json=page_of_log | {"entries": page_of_log["entries"][:-1]})

    page.route("**/events?newest=true*", before_the_end)
    page.reload()
    expect_end(page)


def test_what_is_asked_for_before_the_run_has_come_is_shown_when_it_has(
    open_page: OpenPage, shipped_team: ShippedTeam
) -> None:
    page = open_page()
    give_task(page, shipped_team("Writer and critic"), "Write a poem.")
    expect_end(page)
    held: list[Route] = []
    come = True

    def run_asked_for(route: Route) -> None:
        route.continue_() if come else held.append(route)

    def reload_without_the_run() -> None:
        nonlocal come
        come = False
        page.reload(wait_until="domcontentloaded")

    def let_the_run_come() -> None:
        nonlocal come
        come = True
        while held:
            held.pop().continue_()

    page.route(re.compile(r"/api/runs/[^/?]+$"), run_asked_for)
    reload_without_the_run()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Commands").fill("side by side")
    option = page.get_by_role("option", name="Open side by side…")
    expect(option).to_have_count(0)
    let_the_run_come()
    expect(option).to_be_visible()
    reload_without_the_run()
    page.get_by_role("button", name="More for this run").click()
    let_the_run_come()
    expect(page.get_by_role("menuitem", name="Share…")).to_be_visible()


def test_a_page_sees_its_run_go_on_after_the_server_was_killed(
    open_page: OpenPage,
    studio_server: StudioServer,
    openai_server: OpenAIServer,
    pair: Callable[[int], str],
    api: httpx.Client,
) -> None:
    openai_server.say("First.", Reply("second half", hold=1))
    page = open_page()
    give_task(page, pair(9))
    openai_server.wait_until_held()
    expect(page.locator("[data-streaming]")).to_be_visible()
    studio_server.kill()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    studio_server.start(port=int(studio_server.url.rsplit(":", 1)[1]))
    expect_end(page)
    expect(page.get_by_text("Reconnecting…")).to_be_hidden()
    assert shown_messages(page) == logged_messages(api, page)
    assert len(logged_messages(api, page)) == 9


def test_older_runs_of_a_team_are_listed_when_asked_for(open_page: OpenPage, api: httpx.Client) -> None:
    """A page of the list has fifty; who asked for more keeps them, and goes on from the first of them."""
    made = api.post("/api/teams", json={"component": team(assistant("writer", "A line."), max_messages=2)}).json()
    begun = [api.post("/api/runs", json={"team_id": made["id"], "task": f"Task {n}."}).json()["id"] for n in range(53)]
    page = open_page()
    page.goto(f"{str(api.base_url).rstrip('/')}/teams/{made['id']}/play", wait_until="domcontentloaded")
    rows = page.locator(".run-list .run-row")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Older runs").press("Enter")
    expect(rows).to_have_count(53)
    expect(page.get_by_role("button", name="Older runs")).to_be_hidden()
    assert rows.evaluate_all("rows => rows.map(row => row.dataset.run)") == begun[::-1]
    expect(rows.nth(50)).to_be_focused()
