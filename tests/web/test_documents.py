"""Documents are read as text in a process of their own, and bad ones are refused in words."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.sandbox import UNCONFINED
from studio.services import documents
from tests.web.documents import assistant, team
from tests.web.filing import uploaded
from tests.web.following import entries, stream
from tests.web.sample_documents import EML, bomb, docx, encrypted_pdf, pdf, xlsx, zipped

pytestmark = pytest.mark.slow
HTML = b"<html><body><h1>Title</h1><p>Some <b>words</b></p><script>alert(1)</script></body></html>"


def measured(client: TestClient, file: dict[str, Any]) -> Any:
    return client.get(f"/api/files/{file['id']}/text", params={"name": file["name"]})


def prompt_of(client: TestClient, file: dict[str, Any], use: str | None = "text") -> str:
    """What the first message of a run says."""
    component = team(assistant("writer", "Done."), max_messages=2)
    team_id = client.post("/api/teams", json={"component": component}).json()["id"]
    given = [{"id": file["id"], "name": file["name"], "use": use}]
    started = client.post("/api/runs", json={"team_id": team_id, "task": "Read.", "files": given})
    assert started.status_code == 201, started.text
    said = [each["body"] for each in entries(stream(client, started.json()["id"])) if each["kind"] == "message"]
    return said[0]["content"]


@pytest.mark.parametrize(
    ("content", "name", "expected", "pages"),
    [
        (pdf("Hello page one", "Second page"), "paper.pdf", ["Hello page one", "Second page"], 2),
        (pdf("Hello"), "renamed.docx", ["Hello"], 1),
        (docx("First paragraph", "Second"), "letter.docx", ["First paragraph", "Second"], None),
        (xlsx(), "table.xlsx", ["| Paris | 2 |"], None),
        (HTML, "page.html", ["# Title", "Some **words**"], None),
        (EML, "mail.eml", ["From: ada@example.org", "Subject: Grüße", "Hello **Bob**", "Attachments: a.pdf"], None),
    ],
)
def test_documents_are_told_as_markdown(
    client: TestClient, content: bytes, name: str, expected: list[str], pages: int | None
):
    file = uploaded(client, content, name)
    figures = measured(client, file)
    assert figures.status_code == 200, figures.text
    assert figures.json()["pages"] == pages
    assert not figures.json()["is_cut"]
    assert 0 < figures.json()["tokens"] < 100
    said = prompt_of(client, file)
    assert f"{name}:\n```markdown\n" in said
    for words in expected:
        assert words in said
    assert "alert(1)" not in said


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (encrypted_pdf(), "secret.pdf", "The PDF is encrypted."),
        (pdf(""), "scan.pdf", "holds no text"),
        (b"%PDF-1.7 broken", "broken.pdf", "damaged"),
        (bomb, "bomb.docx", "unpacks to more than 300 MB"),
        (zipped({"a.txt": "a"}), "archive.docx", "not that of a Word file"),
        (b"PK\x03\x04 broken", "broken.xlsx", "damaged"),
        (b"\0\1\2", "data.bin", "no document that can be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old.doc", "no document that can be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "mail.msg", "damaged"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(
    client: TestClient, content: bytes | Callable[[], bytes], name: str, words: str
):
    file = uploaded(client, content if isinstance(content, bytes) else content(), name)
    answer = measured(client, file)
    assert (answer.status_code, words in answer.json()["error"]["message"]) == (422, True), answer.text
    assert name in answer.json()["error"]["message"]
    assert answer.json()["error"]["fix"]
    assert "Read." in prompt_of(client, file, use=None), "its code can still get it"


def test_an_empty_document_is_named_as_such(client: TestClient):
    file = uploaded(client, b"", "empty.html")
    assert measured(client, file).json()["error"]["message"] == "empty.html: The file is empty."
    assert file["use"] == "folder"


def test_a_long_document_is_cut_with_a_note(client: TestClient):
    file = uploaded(client, docx(*["word " * 30] * 1000), "long.docx")
    assert measured(client, file).json()["is_cut"]
    assert "[Cut after 50,000 characters; the whole document has 15" in prompt_of(client, file)


def test_a_document_reaches_no_network_and_executes_nothing(client: TestClient):
    with socket.create_server(("127.0.0.1", 0)) as server:
        reached = threading.Event()

        def accept() -> None:
            try:
                server.accept()
                reached.set()
            except OSError:
                pass

        waiting = threading.Thread(target=accept, daemon=True)
        waiting.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        page = f'<html><body><img src="{address}"><iframe src="{address}"></iframe><p>Text</p></body></html>'
        letter = docx("Text", entity=f'<!DOCTYPE w [<!ENTITY x SYSTEM "{address}">]>')
        for content, name in ((page.encode(), "page.html"), (letter, "letter.docx")):
            measured(client, uploaded(client, content, name))
        assert not reached.is_set()


@pytest.mark.embedded
def test_without_the_package_the_message_says_what_to_install(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    without = tmp_path / "reader.py"
    head = "import runpy, sys\nsys.modules['markitdown'] = None\n"
    without.write_text(f"{head}runpy.run_path({str(documents.READER)!r}, run_name='__main__')")
    monkeypatch.setattr(documents, "READER", without)
    file = uploaded(client, docx("Hello"), "letter.docx")
    app: Any = client.app
    monkeypatch.setattr(
        app.state.services, "documents", documents.Documents(app.state.services.store.files, UNCONFINED)
    )
    answer = measured(client, file)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "missing_extra"), answer.text
    assert 'pip install "team-studio[files]"' in answer.json()["error"]["fix"]


def test_what_takes_too_long_is_ended(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(documents, "TIMEOUT_S", 0.01)
    answer = measured(client, uploaded(client, docx("Slow"), "slow.docx"))
    assert (answer.status_code, "takes too long" in answer.text) == (422, True)
