"""Every page and every state worth a look, wide and narrow, light and dark: axe finds nothing, all fits the window."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import Inspection, also_narrow, widths
from tests.browser.building import JsonObject, OpenPage, agent, call, limit, open_team, origin, replay, team
from tests.browser.conftest import ShippedTeam, StudioServer
from tests.browser.playing import expect_end, give_task
from tests.extended import times
from tests.importers.workflows import DESK

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


SECRET = "env:NOT_SET_HERE"
SHOUT = "def shout(text: str, times: int = 1) -> str:\n    return text.upper() * times\n"
"""What is shown pale while its next content is on the way."""


def part(kind: str, provider: str, **config: object) -> JsonObject:
    return {"provider": provider, "component_type": kind, "config": config}


def openai() -> JsonObject:
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    return part("model", provider, model="gpt-4o", api_key=SECRET)


def tool() -> JsonObject:
    provider = "autogen_core.tools.FunctionTool"
    return part("tool", provider, name="shout", description="Loud.", source_code=SHOUT, global_imports=[])


def newsroom() -> JsonObject:
    """One of each kind, deep and wrong enough to have something to say."""
    mention = part("termination", "autogen_agentchat.conditions.TextMentionTermination", text="DONE")
    either = part("termination", "autogen_agentchat.base.OrTerminationCondition", conditions=[mention, limit(9)])
    memory = part("memory", "autogen_core.memory.ListMemory")
    writer = agent("writer", model_client=openai(), tools=[tool()], memory=[memory], handoffs=["editor"])
    inner = team(agent("poet"), agent("critic"))
    mind = "autogen_agentchat.agents.SocietyOfMindAgent"
    society = part("agent", mind, name="circle", team=inner, model_client=replay("x"))
    return team(writer, agent("not a name"), society, agent("editor"), termination_condition=either)


def graph() -> JsonObject:
    nodes: JsonObject = {
        "a": {"name": "a", "edges": [{"target": "b", "condition": "yes"}]},
        "b": {"name": "b", "edges": []},
    }
    flow = team(agent("a"), agent("b"), graph={"nodes": nodes, "default_start_node": "a"})
    return {**flow, "provider": "autogen_agentchat.teams.GraphFlow"}


def outline(page: Page) -> None:
    """Bring the tree into view: a tab at the left, or the middle of a narrow page."""
    narrow = page.get_by_role("navigation", name="View").get_by_role("button", name="Outline")
    (narrow if narrow.is_visible() else page.get_by_role("tab", name="Outline")).click()


def select(page: Page, pointer: str) -> None:
    page.locator(f'[data-outline] > [data-component="{pointer}"]').click()
    expect(page.locator("#panel-form:not([aria-busy], [inert])")).to_be_attached()


def canvas(page: Page) -> None:
    narrow = page.get_by_role("button", name="Canvas", exact=True)
    if narrow.is_visible():
        narrow.click()
    expect(page.locator(".node[data-card]").first).to_be_visible()


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


@widths
def test_pages(open_page: OpenPage, browser: Browser, studio_server: StudioServer, api: httpx.Client, width_px: int):
    for each in api.get("/api/teams").json():
        api.delete(f"/api/teams/{each['id']}")
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look

    def visit(path: str) -> None:
        page.goto(f"{studio_server.url}{path}", wait_until="domcontentloaded")

    visit("/teams")
    look("teams, none yet")
    call(page, "POST", "/api/teams", {"component": team(agent("a")), "name": "A name that is very long " * 4})
    call(page, "POST", "/api/teams", {"component": newsroom()})
    visit("/teams")
    look("teams")
    page.get_by_role("button", name="More for").first.click()
    look("menu of a team")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New team").click()
    look("new team", "dialog[open]")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Import", exact=True).click()
    look("import a team", "dialog[open]")
    page.keyboard.press("Escape")

    visit("/galleries")
    page.get_by_role("button", name="Import").click()
    page.locator("#import").get_by_role("tab", name="Paste").click()
    page.locator("#import textarea").fill(json.dumps(newsroom()))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-gallery-preview]")).to_be_visible()
    look("galleries, with a preview")
    page.locator("#import textarea").fill(json.dumps(DESK))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-save-team]")).to_be_visible()
    look("galleries, with the report of an import")
    [shipped] = [each for each in api.get("/api/galleries").json() if each["name"] == "Team Studio"]
    visit(f"/galleries/{shipped['id']}?kind=tools")
    look("gallery")
    page.get_by_role("button", name="Add to team").first.click()
    expect(page.locator("[data-places] .field, [data-places] p").first).to_be_visible()
    look("add to a team", "dialog[open]")
    visit("/galleries/library")
    look("library, empty")

    api.put("/api/secrets/openai", json={"value": "sk-not-real"}).raise_for_status()
    visit("/settings")
    look("settings")
    visit("/teams/nowhere")
    look("error")
    stranger = browser.new_context(viewport={"width": width_px, "height": 844}).new_page()
    stranger.goto(f"{studio_server.url}/teams")
    login = Inspection(stranger)
    login.look("login")
    stranger.context.close()
    assert inspection.faults + login.faults == []


@also_narrow
def test_the_page_of_models(open_page: OpenPage, studio_server: StudioServer, api: httpx.Client, width_px: int):
    api.post(
        "/api/connections", json={"name": f"At {width_px}", "service": "openrouter", "key": f"secret:at-{width_px}"}
    )
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    page.goto(f"{studio_server.url}/settings/models")
    expect(page.locator("[data-connection]").filter(has_text=f"At {width_px}")).to_be_visible()
    look("models")
    page.get_by_role("button", name="Add connection").click()
    look("add a connection", "dialog[open]")
    assert inspection.faults == []


@also_narrow
def test_forms_of_the_builder(open_page: OpenPage, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    open_team(page, newsroom())
    expect(page.locator("[data-checklist]")).to_contain_text("error")
    # The palette is looked at by the next test, and axe reads all that is there each time.
    search = page.get_by_role("searchbox", name="Search components")
    if search.is_visible():  # a narrow page shows one part at a time
        search.fill("nothing at all")
    outline(page)
    look("outline")
    writer = "/config/participants/0"
    forms = {
        "team": "",
        "agent": writer,
        "agent with a fault": "/config/participants/1",
        "agent around a team": "/config/participants/2",
        "model": f"{writer}/config/model_client",
        "tool": f"{writer}/config/tools/0",
        "memory": f"{writer}/config/memory/0",
        "conditions": "/config/termination_condition",
        "condition": "/config/termination_condition/config/conditions/0",
    }
    for name, pointer in forms.items():
        select(page, pointer)
        page.evaluate("document.querySelectorAll('#panel-form details').forEach((each) => { each.open = true })")
        look(f"form of {name}", ".inspector")
    for name in ("JSON", "Python", "Try"):
        tab(page, name)
        look(f"{name} tab of a condition", ".inspector")
    for name, pointer in list(forms.items())[: times(3, 6)]:
        select(page, pointer)
        look(f"Try tab of {name}", ".inspector")
    assert inspection.faults == []


@also_narrow
def test_what_opens_over_the_builder(open_page: OpenPage, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    open_team(page, newsroom())
    expect(page.locator("[data-checklist]")).to_contain_text("error")
    page.locator("[data-checklist]").click()
    look("checklist")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Commands").click()
    look("command palette", "dialog[open]")
    page.keyboard.type("@")
    look("command palette, agents", "dialog[open]")
    page.keyboard.press("Escape")
    outline(page)
    select(page, "/config/participants/0")
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu")).to_be_visible()
    look("menu of an agent", "[role=menu]")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_role("combobox", name="Add to writer")).to_be_visible()
    look("picker", "dialog[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+ArrowDown")
    canvas(page)
    expect(page.locator(".selection-bar")).to_be_visible()
    look("canvas with two selected", "[data-canvas]")
    page.locator('.node[data-component="/config/participants/2"] [data-open]').first.click()
    look("canvas with a nested team open", "[data-canvas]")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    look("keys", "dialog[open]")
    assert inspection.faults == []


@also_narrow
def test_a_run_beside_the_canvas(open_page: OpenPage, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    open_team(page, team(agent("writer"), agent("critic"), termination_condition=limit(3)))
    page.get_by_role("button", name="Run", exact=True).first.click()
    box = page.get_by_role("textbox", name="Task for the team")
    expect(box).to_be_focused()
    look("empty run panel", ".run-panel")
    box.fill("Write.")
    page.keyboard.press("Enter")
    expect(page.locator(".run-panel .run-end")).to_be_visible()
    look("run panel", ".run-panel")
    canvas(page)
    expect(page.locator(".node-run").first).to_be_visible()
    look("canvas of a run", "[data-canvas]")
    page.locator(".node-head", has_text="critic").click()
    page.keyboard.press("d")
    page.keyboard.press("ControlOrMeta+g")
    page.keyboard.press("Enter")
    expect(page.locator(".group-name")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("Ask Ann.")
    page.keyboard.press("Escape")
    look("canvas with a disabled agent, a group and a note", "[data-canvas]")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.get_by_role("checkbox", name="Use 1 mock")).to_be_visible()
    look("run panel with mocks", ".run-panel")
    assert inspection.faults == []


@also_narrow
def test_versions_and_questions_of_the_builder(open_page: OpenPage, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    team_id = open_team(page, team(agent("one", description="First.\nSecond."), agent("two")))
    theirs = team(agent("one", description="First.\nThird."), agent("three"))
    call(page, "PUT", f"/api/teams/{team_id}", {"component": theirs, "layout": {}, "revision": 1})
    outline(page)
    select(page, "/config/participants/0")
    page.get_by_label("Description", exact=True).fill("Mine.")
    page.keyboard.press("Control+s")
    question = page.get_by_role("dialog", name="This team was changed elsewhere")
    expect(question).to_be_visible()
    look("merge", "dialog[open]")
    question.get_by_role("radio", name="Theirs").check()
    question.get_by_role("button", name="Merge", exact=True).click()
    expect(question).to_be_hidden()
    if page.get_by_role("button", name="More", exact=True).is_visible():
        page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="first version").click()
    expect(page.locator(".diff-line").first).to_be_visible()
    look("versions", "dialog[open]")
    page.keyboard.press("Escape")

    open_team(page, graph())
    canvas(page)
    look("graph", "[data-canvas]")
    page.locator(".edge-label").click()
    if (sheet := page.get_by_role("button", name="Expand inspector")).is_visible():
        sheet.click()
    expect(page.locator('[data-field$="/condition"]')).to_be_visible()
    look("form of an edge", ".inspector")
    assert inspection.faults == []


@also_narrow
def test_the_dialogs_of_tasks_and_messages(open_page: OpenPage, pair: Callable[[int], str], width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    page.goto(pair(2), wait_until="domcontentloaded")
    page.get_by_role("button", name="Edit examples").click()
    page.get_by_role("textbox", name="Example 1").fill("Write about {{topic}}.")
    look("example tasks", "dialog[open]")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Write about {{topic}}.").click()
    page.get_by_role("textbox", name="Topic").fill("rain")
    look("variables of a task", "dialog[open]")
    page.get_by_role("dialog").get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Approve and run").click()
    expect_end(page)
    turn = page.locator(".chat > .turn", has_text="Write about rain.")
    turn.hover()
    turn.locator("[data-turn-menu]").click()
    page.get_by_role("menuitem", name="Edit and run again").click()
    expect(page.get_by_role("textbox", name="Your message")).to_be_focused()
    look("edited message", "dialog[open]")
    assert inspection.faults == []


@widths
def test_the_playground(open_page: OpenPage, shipped_team: ShippedTeam, width_px: int):
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    address = shipped_team("Stargazing night")
    page.goto(address, wait_until="domcontentloaded")
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_visible()
    look("playground, idle")
    give_task(page, address, "A clear night, please.")
    expect_end(page)
    for button in page.locator(".why-button").all():
        button.click()
    look("run ended")
    page.get_by_text("+ raw").click()
    expect(page.locator(".raw-entry").first).to_be_visible()
    page.locator("[data-filter=kind]").select_option("decisions")
    look("raw decisions of a run")
    page.get_by_role("searchbox", name="Search this run").fill("nowhere at all")
    expect(page.locator("[data-part=search-status]")).to_have_text("Nothing found")
    look("search that finds nothing")
    if page.get_by_role("tab", name="Views").is_visible():
        page.get_by_role("tab", name="Runs").click()
        expect(page.locator(".run-row").first).to_be_visible()
        look("runs")
        page.get_by_role("tab", name="Views").click()
    for name in ("Flow", "Timeline"):
        page.get_by_role("tab", name=name).click()
        page.locator(f"#view-{name.lower()} summary").click()
        expect(page.locator(f"#view-{name.lower()} tbody tr").first).to_be_visible()
        look(f"{name} of a run")
    page.goto(f"{origin(page)}/runs/nothing", wait_until="domcontentloaded")
    look("run that is not there")
    assert inspection.faults == []


def test_the_tab_key_passes_each_part_of_the_builder_in_a_few_stops(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer")))
    expect(page.locator("[data-palette-list]:not([aria-busy])")).to_be_attached()
    page.get_by_role("searchbox", name="Search components").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".palette-group").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".palette-item").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".builder-side :focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".palette-item").first).to_be_focused()
    page.get_by_role("searchbox", name="Search components").fill("poem-of-nothing")
    expect(page.locator("#announcer")).to_have_text("Nothing found.")


def test_what_the_system_asks_of_the_looks_is_done(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer")))
    page.emulate_media(reduced_motion="no-preference")
    moving = "[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration !== '0s')"
    assert page.evaluate(f"{moving}.length") > 0
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(f"{moving}.map((each) => each.className)") == []
    page.emulate_media(forced_colors="active")
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    drawn = page.locator(".palette-item .icon").first.evaluate("(icon) => getComputedStyle(icon).backgroundColor")
    assert drawn != ground
