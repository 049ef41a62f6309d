"""People sign in, see what they may do, and sign out."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import agent, team
from tests.browser.conftest import OpenPage, StudioServer

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
        viewer = {"name": "Vera", "role": "viewer", "password": PASSWORD}
        assert ada.post("/api/users", json=viewer, headers={"X-Studio-CSRF": found[1]}).status_code == 201
    return str(made.json()["id"])


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
    expect(page.get_by_role("alert")).to_have_text("The name or the password is not right.")
    sign_in(page, "Ada")
    expect(page).to_have_url(f"{studio_server.url}/galleries")
    page.get_by_role("link", name="Account").click()
    expect(page.get_by_text("This one")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    page.goto(f"{studio_server.url}/teams")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_a_viewer_is_not_shown_what_they_may_not_do(open_page: OpenPage, studio_server: StudioServer, team_id: str):
    page = open_page()
    page.goto(f"{studio_server.url}/teams")
    sign_in(page, "Vera")
    expect(page.locator("[data-team]").first).to_be_visible()
    expect(page.get_by_role("button", name="New team")).to_be_hidden()
    page.goto(f"{studio_server.url}/teams/{team_id}")
    expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
    expect(page.get_by_text("View only")).to_be_visible()
    expect(page.locator("[data-undo]")).to_be_hidden()
    page.goto(f"{studio_server.url}/teams/{team_id}/play")
    expect(page.get_by_text("Starting and steering runs needs the role editor.")).to_be_visible()
    expect(page.locator("[data-part=composer]")).to_be_hidden()
    page.goto(f"{studio_server.url}/users")
    expect(page.get_by_text("This needs the role admin; yours is viewer.")).to_be_visible()


def test_an_admin_lets_somebody_in_and_makes_a_token(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    page.goto(f"{studio_server.url}/users")
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
    page.get_by_label("What it is for").fill("Nightly")
    page.get_by_role("button", name="Make token").click()
    shown = page.get_by_label("The token", exact=True)
    expect(shown).to_have_value(re.compile("^studio_"))
    token = shown.input_value()
    answer = httpx.get(f"{studio_server.url}/api/account", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert answer.json()["name"] == "Ada"
