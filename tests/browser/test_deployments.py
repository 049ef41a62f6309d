"""Publishing a team from the builder, calling it as programs do, and operating it on its pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import JsonObject, OpenPage, agent, limit, open_team, origin, replay, team, tool
from tests.browser.deploying import greeter, published, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


HOOK = "https://hooks.example.com/studio?token=abc"


def calculator(tool_name: str = "add") -> JsonObject:
    """An agent whose turn ends with the result of a tool."""
    able = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
    model = replay("Hello")
    model["config"]["model_info"] = able
    return agent("writer", tools=[tool(tool_name)], model_client=model)


def run(command: list[str], key: str) -> str:
    """What a program prints that finds the key in its environment."""
    environment = {**os.environ, "STUDIO_KEY": key, "NO_PROXY": "*"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True).stdout


def test_a_team_is_published_from_the_builder_and_called_by_what_is_shown(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    open_team(page, greeter())
    page.keyboard.press("Control+k")
    page.keyboard.type("publish")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Publish Pair")
    name = dialog.get_by_role("textbox", name="Name", exact=True)
    expect(name).to_be_focused()
    expect(name).to_have_value("pair")
    name.fill("greetings")
    expect(dialog.get_by_text(f"{origin(page)}/d/greetings")).to_be_visible()
    dialog.get_by_text("Limits: $1 per call").click()
    dialog.get_by_label("Calls per minute").fill("7")
    page.keyboard.press("Enter")

    done = page.get_by_role("dialog", name="Published")
    field = done.get_by_role("textbox", name="Key")
    expect(field).to_be_focused()
    key = field.input_value()
    assert key.startswith("sk-studio-")
    done.get_by_role("button", name="Copy the command").click()
    command = str(page.evaluate("navigator.clipboard.readText()"))
    assert key in command
    assert '"answer":"Hello"' in run(["bash", "-c", command], "").replace(": ", ":")
    done.get_by_role("link", name="Open deployment").click()
    expect(page.get_by_role("heading", name="greetings")).to_be_visible()

    page.get_by_role("tab", name="Python").click()
    program = tmp_path / "program.py"
    program.write_text(page.get_by_role("tabpanel", name="Python").locator("pre").inner_text())
    assert run([sys.executable, str(program)], key) == "Hello\n"

    page.get_by_role("link", name="Limits").click()
    expect(page.get_by_label("Calls per minute")).to_have_value("7")
    page.get_by_role("link", name="Calls", exact=True).click()
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text(re.compile("Say hello.*Finished.*First caller.*Chat Completions", re.S))
    expect(rows.nth(2)).to_contain_text("REST")
    rows.nth(1).get_by_role("link").click()
    expect(page.get_by_text("Hello").first).to_be_visible()


def test_a_name_that_is_taken_is_told_beside_it(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "taken")
    open_team(page, greeter())
    page.get_by_role("button", name="Publish", exact=True).click()
    dialog = page.get_by_role("dialog", name="Publish Pair")
    name = dialog.get_by_role("textbox", name="Name", exact=True)
    name.fill("taken")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("There is already a deployment 'taken'.")
    expect(name).to_be_focused()
    name.fill("free-again")
    expect(dialog.get_by_role("alert")).to_be_empty()


def test_the_dialog_warns_of_answers_that_would_be_empty_and_asks_for_approval(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(calculator("only_here"), agent("critic"), termination_condition=limit(2)))
    page.get_by_role("button", name="Publish", exact=True).click()
    dialog = page.get_by_role("dialog", name="Publish Pair")
    warning = dialog.get_by_text("Callers then get an empty answer.")
    expect(warning).to_be_visible()
    expect(warning).to_contain_text("writer")
    dialog.get_by_label("Answer of").select_option(label="Last message of critic")
    expect(warning).to_be_hidden()
    dialog.get_by_label("Answer of").select_option(label="Last message of writer")
    expect(warning).to_be_visible()
    dialog.get_by_label("Answer with tool results").check()
    expect(warning).to_be_hidden()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("adds")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("dialog", name="Published")).to_contain_text("adds takes calls now.")


def test_a_call_from_the_page_is_a_real_one(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    asks = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "person", "description": "A person."},
    }
    published(page, api, "asks", team(agent("writer"), asks, termination_condition=limit(3)))
    visit(page, "/deployments/asks")
    page.get_by_label("Task").fill("Greet.")
    page.keyboard.press("Control+Enter")
    shown = page.locator("[data-call]")
    expect(shown.locator("[data-answer]")).to_have_text("Hello")
    expect(shown).to_contain_text("Waiting")
    shown.get_by_label("Your answer").fill("Good.")
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("Finished")
    assert [each["key_label"] for each in api.get("/api/deployments/asks/calls").json()] == ["Try it (owner)"]
    shown.get_by_role("link", name="Open in the playground").click()
    expect(page.get_by_text("Good.").first).to_be_visible()


def test_calls_appear_while_the_page_is_open(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    key = published(page, api, "watched")
    headers = {"Authorization": f"Bearer {key}"}
    url = f"{api.base_url}/d/watched/calls"
    httpx.post(url, headers=headers, params={"wait_s": 20}, json={"task": "First."}).raise_for_status()
    visit(page, "/deployments/watched/calls")
    expect(page.get_by_role("row")).to_have_count(2)
    httpx.post(url, headers=headers, params={"wait_s": 20}, json={"task": "Second."}).raise_for_status()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Second.")


def test_a_release_goes_live_after_a_look_at_what_changes_and_is_rolled_back(
    open_page: OpenPage, api: httpx.Client
) -> None:
    page = open_page()
    key = published(page, api, "released")
    headers, params = {"Authorization": f"Bearer {key}"}, {"wait_s": 20}
    address = f"{origin(page)}/d/released/calls"
    httpx.post(address, json={"task": "Say hello."}, headers=headers, params=params).raise_for_status()
    found = api.get("/api/deployments/released").json()
    team_ = api.get(f"/api/teams/{found['team_id']}").json()
    component = team_["component"]
    component["config"]["participants"][0]["config"]["system_message"] = "Be brief."
    saved: JsonObject = {"component": component, "layout": {}, "revision": team_["revision"]}
    api.put(f"/api/teams/{team_['id']}", json=saved).raise_for_status()

    visit(page, "/deployments/released/releases")
    page.get_by_role("button", name="New release").click()
    page.get_by_label("Note").fill("Shorter answers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Compared to live release 1")).to_be_visible()
    expect(page.locator("[data-diff]")).to_contain_text("Be brief.")
    page.get_by_role("button", name="Replay calls").press("Enter")
    expect(page.get_by_text("0 of 1 stay the same.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Say hello.")).to_contain_text("has other content")
    page.get_by_role("button", name="Try on some threads…").click()
    dialog = page.get_by_role("dialog", name="Try release 2 on some threads")
    dialog.get_by_label("Percent of new threads").fill("25")
    dialog.get_by_role("button", name="Start canary").press("Enter")
    expect(page.get_by_role("row", name=re.compile("Release 2.*Canary, 25% of new threads"))).to_be_visible()
    page.get_by_role("button", name="End canary").press("Enter")
    expect(page.get_by_text("Canary, 25%")).to_have_count(0)
    page.get_by_role("link", name="Compare to live").click()
    page.get_by_role("button", name="Make live").click()
    page.get_by_role("dialog").get_by_role("button", name="Make live").click()
    expect(page.locator("[data-release='2']")).to_contain_text("Live")
    page.get_by_role("button", name="Roll back to release 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Make live").click()
    expect(page.locator("[data-release='1']")).to_contain_text("Live")
    assert api.get("/api/deployments/released").json()["live"] == 1


def test_keys_are_made_shown_once_and_revoked(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "keyed")
    visit(page, "/deployments/keyed/keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_role("textbox", name="Name").fill("Web shop")
    page.get_by_label("Expires after (days)").fill("30")
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Key", exact=True)
    expect(field).to_be_focused()
    key = field.input_value()
    page.get_by_role("button", name="Close").last.click()
    expect(page.get_by_role("row", name=re.compile(f"Web shop.*{key[-4:]}"))).to_be_visible()
    assert key not in page.content()
    headers = {"Authorization": f"Bearer {key}"}
    models = f"{api.base_url}/d/keyed/v1/models"
    assert httpx.get(models, headers=headers).status_code == 200
    page.get_by_role("button", name="Revoke Web shop").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke key").click()
    page.locator("summary", has_text="Expired and revoked keys").click()
    expect(page.get_by_role("row", name=re.compile("Web shop.*Revoked"))).to_be_visible()
    assert httpx.get(models, headers=headers).status_code == 401


def test_a_webhook_is_added_and_its_deliveries_are_listed(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    key = published(page, api, "told")
    visit(page, "/deployments/told/webhooks")
    page.get_by_role("button", name="New webhook").click()
    page.get_by_role("textbox", name="Address").fill("http://127.0.0.1/hooks")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").last).to_contain_text("127.0.0.1")
    page.get_by_role("textbox", name="Address").fill(HOOK)
    page.get_by_label("wait for an answer").uncheck()
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Secret")
    expect(field).to_be_focused()
    secret = field.input_value()
    assert secret.startswith("whsec_")
    page.get_by_role("button", name="Close").last.click()
    row = page.get_by_role("row", name=re.compile("hooks.example.com.*finished, failed, stopped.*On"))
    expect(row).to_be_visible()
    assert secret not in page.content()

    headers = {"Authorization": f"Bearer {key}"}
    call_url = f"{api.base_url}/d/told/calls"
    httpx.post(call_url, headers=headers, params={"wait_s": 20}, json={"task": "Greet."}).raise_for_status()
    page.reload()
    event = page.get_by_role("row", name=re.compile("Call finished.*hooks.example.com"))
    expect(event).to_be_visible()
    event.get_by_role("button", name="Send again").click()
    expect(event).to_be_visible()
    page.get_by_role("button", name="Turn hooks.example.com off").click()
    expect(page.get_by_role("button", name="Turn hooks.example.com on")).to_be_visible()
    page.get_by_role("button", name="Delete hooks.example.com").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No webhooks yet.")).to_be_visible()


def test_a_deployment_is_turned_off_and_deleted(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "brief")
    visit(page, "/deployments/brief/settings")
    page.get_by_label("Callers see", exact=True).select_option("messages")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_label("Callers see", exact=True)).to_have_value("messages")
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("button", name="Turn on")).to_be_visible()
    changed = api.get("/api/deployments/brief").json()
    assert (changed["settings"]["sees"], changed["is_on"]) == ("messages", False)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete deployment").click()
    expect(page).to_have_url(re.compile(r"/deployments$"))
    assert api.get("/api/deployments/brief").status_code == 404


@also_narrow
def test_the_pages_of_deployments(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    for each in api.get("/api/deployments").json():
        api.delete(f"/api/deployments/{each['name']}")
    visit(page, "/deployments")
    look("deployments, none yet")
    name = f"looked-at-with-a-name-that-is-long-{width_px}"
    key = published(page, api, name, team(calculator(), termination_condition=limit(2)))
    headers = {"Authorization": f"Bearer {key}"}
    url = f"{api.base_url}/d/{name}/calls"
    httpx.post(url, headers=headers, params={"wait_s": 20}, json={"task": "Greet. " * 40}).raise_for_status()
    api.post(f"/api/deployments/{name}/releases", json={"note": "Again"}).raise_for_status()
    made = api.post(f"/api/deployments/{name}/keys", json={"label": "old"}).json()
    api.delete(f"/api/deployments/{name}/keys/{made['id']}").raise_for_status()
    visit(page, f"/deployments/{name}/webhooks")
    look("webhooks, none yet")
    api.post(f"/api/deployments/{name}/webhooks", json={"address": HOOK}).raise_for_status()
    httpx.post(url, headers=headers, params={"wait_s": 20}, json={"task": "Greet."}).raise_for_status()
    visit(page, f"/deployments/{name}/webhooks")
    expect(page.get_by_role("button", name="Send again")).to_be_visible()
    look("webhooks")
    page.get_by_role("button", name="New webhook").click()
    look("new webhook", "dialog[open]")
    for path in ("", f"/{name}", f"/{name}/calls", f"/{name}/releases", f"/{name}/releases/2", f"/{name}/keys"):
        visit(page, f"/deployments{path}")
        look(f"deployments{path}")
    page.locator("summary", has_text="Expired and revoked keys").click()
    look("revoked keys")
    page.get_by_role("button", name="New key").click()
    look("new key", "dialog[open]")
    for path in ("limits", "usage", "usage?by=key", "settings"):
        visit(page, f"/deployments/{name}/{path}")
        look(path)
    visit(page, f"/deployments/{name}")
    page.get_by_label("Task").fill("Greet.")
    page.get_by_role("button", name="Call", exact=True).click()
    expect(page.locator("[data-call]")).to_contain_text("Finished")
    look("a call from the page")
    open_team(page, team(calculator(), termination_condition=limit(2)))
    page.keyboard.press("Control+k")
    page.keyboard.type("publish")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Publish Pair")).to_be_visible()
    page.get_by_text("Limits: $1 per call").click()
    look("publish", "dialog[open]")
    page.get_by_role("textbox", name="Name", exact=True).fill(f"by-look-{width_px}")
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_role("dialog", name="Published")).to_be_visible()
    look("published", "dialog[open]")
    assert inspection.faults == []


def test_a_form_changes_its_own_settings_and_none_that_somebody_else_changed_meanwhile(
    open_page: OpenPage, api: httpx.Client
) -> None:
    page = open_page()
    published(page, api, "shared")
    visit(page, "/deployments/shared/limits")
    settings = api.get("/api/deployments/shared").json()["settings"]
    api.patch("/api/deployments/shared", json={"settings": {**settings, "sees": "messages"}}).raise_for_status()
    page.get_by_label("Calls per minute").fill("9")
    page.get_by_role("button", name="Save limits").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    settings = api.get("/api/deployments/shared").json()["settings"]
    assert (settings["sees"], settings["limits"]["calls_per_minute"]) == ("messages", 9)


def test_a_task_that_is_refused_stays_in_its_field(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "refusing")
    visit(page, "/deployments/refusing")
    api.patch("/api/deployments/refusing", json={"is_on": False}).raise_for_status()
    page.get_by_label("Task").fill("A long task.")
    page.get_by_role("button", name="Call", exact=True).click()
    expect(page.get_by_text("Refused")).to_be_visible()
    expect(page.get_by_label("Task")).to_have_value("A long task.")


def test_a_key_that_is_asked_for_twice_is_made_once(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "hasty")
    visit(page, "/deployments/hasty/keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Name").fill("Web shop")
    held: list[Route] = []
    page.route("**/keys", lambda route: held.append(route))
    button = page.get_by_role("button", name="Create key")
    button.click()
    expect(button).to_be_disabled()
    page.get_by_label("Name").press("Enter")
    page.unroute("**/keys")
    expect(page.get_by_role("textbox", name="Key", exact=True)).to_be_focused()
    assert len(held) == 1
    assert len(api.get("/api/deployments/hasty").json()["keys"]) == 2
