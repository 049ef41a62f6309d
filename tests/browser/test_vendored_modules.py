"""Third-party modules in a real browser, under the page's own policy."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOAD_ALL = """async (names) => {
  const failed = []
  for (const name of names) await import(name).catch((error) => failed.push(`${name}: ${error}`))
  return failed
}"""


def import_addresses(page: Page) -> dict[str, str]:
    return json.loads(page.locator("script[type=importmap]").text_content() or "")["imports"]


def test_every_module_of_the_import_map_loads(open_page: Callable[[], Page]):
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    assert page.evaluate(LOAD_ALL, list(import_addresses(page))) == []


def test_a_module_that_was_changed_on_the_way_is_refused(open_page: Callable[[], Page]):
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    address = import_addresses(page)["crelt"]
    page.route(f"**{address}", lambda route: route.fulfill(body="export default 1", content_type="text/javascript"))
    assert len(page.evaluate(LOAD_ALL, ["crelt"])) == 1
