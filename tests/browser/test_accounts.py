"""People sign in, see what they may do, and sign out."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import agent, team, wait_for_builder
from tests.browser.conftest import OpenPage, StudioServer
from tests.browser.debugging import shouting
from tests.browser.playing import STATE

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(120)]
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module", autouse=True)
def team_id(studio_server: StudioServer) -> str:
    """A studio of two people, and a team in it."""
    headers = {"Authorization": f"Bearer {studio_server.entrance.partition('token=')[2]}"}
    with httpx.Client(base_url=studio_server.url, headers=headers, timeout=60) as owner:
        made = owner.post("/api/teams", json={"component": team(agent("one"))})
        first = owner.post("/api/users", json={"name": "Ada", "role": "admin", "password": PASSWORD})
        assert first.status_code == 201
    with httpx.Client(base_url=studio_server.url, timeout=60) as ada:
        ada.post("/login", data={"name": "Ada", "password": PASSWORD})
        found = re.search(r'csrf-token" content="(\w+)"', ada.get("/account").text)
        assert found
        for name, role in (("Vera", "viewer"), ("Eddy", "editor")):
            user = {"name": name, "role": role, "password": PASSWORD}
            assert ada.post("/api/users", json=user, headers={"X-Studio-CSRF": found[1]}).status_code == 201
    return str(made.json()["id"])


@pytest.fixture(scope="module")
def asking_run(studio_server: StudioServer, team_id: str) -> str:
    """A run that waits for somebody to decide about the call of a tool."""
    assert team_id
    with httpx.Client(base_url=studio_server.url, timeout=60) as ada:
        ada.post("/login", data={"name": "Ada", "password": PASSWORD})
        found = re.search(r'csrf-token" content="(\w+)"', ada.get("/account").text)
        assert found
        ada.headers["X-Studio-CSRF"] = found[1]
        shouters = ada.post("/api/teams", json={"component": shouting()}).json()["id"]
        missing = ada.post("/api/runs", json={"team_id": shouters, "task": "Shout."}).json()["missing"]
        hashes = [each["hash"] for each in missing]
        ada.post("/api/approvals", json={"hashes": hashes, "team_id": shouters, "scope": "team"})
        assert ada.put(f"/api/teams/{shouters}/policy", json={"policy": {"otherwise": "ask"}}).status_code == 200
        return str(ada.post("/api/runs", json={"team_id": shouters, "task": "Shout."}).json()["id"])


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """By keyboard alone: the name has the focus."""
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def test_somebody_signs_in_by_keyboard_and_out_again(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    page.goto(f"{studio_server.url}/galleries")
    sign_in(page, "Ada", "not the password")
    expect(page.get_by_role("alert")).to_have_text("Wrong name or password.")
    sign_in(page, "Ada")
    expect(page).to_have_url(f"{studio_server.url}/galleries")
    page.get_by_role("link", name="Account").click()
    expect(page.get_by_text("Current", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    page.goto(f"{studio_server.url}/teams")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_all_items_of_a_signed_in_user_fit_a_narrow_window(open_page: OpenPage, studio_server: StudioServer):
    page = open_page(390, 844)
    page.goto(f"{studio_server.url}/settings")
    sign_in(page, "Ada")
    expect(page.get_by_role("radio", name="Dark")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_viewer_is_not_shown_what_they_may_not_do(open_page: OpenPage, studio_server: StudioServer, team_id: str):
    page = open_page()
    page.goto(f"{studio_server.url}/teams")
    sign_in(page, "Vera")
    expect(page.locator("[data-team]").first).to_be_visible()
    expect(page.get_by_role("button", name="New team")).to_be_hidden()
    page.goto(f"{studio_server.url}/teams/{team_id}")
    wait_for_builder(page)
    expect(page.get_by_text("View only")).to_be_visible()
    expect(page.locator("[data-undo]")).to_be_hidden()
    page.goto(f"{studio_server.url}/teams/{team_id}/play")
    expect(page.get_by_text("You need the editor role to run and control teams.")).to_be_visible()
    expect(page.locator("[data-part=composer]")).to_be_hidden()
    page.goto(f"{studio_server.url}/users")
    expect(page.get_by_text("This needs the role admin; yours is viewer.")).to_be_visible()


def test_people_see_who_else_has_a_team_open_and_where_they_are(
    open_page: OpenPage, studio_server: StudioServer, team_id: str
):
    vera, eddy = open_page(), open_page()
    for page, name in ((vera, "Vera"), (eddy, "Eddy")):
        page.goto(f"{studio_server.url}/teams/{team_id}")
        sign_in(page, name)
        wait_for_builder(page)
    expect(vera.get_by_role("list", name="Also here")).to_be_hidden()
    eddy.locator(".node[data-card]").first.click()
    expect(eddy.get_by_role("button", name="Vera: at the team")).to_have_text("V")
    vera.locator("[data-canvas]").click(position={"x": 20, "y": 20})  # whoever moves learns where the others are
    vera.locator(".node[data-card]").first.click()
    expect(vera.locator(".node[data-card]").get_by_label("Selected by Eddy")).to_be_visible()
    vera.keyboard.press("Escape")
    face = vera.get_by_role("list", name="Also here").get_by_role("button", name="Eddy: at one")
    face.focus()
    vera.keyboard.press("Enter")
    expect(vera.locator(".node[data-card]").first).to_have_attribute("data-selected", "")
    eddy.close()
    vera.locator("[data-canvas]").click(position={"x": 20, "y": 20})
    expect(vera.get_by_role("list", name="Also here")).to_be_hidden()
    expect(vera.locator("[data-others]")).to_have_count(0)


def test_a_viewer_reads_the_form_of_a_part_and_is_told_why_it_cannot_be_changed(
    open_page: OpenPage, studio_server: StudioServer, team_id: str
):
    page = open_page()
    page.goto(f"{studio_server.url}/teams/{team_id}")
    sign_in(page, "Vera")
    wait_for_builder(page)
    expect(page.get_by_role("textbox", name="Name of the team")).not_to_be_editable()
    page.locator(".node[data-card]").first.click()
    form = page.get_by_role("tabpanel", name="Form")
    expect(form.get_by_role("textbox", name="Name")).to_have_value("one")
    expect(form.get_by_text("Changing a team needs the editor role.")).to_be_visible()
    assert form.locator(":is(input, textarea):not([readonly]):not(:disabled), select:not(:disabled)").count() == 0
    assert form.locator("button:not([data-action=select])").count() == 0
    form.get_by_role("textbox", name="Name").press("x")
    page.keyboard.press("Escape")
    page.locator(".node[data-card]").first.click(button="right")
    expect(page.get_by_role("menuitem", name="Copy")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Delete")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".canvas [data-fill]").first).to_be_hidden()
    page.get_by_role("tab", name="JSON").click()
    expect(page.get_by_role("textbox", name="JSON of the selection")).to_have_attribute("aria-readonly", "true")
    expect(page.locator(".toast")).to_have_count(0)


def test_an_editor_sees_a_call_that_waits_and_who_may_decide_about_it(
    open_page: OpenPage, studio_server: StudioServer, asking_run: str
):
    page = open_page()
    page.goto(f"{studio_server.url}/runs/{asking_run}")
    sign_in(page, "Eddy")
    expect(page.locator(STATE)).to_have_text("Waiting for your approval")
    for _ in range(2):  # in the run, and in the inbox
        card = page.locator("[data-decision]")
        expect(card.get_by_label("Exact arguments")).not_to_be_editable()
        expect(page.get_by_text("Deciding about a call needs the approver role.")).to_be_visible()
        expect(card.get_by_role("button")).to_have_count(0)
        page.goto(f"{studio_server.url}/inbox")
    page.goto(f"{studio_server.url}/runs/{asking_run}")
    page.get_by_role("tab", name="Debug").click()
    expect(page.get_by_label("Rule for shout")).to_be_disabled()
    expect(page.get_by_text("Changing these rules needs the approver role.")).to_be_visible()
    expect(page.get_by_role("form", name="New breakpoint")).to_be_visible()


def test_an_editor_is_not_offered_an_approval_that_the_server_refuses(
    open_page: OpenPage, studio_server: StudioServer, team_id: str
):
    page = open_page()
    page.goto(f"{studio_server.url}/teams/{team_id}")
    sign_in(page, "Eddy")
    wait_for_builder(page)
    shouters = page.evaluate(
        """async (component) => {
            const csrf = document.querySelector('meta[name=csrf-token]').content
            const headers = { 'Content-Type': 'application/json', 'X-Studio-CSRF': csrf }
            const made = await fetch('/api/teams', { method: 'POST', headers, body: JSON.stringify({ component }) })
            return (await made.json()).id
        }""",
        shouting(),
    )
    page.goto(f"{studio_server.url}/teams/{shouters}/play")
    page.get_by_role("textbox", name="Task for the team").fill("Shout.")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("An approver decides.")
    expect(dialog.get_by_role("button", name="Approve and run")).to_have_count(0)
    dialog.get_by_role("button", name="Open the review").click()
    expect(page.get_by_text("Send them the address of this page.")).to_be_visible()


def test_an_admin_lets_somebody_in_and_makes_a_token(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    page.goto(f"{studio_server.url}/users")
    with page.expect_navigation(url="**/users", wait_until="domcontentloaded"):  # then its scripts listen
        sign_in(page, "Ada")
    page.get_by_role("button", name="New user").click()
    page.get_by_label("Name").fill("Eve")
    page.get_by_label("Role", exact=True).select_option("editor")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Add user").click()
    row = page.locator('[data-name="Eve"]')
    expect(row.get_by_role("combobox")).to_have_value("editor")
    with page.expect_event("load"):  # the page is made anew with it
        row.get_by_role("combobox").select_option("approver")
    expect(page.locator('[data-name="Eve"] select')).to_have_value("approver")
    page.goto(f"{studio_server.url}/audit")
    expect(page.get_by_text("Added a user").first).to_be_visible()
    page.goto(f"{studio_server.url}/account")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Token name").fill("Nightly")
    page.get_by_role("button", name="Create token").click()
    shown = page.get_by_label("Token", exact=True)
    expect(shown).to_have_value(re.compile("^studio_"))
    token = shown.input_value()
    answer = httpx.get(f"{studio_server.url}/api/account", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert answer.json()["name"] == "Ada"
