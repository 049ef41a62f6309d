"""The page on which a person lets a client of MCP call a deployment, by pointer and by keys."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import OpenPage
from tests.browser.deploying import published
from tests.web.oauth_clients import CALLBACK, PlainClient, answer_in

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def asking(api: httpx.Client, name: str) -> tuple[str, PlainClient]:
    """The address of the page, and the client that leads there."""
    base = str(api.base_url).rstrip("/")
    client = PlainClient(api, name, base)
    client.register(client_name="Example Editor")
    return base, client


def arrivals(page: Page) -> list[str]:
    """The addresses of the client that the browser comes to from now on."""
    found: list[str] = []

    def answer(route: Route) -> None:
        found.append(route.request.url)
        route.fulfill(body="Back at the client.")

    page.route(f"{CALLBACK}**", answer)
    return found


def test_a_client_is_allowed_by_keys_and_then_revoked(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "asked-for")
    base, client = asking(api, "asked-for")
    page.goto(base + client.request())
    expect(page.get_by_role("heading", name="Example Editor wants to call asked-for")).to_be_visible()
    expect(page.get_by_text("a program on this computer")).to_be_visible()
    found = arrivals(page)
    page.get_by_role("button", name="Allow access").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{CALLBACK}**")
    given = client.exchange(answer_in(found[0])["code"])
    assert given.status_code == 200, given.text
    page.goto(f"{base}/deployments/asked-for/keys")
    row = page.locator("[data-key]", has_text="Example Editor")
    expect(row).to_contain_text("MCP client")
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row.get_by_role("button", name="Revoke")).to_have_count(0)
    assert client.renew(given.json()["refresh_token"]).json()["error"] == "invalid_grant"


def test_who_denies_goes_back_without_a_code(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "denied")
    base, client = asking(api, "denied")
    page.goto(base + client.request())
    found = arrivals(page)
    page.get_by_role("link", name="Deny").click()
    page.wait_for_url(f"{CALLBACK}**")
    assert answer_in(found[0]) == {"error": "access_denied", "state": "s t&a", "iss": base}


@also_narrow
def test_the_page_is_accessible(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page, name = inspection.page, f"looked-at-{width_px}"
    published(page, api, name)
    base, client = asking(api, name)
    page.goto(base + client.request())
    inspection.look("a client asks")
    page.goto(base + client.request(code_challenge_method="plain"))
    inspection.look("a client asks for what it does not get")
    assert inspection.faults == []
