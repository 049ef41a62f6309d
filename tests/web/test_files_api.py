"""Files are uploaded as they are, kept once, and come back as attachments that no browser runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import unquote

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.extended import times
from tests.web.direct import Asked, ask
from tests.web.doors import TOKEN, client_of
from tests.web.filing import PNG, uploaded

LARGE = bytes(range(256)) * 4096
"""A megabyte, of several portions."""


def test_a_file_comes_back_as_it_was(client: TestClient):
    file = uploaded(client, LARGE, "table.bin")
    assert file == {
        "id": hashlib.sha256(LARGE).hexdigest(),
        "name": "table.bin",
        "size": len(LARGE),
        "media_type": "application/octet-stream",
        "sha256": hashlib.sha256(LARGE).hexdigest(),
        "use": "folder",
        "can_be_text": False,
    }
    answer = client.get(f"/api/files/{file['id']}", params={"name": "table.bin"})
    assert answer.content == LARGE
    assert answer.headers["content-disposition"].startswith('attachment; filename="table.bin"')


def test_a_download_is_nothing_that_a_browser_runs(client: TestClient):
    file = uploaded(client, b"<script>alert(1)</script>", "page.html", **{"Content-Type": "text/html"})
    headers = client.get(f"/api/files/{file['id']}", params={"name": "page.html"}).headers
    assert headers["content-type"] == "application/octet-stream"
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]
    assert headers["content-disposition"].startswith("attachment;")


@pytest.mark.parametrize(
    ("content", "name", "media_type", "use"),
    [
        (PNG, "picture.txt", "image/png", "picture"),
        (b"\xff\xd8\xff\xe0", "a", "image/jpeg", "picture"),
        (b"GIF89a", "a.png", "image/gif", "picture"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "a", "image/webp", "picture"),
        (b"a,b\n1,2\n", "table.csv", "text/csv", "text"),
        ("Grüße".encode(), "picture.png", "text/plain", "text"),
        ("Grüße".encode("latin-1"), "old.txt", "application/octet-stream", "folder"),
        (b"%PDF-1.7 ...", "paper.pdf", "application/pdf", "folder"),
        (b"", "empty.txt", "text/plain", "folder"),
        (b"text\0", "zero.txt", "application/octet-stream", "folder"),
    ],
)
def test_the_type_is_that_of_the_content(client: TestClient, content: bytes, name: str, media_type: str, use: str):
    file = uploaded(client, content, name, **{"Content-Type": "image/png"})
    assert (file["media_type"], file["use"]) == (media_type, use)
    assert client.get(f"/api/files/{file['id']}").content == content


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\notes.txt", "notes.txt"),
        ("a\0b\r\nSet-Cookie: x", "abSet-Cookie_ x"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("..", "file"),
        ("", "file"),
        ("Übersicht 2026.csv", "Übersicht 2026.csv"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
        ('a"b.txt', "a_b.txt"),
    ],
)
def test_names_are_cleaned(client: TestClient, given: str, kept: str):
    file = uploaded(client, b"text", given)
    assert file["name"] == kept
    disposition = client.get(f"/api/files/{file['id']}", params={"name": given}).headers["content-disposition"]
    assert unquote(disposition.partition("UTF-8''")[2]) == kept


@pytest.mark.slow
@pytest.mark.embedded
def test_the_same_file_is_kept_once(client: TestClient, settings: Settings):
    ids = {uploaded(client, LARGE[:1000], f"{number}.bin")["id"] for number in range(times(100, 1_000))}
    assert len(ids) == 1
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database:
        assert database.execute("SELECT count(*), (SELECT count(*) FROM file) FROM file_portion").fetchone() == (1, 1)


def test_what_is_too_large_is_refused_before_it_comes_and_while_it_comes(settings: Settings):
    small = settings.model_copy(update={"max_file_mb": 1})
    with TestClient(create_app(small), base_url="http://127.0.0.1:8040") as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        fits = uploaded(client, LARGE)
        assert fits["size"] == 1024 * 1024

        def parts() -> Iterator[bytes]:
            yield from [LARGE, b"x"]

        for content in (LARGE + b"x", parts()):
            answer = client.post("/api/files", content=content)
            assert answer.status_code == 413
            assert "The file is larger than 1 MB." in answer.json()["error"]["message"]


def test_two_gigabytes_are_refused_before_they_come(client: TestClient):
    answer = client.post("/api/files", content=b"", headers={"Content-Length": str(2 * 1024**3)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert answer.json()["error"]["fix"]


def test_an_upload_that_ends_in_the_middle_leaves_nothing_and_no_error(
    server: TestClient, client: TestClient, settings: Settings
):
    del client
    asked = Asked("POST", "/api/files", body=LARGE, leaves=True)
    answer = ask(server, asked, {"Authorization": f"Bearer {TOKEN}"})
    assert answer.error == ""
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database:
        for name in ("file", "file_portion", "file_upload"):
            assert database.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)


def test_files_larger_than_other_requests_are_taken(client: TestClient, settings: Settings):
    content = b"x" * (settings.max_upload_mb * 1024 * 1024 + 1)
    assert uploaded(client, content)["size"] == len(content)


def test_there_is_no_file_of_another_id(client: TestClient):
    for file_id in ("0" * 64, "..", "x" * 5000):
        assert client.get(f"/api/files/{file_id}").status_code == 404
