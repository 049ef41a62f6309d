"""What is pressed before the page can answer, or while it changes something, is neither lost nor done twice."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.building import agent, limit, team
from tests.browser.conftest import OpenPage, StudioServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(60)]


@contextmanager
def before_the_scripts(page: Page, address: str) -> Generator[None]:
    """Opens a page whose scripts come after what is done in the block."""
    held: list[Route] = []
    page.route(re.compile(r"/static/.*shell[^/]*\.js"), lambda route: held.append(route))
    page.goto(address, wait_until="commit")
    yield
    assert held
    for route in held:
        route.continue_()


@pytest.fixture
def deployment(api: httpx.Client) -> str:
    api.delete("/api/deployments/early")
    made = api.post("/api/teams", json={"component": team(agent("writer"), termination_condition=limit(2))}).json()
    api.post("/api/deployments", json={"team_id": made["id"], "name": "early", "key_label": "shop"}).raise_for_status()
    hook = {"address": "https://hooks.example.com/studio", "kinds": ["call.finished"]}
    api.post("/api/deployments/early/webhooks", json=hook).raise_for_status()
    return f"{api.base_url}/deployments/early".replace("//deployments", "/deployments")


def test_a_button_pressed_before_the_scripts_came_does_its_work(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    with before_the_scripts(page, f"{studio_server.url}/teams"):
        page.get_by_role("button", name="New team").first.click()
    expect(page.get_by_role("dialog", name="New team")).to_be_visible()


def test_a_form_sent_before_the_scripts_came_is_sent_by_them(open_page: OpenPage, deployment: str, api: httpx.Client):
    page = open_page()
    with before_the_scripts(page, f"{deployment}/settings"):
        page.get_by_label("Callers see", exact=True).select_option("messages")
        page.get_by_role("button", name="Save settings", exact=True).click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert page.url == f"{deployment}/settings"
    assert api.get("/api/deployments/early").json()["settings"]["sees"] == "messages"


def test_what_is_chosen_before_the_scripts_came_applies(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    with before_the_scripts(page, f"{studio_server.url}/costs/charts"):
        page.get_by_role("combobox", name="Show").select_option("outcome")
    expect(page).to_have_url(re.compile("outcome"))


def test_what_is_being_changed_is_not_changed_again(open_page: OpenPage, deployment: str):
    page = open_page(is_new=True)
    page.goto(f"{deployment}/webhooks")
    changes: list[str] = []
    page.on("request", lambda request: changes.append(request.url) if request.method == "PATCH" else None)
    page.get_by_role("button", name="Turn hooks.example.com off").dblclick()
    expect(page.get_by_role("button", name="Turn hooks.example.com on")).to_be_visible()
    assert len(changes) == 1
