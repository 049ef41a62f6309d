"""Knowledge bases through the API: documents are read once, found by other words, and what is wrong is told."""

from __future__ import annotations

import io
import time
import zipfile
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.handbook import QUESTIONS, handbook_pdf
from tests.web.knowledge_bases import LEAVE, added, made, uploaded
from tests.web.sample_documents import bomb, encrypted_pdf, pdf, zipped


def found(client: TestClient, base: str, query: str, **more: object) -> Any:
    answer = client.post(f"/api/knowledge/{base}/search", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_document_is_found_by_other_forms_of_its_words(client: TestClient):
    base = made(client)
    answer = added(client, base, LEAVE, "leave.md")
    assert answer.status_code == 201, answer.text
    assert answer.json()["is_new"]
    (hit,) = found(client, base, "Who is booking my flight?")
    assert (hit["file"], hit["page"], hit["citation"]) == ("leave.md", None, "[leave.md, section 2]")
    assert "Flights are booked" in hit["text"]
    assert found(client, base, "zebra") == []
    (listed,) = client.get("/api/knowledge").json()
    assert (listed["name"], listed["documents"], listed["passages"]) == ("Handbook", 1, 2)


@pytest.mark.slow
def test_questions_find_their_page_in_a_handbook_of_200_pages(client: TestClient):
    base, began = made(client), time.monotonic()
    answer = added(client, base, handbook_pdf(), "handbook.pdf")
    assert answer.status_code == 201, answer.text
    assert time.monotonic() - began < 60
    assert answer.json()["document"]["pages"] == 200
    misses = [
        question
        for question, page in QUESTIONS
        if page not in [hit["page"] for hit in found(client, base, question, limit=5)]
    ]
    assert len(QUESTIONS) == 50
    assert len(misses) <= 2, misses


def test_the_same_content_is_kept_once(client: TestClient):
    base = made(client)
    first = added(client, base, LEAVE, "leave.md").json()
    for number in range(20):
        again = added(client, base, LEAVE, f"copy{number}.md").json()
        assert (again["is_new"], again["document"]["id"]) == (False, first["document"]["id"])
    other = added(client, base, LEAVE + "More.", "leave.md").json()
    assert other["document"]["name"] == "leave (2).md"
    assert len(client.get(f"/api/knowledge/{base}/documents").json()) == 2
    assert added(client, made(client, "Other"), LEAVE, "leave.md").json()["is_new"]


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "empty.md", "empty.md is empty."),
        (encrypted_pdf(), "secret.pdf", "The PDF is encrypted."),
        (pdf(""), "scan.pdf", "holds no text"),
        (b"%PDF-1.7 broken", "broken.pdf", "damaged"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "picture.pdf", "no document that can be read"),
        (b" \n\n ", "blank.txt", "holds no text"),
        (b"PK\x05\x06" + b"\0" * 18, "empty.docx", "not that of a Word file"),
    ],
)
def test_what_cannot_be_read_is_told_and_leaves_nothing(client: TestClient, content: bytes, name: str, words: str):
    base = made(client)
    answer = added(client, base, content, name)
    assert answer.status_code == 422, answer.text
    assert words in answer.json()["error"]["message"]
    assert answer.json()["error"]["fix"]
    assert client.get(f"/api/knowledge/{base}/documents").json() == []


@pytest.mark.slow
def test_a_document_that_unpacks_to_too_much_is_refused(client: TestClient):
    answer = added(client, made(client), bomb(), "bomb.docx")
    assert answer.status_code == 422
    assert "unpacks to more than 300 MB" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "query", ['" OR NEAR( *', "NOT", "*", "text : x", "a" * 4000, "'; DROP TABLE x; --", "}{^", "\0"]
)
def test_operators_of_search_languages_are_words(client: TestClient, query: str):
    base = made(client)
    added(client, base, LEAVE, "leave.md")
    found(client, base, query)
    assert found(client, base, f"flights {query}"[:4000])


def test_a_query_that_is_too_long_is_refused(client: TestClient):
    answer = client.post(f"/api/knowledge/{made(client)}/search", json={"query": "x " * 500_000})
    assert answer.status_code == 422
    assert "4000" in answer.json()["error"]["message"]
    assert client.get(f"/knowledge/{made(client, 'B')}", params={"q": "x " * 3_000}).status_code == 422


def test_a_removed_document_is_no_longer_found(client: TestClient):
    base = made(client)
    document = added(client, base, LEAVE, "leave.md").json()["document"]["id"]
    kept = added(client, base, "Flights leave at noon.", "noon.txt").json()["document"]["id"]
    assert client.delete(f"/api/knowledge/{base}/documents/{document}").status_code == 204
    assert [hit["document_id"] for hit in found(client, base, "flights")] == [kept]
    assert client.delete(f"/api/knowledge/{base}").status_code == 204
    assert client.post(f"/api/knowledge/{base}/search", json={"query": "x"}).status_code == 404
    again = made(client)
    added(client, again, "Trains leave at noon.", "noon.txt")
    assert found(client, again, "flights") == []


def test_a_search_stays_in_its_knowledge_base(client: TestClient):
    one, two = made(client, "One"), made(client, "Two")
    added(client, one, LEAVE, "leave.md")
    added(client, two, "Flights are free.", "free.md")
    assert [hit["file"] for hit in found(client, two, "flights")] == ["free.md"]
    document = client.get(f"/api/knowledge/{one}/documents").json()[0]["id"]
    assert client.get(f"/api/knowledge/{two}/documents/{document}/passages").status_code == 404
    assert client.delete(f"/api/knowledge/{two}/documents/{document}").status_code == 404


