"""A workflow of another tool: dropped, previewed with its report, saved as a team, and opened with a note."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, origin
from tests.importers.workflows import DESK

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def open_import(page: Page) -> None:
    page.goto(f"{origin(page)}/galleries", wait_until="domcontentloaded")
    page.get_by_role("button", name="Import").click()


def test_a_workflow_is_previewed_saved_and_opens_with_what_is_left_to_do(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    file = tmp_path / "desk.json"
    file.write_text(json.dumps(DESK))
    open_import(page)
    page.locator('input[name="file"]').set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    report = page.locator("[data-gallery-preview]")
    expect(report.get_by_role("heading", name="Desk")).to_be_visible()
    expect(report).to_contain_text("Graph, 7 participants")
    expect(report.locator("details[open]", has_text="Left out: 1")).to_contain_text("Node “Lonely”")
    expect(report.get_by_text("Agent “Cook”")).to_be_hidden()
    report.get_by_text("Exact:").click()
    expect(report.get_by_text("Agent “Cook”")).to_be_visible()
    report.get_by_role("button", name="Save as team").click()
    page.wait_for_url("**/teams/*")
    expect(page.locator(".canvas .node", has_text="Sort").first).to_be_visible()
    note = page.locator("[data-canvas] .note")
    expect(note).to_be_in_viewport(ratio=0.99)
    assert "Left out: Node “Lonely”" in note.locator("textarea").input_value()
    note.focus()
    page.keyboard.press("Delete")
    expect(note).to_have_count(0)


def test_a_script_in_typescript_is_refused_with_what_to_do(open_page: OpenPage) -> None:
    page = open_page()
    open_import(page)
    page.get_by_role("tab", name="Paste").click()
    page.get_by_label("JSON, YAML or Python").fill('import { Agent } from "@openai/agents";')
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-source-error]")).to_contain_text("choose Python")


def test_a_notebook_with_a_long_name_is_previewed_on_a_phone(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(390, 844)
    code = 'from autogen import ConversableAgent\nwriter = ConversableAgent("writer", llm_config={"model": "gpt-4o"})\n'
    cells = [{"cell_type": "code", "source": [code]}, {"cell_type": "code", "source": ["%%bash\n", "ls"]}]
    file = tmp_path / f"{'agent_chat_' * 12}.ipynb"
    file.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    open_import(page)
    page.locator('input[name="file"]').set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    report = page.locator("[data-gallery-preview]")
    expect(report).to_contain_text("It is not Python.")
    expect(report.locator("code", has_text="cell 2:1:1")).to_be_visible()
    assert page.locator(".drop-zone").evaluate("zone => zone.getBoundingClientRect().right < innerWidth")
