"""Runs compared, looked into, shared and made into tests, by pointer and by keyboard."""

from __future__ import annotations

import zipfile
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.browser.playing import expect_end
from tests.browser.poets import open_run, poets, ran

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def test_two_runs_are_compared_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    team_id, before = ran(api, poets())
    changed = poets((3, "Another line of the poem."), (6, "Line 6 of the song."), instructions="Write short poems.")
    _, after = ran(api, changed, team_id, task="Write a poem, please.")
    page = open_page()
    open_run(page, api, after)
    page.get_by_role("button", name="More for this run").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Compare with another run…").press("Enter")
    expect(page.get_by_role("listbox", name="Compare with…").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{before}/compare/{after}")
    expect(page.locator(".compare-config")).to_contain_text("Write short poems.")
    expect(page.get_by_role("status").filter(has_text="differences")).to_have_text("3 differences")
    expect(page.locator(".compare-divergence")).to_contain_text("First difference: user has a different message.")
    page.keyboard.press("n")
    page.keyboard.press("n")
    here = page.locator(".compare-row:focus")
    expect(here.locator("ins")).to_have_text("Another line")
    expect(here.locator("del")).to_have_text("Line 3")
    page.keyboard.press("n")
    expect(here).to_contain_text("song")
    page.keyboard.press("p")
    expect(here).to_contain_text("Another line")
    expect(page.locator("[data-place]")).to_have_text("Difference 2 of 3")


def test_equal_stretches_unfold(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    page.goto(f"{api.base_url}/runs/{run_id}/compare/{run_id}".replace("//runs", "/runs"))
    expect(page.locator(".compare-row")).to_have_count(0)
    page.get_by_role("button", name="15 without differences").click()
    expect(page.locator(".compare-row")).to_have_count(15)
    expect(page.get_by_text("The runs are identical.")).to_be_visible()


def test_the_prompt_of_a_message_is_shown_with_what_is_new_in_it(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_role("tab", name="Prompt").focus()
    page.keyboard.press("Enter")
    prompt = page.get_by_role("tabpanel", name="Prompt")
    expect(prompt).to_contain_text("Select a message")
    page.get_by_text("Line 3 of the poem.").click()
    expect(prompt.get_by_role("heading")).to_have_text("writer call 4")
    expect(prompt.locator(".prompt-shares li")).to_contain_text(["System message", "Conversation × 7"])
    expect(prompt.locator(".prompt-change")).to_contain_text(["Line 2 of the poem.", "Go on."])
    prompt.get_by_role("button", name="Previous call").focus()
    page.keyboard.press("Enter")
    expect(prompt.get_by_role("heading")).to_have_text("writer call 3")
    expect(prompt.get_by_role("button", name="Previous call")).to_be_focused()


def test_a_run_is_shared_and_brought_in_again(open_page: OpenPage, api: httpx.Client, tmp_path: Path) -> None:
    api.put("/api/secrets/poem", json={"value": "a-very-secret-word"})
    team_id, run_id = ran(api, poets((2, "It is a-very-secret-word.")))
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_role("button", name="More for this run").click()
    page.get_by_role("menuitem", name="Share…").click()
    expect(page.get_by_role("row", name="secret:poem")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert "a-very-secret-word" not in file.read_text()

    page.goto(file.as_uri())
    expect(page.get_by_role("heading", name="Greeters")).to_be_visible()
    expect(page.get_by_text("It is [removed: secret:poem].", exact=True)).to_be_visible()

    assert api.delete(f"/api/runs/{run_id}").status_code == 204
    page.goto(f"{api.base_url}/teams/{team_id}/play".replace("//teams", "/teams"))
    page.get_by_label("Import a shared run").set_input_files(file)
    page.wait_for_url(f"**/runs/{run_id}")
    expect_end(page, "Finished")
    page.get_by_label("Import a shared run").set_input_files(file)
    expect(page.get_by_role("status")).to_contain_text("This run already exists here.")


def test_a_run_becomes_a_test(open_page: OpenPage, api: httpx.Client, tmp_path: Path) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_role("button", name="More for this run").click()
    with page.expect_download(timeout=30_000) as download:
        page.get_by_role("menuitem", name="Save as test").click()
    file = tmp_path / "test.zip"
    download.value.save_as(file)
    assert "test_greeters.py" in zipfile.ZipFile(file).namelist()
    expect(page.get_by_role("status")).to_contain_text("run pytest")


@also_narrow
def test_what_is_made_of_runs_can_be_read_by_all(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    team_id, before = ran(api, poets())
    _, after = ran(api, poets((3, "Another line."), instructions="Write short poems."), team_id)
    page = open_page(width_px=width_px, height_px=900)
    seen = Inspection(page)
    home = str(api.base_url).rstrip("/")
    page.goto(f"{home}/runs/{before}/compare/{after}")
    expect(page.locator(".compare-divergence")).to_be_visible()
    seen.look("comparison")
    page.goto(f"{home}/runs/{before}/share")
    seen.look("share")
    open_run(page, api, before)
    page.get_by_text("Line 2 of the poem.").click()
    if width_px < 800:
        page.get_by_role("tab", name="Views").click()
    page.get_by_role("tab", name="Prompt").click()
    expect(page.locator(".prompt-change").first).to_be_visible()
    seen.look("prompt", ".prompt-panel")
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_be_visible()
    seen.look("fork", "dialog")
    assert seen.faults == []
