"""The playground as its user sees it: a task, messages as they are written, the buttons, the log afterwards."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import cast

import httpx
import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from studio.components import JsonObject
from tests.browser.conftest import OpenPage, StudioServer
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

STATE = "[data-part=state]"
MESSAGES = ".chat > .turn[data-kind=message]"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
)

MakeTeam = Callable[[JsonObject], str]
"""Saves a team and gives the address of its playground."""


def agent(name: str, model: JsonObject) -> JsonObject:
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "config": {"name": name, "model_client": model, "model_client_stream": True},
    }


def round_robin(*participants: JsonObject, message_count: int) -> JsonObject:
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {
            "participants": list(participants),
            "termination_condition": {
                "provider": "autogen_agentchat.conditions.MaxMessageTermination",
                "component_type": "termination",
                "config": {"max_messages": message_count},
            },
        },
    }


@pytest.fixture
def api(studio_server: StudioServer) -> Iterator[httpx.Client]:
    token = studio_server.entrance.split("token=")[1]
    with httpx.Client(base_url=studio_server.url, headers={"Authorization": f"Bearer {token}"}) as client:
        yield client


@pytest.fixture
def make_team(api: httpx.Client) -> MakeTeam:
    def make(component: JsonObject) -> str:
        team = api.post("/api/teams", json={"component": component}).json()
        return f"{api.base_url}/teams/{team['id']}/play".replace("//teams", "/teams")

    return make


@pytest.fixture
def shipped_team(api: httpx.Client) -> Callable[[str], str]:
    """The playground of a team of the gallery that comes with the studio."""

    def make(label: str) -> str:
        [gallery] = [each for each in api.get("/api/galleries").json() if each["name"] == "Team Studio"]
        teams = api.get(f"/api/galleries/{gallery['id']}").json()["components"]["teams"]
        index = [each["label"] for each in teams].index(label)
        source = {"gallery_id": gallery["id"], "group": "teams", "index": index}
        team = api.post("/api/teams", json={"from_gallery": source}).json()
        return f"{api.base_url}/teams/{team['id']}/play".replace("//teams", "/teams")

    return make


@pytest.fixture
def pair(openai_server: OpenAIServer, make_team: MakeTeam) -> Callable[[int], str]:
    """A writer and a critic who take turns, with a model server that the test tells what to say."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }

    def make(message_count: int) -> str:
        return make_team(round_robin(agent("writer", model), agent("critic", model), message_count=message_count))

    return make


def give_task(page: Page, address: str, task: str = "Write two lines.") -> None:
    """Start a run, with all approvals that the team asks for."""
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill(task)
    page.keyboard.press("Enter")
    started = page.locator("[data-view=run]")
    approve = page.get_by_role("button", name="Approve and run")
    expect(started.or_(approve)).to_be_visible()
    if approve.is_visible():
        approve.click()
    expect(started).to_be_visible()


