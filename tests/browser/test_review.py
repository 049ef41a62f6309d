"""Deciding what a stranger's team may do, in the browser."""

from __future__ import annotations

import re
from collections.abc import Sequence

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect
from pydantic import JsonValue

from studio.components import JsonObject
from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import agent, limit, team, wait_for_builder
from tests.browser.conftest import MakeTeam, OpenPage
from tests.fakes.openai_server import OpenAIServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

SHOUT = "def shout(text: str) -> str:\n    return text.upper()\n"
FETCH = (
    "import urllib.request\ndef fetch() -> str:\n"
    "    return urllib.request.urlopen('https://weather.test/').read().decode()\n"
)


def tool(name: str, source: str) -> JsonObject:
    config: JsonObject = {"name": name, "description": "It.", "source_code": source, "global_imports": []}
    return {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}


def guests(*sources: str, replies: Sequence[JsonValue] = ("Good evening.",)) -> JsonObject:
    tools = [tool("shout" if "shout" in source else "fetch", source) for source in sources]
    info: JsonObject = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
    scripted: JsonObject = {"chat_completions": [*replies], "model_info": info}
    provider = "autogen_ext.models.replay.ReplayChatCompletionClient"
    model: JsonObject = {"provider": provider, "component_type": "replay_chat_completion_client", "config": scripted}
    return team(agent("guest", tools=[*tools], model_client=model))


def item(page: Page, words: str) -> Locator:
    return page.locator(".review-item").filter(has_text=words)


def asks(page: Page, address: str) -> Locator:
    """The dialog of a run that is not allowed yet."""
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill("Greet the neighbours.")
    page.keyboard.press("Enter")
    return page.get_by_role("dialog")


def connected(server: OpenAIServer, *tools: JsonObject, key: str = "env:HOME") -> JsonObject:
    config: JsonObject = {"model": "gpt-4o", "base_url": server.url, "api_key": key, "max_retries": 0}
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    model: JsonObject = {"provider": provider, "component_type": "model", "config": config}
    return team(agent("guest", tools=[*tools], model_client=model), termination_condition=limit(2))


def test_a_run_asks_in_one_sentence_and_folds_what_is_exact(
    open_page: OpenPage, make_team: MakeTeam, openai_server: OpenAIServer
):
    page = open_page()
    dialog = asks(page, make_team(connected(openai_server, tool("shout", SHOUT))))
    host = openai_server.url.split("/")[2]
    expect(dialog).to_contain_text(
        f"This team can run 1 piece of Python on this computer, connect to {host} and use the secret env:HOME."
    )
    expect(dialog.locator(".capability summary strong")).to_have_text(["Code", "Network", "Secrets"])
    expect(dialog).not_to_contain_text("/config/")
    expect(dialog.locator("pre").filter(has_text="def shout")).to_be_hidden()
    expect(dialog.locator(".capability summary").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.locator("pre").filter(has_text="def shout")).to_be_visible()


def test_a_model_connection_is_approved_once_for_all_teams_and_nothing_else_with_it(
    open_page: OpenPage, make_team: MakeTeam, openai_server: OpenAIServer
):
    openai_server.say("Good evening.", "Good night.")
    shouting, quiet, other_key = (
        make_team(each)
        for each in (
            connected(openai_server, tool("shout", SHOUT)),
            connected(openai_server),
            connected(openai_server, key="env:PATH"),
        )
    )
    again = make_team(connected(openai_server, tool("shout", SHOUT)))
    page = open_page()
    dialog = asks(page, shouting)
    dialog.get_by_label("Allow this model connection in all teams").check()
    dialog.get_by_role("button", name="Approve and run").click()
    page.wait_for_url(re.compile("/runs/"))
    asks(page, quiet)
    page.wait_for_url(re.compile("/runs/"))
    for other in (again, other_key):
        expect(asks(page, other)).to_contain_text("Approve this team?")


def test_what_hides_characters_is_shown_without_being_asked_for(open_page: OpenPage, make_team: MakeTeam):
    page = open_page()
    dialog = asks(page, make_team(guests(SHOUT.replace("upper()", "upper() # \u202e"))))
    expect(dialog.locator("pre").get_by_title("Invisible character")).to_be_visible()


