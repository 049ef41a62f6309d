"""The main job, as a person does it: import, see, edit, run, pause, step, reload, stop, export."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from studio.components import load_component, parse_document
from tests.browser.building import origin
from tests.browser.conftest import NewStudio, OpenPage, StudioServer
from tests.browser.playing import expect_pausing
from tests.conformance.facts import MISSING, golden_folder
from tests.fakes.openai_server import Call, OpenAIServer, Reply

GALLERY = golden_folder().parent / "files" / "studio_head_default_gallery.json"
CHAT = '[data-part="chat"]'
KEY = "test-key-of-the-fake-server"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not GALLERY.exists(), reason=MISSING),
]


@pytest.fixture
def studio_server(tmp_path: Path, openai_server: OpenAIServer, new_studio: NewStudio) -> Iterator[StudioServer]:
    openai_server.key = KEY
    with new_studio(tmp_path / "data", {"OPENAI_API_KEY": KEY}) as server:
        yield server
    print("".join(server.output))


def shown(page: Page) -> list[dict[str, Any]]:
    """The messages and events of the run that the page shows, from the log."""
    run_id = page.url.split("/runs/")[1].split("#")[0]
    answer = page.request.get(f"/api/runs/{run_id}/events?after=0&limit=500".replace("/api", origin(page) + "/api", 1))
    return [entry for entry in answer.json()["entries"] if entry["kind"] in ("message", "event")]


def state(page: Page) -> Locator:
    return page.locator('[data-part="state"]')


def press(page: Page, command: str) -> None:
    page.locator(f'[data-command="{command}"]').click()


def import_gallery(page: Page) -> None:
    page.goto(origin(page) + "/galleries", wait_until="domcontentloaded")
    page.get_by_role("button", name="Import").click()
    page.locator('input[name="file"]').set_input_files(GALLERY)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-gallery-preview]")).to_contain_text("RoundRobin Team")
    page.get_by_role("button", name="Add gallery").click()
    page.wait_for_url("**/galleries/*")


def use_team(page: Page) -> None:
    page.locator(".component-row", has_text="RoundRobin Team").get_by_role("button", name="Use as team").click()
    page.wait_for_url("**/teams/*")
    expect(page.locator(".canvas .node")).to_contain_text("assistant_agent")


def field(page: Page, pointer_end: str) -> Locator:
    return page.locator(f'#panel-form [data-pointer$="{pointer_end}"]:is(input, textarea, select)').first


def reveal(page: Page, pointer_end: str) -> Locator:
    """The field, with "More options" opened if it lies there."""
    found = field(page, pointer_end)
    found.wait_for(state="attached")
    if not found.is_visible():
        page.locator("#panel-form details.form-more > summary").click()
    return found


def edit_team(page: Page, base_url: str) -> None:
    """Point the model at the fake server, let the agent stream, and see undo take a change back."""
    page.locator('.node .chip[data-kind="model"]').click()
    reveal(page, "/base_url").fill(base_url)
    reveal(page, "/api_key").fill("env:OPENAI_API_KEY")
    page.locator(".node-head", has_text="assistant_agent").click()
    expect(page.locator('#panel-form [data-form="/config/participants/0"]')).to_be_visible()
    reveal(page, "/model_client_stream").check()
    reveal(page, "/system_message").fill("Answer in one line.")
    expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=15_000)
    page.keyboard.press("Escape")
    page.locator("[data-undo]").click()
    expect(field(page, "/system_message")).not_to_have_value("Answer in one line.")
    page.locator("[data-redo]").click()
    expect(field(page, "/system_message")).to_have_value("Answer in one line.")
    expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=15_000)


def start_run(page: Page, openai_server: OpenAIServer) -> None:
    """A run starts only after each thing that it could do was approved."""
    page.locator("[data-run]").click()
    page.get_by_label("Task for the team").fill("What is 19 + 23?")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("def calculator")
    assert openai_server.request_count == 0
    dialog.get_by_role("button", name="Approve and run").click()
    expect(page.locator("[data-run-panel] .turn[data-kind=message]").first).to_contain_text("What is 19 + 23?")
    page.get_by_role("link", name="Open in the playground").click()
    page.wait_for_url("**/runs/*")


def reload_while_it_streams(page: Page, openai_server: OpenAIServer) -> None:
    """Tokens are seen while the model is still writing; a reload in mid-run loses and doubles nothing."""
    openai_server.wait_until_held()
    chat = page.locator(CHAT)
    expect(chat).to_contain_text("The first answer")
    expect(chat).not_to_contain_text("on its way")
    page.reload(wait_until="domcontentloaded")
    expect(chat).to_contain_text("The first answer")
    expect(chat.get_by_text("What is 19 + 23?")).to_have_count(1)


def pause_stops_everything(page: Page, openai_server: OpenAIServer) -> None:
    """This message is finished, then nothing more arrives and no request reaches the server."""
    press(page, "pause")
    expect_pausing(page)
    openai_server.release()
    expect(state(page)).to_contain_text("Paused")
    expect(page.locator(CHAT).get_by_text("The first answer is on its way.")).to_have_count(1)
    openai_server.wait_until_idle()
    before = shown(page)
    page.reload(wait_until="domcontentloaded")
    expect(state(page)).to_contain_text("Paused")
    assert shown(page) == before
    assert openai_server.request_count == 1


def each_step_gives_one_event(page: Page, openai_server: OpenAIServer) -> None:
    for call_state, event in (("open", "ToolCallRequestEvent"), ("ok", "ToolCallExecutionEvent")):
        before = shown(page)
        press(page, "step")
        expect(page.locator(f'{CHAT} .tool-call[data-state="{call_state}"]')).to_contain_text("calculator")
        expect(state(page)).to_contain_text("Paused")
        assert [entry["body"]["type"] for entry in shown(page)[len(before) :]] == [event]
    assert openai_server.request_count == 2


def two_tabs_see_the_run_stop(page: Page, openai_server: OpenAIServer) -> None:
    """Resume goes on, stop ends after the turn, and a second tab shows the same."""
    second = page.context.new_page()
    second.goto(page.url, wait_until="domcontentloaded")
    expect(second.locator(CHAT)).to_contain_text("The first answer is on its way.")
    press(page, "resume")
    openai_server.wait_until_held()
    expect(page.locator(CHAT)).to_contain_text("The last")
    press(page, "stop")
    expect(state(page)).to_contain_text("Stopping")
    openai_server.release()
    for tab in (page, second):
        expect(state(tab)).to_contain_text("Stopped")
        expect(tab.locator(CHAT).get_by_text("The last answer.")).to_have_count(1)
    assert openai_server.request_count == 3
    entries = shown(page)
    assert [entry["body"]["source"] for entry in entries if entry["kind"] == "message"] == [
        "user",
        "assistant_agent",
        "assistant_agent",
        "assistant_agent",
    ]
    assert [entry["seq"] for entry in entries] == sorted({entry["seq"] for entry in entries})


def past_run_opens_again(page: Page, team_url: str) -> None:
    """The flow graph counted what travelled, and the run opens again from its log."""
    page.get_by_text("As a table").click()
    expect(page.locator('[data-part="flow-table"]')).to_contain_text("assistant_agent")
    page.goto(team_url + "/play", wait_until="domcontentloaded")
    page.locator('[data-part="run-list"] a', has_text="What is 19 + 23?").click()
    expect(page.locator(CHAT).get_by_text("The last answer.")).to_have_count(1)


def test_the_whole_path(open_page: OpenPage, openai_server: OpenAIServer, tmp_path: Path):
    openai_server.say(
        Reply("The first answer is on its way.", hold=3, usage=(100, 7)),
        Reply(calls=[Call("calculator", {"a": 19, "b": 23, "operator": "+"})], usage=(120, 9)),
        Reply("The last answer.", hold=2),
    )
    page = open_page()
    import_gallery(page)
    use_team(page)
    team_url = page.url
    edit_team(page, openai_server.url)
    start_run(page, openai_server)
    reload_while_it_streams(page, openai_server)
    pause_stops_everything(page, openai_server)
    each_step_gives_one_event(page, openai_server)
    two_tabs_see_the_run_stop(page, openai_server)
    past_run_opens_again(page, team_url)
    exported_python_runs(page, team_url, openai_server, tmp_path)


def exported_python_runs(page: Page, team_url: str, openai_server: OpenAIServer, tmp_path: Path) -> None:
    """Download the team as Python; it prints the run, and builds the same JSON."""
    page.goto(team_url, wait_until="domcontentloaded")
    page.get_by_role("button", name="Export").click()
    page.locator("#export").get_by_text("Export for a framework…").click()
    with page.expect_download() as downloading:
        page.get_by_role("dialog").get_by_role("button", name="Download").click()
    script = tmp_path / "team.py"
    downloading.value.save_as(script)
    assert KEY not in script.read_text()

    openai_server.say("It is 42. TERMINATE")
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    command = [sys.executable, str(script), "What is 19 + 23?"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert "It is 42. TERMINATE" in ran.stdout, ran.stderr
    assert openai_server.request_count == 4

    rebuild = f"import json, runpy; team = runpy.run_path({str(script)!r})['build_team'](); " + (
        "print(json.dumps(team.dump_component()))"
    )
    built = subprocess.run([sys.executable, "-c", rebuild], capture_output=True, text=True, timeout=60, check=True)
    team_id = team_url.rsplit("/", 1)[1]
    saved = page.request.get(f"{origin(page)}/api/teams/{team_id}").json()["component"]
    assert parse_document(built.stdout) == load_component(saved).dump_component()
