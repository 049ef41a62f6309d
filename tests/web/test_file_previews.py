"""What a page shows of a file: HTML that does nothing, and what differs between two files."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.filing import PNG, run_with, uploaded

PAGE = b"<h1>Report</h1><script>fetch('/api/teams')</script><img src='http://evil.test/x'>"


def changes(client: TestClient, run_id: str, before: int, after: int, run: str = "") -> dict[str, Any]:
    query = {"to_number": after, **({"to_run": run} if run else {})}
    answer = client.get(f"/api/runs/{run_id}/files/{before}/changes", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_page_is_shown_without_scripts_network_and_origin(client: TestClient):
    run_id = run_with(client, (PAGE, "report.html"), (b"text", "a.txt"))
    answer = client.get(f"/api/runs/{run_id}/files/1/page")
    assert answer.content == PAGE
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = {each.split()[0]: each.split()[1:] for each in answer.headers["content-security-policy"].split("; ")}
    assert policy["default-src"] == ["'none'"]
    assert policy["sandbox"] == []
    assert policy["img-src"] == ["data:"]
    assert policy["frame-ancestors"] == ["'self'"]
    assert "script-src" not in policy
    assert client.get(f"/api/runs/{run_id}/files/2/page").status_code == 404


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"ID3\x04\0", "audio/mpeg"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "audio/wav"),
        (b"OggS\0\xff", "audio/ogg"),
        (b"\0\0\0\x18ftypmp42\xff", "video/mp4"),
        (b"\0\0\0\x18ftypM4A \xff", "audio/mp4"),
        (b"\x1aE\xdf\xa3\xff", "video/webm"),
    ],
)
def test_sound_and_video_are_known_by_their_content(client: TestClient, content: bytes, media_type: str):
    assert uploaded(client, content, "renamed.txt")["media_type"] == media_type


def test_text_is_compared_by_word(client: TestClient):
    run_id = run_with(client, (b"one two three\n", "a.md"), (b"one too three\n", "b.md"))
    found = changes(client, run_id, 1, 2)
    assert found["kind"] == "text"
    states = [(piece["state"], piece["text"].strip()) for piece in found["pieces"]]
    assert states == [("kept", "one"), ("removed", "two"), ("added", "too"), ("kept", "three")]


def test_tables_are_compared_by_cell_also_of_two_runs(client: TestClient):
    before = run_with(client, (b"city,people\nParis,2\nRome,3\nOslo,1\n", "a.csv"))
    after = run_with(client, (b"city,people\nParis,2\nRome,4\nBonn,5\nBern,6\n", "a.csv"))
    found = changes(client, before, 1, 1, after)
    assert (found["kind"], found["head"]) == ("table", ["city", "people"])
    assert [(row["number"], row["before"], row["after"]) for row in found["rows"]] == [
        (2, ["Rome", "3"], ["Rome", "4"]),
        (3, ["Oslo", "1"], ["Bonn", "5"]),
        (4, None, ["Bern", "6"]),
    ]


def test_others_are_the_same_pictures_or_different(client: TestClient):
    run_id = run_with(client, (PNG, "a.png"), (PNG + b"\0", "b.png"), (b"\0\1", "c.bin"), (PNG, "d.png"))
    kinds = [changes(client, run_id, 1, number)["kind"] for number in (2, 3, 4)]
    assert kinds == ["picture", "other", "same"]


def test_long_files_are_compared_from_their_beginning(client: TestClient):
    rows = b"".join(b"%d,%d\n" % (number, number) for number in range(3000))
    run_id = run_with(client, (b"a,b\n" + rows, "a.csv"), (b"a,b\n" + rows.replace(b"5", b"6"), "b.csv"))
    found = changes(client, run_id, 1, 2)
    assert found["is_cut"]
    assert len(found["rows"]) == 200
    words = b"word " * 60_000
    run_id = run_with(client, (words, "a.md"), (words[:-3] + b"k", "b.md"))
    assert changes(client, run_id, 1, 2)["is_cut"]


def test_there_is_no_comparison_with_a_file_that_is_not_there(client: TestClient):
    run_id = run_with(client, (b"a", "a.md"))
    for query in ({"to_number": 2}, {"to_number": 1, "to_run": "other"}):
        assert client.get(f"/api/runs/{run_id}/files/1/changes", params=query).status_code == 404
