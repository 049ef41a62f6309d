"""A person talks to a published team in a browser: asks, reads, reloads, answers, stops; and on another site."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect

from tests.browser.accessibility import Inspection, widths
from tests.browser.building import JsonObject, OpenPage, agent, limit, replay, team
from tests.browser.conftest import StudioServer
from tests.browser.elsewhere import Elsewhere, elsewhere
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

PERSON: JsonObject = {
    "provider": "autogen_agentchat.agents.UserProxyAgent",
    "component_type": "agent",
    "config": {"name": "visitor"},
}

ADD_SCRIPT = "(src) => document.head.append(Object.assign(document.createElement('script'), {src}))"
GET_TOKEN = """async (url) => {
  const asked = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}
  try { return (await fetch(url, asked)).status } catch { return 'refused' }
}"""


def asked_by(openai_server: OpenAIServer) -> JsonObject:
    config = {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0}
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    return {"provider": provider, "component_type": "model", "config": config}


def pair(openai_server: OpenAIServer) -> JsonObject:
    model = asked_by(openai_server)
    members = [agent(name, model_client=model, model_client_stream=True) for name in ("writer", "editor")]
    return team(*members, termination_condition=limit(3))


def asking() -> JsonObject:
    """A team that asks its person once."""
    writer = agent("writer", model_client=replay("Which color?", "Blue it is."))
    return team(writer, PERSON, termination_condition=limit(4))


def open_chat(api: httpx.Client, name: str, component: JsonObject, access: str = "anyone", **chat: object) -> str:
    """Publish a team with a chat page; the first key."""
    made = api.post("/api/teams", json={"component": component, "name": f"Team of {name}"}).json()
    settings = {"sees": "messages", "chat": {"access": access, **chat}}
    body = {"team_id": made["id"], "name": name, "settings": settings, "key_label": "shop"}
    answer = api.post("/api/deployments", json=body)
    if missing := answer.json().get("missing"):
        api.post("/api/approvals", json={"hashes": [each["hash"] for each in missing]}).raise_for_status()
        answer = api.post("/api/deployments", json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["key"]["key"])


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """A browser without any cookie of the studio; a script error or a blocked resource in it fails the test."""
    context: BrowserContext = browser.new_context(reduced_motion="reduce")
    problems: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))

    def note(said: ConsoleMessage) -> None:
        if "Content Security Policy" in said.text and "Framing" not in said.text:
            problems.append(said.text)

    page.on("console", note)
    yield page
    context.close()
    assert not problems, problems


@pytest.fixture
def site() -> Iterator[Elsewhere]:
    with elsewhere() as found:
        yield found


def visit(page: Page, api: httpx.Client, name: str) -> None:
    page.goto(f"{str(api.base_url).rstrip('/')}/d/{name}/chat", wait_until="domcontentloaded")
    expect(page.get_by_role("textbox", name="Message")).to_be_enabled()


def test_an_answer_goes_on_after_a_reload_in_its_middle(
    stranger: Page, api: httpx.Client, openai_server: OpenAIServer
) -> None:
    open_chat(api, "poems", pair(openai_server), title="Poems", greeting="Name a thing.")
    openai_server.say("Old leaves **fall**.", Reply("Young ones come.", hold=1))
    visit(stranger, api, "poems")
    expect(stranger.get_by_role("heading", name="Poems")).to_be_visible()
    expect(stranger.get_by_text("Name a thing.")).to_be_visible()
    log = stranger.get_by_role("log", name="Messages")
    assert log.get_attribute("aria-live") == "polite"
    stranger.get_by_role("textbox", name="Message").press_sequentially("Autumn")
    stranger.keyboard.press("Enter")
    expect(log).to_contain_text("Old leaves fall.")
    expect(log.locator("strong")).to_have_text("fall")
    expect(stranger.get_by_role("status")).to_have_text("Working on an answer…")
    openai_server.wait_until_held()
    stranger.reload(wait_until="domcontentloaded")
    expect(log).to_contain_text("Old leaves fall.")
    expect(stranger.get_by_role("button", name="Stop")).to_be_visible()
    openai_server.release()
    expect(log).to_contain_text("Young ones come.")
    expect(stranger.get_by_role("button", name="Send")).to_be_visible()
    said = log.locator(".chat-message").all_inner_texts()
    assert [text.split("\n")[-1] for text in said] == ["Autumn", "Old leaves fall.", "Young ones come."]
    stranger.get_by_role("button", name="New chat").click()
    expect(log.locator(".chat-message")).to_have_count(0)


def test_a_lost_connection_loses_nothing(stranger: Page, api: httpx.Client, openai_server: OpenAIServer) -> None:
    open_chat(api, "lost", pair(openai_server))
    openai_server.say("First line.", Reply("Second line.", hold=1))
    visit(stranger, api, "lost")
    field, log = stranger.get_by_role("textbox", name="Message"), stranger.get_by_role("log")
    dropped: list[str] = []

    def cut(route: Route) -> None:
        headers = {"Content-Type": "text/event-stream"}
        data = json.dumps({"source": "writer", "text": "First line."})
        if dropped:
            route.continue_()
            return
        dropped.append(route.request.url)
        route.fulfill(status=200, headers=headers, body=f"event: message\ndata: {data}\nid: 1\n\n")

    stranger.route("**/events", cut)
    field.fill("Go.")
    field.press("Enter")
    openai_server.wait_until_held()
    openai_server.release()
    expect(log).to_contain_text("Second line.")
    assert dropped


@pytest.mark.parametrize("is_lost", [False, True], ids=["late", "lost"])
def test_an_answer_whose_reply_is_not_there_is_shown(stranger: Page, api: httpx.Client, is_lost: bool) -> None:
    name = f"asking-{is_lost}".lower()
    open_chat(api, name, asking())
    visit(stranger, api, name)
    stranger.get_by_role("textbox", name="Message").fill("Paint.")
    stranger.keyboard.press("Enter")
    answer = stranger.get_by_role("textbox", name="Your answer")
    expect(answer).to_be_focused()
    answer.fill("Blue.")
    stranger.route("**/answers", lambda route: (route.fetch(), route.abort() if is_lost else None)[1])
    stranger.keyboard.press("Enter")
    log = stranger.get_by_role("log")
    expect(log).to_contain_text("Blue it is.")
    # Still with the route: to take it away would send the answer once more, and that one is refused.
    stranger.reload(wait_until="domcontentloaded")
    expect(log).to_contain_text("Blue it is.")
    expect(log.get_by_text("Blue.", exact=True)).to_have_count(1)


def test_an_answer_is_stopped_with_the_keyboard(stranger: Page, api: httpx.Client, openai_server: OpenAIServer) -> None:
    open_chat(api, "slow", pair(openai_server))
    openai_server.say(Reply("Never comes.", hold=1))
    visit(stranger, api, "slow")
    field = stranger.get_by_role("textbox", name="Message")
    field.fill("Go.")
    field.press("Enter")
    openai_server.wait_until_held()
    stranger.keyboard.press("Tab")
    expect(stranger.get_by_role("button", name="Stop")).to_be_focused()
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("log")).to_contain_text("The answer was stopped.")
    expect(field).to_be_focused()
    openai_server.release()


def test_what_is_refused_stays_in_the_field(stranger: Page, api: httpx.Client) -> None:
    open_chat(api, "closing", team(agent("writer"), termination_condition=limit(2)))
    visit(stranger, api, "closing")
    api.patch("/api/deployments/closing", json={"is_on": False}).raise_for_status()
    field = stranger.get_by_role("textbox", name="Message")
    field.fill("A long question.")
    field.press("Enter")
    expect(stranger.get_by_text("This chat takes no messages now. Try again later.")).to_be_visible()
    expect(field).to_have_value("A long question.")
    stranger.reload(wait_until="domcontentloaded")
    settings = api.get("/api/deployments/closing").json()["settings"]
    settings["chat"]["access"] = "off"
    api.patch("/api/deployments/closing", json={"settings": settings}).raise_for_status()
    stranger.reload(wait_until="domcontentloaded")
    expect(stranger.get_by_role("heading", name="This chat is not open to you")).to_be_visible()


def test_an_owner_turns_it_on_and_hands_out_a_link(open_page: OpenPage, stranger: Page, api: httpx.Client) -> None:
    open_chat(api, "linked", team(agent("writer"), termination_condition=limit(2)), "off")
    page = open_page()
    page.goto(f"{str(api.base_url).rstrip('/')}/deployments/linked/chat", wait_until="domcontentloaded")
    page.get_by_label("Access").select_option("link")
    page.get_by_label("Title").fill("Linked")
    page.get_by_label("Sites that may embed it").fill("https://www.example.com\nhttps://shop.example.com/")
    page.get_by_role("button", name="Save chat settings").click()
    expect(page.get_by_text("No links yet.")).to_be_visible()
    expect(page.get_by_label("Sites that may embed it")).to_have_value(
        "https://www.example.com\nhttps://shop.example.com"
    )
    page.get_by_role("button", name="New link").click()
    page.get_by_role("textbox", name="Name").fill("Customers")
    page.keyboard.press("Enter")
    link = page.get_by_role("textbox", name="Link").input_value()
    assert "/d/linked/chat#studio-chat-" in link
    stranger.goto(link, wait_until="domcontentloaded")
    expect(stranger.get_by_role("heading", name="Linked")).to_be_visible()
    field = stranger.get_by_role("textbox", name="Message")
    field.fill("Hello?")
    field.press("Enter")
    expect(stranger.get_by_role("log").get_by_text("Hello", exact=True)).to_be_visible()
    page.get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name="Revoke Customers").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke key").click()
    expect(page.get_by_role("cell", name="Revoked")).to_be_visible()
    stranger.reload(wait_until="domcontentloaded")
    expect(stranger.get_by_role("heading", name="This chat is not open to you")).to_be_visible()


def test_a_listed_site_shows_it_and_no_other(
    stranger: Page, api: httpx.Client, site: Elsewhere, studio_server: StudioServer
) -> None:
    listed = f"http://localhost:{site.port}"  # to a browser, another site than the studio's number
    open_chat(api, "framed", team(agent("writer"), termination_condition=limit(2)), origins=[listed])
    url = f"{studio_server.url}/d/framed/chat"
    stranger.goto(listed)
    stranger.evaluate(ADD_SCRIPT, f"{url}/embed.js")
    button = stranger.get_by_role("button", name="Chat")
    button.click()
    frame = stranger.frame_locator("iframe")
    field = frame.get_by_role("textbox", name="Message")
    field.fill("Hello?")
    field.press("Enter")
    expect(frame.get_by_role("log").get_by_text("Hello", exact=True)).to_be_visible()
    button.click()
    expect(stranger.locator("iframe")).to_be_hidden()
    expect(button).to_be_focused()
    assert stranger.evaluate(GET_TOKEN, f"{url}/tokens") == 200
    stranger.goto(site.other_port)
    assert stranger.evaluate(GET_TOKEN, f"{url}/tokens") == "refused"
    with stranger.expect_console_message(lambda said: "frame-ancestors" in said.text):
        stranger.set_content(f'<iframe src="{url}"></iframe>')


def test_a_chat_outlives_a_studio_that_is_killed(
    stranger: Page, api: httpx.Client, studio_server: StudioServer
) -> None:
    open_chat(api, "outliving", asking())
    visit(stranger, api, "outliving")
    stranger.get_by_role("textbox", name="Message").fill("Paint.")
    stranger.keyboard.press("Enter")
    answer = stranger.get_by_role("textbox", name="Your answer")
    expect(answer).to_be_visible()
    studio_server.kill()
    expect(stranger.get_by_text("The connection was lost. Trying again…")).to_be_visible()
    studio_server.start(int(studio_server.url.rpartition(":")[2]))
    expect(stranger.get_by_text("The connection was lost. Trying again…")).to_be_hidden()
    answer.fill("Blue.")
    answer.press("Enter")
    log = stranger.get_by_role("log")
    expect(log).to_contain_text("Blue it is.")
    expect(log.get_by_text("Which color?", exact=True)).to_have_count(1)


@widths
def test_it_is_accessible(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    name = f"looked-at-{width_px}"
    code, table = "```python\nprint('x' * 200)\n```", "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"A **bold** [link](https://example.com), `code` and\n\n{code}\n\n{table}"
    open_chat(api, name, team(agent("writer", model_client=replay(text)), termination_condition=limit(2)))
    visit(page, api, name)
    look("empty")
    field = page.get_by_role("textbox", name="Message")
    field.fill("Show me all you can. " * 10)
    field.press("Enter")
    expect(page.get_by_role("log").locator("pre")).to_be_visible()
    look("answered")
    page.goto(f"{str(api.base_url).rstrip('/')}/d/nowhere/chat", wait_until="domcontentloaded")
    expect(page.get_by_role("heading", name="This chat is not open to you")).to_be_visible()
    look("not open")
    for path in ("chat", ""):
        page.goto(f"{str(api.base_url).rstrip('/')}/deployments/{name}/{path}", wait_until="domcontentloaded")
        look(f"tab {path}")
    assert inspection.faults == []