def accessibility_problems(page: Page) -> list[str]:
    """What axe finds, as rule and place; the page must allow scripts to write styles."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) =>"
        " violations.flatMap(({id, nodes}) => nodes.map(({target}) => `${id} ${target}`)))"
    )
    return cast("list[str]", found)


def expect_end(page: Page, words: str = "") -> None:
    """Scripted teams take their time between words."""
    expect(page.locator(".run-end")).to_contain_text(words, timeout=30_000)


def logged_messages(api: httpx.Client, page: Page) -> list[int]:
    entries = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}/events").json()["entries"]
    return [entry["seq"] for entry in entries if entry["kind"] == "message"]


def shown_messages(page: Page) -> list[int]:
    return cast(
        "list[int]", page.locator(MESSAGES).evaluate_all("nodes => nodes.map(node => Number(node.dataset.seq))")
    )


def test_what_a_team_may_not_do_yet_is_shown_exactly_and_refused_by_cancel(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill("Write.")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("pre").first).to_be_focused()
    expect(dialog).to_contain_text(openai_server.url.removesuffix("/v1").removeprefix("http://"))
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
        expect(each.locator(".run-end")).to_have_text(
            "Finished: Maximum number of messages 3 reached, current message count: 3"
        )
        expect(each.locator(MESSAGES).nth(1)).to_contain_text("Old leaves fall down")
        expect(each.locator(MESSAGES).nth(2).locator("strong")).to_have_text("bad")
        assert shown_messages(each) == logged_messages(api, page)


def test_pause_holds_step_gives_one_message_and_stop_ends_after_the_turn(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str], api: httpx.Client
) -> None:
    openai_server.say(Reply("one", hold=0))
    page = open_page()
    give_task(page, pair(50))
    openai_server.wait_until_held()
    expect(page.locator(STATE)).to_have_text("Running")
    page.keyboard.press("Space")
    expect(page.locator(STATE)).to_have_text("Pausing")
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")
    expect(page.locator(MESSAGES)).to_have_count(2)
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()
    assert openai_server.request_count == 1

    page.keyboard.press("s")
    expect(page.locator(STATE)).to_have_text("Paused after one step")
    expect(page.locator(MESSAGES)).to_have_count(3)
    assert openai_server.request_count == 2

    openai_server.say(Reply("three", hold=0))
    page.get_by_role("button", name="Resume").click()
    openai_server.wait_until_held()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(STATE)).to_have_text("Stopping after this turn")
    openai_server.release()
    expect_end(page, "Stopped")
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_visible()
    assert shown_messages(page) == logged_messages(api, page)
    assert openai_server.request_count == 3


def test_an_answer_to_a_command_that_comes_late_does_not_hide_newer_news(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("one", hold=0))
    page = open_page()
    give_task(page, pair(50))
    openai_server.wait_until_held()
    expect(page.locator(STATE)).to_have_text("Running")
    page.keyboard.press("Space")
    expect(page.locator(STATE)).to_have_text("Pausing")
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")

    late: list[tuple[Route, APIResponse]] = []
    page.route("**/commands", lambda route: late.append((route, route.fetch())))
    page.keyboard.press("s")
    expect(page.locator(STATE)).to_have_text("Paused after one step")
    [(route, response)] = late
    assert response.json()["reason"] == "step"
    with page.expect_response("**/commands"):
        route.fulfill(response=response)
    expect(page.get_by_role("button", name="Step", exact=True)).not_to_have_attribute("aria-busy", "true")
    assert page.locator(STATE).inner_text() == "Paused after one step"


def test_the_keyboard_keeps_its_place_from_the_start_of_a_run_to_its_end(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("one", hold=0))
    page = open_page()
    give_task(page, pair(5))
    openai_server.wait_until_held()
    expect(page.locator("[data-command=pause]")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-command=resume]")).to_be_focused()
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.locator(STATE)).to_have_text("Cancelled")
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_focused()
    expect(page.locator(".run-end")).to_contain_text("Cancelled by you")
    expect(page.locator(".chat").get_by_text("Cancelled by you")).to_have_count(1)


def test_cancel_ends_a_message_that_never_comes(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("never said", hold=1))
    page = open_page()
    give_task(page, pair(5))
    openai_server.wait_until_held()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(STATE)).to_have_text("Cancelled")
    expect(page.locator("[data-streaming]")).to_have_count(0)


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


def test_pictures_go_with_the_task_and_too_large_ones_are_refused(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    page.locator("input[type=file]").set_input_files(
        [
            {"name": "big.png", "mimeType": "image/png", "buffer": bytes(6 * 1024 * 1024)},
            {"name": "small.png", "mimeType": "image/png", "buffer": PIXEL},
        ]
    )
    expect(page.get_by_text("big.png has 6.0 MB. A picture may have 5 MB at most.")).to_be_visible()
    page.get_by_role("textbox", name="Task for the team").fill("What is this?")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Approve and run").click()
    expect_end(page)
    expect(page.locator(MESSAGES).first.locator("img")).to_have_count(1)
    assert "image_url" in str(openai_server.requests[0].body["messages"])


def test_a_question_is_answered_at_its_place_and_stays_as_a_record(
    open_page: OpenPage, shipped_team: Callable[[str], str]
) -> None:
    page = open_page()
    give_task(page, shipped_team("Letter with approval"), "Draft a note to our neighbours.")
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
    open_page: OpenPage, shipped_team: Callable[[str], str]
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
    open_page: OpenPage, shipped_team: Callable[[str], str]
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


def test_past_runs_are_reopened_from_the_log(open_page: OpenPage, shipped_team: Callable[[str], str]) -> None:
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


@pytest.mark.parametrize(("width_px", "scheme"), [(1440, "light"), (1440, "dark"), (390, "dark")])
def test_a_run_is_accessible_and_fits_its_window(
    browser: Browser,
    studio_server: StudioServer,
    shipped_team: Callable[[str], str],
    width_px: int,
    scheme: str,
) -> None:
    context = browser.new_context(
        viewport={"width": width_px, "height": 844},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # the checker writes styles into the page
    )
    page = context.new_page()
    page.goto(studio_server.entrance, wait_until="domcontentloaded")
    give_task(page, shipped_team("Stargazing night"))
    expect_end(page)
    assert accessibility_problems(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    if width_px < 720:
        page.get_by_role("tab", name="Flow").click()
        expect(page.locator(".flow-node").first).to_be_visible()
        page.get_by_role("tab", name="Runs").click()
        expect(page.locator(".run-row")).to_have_count(1)
    context.close()


def test_a_page_finds_its_run_again_after_the_server_was_killed(
    open_page: OpenPage, studio_server: StudioServer, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say("First.", Reply("second half", hold=1))
    page = open_page()
    give_task(page, pair(9))
    openai_server.wait_until_held()
    expect(page.locator("[data-streaming]")).to_be_visible()
    studio_server.kill()
    expect(page.get_by_text("Connecting again")).to_be_visible()
    studio_server.start(port=int(studio_server.url.rsplit(":", 1)[1]))
    expect(page.locator(STATE)).to_have_text("Interrupted", timeout=20_000)
    expect_end(page, "Interrupted")
    expect(page.get_by_text("Connecting again")).to_be_hidden()
    assert len(shown_messages(page)) >= 2