def test_a_name_is_taken_once_whatever_its_case(client: TestClient):
    made(client, "Handbook")
    assert client.post("/api/knowledge", json={"name": "HANDBOOK"}).status_code == 409
    for name in ("", "   ", "a\u202eb", "x" * 101):
        assert client.post("/api/knowledge", json={"name": name}).status_code == 422


def test_the_text_of_a_document_is_all_there_in_order(client: TestClient):
    base = made(client)
    text = "".join(f"# Part {number}\n\n{'Words of it. ' * 40}\n\n" for number in range(30))
    document = added(client, base, text, "parts.md").json()["document"]
    passages = client.get(f"/api/knowledge/{base}/documents/{document['id']}/passages", params={"limit": 200}).json()
    assert "".join(each["text"] for each in passages) == text
    assert [each["heading"] for each in passages] == [f"Part {number}" for number in range(30)]
    assert client.post(f"/api/knowledge/{base}/documents/{document['id']}/read", json={}).json()["passages"] == 30
    assert len(found(client, base, "part 7", limit=50)) == 30


def test_short_sections_of_markdown_are_passages_under_all_their_headings(client: TestClient):
    base = made(client)
    text = (
        "# Handbook\n\nFor all employees of the company, from the first day on.\n\n"
        "## Leave\n### Vacation\nTwo days each month, from the first month on.\n"
        "### Illness\nA note from the third day on, by e-mail.\n"
        "## Travel\n\n```sh\n# no heading\nbook --flight\n```\n\nFlights are booked by the office.\n"
    )
    document = added(client, base, text, "handbook.md").json()["document"]
    passages = client.get(f"/api/knowledge/{base}/documents/{document['id']}/passages").json()
    assert "".join(each["text"] for each in passages) == text
    assert [each["heading"] for each in passages] == [
        "Handbook",
        "Handbook › Leave › Vacation",
        "Handbook › Leave › Illness",
        "Handbook › Travel",
    ]
    assert passages[1]["text"].startswith("## Leave")
    first = found(client, base, "What does illness take?")[0]
    assert first["text"].startswith("### Illness")


def test_a_comment_of_code_is_no_heading(client: TestClient):
    base = made(client)
    code = "".join(f"# Step {number}\nvalue = {number}  # of the calculation\n\n" for number in range(4))
    document = added(client, base, code, "steps.py").json()["document"]
    assert document["passages"] == 1


def test_a_document_of_headings_has_a_bounded_number_of_passages(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.knowledge.passages.MAX_SECTIONS", 10)
    base = made(client)
    text = "".join(f"# Part {number}\n\n{'Words of it. ' * 4}\n\n" for number in range(30))
    assert added(client, base, text, "parts.md").json()["document"]["passages"] < 12


def test_a_citation_opens_the_page(client: TestClient):
    base = made(client)
    added(client, base, pdf("First page", "Second page", "Third page"), "paper.pdf")
    cited = client.get(
        "/knowledge/cited", params={"base": "handbook", "file": "paper.pdf", "page": 2}, follow_redirects=True
    )
    assert cited.status_code == 200
    assert cited.url.query == b"section=2"
    section = cited.text.partition('aria-current="location"')[2]
    assert "Second page" in section.partition("</section>")[0]
    assert client.get("/knowledge/cited", params={"base": "handbook", "file": "none.pdf"}).status_code == 404


def test_the_files_of_a_zip_are_added_singly(client: TestClient):
    content = zipped({"a/one.md": "# One", "a/two.txt": "Two", "__MACOSX/x": "x", ".hidden": "x", "../../up.md": "Up"})
    answer = client.post(f"/api/files/{uploaded(client, content, 'all.zip')}/unpack")
    assert answer.status_code == 200, answer.text
    assert [file["name"] for file in answer.json()["files"]] == ["one.md", "two.txt"]
    assert answer.json()["left_out"] == []
    assert client.post(f"/api/files/{uploaded(client, b'PK plain', 'x.zip')}/unpack").status_code == 422
    broken = client.post(f"/api/files/{uploaded(client, content[:-30], 'x.zip')}/unpack")
    assert broken.status_code == 422


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_file_in_a_zip_is_left_out_and_the_others_are_kept(client: TestClient, method: int):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("bad.txt", "".join(map(str, range(2000))))
        archive.writestr("good.txt", "Good")
    damaged = bytearray(content.getvalue())
    damaged[60:160] = b"\xff" * 100
    answer = client.post(f"/api/files/{uploaded(client, bytes(damaged), 'all.zip')}/unpack")
    assert answer.status_code == 200, answer.text
    assert [file["name"] for file in answer.json()["files"]] == ["good.txt"]
    assert answer.json()["left_out"] == ["bad.txt (damaged)"]


@pytest.mark.slow
def test_a_zip_that_unpacks_to_too_much_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.services.unpacking.MAX_UNPACKED_BYTES", 1_000_000)
    content = zipped({f"{number}.txt": "0" * 600_000 for number in range(2)})
    answer = client.post(f"/api/files/{uploaded(client, content, 'bomb.zip')}/unpack")
    assert answer.status_code == 413, answer.text


def test_a_page_by_url_is_fetched_through_the_guard(client: TestClient):
    base = made(client)
    for url in ("http://127.0.0.1/x", "file:///etc/passwd", "http://169.254.169.254/latest", "nonsense"):
        answer = client.post(f"/api/knowledge/{base}/pages", json={"url": url})
        assert answer.status_code in {400, 403, 422}, (url, answer.text)
        assert answer.json()["error"]["fix"]