def test_a_refused_run_leads_to_the_review_and_back_to_the_task(open_page: OpenPage, make_team: MakeTeam):
    page = open_page()
    page.goto(make_team(guests(SHOUT, FETCH)), wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill("Greet the neighbours.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Code approved here has no network access.")
    page.get_by_role("button", name="Review each").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text(
        "This team can run 2 pieces of Python on this computer."
    )
    fetch = item(page, "'fetch'")
    fetch.get_by_text("Show the code").click()
    expect(fetch.get_by_role("group", name="The code")).to_contain_text("urlopen('https://weather.test/')")
    fetch.get_by_label("Only these hosts").check()
    fetch.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("Allowed in this team")).to_have_count(0)  # it does not say where it may go yet
    fetch.get_by_role("button", name="Add weather.test:443").click()
    fetch.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("may reach weather.test:443")).to_be_visible()
    expect(item(page, "'shout'")).to_be_focused()
    item(page, "'shout'").get_by_role("button", name="Allow").press("Enter")
    go_on = page.get_by_role("link", name="Continue to the run")
    expect(go_on).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Task for the team")).to_have_value("Greet the neighbours.")
    page.get_by_role("textbox", name="Task for the team").press("Enter")
    expect(page.locator("[data-view=run]")).to_be_visible()


def test_a_page_that_shows_old_code_allows_nothing(open_page: OpenPage, make_team: MakeTeam, api: httpx.Client):
    page = open_page()
    address = make_team(guests(SHOUT)).replace("/play", "/review")
    page.goto(address, wait_until="domcontentloaded")
    team_id = address.split("/")[-2]
    changed = guests(SHOUT.replace("upper", "lower"))
    saved = api.put(f"/api/teams/{team_id}", json={"component": changed, "layout": {}, "revision": 1})
    assert saved.status_code == 200
    page.get_by_role("button", name="Allow", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("It may have changed. Open the review again.")
    expect(page.locator("strong", has_text="1 permission needs your decision.")).to_be_visible()
    expect(page.locator(".review-item .source")).to_contain_text("lower")


def test_who_asks_is_shown_in_the_builder(open_page: OpenPage, make_team: MakeTeam):
    page = open_page()
    page.goto(make_team(guests(SHOUT)).replace("/play", "/review"), wait_until="domcontentloaded")
    page.get_by_role("link", name="guest › shout").click()
    wait_for_builder(page)
    expect(page.locator("#panel-form")).to_contain_text("shout")
    expect(page).to_have_url(re.compile(r"/teams/[^/?]+$"))


@also_narrow
def test_the_review_is_sound_in_every_state(open_page: OpenPage, make_team: MakeTeam, api: httpx.Client, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    address = make_team(guests(SHOUT.replace("upper()", "upper()  # \u202e"), FETCH)).replace("/play", "/review")
    page.goto(address, wait_until="domcontentloaded")
    for summary in page.locator("summary").all():
        summary.click()
    page.get_by_label("Only these hosts").first.check()
    look("review, nothing decided")
    page.get_by_label("None").first.check()
    page.get_by_role("button", name="Allow both").click()
    expect(page.get_by_text("All permissions are allowed.")).to_be_visible()
    team_id = address.split("/")[-2]
    changed = guests(SHOUT.replace("upper", "lower"))
    api.put(f"/api/teams/{team_id}", json={"component": changed, "layout": {}, "revision": 1})
    page.reload(wait_until="domcontentloaded")
    expect(page.get_by_text("Changed", exact=True)).to_be_visible()
    look("review, changed")
    page.locator("[data-revoke]").first.click()
    look("review, revoking", "dialog")
    page.get_by_role("button", name="Revoke", exact=True).last.click()
    expect(page.locator("dialog")).to_have_count(0)
    page.goto(address.split("/teams/")[0] + "/settings/approvals", wait_until="domcontentloaded")
    look("approvals")
    assert inspection.faults == []


def test_code_that_lacks_a_network_says_so_and_leads_to_where_it_is_allowed(open_page: OpenPage, make_team: MakeTeam):
    call: JsonObject = {"id": "1", "name": "fetch", "arguments": "{}"}
    usage: JsonObject = {"prompt_tokens": 1, "completion_tokens": 1}
    wish: JsonObject = {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    page = open_page()
    asks(page, make_team(guests(FETCH, replies=[wish, "Sorry."]))).get_by_role("button", name="Approve and run").click()
    call_of_fetch = page.locator(".tool-call").filter(has_text="fetch")
    call_of_fetch.locator("summary").click()
    expect(call_of_fetch.locator("pre").last).to_contain_text("This code has no network access.")
    call_of_fetch.get_by_role("link", name="Allow hosts").click()
    allowed = page.locator(".review-allowed").filter(has_text="'fetch'")
    allowed.get_by_role("button", name="Add weather.test:443").click()
    allowed.get_by_role("button", name="Allow in this team").click()
    expect(page.locator(".review-allowed").filter(has_text="'fetch'")).to_contain_text("weather.test:443")
