"""Suites on their pages: writing cases and scorers, by pointer and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import OpenPage, call
from tests.browser.deploying import greeter, visit
from tests.browser.poets import open_run, poets, ran

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

SUITE: dict[str, Any] = {
    "suite": "greetings",
    "always": [{"never_calls": ["delete_file"]}],
    "scorers": [{"includes": "{target}"}],
    "cases": [
        {"id": "morning", "task": "Greet me in the morning.", "target": "morning", "tags": ["short"]},
        {
            "id": "refund",
            "task": "Refund order 17.",
            "target": "refunded",
            "scorers": [{"calls": ["find_order", "refund"]}],
        },
    ],
}


def suite_page(page: Page, **more: Any) -> str:
    """The page of a new suite of a new team."""
    made = call(page, "POST", "/api/teams", {"component": greeter(), "name": "Greeters"})
    suite = call(page, "POST", f"/api/teams/{made['id']}/suites", {"document": {**SUITE, **more}})
    visit(page, f"/suites/{suite['id']}")
    return str(suite["id"])


def document(page: Page, suite_id: str) -> Any:
    return call(page, "GET", f"/api/suites/{suite_id}")["document"]


def test_a_first_suite_is_made_with_a_scorer_and_a_case(open_page: OpenPage) -> None:
    page = open_page()
    call(page, "POST", "/api/teams", {"component": greeter(), "name": "Greeters"})
    visit(page, "/teams")
    page.get_by_role("link", name="Evaluate").click()
    page.get_by_role("button", name="New suite").first.click()
    page.get_by_role("option", name="Greeters").click()
    page.get_by_role("dialog", name="New suite").get_by_label("Name").fill("First words")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="First words")).to_be_visible()

    page.get_by_role("button", name="Add scorer").click()
    dialog = page.get_by_role("dialog", name="Scorer", exact=True)
    expect(dialog.get_by_label("Text", exact=True)).to_have_value("{target}")
    dialog.get_by_role("button", name="Save scorer").click()
    expect(page.get_by_text("The answer includes “{target}”.")).to_be_visible()

    page.get_by_role("button", name="Add case").click()
    case = page.get_by_role("dialog", name="New case")
    expect(case.get_by_label("Task")).to_be_focused()
    case.get_by_label("Task").fill("Say hello.")
    case.get_by_role("button", name="Save case").click()
    expect(case.get_by_role("alert")).to_contain_text("The case has no `target`".replace("`", ""))
    case.get_by_label("Target").fill("hello")
    case.get_by_role("button", name="Save case").click()
    row = page.get_by_role("row").filter(has_text="Say hello.")
    expect(row).to_contain_text("hello")


def test_a_case_is_edited_with_its_scorers_deleted_and_put_back_by_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    suite_id = suite_page(page)
    page.get_by_role("button", name="Edit case refund").focus()
    page.keyboard.press("Enter")
    case = page.get_by_role("dialog", name="Edit case")
    expect(case.get_by_label("Task")).to_have_value("Refund order 17.")
    case.get_by_role("button", name="Add scorer").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Scorer", exact=True)
    dialog.get_by_label("What is judged").select_option("at_most")
    dialog.get_by_label("Dollars").fill("0.05")
    dialog.get_by_label("Turns").fill("4")
    page.keyboard.press("Enter")
    expect(case.get_by_text("At most: 0.05; 4")).to_be_visible()
    case.get_by_role("button", name="Delete Calls").focus()
    page.keyboard.press("Enter")
    case.get_by_label("Tags").fill("money, slow")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Takes at most $0.05, 4 turns.")).to_be_visible()
    assert document(page, suite_id)["cases"][1] == {
        "id": "refund",
        "task": "Refund order 17.",
        "target": "refunded",
        "tags": ["money", "slow"],
        "scorers": [{"at_most": {"usd": 0.05, "turns": 4}}],
    }
    before = document(page, suite_id)["cases"]
    page.get_by_role("button", name="Delete case morning").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Delete case refund")).to_be_focused()
    assert [each["id"] for each in document(page, suite_id)["cases"]] == ["refund"]
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Edit case morning")).to_be_visible()
    assert document(page, suite_id)["cases"] == before


def test_a_scorer_of_every_case_becomes_an_invariant_and_is_deleted_with_undo(open_page: OpenPage) -> None:
    page = open_page()
    suite_id = suite_page(page)
    page.get_by_role("button", name="Edit includes").click()
    dialog = page.get_by_role("dialog", name="Scorer", exact=True)
    dialog.get_by_label("Must not hold").check()
    dialog.get_by_label("Invariant").check()
    dialog.get_by_label("Text", exact=True).fill("{target}\nsorry")
    dialog.get_by_role("button", name="Save scorer").click()
    expect(page.get_by_text("Not: The answer includes “{target}” and “sorry”.")).to_be_visible()
    whole = document(page, suite_id)
    assert whole["always"][1] == {"not": {"includes": {"text": ["{target}", "sorry"]}}}
    page.get_by_role("button", name="Delete never_calls").click()
    expect(page.get_by_role("button", name="Delete never_calls")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Delete never_calls")).to_be_visible()
    assert document(page, suite_id) == whole


def test_what_was_changed_meanwhile_is_not_lost(open_page: OpenPage) -> None:
    page = open_page()
    suite_id = suite_page(page)
    whole = document(page, suite_id)
    page.get_by_role("button", name="Edit case refund").click()
    case = page.get_by_role("dialog", name="Edit case")
    case.get_by_label("Target").fill("paid back")
    first = {"id": "new", "task": "A new one.", "target": "x"}
    call(
        page,
        "PUT",
        f"/api/suites/{suite_id}",
        {"document": {**whole, "cases": [first, *whole["cases"]]}, "revision": 1},
    )
    case.get_by_role("button", name="Save case").click()
    expect(page.get_by_role("row").filter(has_text="paid back")).to_be_visible()
    assert [each["target"] for each in document(page, suite_id)["cases"]] == ["x", "morning", "paid back"]

    page.get_by_role("button", name="Edit case refund").click()
    now = document(page, suite_id)
    now["cases"][2]["target"] = "theirs"
    call(page, "PUT", f"/api/suites/{suite_id}", {"document": now, "revision": 3})
    case.get_by_label("Target").fill("mine")
    case.get_by_role("button", name="Save case").click()
    expect(case.get_by_role("alert")).to_contain_text("changed or deleted since")
    expect(case.get_by_label("Target")).to_have_value("mine")
    assert document(page, suite_id)["cases"][2]["target"] == "theirs"


def test_mistakes_in_the_text_lead_to_their_lines(open_page: OpenPage) -> None:
    page = open_page()
    suite_id = suite_page(page)
    page.get_by_role("link", name="Text").click()
    box = page.get_by_role("textbox", name="Suite as YAML")
    box.fill("suite: x\nscorers:\n- incudes: y\ncases:\n- tsk: z\n")
    page.get_by_role("button", name="Save").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("There is no scorer 'incudes'")
    alert.get_by_role("button", name="Line 3").click()
    assert box.evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)") == "- incudes: y"
    box.fill("suite: trees\nscorers: [{includes: oak}]\ncases: [{task: Name a tree.}]\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="trees", exact=True)).to_be_visible()
    assert document(page, suite_id)["cases"] == [{"task": "Name a tree."}]


@also_narrow
def test_the_pages_are_accessible(open_page: OpenPage, width_px: int) -> None:
    page = open_page()
    page.set_viewport_size({"width": width_px, "height": 900})
    suite_id = suite_page(page)
    inspection = Inspection(page)
    inspection.look("a suite")
    page.get_by_role("button", name="Edit case refund").click()
    inspection.look("a case", "#case-dialog")
    page.get_by_role("dialog", name="Edit case").get_by_role("button", name="Edit Calls").click()
    inspection.look("a scorer", "#scorer-dialog")
    visit(page, f"/suites/{suite_id}/text")
    page.get_by_role("textbox", name="Suite as YAML").fill("suite: x\ncases:\n- tsk: z\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    inspection.look("mistakes")
    visit(page, "/suites")
    inspection.look("all suites")
    assert not inspection.faults


def test_a_run_becomes_a_case_and_is_scored_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    team_id, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_role("button", name="More for this run").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Add to suite…").press("Enter")
    dialog = page.get_by_role("dialog", name="Add to suite")
    includes = dialog.get_by_label("The answer includes")
    expect(includes).to_be_focused()
    dialog.get_by_label("Name of the new suite").fill("Good poems")
    inspection = Inspection(page)
    inspection.look("a run as a case", "dialog[open]")
    dialog.get_by_role("button", name="Add case").press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("has no scorer")
    includes.fill("line")
    dialog.get_by_role("button", name="Add case").press("Enter")
    page.get_by_role("button", name="Open suite").press("Enter")
    expect(page.get_by_role("heading", name="Good poems")).to_be_visible()
    expect(page.get_by_role("link", name="Went well")).to_have_attribute("href", f"/runs/{run_id}")
    page.get_by_role("link", name="Past runs").press("Enter")
    page.get_by_role("button", name="Select the newest").press("Enter")
    page.get_by_role("button", name="Score", exact=True).press("Enter")
    scores = page.get_by_role("region", name="Scores of past runs")
    expect(scores).to_contain_text("of 1 run.")
    inspection.look("scores")
    assert not inspection.faults
    suites = api.get(f"/api/teams/{team_id}/suites").json()
    open_run(page, api, run_id)
    page.get_by_role("button", name="More for this run").click()
    page.get_by_role("menuitem", name="Add to suite…").click()
    dialog.get_by_label("It went wrong").check()
    dialog.get_by_role("button", name="Add case").click()
    expect(dialog.get_by_role("alert")).to_contain_text("A run that went wrong needs a scorer.")
    assert [each["case_count"] for each in suites] == [1]


def test_rows_are_pasted_and_files_imported(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    suite_id = suite_page(page)
    page.get_by_role("link", name="Paste or import").press("Enter")
    box = page.get_by_label("Rows or text")
    box.fill("task\ttarget\nName a tree.\toak\textra\nName a wood.\tpine")
    page.get_by_role("button", name="Preview").press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This row has 3 cells")
    alert.get_by_role("button", name="Line 2").click()
    assert box.evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)") == "Name a tree.\toak\textra"
    box.fill("task\ttarget\nName a tree.\toak\nName a wood.\tpine")
    page.get_by_role("button", name="Preview").press("Enter")
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_be_focused()
    expect(preview).to_contain_text("2 cases from a table or JSONL")
    inspection = Inspection(page)
    inspection.look("a preview")
    assert not inspection.faults
    preview.get_by_role("button", name="Add 2 cases").press("Enter")
    expect(page.get_by_role("row").filter(has_text="Name a wood.")).to_contain_text("pine")

    file = tmp_path / "hi.test.json"
    file.write_text(
        '[{"query": "hi", "expected_tool_use": [{"tool_name": "greet", "tool_input": {}}], "reference": "Hello!"}]'
    )
    page.get_by_role("link", name="Import", exact=True).click()
    page.get_by_label("Or files").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    expect(preview).to_contain_text("1 case from Google ADK")
    expect(preview).to_contain_text("ADK compares answers by ROUGE-1")
    preview.get_by_role("button", name="Add 1 case").click()
    expect(page.get_by_role("button", name="Edit case hi")).to_be_visible()
    expect(page.get_by_text("Calls exactly, in this order: greet.")).to_be_visible()
    assert [each["task"] for each in document(page, suite_id)["cases"]][2:] == ["Name a tree.", "Name a wood.", "hi"]

    page.get_by_role("link", name="Import", exact=True).click()
    page.get_by_label("Add to").select_option("A new suite of Greeters")
    page.get_by_label("Or files").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    preview.get_by_role("button", name="Add suite").click()
    expect(page.get_by_role("heading", name="hi", exact=True)).to_be_visible()


def test_who_answers_what_is_preferred_and_the_gate_are_set_in_forms(open_page: OpenPage) -> None:
    page = open_page()
    suite_id = suite_page(page, prefer=[{"question": "Which answer is kinder?", "connection": "Checker"}])
    page.get_by_role("navigation", name="Suite").get_by_role("link", name="Settings").click()
    page.locator("[data-opens='#people-dialog']").click()
    people = page.get_by_role("dialog", name="Who answers the team")
    expect(people.get_by_label("Answers", exact=True)).to_be_hidden()
    people.get_by_label("If the team asks a person").select_option("Fixed answers")
    people.get_by_label("Answers", exact=True).fill("From Oslo.\n\nYes, book {targt}.\\nThank you.")
    people.get_by_role("button", name="Save").click()
    expect(people.get_by_role("alert")).to_contain_text("targt")
    people.get_by_label("Answers", exact=True).fill("From Oslo.\n\nYes, book {target}.\\nThank you.")
    people.get_by_role("button", name="Save").click()
    expect(page.locator("[data-people] li")).to_have_count(2)
    assert document(page, suite_id)["people"] == {"answers": ["From Oslo.", "Yes, book {target}.\nThank you."]}

    page.locator("[data-opens='#people-dialog']").click()
    people.get_by_label("If the team asks a person").select_option("A simulated person answers")
    people.get_by_label("What the person wants").fill("A train to Rome.")
    inspection = Inspection(page)
    inspection.look("who answers", "#people-dialog")
    people.get_by_role("button", name="Save").click()
    expect(page.locator("[data-people]")).to_contain_text("A simulated person, up to 10 answers: A train to Rome.")

    page.locator("[data-opens='#prefer-dialog']").click()
    prefer = page.get_by_role("dialog", name="Which answer is better")
    prefer.get_by_label("Questions", exact=True).fill("Which answer is kinder?\nWhich answer is shorter?")
    prefer.get_by_role("button", name="Save").click()
    expect(page.locator("[data-prefer] li")).to_have_count(2)
    kinder, shorter = document(page, suite_id)["prefer"]
    assert kinder == {"question": "Which answer is kinder?", "connection": "Checker"}
    assert shorter == {"question": "Which answer is shorter?"}

    page.get_by_role("button", name="Set gate").click()
    gate = page.get_by_role("dialog", name="Gate")
    gate.get_by_label("Require an evaluation that passes").press("Space")
    gate.get_by_label("Pass rate of at least (%)").fill("70")
    inspection.look("the gate", "#gate-dialog")
    assert not inspection.faults
    page.keyboard.press("Enter")
    expect(page.locator("[data-gate]")).to_contain_text("at least 70 %")
    assert document(page, suite_id)["gate"] == {"at_least": 70, "releases": True}
    page.get_by_role("button", name="Edit gate").click()
    gate.get_by_role("button", name="Remove gate").click()
    expect(page.get_by_role("button", name="Set gate")).to_be_visible()
