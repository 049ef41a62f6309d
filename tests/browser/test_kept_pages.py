"""A page that was used by one test shows nothing of it to the next."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.browser.conftest import StudioServer
from tests.browser.kept_pages import KeptPages

LOOK = (1440, 900, "light")
LEAVE = """() => new Promise((resolve) => {
  localStorage.setItem('left', '1')
  sessionStorage.setItem('left', '1')
  document.cookie = 'left=1'
  window.left = 1
  const asked = indexedDB.open('left')
  asked.onsuccess = () => { asked.result.close(); resolve() }
})"""
LEFT = """async () => ({
  stored: localStorage.length + sessionStorage.length,
  cookies: document.cookie,
  databases: (await indexedDB.databases()).length,
  variable: typeof window.left,
  size: [innerWidth, innerHeight],
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  isForced: matchMedia('(forced-colors: active)').matches,
  moves: matchMedia('(prefers-reduced-motion: no-preference)').matches,
  hovered: document.querySelectorAll(':hover').length,
})"""


def sign_in(page: Page, server: StudioServer) -> None:
    page.context.request.get(server.entrance, max_redirects=0)


def test_a_page_that_is_given_back_is_as_new(browser: Browser, studio_server: StudioServer):
    pages = KeptPages(browser)
    kept = pages.take(studio_server.url, LOOK)
    page = kept.page
    sign_in(page, studio_server)
    page.goto("/teams")
    page.evaluate(LEAVE)
    page.route("**/settings", lambda route: route.fulfill(body="From the test before."))
    page.context.new_page().goto("/settings/models")
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark", forced_colors="active", reduced_motion="no-preference")
    page.mouse.move(100, 100)
    pages.give_back(kept)

    again = pages.take(studio_server.url, LOOK)
    assert again is kept
    assert again.problems == []
    assert page.context.pages == [page]
    assert page.context.cookies() == []
    sign_in(page, studio_server)
    page.goto("/settings")
    assert "From the test before." not in page.content()
    assert page.evaluate(LEFT) == {
        "stored": 0,
        "cookies": "",
        "databases": 0,
        "variable": "undefined",
        "size": [1440, 900],
        "isDark": False,
        "isForced": False,
        "moves": False,
        "hovered": 0,
    }
    pages.give_back(again)
    pages.close()


def test_a_page_of_a_studio_that_has_ended_is_not_used_again(browser: Browser, studio_server: StudioServer):
    pages = KeptPages(browser)
    first = pages.take(studio_server.url, LOOK)
    pages.give_back(first)
    other = pages.take(studio_server.url.replace("127.0.0.1", "localhost"), LOOK)
    assert other is not first
    assert first.page.is_closed()
    other.close()
    pages.close()
