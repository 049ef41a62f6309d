"""The files of two runs side by side: pictures by eye and pixel, tables by cell, text by word."""

from __future__ import annotations

import io
from collections.abc import Mapping

import httpx
import pytest
from PIL import Image
from playwright.sync_api import expect

from studio.components import JsonObject
from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.documents import assistant, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
WRITER: JsonObject = team(assistant("writer", "Done."), max_messages=2)


def picture(*marked: tuple[int, int]) -> bytes:
    """A white picture of 20 x 10 pixels with black ones."""
    image, content = Image.new("RGB", (20, 10), "white"), io.BytesIO()
    for place in marked:
        image.putpixel(place, (0, 0, 0))
    image.save(content, "PNG")
    return content.getvalue()


def run_with(api: httpx.Client, files: Mapping[str, bytes]) -> str:
    team_id = api.post("/api/teams", json={"component": WRITER}).json()["id"]
    given = [
        {"id": api.post("/api/files", params={"name": name}, content=content).json()["id"], "name": name}
        for name, content in files.items()
    ]
    return api.post("/api/runs", json={"team_id": team_id, "task": "Look.", "files": given}).json()["id"]


@also_narrow
def test_files_of_two_runs_are_compared(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    same = {"same.md": b"Nothing new."}
    before = run_with(api, {"a.md": b"Go to Paris.", "b.csv": b"n,w\n1,x\n2,y\n", "c.png": picture(), **same})
    after = run_with(
        api,
        {"a.md": b"Go to Rome.", "b.csv": b"n,w\n1,x\n2,z\n", "c.png": picture((1, 1), (2, 2)), "d.md": b"New", **same},
    )
    page = open_page(width_px)
    inspection = Inspection(page)
    page.goto(f"{str(api.base_url).rstrip(chr(47))}/runs/{before}/compare/{after}", wait_until="domcontentloaded")
    lines = page.get_by_role("region", name="Files").get_by_role("listitem")
    expect(lines).to_have_count(5)
    expect(lines.nth(3)).to_have_text("d.md Only in the second run")
    expect(lines.nth(4)).to_have_text("same.md Identical")
    for place in range(3):
        lines.nth(place).locator("summary").press("Enter")
    expect(lines.first.locator("del")).to_have_text("Paris")
    expect(lines.first.locator("ins")).to_have_text("Rome")
    expect(lines.nth(1).locator("tbody tr")).to_have_text(["22y z"])
    expect(lines.nth(2).get_by_role("img")).to_have_count(3)
    expect(lines.nth(2)).to_contain_text("2 pixels differ, 1.0 %")
    inspection.look("the files of two runs")
    assert inspection.faults == []


def test_runs_without_files_have_no_such_part(open_page: OpenPage, api: httpx.Client) -> None:
    run_id = run_with(api, {})
    page = open_page()
    with page.expect_response(f"**/api/runs/{run_id}/files"):
        page.goto(f"{str(api.base_url).rstrip(chr(47))}/runs/{run_id}/compare/{run_id}", wait_until="domcontentloaded")
    expect(page.get_by_role("region", name="Files")).to_be_hidden()
