"""Parts of an imported team with findings are marked on the canvas and in the outline until a person has seen them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, call, origin, wait_for_builder
from tests.importers.classic_samples import GROUP
from tests.importers.workflows import DESK

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def open_imported(page: Page, text: str) -> str:
    """Import a team and open it in the builder."""
    team_id = str(call(page, "POST", "/api/imports", {"text": text})["id"])
    show(page, team_id)
    return team_id


def show(page: Page, team_id: str) -> None:
    page.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(page)


def card_mark(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True)).locator(".import-mark")


def row(page: Page, name: str) -> Locator:
    return page.locator(f'.tree-row[aria-label^="{name},"]')


def kept(page: Page, team_id: str) -> dict[str, Any]:
    expect(page.locator("[data-save-state]")).to_have_attribute("data-state", "saved", timeout=15_000)
    return call(page, "GET", f"/api/teams/{team_id}")["layout"].get("imported", {})


def test_a_part_is_marked_until_its_findings_are_seen(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_imported(page, json.dumps(DESK))
    mark = card_mark(page, "approval")
    expect(mark).to_have_text("1")
    expect(mark).to_have_attribute("title", "1 import finding\nApproval “Ask”")
    expect(card_mark(page, "Cook")).to_be_hidden()
    expect(page.locator(".frame-title .import-mark")).to_have_text("1")
    page.get_by_role("tab", name="Outline").click()
    expect(row(page, "approval").locator(".import-mark")).to_have_text("1")
    expect(page.get_by_role("treeitem", name="1 import finding")).to_have_count(2)

    row(page, "approval").click()
    findings = page.get_by_role("region", name="Import findings")
    expect(findings).to_contain_text("Approximated: Approval “Ask” A person chooses between two answers")
    expect(findings.locator("code")).to_have_text("pasted.json/nodes/4")
    findings.get_by_role("button", name="Seen", exact=True).click()
    expect(findings).to_be_hidden()
    expect(mark).to_be_hidden()
    expect(page.get_by_role("treeitem", name="1 import finding")).to_have_count(1)
    assert list(kept(page, team_id)) == [""]

    show(page, team_id)
    expect(page.locator(".frame-title .import-mark")).to_have_text("1")
    expect(card_mark(page, "approval")).to_be_hidden()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(card_mark(page, "approval")).to_have_text("1")


def test_the_keyboard_goes_from_finding_to_finding_and_marks_all_as_seen(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_imported(page, GROUP)
    parts = list(kept(page, team_id))
    assert len(parts) == 3
    findings = page.get_by_role("region", name="Import findings")
    page.locator(".frame-name").click()
    page.keyboard.press("i")
    expect(page.locator(".node:focus .import-mark")).to_be_visible()
    expect(findings).to_be_visible()
    page.keyboard.press("v")
    expect(findings).to_be_hidden()
    expect(page.locator(".node:focus")).to_have_count(1)
    page.keyboard.press("i")
    expect(findings).to_be_visible()
    seen = findings.get_by_role("button", name="Seen", exact=True)
    seen.focus()
    page.keyboard.press("Enter")
    expect(findings).to_be_hidden()
    expect(page.locator("#panel-form :focus")).to_have_count(1)
    assert len(kept(page, team_id)) == 1
    page.locator(".frame-name").click()
    page.keyboard.press("Shift+V")
    expect(page.locator(".import-mark:visible")).to_have_count(0)
    assert kept(page, team_id) == {}
    page.keyboard.press("i")
    expect(page.locator(".toast")).to_contain_text("There are no import findings to look at.")


def test_findings_follow_the_name_of_their_part_and_go_with_it(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_imported(page, GROUP)
    old = next(place for place in kept(page, team_id) if place)
    name = old.rpartition("/")[2]
    page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True)).locator(".node-head").click()
    page.locator("#panel-form").get_by_role("textbox", name="Name", exact=True).fill("someone")
    expect(card_mark(page, "someone")).to_be_visible()
    assert "/participants/someone" in kept(page, team_id)
    page.locator(".node[data-card]").filter(has_text="someone").locator(".node-head").click()
    page.keyboard.press("Delete")
    expect(card_mark(page, "someone")).to_have_count(0)
    after = kept(page, team_id)
    assert after
    assert not {old, "/participants/someone"} & set(after)


def test_findings_are_read_and_seen_on_a_phone(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    open_imported(page, GROUP)
    findings = page.get_by_role("region", name="Import findings")
    page.get_by_role("treeitem").filter(has=page.locator(".import-mark:visible")).first.click()
    expect(findings).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    findings.get_by_role("button", name="All seen").click()
    expect(page.locator(".import-mark:visible")).to_have_count(0)


def test_what_is_no_finding_is_not_shown(open_page: OpenPage) -> None:
    """A script error fails the test, as everywhere."""
    page = open_page()
    team_id = open_imported(page, json.dumps(DESK))
    odd: list[object] = ["x", [1], {"": 5}, {"": [None, 1, {"verdict": "asked", "what": None}]}]
    for imported in odd:
        made = call(page, "GET", f"/api/teams/{team_id}")
        changed = {name: made[name] for name in ("component", "revision")} | {"layout": {"imported": imported}}
        assert call(page, "PUT", f"/api/teams/{team_id}", changed)["layout"]["imported"] == imported
        show(page, team_id)
        expect(page.locator(".node[data-card]").first).to_be_visible()
        expect(page.locator(".import-mark:visible")).to_have_count(0)
