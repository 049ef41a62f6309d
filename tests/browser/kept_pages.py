"""Pages that the tests of a file use one after the other: to make one takes longer than what most tests do in it."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Error, ViewportSize

from tests.browser.building import BETWEEN_TESTS

DATABASES = "indexeddb,local_storage,cache_storage,service_workers"
"""What a browser keeps of an origin, for one tab or all, but for its cookies."""
WAIT_MS = 10_000

Look = tuple[int, int, str]
"""Width and height in px, and the colour scheme."""


class KeptPage:
    """A page of an origin in a context of its own, and what went wrong in it."""

    def __init__(self, browser: Browser, origin: str, look: Look) -> None:
        self.origin, self.look = origin, look
        self.problems: list[str] = []
        width_px, height_px, scheme = look
        self._size: ViewportSize = {"width": width_px, "height": height_px}
        self._scheme: Literal["light", "dark"] = "dark" if scheme == "dark" else "light"
        self.context = browser.new_context(
            base_url=origin,
            viewport=self._size,
            color_scheme=self._scheme,
            reduced_motion="reduce",  # what moves is drawn sixty times a second, without a graphics card
            accept_downloads=True,
        )
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        self.page.on("console", self._note)
        self._devtools: Any = None  # `send` has no type

    def close(self) -> None:
        self.context.close()

    def forget(self) -> None:
        """Leave the page, and all that the browser kept for it, as it was when it was new.

        Raises `playwright.sync_api.Error` where it is closed, or does not answer.
        """
        for other in self.context.pages:
            if other is not self.page:
                other.close()
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.mouse.move(-1, -1)  # the next page of the same frame has the pointer where it was
        self.page.goto(self.origin + BETWEEN_TESTS)
        self.page.set_viewport_size(self._size)
        self.page.emulate_media(color_scheme=self._scheme, reduced_motion="reduce", forced_colors="none")
        self._devtools = self._devtools or self.context.new_cdp_session(self.page)
        self._devtools.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": DATABASES})
        self.context.clear_cookies()
        self.problems.clear()

    def _note(self, said: ConsoleMessage) -> None:
        if "Content Security Policy" in said.text:
            self.problems.append(said.text)


class KeptPages:
    """The pages of a file that no test uses now."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[Look, KeptPage] = {}

    def take(self, origin: str, look: Look) -> KeptPage:
        """One that was given back, or a new one. Give it back after the test."""
        kept = self._free.pop(look, None)
        if kept is not None and kept.origin != origin:
            kept.close()  # its studio has ended
            kept = None
        return kept or self.new(origin, look)

    def new(self, origin: str, look: Look) -> KeptPage:
        return KeptPage(self._browser, origin, look)

    def give_back(self, kept: KeptPage) -> None:
        """Keep it for the next test, or close it where there is one already or it cannot be made as new."""
        try:
            kept.forget()
        except Error:
            kept.close()
            return
        if kept.look in self._free:
            kept.close()
        else:
            self._free[kept.look] = kept

    def close(self) -> None:
        for kept in self._free.values():
            kept.close()
        self._free.clear()
