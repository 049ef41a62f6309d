"""Files as people use them: attached, seen where code wrote them, opened, downloaded and used again."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from studio.components import JsonObject
from tests.browser.accessibility import NARROW_PX, Inspection
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import PIXEL, TASK, expect_end
from tests.fakes.openai_server import OpenAIServer
from tests.sandbox.jailed import best_jail
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.filing import analyst, coder
from tests.web.sample_documents import encrypted_pdf, pdf
from tests.web.tables import parquet

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

CSV = {"name": "cities.csv", "mimeType": "text/csv", "buffer": b"city,people\nParis,2\nRome,3\n"}
CHART = f"""```python
import base64
rows = open("cities.csv").read().splitlines()
open("chart.png", "wb").write(bytes.fromhex("{PIXEL.hex()}"))
open("sums.csv", "w").write("city,share\\n" + "\\n".join(rows[1:]) + "\\n")
print("done")
```"""
AGAIN = "```python\nprint(open('sums.csv').read())\n```"
CODERS: JsonObject = team(coder(), max_messages=2)


@pytest.fixture
def coders(make_team: MakeTeam) -> str:
    best_jail()
    return make_team(CODERS)


def attach(page: Page, *files: object) -> None:
    page.get_by_label("Attach files").set_input_files(list(files))  # pyright: ignore[reportArgumentType]


def give(page: Page, task: str) -> None:
    """Send a task, with all approvals that the team asks for."""
    page.get_by_role("textbox", name=TASK).fill(task)
    page.keyboard.press("Enter")
    started, approve = page.locator("[data-view=run]"), page.get_by_role("button", name="Approve and run")
    expect(started.or_(approve)).to_be_visible()
    if approve.is_visible():
        approve.click()
    expect_end(page)


def test_a_file_goes_in_and_what_code_writes_comes_out_and_in_again(
    open_page: OpenPage, coders: str, tmp_path: Path
) -> None:
    page = open_page()
    page.goto(coders, wait_until="domcontentloaded")
    attach(page, CSV)
    page.get_by_label("How agents get cities.csv").select_option("folder")
    give(page, CHART)
    expect(page.locator(".turn").first.get_by_role("link", name="cities.csv")).to_be_visible()
    page.locator(".turn").nth(1).get_by_role("link", name="chart.png").click()
    expect(page.get_by_role("tab", name="Files")).to_have_attribute("aria-selected", "true")
    picture = page.get_by_role("img", name="chart.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 10
    page.get_by_role("button", name="sums.csv", exact=False).first.click()
    expect(page.locator(".file-table td")).to_have_text(["Paris", "2", "Rome", "3"])
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download sums.csv").click()
    downloading.value.save_as(tmp_path / "sums.csv")
    assert (tmp_path / "sums.csv").read_text() == "city,share\nParis,2\nRome,3\n"
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download all").click()
    assert downloading.value.suggested_filename == "greeters.files.zip"
    page.get_by_role("button", name="Use sums.csv in the next task").click()
    expect(page.get_by_label("How agents get sums.csv")).to_have_value("text")
    page.get_by_role("textbox", name=TASK).fill(AGAIN)
    page.keyboard.press("Enter")
    expect(page.locator(".turn", has_text="city,share").last).to_be_visible()


def test_files_of_a_tool_are_shown_below_its_call(open_page: OpenPage, make_team: MakeTeam) -> None:
    best_jail()
    page = open_page()
    page.goto(make_team(analyst("open('out.json', 'w').write('{\"a\": 1}')")), wait_until="domcontentloaded")
    give(page, "Write it.")
    page.get_by_role("link", name="out.json").click()
    expect(page.locator(".file-preview .json-leaf")).to_have_text("a: 1")


def test_files_are_dropped_chosen_and_removed_by_keyboard(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    drop = """zone => {
        const data = new DataTransfer()
        data.items.add(new File(["a,b\\n1,2\\n"], "dropped.csv", { type: "text/csv" }))
        zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
    }"""
    page.locator("[data-files-drop]").evaluate(drop)
    attach(page, CSV)
    chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips).to_have_count(2)
    expect(page.get_by_label("How agents get cities.csv")).to_have_value("text")
    page.get_by_role("button", name="Remove dropped.csv").focus()
    page.keyboard.press("Enter")
    expect(chips).to_have_count(1)
    expect(page.get_by_role("textbox", name=TASK)).to_be_focused()
    page.keyboard.type("Read it.")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Approve and run").click()
    expect_end(page)
    first = page.locator(".turn").first
    expect(first).to_contain_text("Read it.")
    expect(first).not_to_contain_text("Paris")
    expect(first.get_by_role("link", name="cities.csv")).to_be_visible()
    assert "Paris,2" in str(openai_server.requests[0].body["messages"])


def test_an_upload_is_canceled_and_a_refused_one_says_why(open_page: OpenPage, pair: Callable[[int], str]) -> None:
    held: list[Route] = []
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    page.route("**/api/files*", lambda route: held.append(route))
    attach(page, CSV)
    expect(page.get_by_role("progressbar", name="Uploading cities.csv")).to_be_visible()
    page.get_by_role("textbox", name=TASK).fill("Go.")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Cancel cities.csv").click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    error = {"code": "storage_full", "message": "The disk is full.", "fix": "", "where": ""}
    page.unroute("**/api/files*")
    page.route("**/api/files*", lambda route: route.fulfill(status=507, json={"error": error}))
    attach(page, CSV)
    expect(page.get_by_text("cities.csv: The disk is full.")).to_be_visible()
    expect(page.get_by_role("list", name="Attached files")).to_be_hidden()


@pytest.mark.parametrize("width_px", [390, pytest.param(1440, marks=pytest.mark.extended)])
def test_files_fit_a_phone_and_are_accessible(open_page: OpenPage, coders: str, width_px: int) -> None:
    page = open_page(width_px)
    inspection = Inspection(page)
    page.goto(coders, wait_until="domcontentloaded")
    attach(page, CSV, {"name": f"{'long ' * 20}.png", "mimeType": "image/png", "buffer": PIXEL})
    for name in ("cities.csv", "long"):
        page.get_by_label(f"How agents get {name}").select_option("folder")
    inspection.look("a task with files")
    give(page, CHART)
    expect(page.locator(".turn").first).to_be_visible()
    if width_px > NARROW_PX:
        task, chat = (page.locator(each).first.bounding_box() for each in (".turn .turn-body", ".chat-scroll"))
        assert task is not None
        assert chat is not None
        assert task["x"] >= chat["x"], "it is no wider than the conversation"
    page.locator(".turn").nth(1).get_by_role("link", name="sums.csv").click()
    expect(page.locator(".file-table")).to_be_visible()
    inspection.look("the tab of files")
    assert inspection.faults == []


DROP = """(zone, name) => {
    const data = new DataTransfer()
    data.items.add(new File(["city,people\\nOslo,4\\n"], name, { type: "text/csv" }))
    zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
}"""


def test_files_go_with_an_answer_and_with_a_message(open_page: OpenPage, make_team: MakeTeam) -> None:
    page = open_page()
    page.goto(make_team(team(USER_PROXY, assistant("writer", "Thanks."), max_messages=5)))
    page.get_by_role("textbox", name=TASK).fill("Ask me.")
    page.keyboard.press("Enter")
    answer = page.locator("form.question-form")
    answer.get_by_label("Attach files").set_input_files([CSV])  # pyright: ignore[reportArgumentType]
    page.locator("[data-files-drop]").evaluate(DROP, "dropped.csv")
    files = page.get_by_role("list", name="Files of the answer").get_by_role("listitem")
    expect(files).to_have_count(2)
    answer.get_by_role("button", name="Remove dropped.csv").focus()
    page.keyboard.press("Enter")
    expect(files).to_have_count(1)
    expect(answer.get_by_role("textbox")).to_be_focused()
    answer.get_by_label("How agents get cities.csv").select_option("folder")
    answer.get_by_role("textbox").fill("Here it is.")
    answer.get_by_role("textbox").press("Enter")
    said = page.locator(".turn", has_text="Here it is.")
    expect(said.get_by_role("link", name="cities.csv")).to_be_visible()
    expect(page.locator("form.question-form")).to_have_count(1)
    page.locator("form.question-form").get_by_role("textbox").fill("No more.")
    page.keyboard.press("Enter")
    expect_end(page)
    page.get_by_role("tab", name="Files").click()
    expect(page.get_by_role("button", name="cities.csv", exact=False).first).to_contain_text("Attached")


def test_a_review_of_the_team_keeps_the_files_of_the_task(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    attach(page, CSV)
    page.get_by_label("How agents get cities.csv").select_option("folder")
    page.get_by_role("textbox", name=TASK).fill("Read it.")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Review each").click()
    page.wait_for_url("**/review?*")
    page.go_back(wait_until="domcontentloaded")
    expect(page.get_by_label("How agents get cities.csv")).to_have_value("folder")
    expect(page.get_by_label("How agents get cities.csv").locator("option")).to_have_count(2)
    expect(page.get_by_role("textbox", name=TASK)).to_have_value("Read it.")
    assert openai_server.requests == []


def test_a_document_is_read_and_its_pages_and_tokens_are_shown(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say("Read.", "Fine.")
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    attach(
        page,
        {"name": "paper.pdf", "mimeType": "application/pdf", "buffer": pdf("Page one", "Page two")},
        {"name": "secret.pdf", "mimeType": "application/pdf", "buffer": encrypted_pdf()},
    )
    chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips.first).to_contain_text("2 pages, about 13 tokens")
    expect(chips.nth(1)).to_contain_text("secret.pdf: The PDF is encrypted.")
    expect(chips.nth(1)).to_contain_text("Folder only")
    expect(page.get_by_label("How agents get paper.pdf")).to_have_value("text")
    page.get_by_role("textbox", name=TASK).fill("Read it.")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Approve and run").click()
    expect_end(page)
    assert "Page two" in str(openai_server.requests[0].body["messages"])
    expect(page.locator(".turn").first).not_to_contain_text("Page two")


SVG = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'>"
    b"<script>parent.document.title='pwned'</script></svg>"
)
PAGE = b"<h1 id=t>Report</h1><script>document.title='pwned';t.textContent='pwned'</script>"
WAV = b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x02\0\0\0\x80\x80"
JSON = b'{"name": "Ada", "deep": {"list": [1, {"far": "away"}]}}'


def test_each_kind_of_file_has_its_preview(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say("Seen.", "Fine.")
    page = open_page()
    inspection = Inspection(page)
    page.goto(pair(2), wait_until="domcontentloaded")
    contents = {
        "a.svg": SVG,
        "b.html": PAGE,
        "c.wav": WAV,
        "d.json": JSON,
        "e.csv": b"n,w\n10,b\n9,c\n,a\n",
        "f.pdf": pdf("A"),
        "g.parquet": parquet({"city": ["Rome", "Bern"], "people": [3, 1]}),
        "h.parquet": b"PAR1 damaged",
    }
    attach(page, *({"name": name, "mimeType": "", "buffer": content} for name, content in contents.items()))
    chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips.filter(has_text="f.pdf")).to_contain_text("1 page")  # by then it can be text
    give(page, "Look.")
    page.get_by_role("tab", name="Files").click()

    def shows(name: str) -> None:
        page.locator(".file-open", has_text=name).press("Enter")
        expect(page.locator(".file-preview h3")).to_have_text(name)

    shows("a.svg")
    expect(page.get_by_role("img", name="a.svg")).to_be_visible()
    assert page.get_by_role("img", name="a.svg").evaluate("image => image.naturalWidth") == 20
    shows("b.html")
    frame = page.frame_locator("iframe[title='b.html']")
    expect(frame.get_by_role("heading", name="Report")).to_be_visible()
    shows("c.wav")
    plays = "sound => sound.readyState > 0 || new Promise(yes => { sound.onloadedmetadata = () => yes(true) })"
    assert page.locator("audio").evaluate(plays)
    shows("d.json")
    tree = page.locator(".json-tree")
    expect(tree).not_to_contain_text("far")
    tree.locator("summary", has_text="list").press("Enter")
    tree.locator("summary", has_text="1:").press("Enter")
    expect(tree).to_contain_text('far: "away"')
    shows("e.csv")
    cells = page.locator(".file-table td:first-child")
    expect(cells).to_have_text(["10", "9", ""])
    page.get_by_role("button", name="n", exact=True).press("Enter")
    expect(cells).to_have_text(["9", "10", ""])
    page.get_by_role("button", name="n", exact=True).click()
    expect(cells).to_have_text(["10", "9", ""])
    expect(page.get_by_role("columnheader", name="n")).to_have_attribute("aria-sort", "descending")
    inspection.look("a table that is sorted")
    shows("f.pdf")
    expect(page.get_by_role("link", name="Open the PDF in a new tab")).to_have_attribute("href", re.compile("^blob:"))
    shows("g.parquet")
    page.get_by_role("button", name="people").press("Enter")
    expect(cells).to_have_text(["Bern", "Rome"])
    shows("h.parquet")
    expect(page.locator(".file-preview")).to_contain_text("damaged")
    assert "pwned" not in page.title()
    assert inspection.faults == []


def test_a_file_that_code_wrote_again_shows_what_changed(open_page: OpenPage, coders: str) -> None:
    page = open_page()
    page.goto(coders, wait_until="domcontentloaded")
    give(page, "```python\nopen('plan.md', 'w').write('Go to Paris today.')\n```")
    page.get_by_role("textbox", name=TASK).fill("```python\nopen('plan.md', 'w').write('Go to Rome today.')\n```")
    page.keyboard.press("Enter")
    expect(page.locator(".turn", has_text="Rome")).to_be_visible()
    expect_end(page)
    page.locator(".turn").last.get_by_role("link", name="plan.md").click()
    page.get_by_text("Changes since the version before").press("Enter")
    expect(page.locator(".file-changes del")).to_have_text("Paris ")
    expect(page.locator(".file-changes ins")).to_have_text("Rome ")


def huge_picture(px: int) -> bytes:
    """A PNG of one bit for each pixel, all black."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = bytes(1 + (px + 7) // 8)
    data = b"".join(packer.compress(row * 1_000) for _ in range(px // 1_000)) + packer.flush()
    head = struct.pack(">IIBBBBB", px, px, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_files_that_are_too_much_for_a_page_leave_it_usable(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say("Seen.", "Fine.")
    page = open_page()
    page.goto(pair(2), wait_until="domcontentloaded")
    contents = {"million.csv": b"n,w\n" + b"1,row\n" * 1_000_000, "huge.png": huge_picture(30_000)}
    attach(page, *({"name": name, "mimeType": "", "buffer": content} for name, content in contents.items()))
    chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips.filter(has_text="million.csv")).to_contain_text("tokens, cut")
    expect(chips.filter(has_text="huge.png")).to_contain_text("Picture")
    give(page, "Look.")
    page.get_by_role("tab", name="Files").click()
    page.locator(".file-open", has_text="million.csv").press("Enter")
    expect(page.locator(".file-preview")).to_contain_text("200 of")
    assert page.locator(".file-table tbody tr").count() <= 200
    page.locator(".file-open", has_text="huge.png").press("Enter")
    expect(page.locator(".file-preview h3")).to_have_text("huge.png")
    page.locator(".file-open", has_text="million.csv").press("Enter")
    expect(page.locator(".file-preview")).to_contain_text("200 of")
