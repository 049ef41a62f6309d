"""Help inside the studio: from the rail by the keyboard, by search, and from the palette; axe finds nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage, StudioServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def is_in_view(page: Page, selector: str) -> bool:
    """Below the head of the page, which stays when it scrolls."""
    script = """(selector) => {
      const head = document.querySelector('.page-header').getBoundingClientRect()
      const place = document.querySelector(selector).getBoundingClientRect()
      return place.top >= head.bottom && place.bottom <= innerHeight
    }"""
    return page.evaluate(script, selector)


def test_help_is_opened_searched_and_followed_by_the_keyboard(open_page: OpenPage):
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    page.get_by_role("navigation", name="Studio").get_by_role("link", name="Help").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Help", level=1)).to_be_visible()
    page.get_by_role("searchbox", name="Search Help").focus()
    page.keyboard.type("McpWorkbench")
    hit = page.locator("#help-hits").get_by_role("link", name="Components › McpWorkbench")
    expect(hit).to_be_visible()
    expect(page.locator("#announcer")).to_have_text(re.compile(r"\d+ results?"))
    hit.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/help/reference/components#mcpworkbench")
    expect(page.get_by_role("heading", name="Components", level=1)).to_be_visible()
    page.wait_for_function("document.querySelector('#mcpworkbench').getBoundingClientRect().top < innerHeight")
    assert is_in_view(page, "#mcpworkbench")


SCRIPT = re.compile(r"/help[^/]*\.js")


def test_what_is_typed_before_the_page_is_ready_is_searched_for(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    held: list[Route] = []
    page.route(SCRIPT, lambda route: held.append(route))
    page.goto(f"{studio_server.url}/help", wait_until="commit")
    page.get_by_role("searchbox", name="Search Help").fill("McpWorkbench")
    while held:
        held.pop().continue_()
    expect(page.locator("#help-hits").get_by_role("link", name="Components › McpWorkbench")).to_be_visible()


def test_a_search_that_is_sent_has_an_address_of_its_own(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    page.goto(f"{studio_server.url}/help/how-to/control-a-run")
    page.get_by_role("searchbox", name="Search Help").fill("qqqq")
    page.keyboard.press("Enter")
    page.wait_for_url("**/help?q=qqqq")
    expect(page.get_by_role("heading", name="No results")).to_be_visible()


def test_the_palette_leads_to_a_page_of_help(open_page: OpenPage):
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    page.keyboard.press("Control+k")
    page.keyboard.type("mcp server")
    option = page.get_by_role("option").filter(has_text="Help: Use the tools of an MCP server").first
    expect(option).to_be_visible()
    option.click()
    page.wait_for_url("**/help/how-to/use-an-mcp-server*")


def test_code_has_its_colors_and_can_be_copied(open_page: OpenPage, studio_server: StudioServer):
    page = open_page()
    page.goto(f"{studio_server.url}/help/how-to/report-tool-progress")
    block = page.locator(".block").filter(has=page.locator("code.python")).first
    expect(block.locator("code span").first).to_be_visible()
    block.get_by_role("button", name="Copy code").click()
    text = block.locator("code").text_content()
    assert page.evaluate("navigator.clipboard.readText()") == text


@pytest.mark.parametrize(("path", "title"), [("/inbox", "Approve tool calls"), ("/costs", "Set budgets")])
def test_the_icon_in_the_head_of_a_page_leads_to_its_how_to(
    open_page: OpenPage, studio_server: StudioServer, path: str, title: str
):
    page = open_page()
    page.goto(f"{studio_server.url}{path}")
    page.get_by_role("link", name="Help for this page").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_have_the_theme_of_the_page(open_page: OpenPage, studio_server: StudioServer, scheme: str):
    page = open_page(scheme=scheme)
    page.goto(f"{studio_server.url}/help/how-to/build-each-kind-of-team")
    pictures = page.get_by_role("img", name="Writer and critic")
    expect(pictures).to_have_count(1)
    expect(pictures).to_have_attribute("src", re.compile(f"-{scheme}-"))


@also_narrow
def test_axe_finds_nothing_in_help(open_page: OpenPage, studio_server: StudioServer, width_px: int):
    inspection = Inspection(open_page(width_px))
    for path in ("", "?q=model", "/how-to/build-each-kind-of-team", "/how-to/test-a-team-in-ci", "/reference/warnings"):
        inspection.page.goto(f"{studio_server.url}/help{path}")
        inspection.look(path or "index")
    assert inspection.faults == []
