"""A browser for an agent: opens pages, looks at them, clicks and types. All of it over Playwright."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote_plus, urlsplit

from pydantic import BaseModel

from studio.agents.web_egress import USER, EgressProxy
from studio.agents.web_marks import COLLECT, DESCRIBE, DRAW, VIEWPORT, VISIBLE_TEXT, WHOLE_TEXT
from studio.errors import SetupError, ToolFailed
from studio.executors.workspace_files import OutsideWorkspace, write_within
from studio.models.extras import needs_extra
from studio.sandbox.linux import user_for
from studio.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Download, ElementHandle, JSHandle, Page

WIDTH_PX, HEIGHT_PX = 1440, 900
GOTO_MS, ACTION_MS, SETTLE_MS = 30_000, 10_000, 5_000
SLEEP_MS = 3_000
SEARCH = "https://www.bing.com/search?q={query}&FORM=QBLH"
_ALLOWED = ("http", "https")
WITHOUT_RIGHTS = Path(__file__).with_name("without_rights.py")
OWN_PROFILE = "profile"
"""In the home of a browser without rights."""
OF_THE_SCREEN = re.compile(
    r"PATH|HOME|LANG|LC_\w+|LD_LIBRARY_PATH|TMPDIR|TZ|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|FONT\w+"
)
"""The variables that a browser is given. The others of the server hold keys."""


class Mark(BaseModel):
    """Something on the page to act on, by its number."""

    id: int
    tag: str
    role: str
    name: str
    place: Literal["here", "above", "below"]
    focused: bool


class View(BaseModel):
    """What the browser shows."""

    url: str
    title: str
    description: str = ""
    marks: list[Mark]
    text: str
    top: float
    height: float
    whole: float
    screenshot: str
    marked: str


@dataclass(frozen=True)
class BrowserSetup:
    """How a browser is started."""

    headless: bool = True
    channel: str | None = None
    data_dir: Path | None = None
    takes_downloads: bool = False
    resizes: bool = True
    allow_private: bool = False


class WebBrowser:
    """One page at a time. Starts when it is first used; `close` ends every process."""

    def __init__(self, setup: BrowserSetup) -> None:
        self._setup = setup
        self._resources = AsyncExitStack()
        self._proxy = EgressProxy(allow_private=setup.allow_private)
        self._context: BrowserContext | None = None
        self._elements: JSHandle | None = None
        self._downloads: list[Download] = []

    @property
    def is_open(self) -> bool:
        return self._context is not None

    async def open(self, url: str) -> None:
        """Start the browser at a page."""
        with needs_extra("web", "A web surfer"):
            from playwright.async_api import Error, async_playwright
        async with AsyncExitStack() as resources:
            await self._proxy.start()
            resources.push_async_callback(self._proxy.stop)
            playwright = await resources.enter_async_context(async_playwright())
            try:
                self._context = await self._launch(playwright, resources)
            except Error as error:
                raise SetupError(
                    f"Chromium did not start: {error.message.splitlines()[0]}",
                    fix="Run `playwright install chromium`, or set STUDIO_CHROMIUM to the path of one.",
                ) from error
            self._context.set_default_timeout(ACTION_MS)
            self._context.on("page", self._watch)
            for page in self._context.pages:
                self._watch(page)
            if not self._context.pages:
                await self._context.new_page()
            self._resources = resources.pop_all()
        try:
            await self.visit(url)
        except ToolFailed as error:  # the model may know a better address
            await self.page.goto("about:blank")
            await self.page.set_content(f"<p>{escape(error.what)}</p>")

    async def _launch(self, playwright: Any, resources: AsyncExitStack) -> BrowserContext:
        setup = self._setup
        path = Settings.from_env().chromium or shutil.which("chromium") or shutil.which("chromium-browser")
        common: dict[str, Any] = {
            "headless": setup.headless,
            "channel": setup.channel,
            "executable_path": None if setup.channel else path,
            "chromium_sandbox": True,
            # Nothing goes past the proxy: not this machine, and no datagrams of a call.
            "proxy": {
                "server": self._proxy.url,
                "bypass": "<-loopback>",
                "username": USER,
                "password": self._proxy.password,
            },
            "args": ["--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"],
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
            "env": {name: value for name, value in os.environ.items() if OF_THE_SCREEN.fullmatch(name)},
        }
        if _is_root():
            home = resources.enter_context(tempfile.TemporaryDirectory(prefix="studio-web-"))
            program = path if path and not setup.channel else playwright.chromium.executable_path
            common |= {"channel": None, **_without_rights(Path(home), program, keeps=setup.data_dir is not None)}
        page: dict[str, Any] = {
            "accept_downloads": setup.takes_downloads,
            "service_workers": "block",
            **({"viewport": {"width": WIDTH_PX, "height": HEIGHT_PX}} if setup.resizes else {}),
        }
        if setup.data_dir is not None:
            context = await playwright.chromium.launch_persistent_context(setup.data_dir, **common, **page)
        else:
            browser = await playwright.chromium.launch(**common)
            resources.push_async_callback(browser.close)
            context = await browser.new_context(**page)
        resources.push_async_callback(context.close)
        return cast("BrowserContext", context)

    def _watch(self, page: Page) -> None:
        page.on("download", lambda download: self._downloads.append(download))

    @property
    def page(self) -> Page:
        """The newest page: a link may have opened one."""
        assert self._context is not None, "the browser is opened first"
        return self._context.pages[-1]

    async def close(self) -> None:
        """End the browser and its way out."""
        self._context = self._elements = None
        await self._resources.aclose()

    # --- what it can do

    async def visit(self, url: str) -> None:
        """Go to an address; a few words are looked for instead.

        Raises:
            ToolFailed: There is no such page, or the studio does not go there.
        """
        if " " in url.strip():
            return await self.search(url)
        address = url if urlsplit(url).scheme in (*_ALLOWED, "about") or "://" in url else f"https://{url}"
        if urlsplit(address).scheme not in _ALLOWED and address != "about:blank":
            raise ToolFailed(f"Only http and https pages can be opened, not {url!r}.")
        refused = self._proxy.refused
        try:
            await self.page.goto(address, timeout=GOTO_MS)
        except self._errors() as error:
            reason = self._proxy.refusal if self._proxy.refused > refused else str(error).splitlines()[0]
            raise ToolFailed(f"{address!r} cannot be opened: {reason}") from error

    async def search(self, query: str) -> None:
        """Look something up on the web."""
        await self.visit(SEARCH.format(query=quote_plus(query)))

    async def act(self, name: str, arguments: Mapping[str, object]) -> None:
        """Do one of the actions on the page.

        Raises:
            ToolFailed: It cannot be done.
        """
        actions: dict[str, Callable[[], Awaitable[object]]] = {
            "visit_url": lambda: self.visit(str(arguments.get("url", ""))),
            "web_search": lambda: self.search(str(arguments.get("query", ""))),
            "history_back": lambda: self.page.go_back(),
            "click": lambda: self._click(arguments),
            "hover": lambda: self._on(arguments, "target_id", lambda element: element.hover()),
            "input_text": lambda: self._type(arguments),
            "scroll_up": lambda: self._scroll(-1),
            "scroll_down": lambda: self._scroll(1),
            "sleep": lambda: self.page.wait_for_timeout(SLEEP_MS),
        }
        if name not in actions:
            raise ToolFailed(f"There is no action {name!r}; choose from {', '.join(actions)}.")
        try:
            await actions[name]()
        except self._errors() as error:
            raise ToolFailed(f"{name} failed: {str(error).splitlines()[0]}") from error
        await self._settle()

    async def look(self) -> View:
        """What the page shows, as it is and with marks."""
        page = self.page
        with suppress(*self._errors()):
            self._elements = await page.evaluate_handle(COLLECT)
            marks = await self._elements.evaluate(DESCRIBE)
            screenshot = await page.screenshot()
            sheet = await self._elements.evaluate_handle(DRAW)
            marked = await page.screenshot()
            await sheet.evaluate("(sheet) => sheet.remove()")
            return View(
                url=page.url,
                title=await page.title(),
                marks=marks,
                text=await page.evaluate(VISIBLE_TEXT),
                screenshot=base64.b64encode(screenshot).decode(),
                marked=base64.b64encode(marked).decode(),
                **await page.evaluate(VIEWPORT),
            )
        raise ToolFailed(f"The page {page.url!r} cannot be captured.")

    async def whole_text(self) -> str:
        """The text of the whole page."""
        with suppress(*self._errors()):
            return str(await self.page.evaluate(WHOLE_TEXT))
        raise ToolFailed(f"The page {self.page.url!r} cannot be read.")

    async def save_downloads(self, folder: Path) -> list[str]:
        """Keep what was downloaded meanwhile, and say where.

        Raises:
            ToolFailed: A download broke off, or has no name that a file in the folder can have.
        """
        saved = list[str]()
        while self._downloads:
            download = self._downloads.pop(0)
            name = Path(download.suggested_filename).name
            try:
                saved.append(str(await asyncio.to_thread(_keep, await download.path(), folder, name)))
            except (*self._errors(), OSError, OutsideWorkspace) as error:
                raise ToolFailed(f"The download {name!r} cannot be saved: {error}") from error
        return saved

    # --- how

    async def _click(self, arguments: Mapping[str, object]) -> None:
        await self._on(arguments, "target_id", lambda element: element.click())

    async def _type(self, arguments: Mapping[str, object]) -> None:
        text = str(arguments.get("text_value", ""))

        async def fill(element: ElementHandle) -> None:
            tag = str(await element.evaluate("(element) => element.tagName"))
            if tag == "SELECT":
                await element.select_option(label=text)
                return
            await element.fill(text)
            if tag == "INPUT":
                await element.press("Enter")

        await self._on(arguments, "input_field_id", fill)

    async def _on(
        self, arguments: Mapping[str, object], name: str, do: Callable[[ElementHandle], Awaitable[None]]
    ) -> None:
        """Do something with the element of a number."""
        if self._elements is None:
            self._elements = await self.page.evaluate_handle(COLLECT)
        number = str(arguments.get(name))
        handle = await self._elements.evaluate_handle("(all, number) => all[Number(number) - 1]", number)
        element = handle.as_element()
        if element is None:
            raise ToolFailed(f"Nothing on the page has the number {number}.")
        await do(element)

    async def _scroll(self, pages: int) -> None:
        await self.page.evaluate("(by) => scrollBy({ top: by * (innerHeight - 100), behavior: 'instant' })", pages)

    async def _settle(self) -> None:
        """Wait until a page that began to load has loaded, but not for ever."""
        with suppress(*self._errors()):
            await self.page.wait_for_load_state("load", timeout=SETTLE_MS)

    def _errors(self) -> tuple[type[Exception], ...]:
        from playwright.async_api import Error

        return (Error,)


def _keep(download: Path, folder: Path, name: str) -> Path:
    """Copy a download. Neither a link that the browser left in its place nor one in the folder is followed."""
    with open(os.open(download, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        return write_within(folder, name, file)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _without_rights(home: Path, program: str, *, keeps: bool) -> dict[str, Any]:
    """How root starts a browser: as a user that has nothing but a folder. Chromium has no sandbox where it is root.

    Args:
        home: The folder.
        program: The browser.
        keeps: Whether its profile outlives it. It lies where that user has no way to, so it is shown in the folder.
    """
    downloads = home / "downloads"
    folders = [home, downloads, *([home / OWN_PROFILE] if keeps else [])]
    user = user_for(home)
    assert user is not None, "root has users for others"
    for folder in folders:
        folder.mkdir(exist_ok=True)
        os.chown(folder, user, user)
    start = home / "start"
    words = (sys.executable, "-I", "-S", "-B", str(WITHOUT_RIGHTS), str(user), str(home), program)
    start.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    start.chmod(0o755)
    return {"executable_path": str(start), "downloads_path": str(downloads)}
