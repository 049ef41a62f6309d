"""The tab Schedules: a schedule is written with its next times in view, paused, changed and deleted."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import OpenPage
from tests.browser.deploying import published, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
YEARLY = {"cron": "0 0 1 1 *", "zone": "Europe/Berlin", "task": "Say hello."}


def test_a_schedule_is_added_changed_paused_and_deleted(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "timed")
    visit(page, "/deployments/timed/schedules")
    page.get_by_role("button", name="Add the first schedule").click()
    dialog = page.get_by_role("dialog", name="New schedule")
    expect(dialog.get_by_role("textbox", name="Task")).to_be_focused()
    page.keyboard.type("Summarize the news.")
    dialog.get_by_label("Repeats").select_option(label="Every weekday at 08:00")
    dialog.get_by_label("Time zone").fill("Asia/Tokyo")
    shown = dialog.get_by_role("status", name="Next calls")
    expect(shown).to_contain_text("Every weekday at 08:00, Asia/Tokyo. Next:")
    expect(shown.get_by_role("listitem")).to_have_count(5)
    expect(shown.get_by_role("listitem").first).to_contain_text(re.compile(r"08:00 \(\w{3} \d\d:00 your time\)"))
    dialog.get_by_label("Cron expression").press("Enter")

    row = page.get_by_role("row", name=re.compile("Summarize the news.*Every weekday at 08:00.*Tokyo.*Never"))
    expect(row).to_be_visible()
    row.get_by_text("Then").click()
    expect(row.get_by_role("listitem")).to_have_count(4)
    row.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog", name="Edit schedule")
    expect(dialog.get_by_role("textbox", name="Task")).to_have_value("Summarize the news.")
    expect(dialog.get_by_label("Repeats")).to_have_value("0 8 * * 1-5")
    dialog.get_by_label("Cron expression").fill("15 9 * * 2")
    expect(dialog.get_by_label("Repeats")).to_have_value("")
    expect(dialog.get_by_role("status", name="Next calls")).to_contain_text("Every Tuesday at 09:15")
    dialog.get_by_role("button", name="Save schedule").click()

    page.get_by_role("button", name="Pause Summarize the news.").click()
    expect(page.get_by_role("row", name=re.compile("Every Tuesday at 09:15.*Paused"))).to_be_visible()
    [kept] = api.get("/api/deployments/timed/schedules").json()
    assert (kept["cron"], kept["zone"], kept["is_on"]) == ("15 9 * * 2", "Asia/Tokyo", False)
    page.get_by_role("button", name="Call now: Summarize the news.").click()
    expect(page.get_by_role("row", name=re.compile("Paused.*Called"))).to_be_visible(timeout=15_000)
    page.get_by_role("button", name="Resume Summarize the news.").click()
    expect(page.get_by_role("button", name="Pause Summarize the news.")).to_be_visible()
    page.get_by_role("button", name="Delete Summarize the news.").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete schedule").click()
    expect(page.get_by_role("heading", name="No schedules yet")).to_be_visible()


def test_a_late_refusal_is_told_in_the_dialog_not_at_what_was_typed_since(
    open_page: OpenPage, api: httpx.Client
) -> None:
    page = open_page()
    published(page, api, "late")
    visit(page, "/deployments/late/schedules")
    held: list[Route] = []
    page.route("**/api/deployments/late/schedules", lambda route: held.append(route))
    page.get_by_role("button", name="Add the first schedule").click()
    dialog = page.get_by_role("dialog", name="New schedule")
    dialog.get_by_role("textbox", name="Task").fill("Report.")
    cron = dialog.get_by_label("Cron expression")
    cron.fill("61 * * * *")
    cron.press("Enter")
    expect(dialog.get_by_role("button", name="Save schedule")).to_be_disabled()
    with page.expect_response("**/fragments/schedule-times?cron=0+8*"):
        cron.fill("0 8 * * *")
    held[0].continue_()
    told = "'61 * * * *' is not a cron expression"
    expect(dialog.get_by_role("status").get_by_text(told)).to_be_visible()
    expect(dialog.get_by_role("button", name="Save schedule")).to_be_enabled()
    expect(cron).to_have_attribute("aria-invalid", "false")
    cron.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("status").get_by_text(told)).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text(told)).to_have_count(0)


def test_what_cannot_be_read_is_told_at_its_field_and_nothing_is_lost(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "mistyped")
    visit(page, "/deployments/mistyped/schedules")
    page.get_by_role("button", name="Add the first schedule").click()
    dialog = page.get_by_role("dialog", name="New schedule")
    dialog.get_by_role("textbox", name="Task").fill("Report.")
    cron, zone = dialog.get_by_label("Cron expression"), dialog.get_by_label("Time zone")
    zone.fill("Europe/Berlin")
    cron.fill("61 * * * *")
    alert = dialog.get_by_role("alert").filter(has_text="is not a cron expression")
    expect(alert).to_be_visible()
    expect(cron).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    cron.press("Enter")
    expect(cron).to_be_focused()
    cron.fill("0 8 * * *")
    expect(dialog.get_by_role("listitem")).to_have_count(5)
    expect(cron).to_have_attribute("aria-invalid", "false")
    zone.fill("Mars/Base")
    expect(dialog.get_by_role("alert").filter(has_text="There is no time zone 'Mars/Base'.")).to_be_visible()
    assert api.get("/api/deployments/mistyped/schedules").json() == []
    zone.fill("UTC")
    zone.press("Enter")
    expect(page.get_by_role("row", name=re.compile("Report.*Every day at 08:00"))).to_be_visible()


@also_narrow
def test_the_tab_of_schedules(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    name = f"timed-with-a-name-that-is-long-{width_px}"
    published(page, api, name)
    visit(page, f"/deployments/{name}/schedules")
    look("no schedules yet")
    page.get_by_role("button", name="Add the first schedule").click()
    expect(page.get_by_role("listitem").filter(has_text="08:00").last).to_be_visible()
    look("new schedule", "dialog[open]")
    page.get_by_label("Cron expression").fill("61 * * * *")
    expect(page.get_by_text("is not a cron expression")).to_be_visible()
    look("a cron expression that cannot be read", "dialog[open]")
    for task in ("Say hello.", "Summarize the news of the last day. " * 20, "unbroken" * 60):
        body = {**YEARLY, "task": task, "cron": "3,17,44 5-23/4 1-20 * *"}
        api.post(f"/api/deployments/{name}/schedules", json=body).raise_for_status()
    visit(page, f"/deployments/{name}/schedules")
    page.get_by_text("Then").first.click()
    look("schedules")
    assert inspection.faults == []
