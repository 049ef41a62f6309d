"""A chart of a spreadsheet by each kind of executor: seen, opened, downloaded, used again, forked, and compared."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, NewStudio, OpenPage, StudioServer
from tests.browser.playing import TASK, expect_end
from tests.extended import IS_EXTENDED
from tests.fakes.docker_engine import missing
from tests.sandbox.jailed import best_jail
from tests.web.documents import team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

EXECUTORS = {
    "local": "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor",
    "jupyter": "autogen_ext.code_executors.jupyter.JupyterCodeExecutor",
    "docker": "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor",
}
CSV = {"name": "cities.csv", "mimeType": "text/csv", "buffer": b"city,people\nParis,2\nRome,3\n"}
CHART = """```python
import struct, zlib

shade = {shade}
bars = [int(line.split(",")[1]) for line in open("cities.csv").read().splitlines()[1:]]
rows = b"".join(b"\\0" + bytes(shade if x < 5 * bar else 255 for x in range(20)) for bar in bars for _ in range(5))
part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
head = struct.pack(">IIBBBBB", 20, 5 * len(bars), 8, 0, 0, 0, 0)
png = b"\\x89PNG\\r\\n\\x1a\\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
open("chart.png", "wb").write(png)
print("drawn")
```"""
AGAIN = """```python
print(len(open("chart.png", "rb").read()) > 50, open("cities.csv").readline())
```"""


@pytest.fixture(scope="module")
def studio_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, new_studio: NewStudio
) -> Iterator[StudioServer]:
    """A studio that can start containers, where a test wants one and there is an engine for it."""
    engine = request.getfixturevalue("possible_docker_engine") if IS_EXTENDED else None
    environment = {"DOCKER_HOST": str(engine)} if engine else {}
    with new_studio(tmp_path_factory.mktemp("studio") / "data", environment) as server:
        yield server


def coder(kind: str) -> JsonObject:
    executor: JsonObject = {"provider": EXECUTORS[kind], "component_type": "code_executor", "config": {"timeout": 60}}
    settings: JsonObject = {"name": "coder", "code_executor": executor, "sources": ["user"]}
    return {"provider": "autogen_agentchat.agents.CodeExecutorAgent", "component_type": "agent", "config": settings}


def press(page: Page, name: str) -> None:
    """A button, by the keyboard."""
    page.get_by_role("button", name=name, exact=True).first.press("Enter")


@pytest.mark.parametrize(
    "kind", ["local", *(pytest.param(each, marks=pytest.mark.extended) for each in ("jupyter", "docker"))]
)
def test_a_chart_is_drawn_opened_used_again_and_compared_with_that_of_a_fork(
    kind: str, open_page: OpenPage, make_team: MakeTeam, tmp_path: Path
) -> None:
    if kind == "docker" and (reason := missing()):
        pytest.skip(reason)
    best_jail()
    page = open_page()
    page.goto(make_team(team(coder(kind), max_messages=2)), wait_until="domcontentloaded")
    page.get_by_label("Attach files").set_input_files([CSV])  # pyright: ignore[reportArgumentType]  # a file in memory
    page.get_by_label("How agents get cities.csv").select_option("folder")
    page.get_by_role("textbox", name=TASK).fill(CHART.format(shade=0))
    page.keyboard.press("Enter")
    press(page, "Approve and run")
    expect_end(page)
    first = page.url

    page.locator(".turn").nth(1).get_by_role("link", name="chart.png").press("Enter")
    expect(page.get_by_role("tab", name="Files")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("img", name="chart.png")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download chart.png").click()
    downloading.value.save_as(tmp_path / "chart.png")
    drawn = Image.open(io.BytesIO((tmp_path / "chart.png").read_bytes()))
    assert (drawn.size, drawn.getpixel((12, 0)), drawn.getpixel((12, 9))) == ((20, 10), 255, 0)

    press(page, "Use chart.png in the next task")
    page.get_by_label("How agents get chart.png").select_option("folder")
    page.get_by_role("textbox", name=TASK).fill(AGAIN)
    page.keyboard.press("Enter")
    expect(page.locator(".turn", has_text="True city,people").last).to_be_visible()

    page.goto(first, wait_until="domcontentloaded")
    expect_end(page)
    page.locator(".turn").first.click(button="right")
    page.get_by_role("menuitem", name="Fork from here…").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(CHART.format(shade=128))
    dialog.get_by_role("button", name="Fork", exact=True).press("Enter")
    expect(page.locator(".run-origin")).to_contain_text("Fork of another run")
    expect(page.locator(".turn").nth(1).get_by_role("link", name="chart.png")).to_be_visible()
    expect_end(page)
    page.get_by_role("link", name="Compare both").press("Enter")
    line = page.get_by_role("region", name="Files").get_by_role("listitem").filter(has_text="chart.png")
    line.locator("summary").press("Enter")
    expect(line.get_by_role("img")).to_have_count(3)
    expect(line).to_contain_text("125 pixels differ, 62.5 %")
