"""Pages of a log are bounded in bytes as well as in entries, and nothing is lost between them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.runs.journal.log import MAX_PAGE_BYTES, LogEntry, text_of
from studio.runs.journal.pages import in_pages
from tests.web.documents import assistant, team
from tests.web.following import ended, entries, stream

LARGE = 100_000
COUNT = 30
SLACK = 1000
"""What an answer may have beside the entries."""


@pytest.fixture
def run_id(client: TestClient) -> str:
    return ended(client, team(assistant("writer", *["x" * LARGE] * COUNT), max_messages=COUNT))


def page(client: TestClient, run_id: str, **query: object) -> dict[str, Any]:
    answer = client.get(f"/api/runs/{run_id}/events", params={name: str(value) for name, value in query.items()})
    assert answer.status_code == 200
    assert len(answer.content) < MAX_PAGE_BYTES + SLACK
    return answer.json()


def test_a_page_of_events_ends_by_bytes_and_the_next_one_goes_on(client: TestClient, run_id: str):
    pages = [page(client, run_id, limit=2000)]
    while not pages[-1]["is_whole"]:
        pages.append(page(client, run_id, limit=2000, after=pages[-1]["entries"][-1]["seq"]))
    found = [entry for each in pages for entry in each["entries"]]
    assert len(pages) > 2
    assert found == entries(stream(client, run_id))


def test_the_newest_events_are_read_backwards_in_the_same_way(client: TestClient, run_id: str):
    newest = page(client, run_id, limit=2000, newest="true")
    before = page(client, run_id, limit=2000, newest="true", before=newest["entries"][0]["seq"])
    assert newest["entries"][-1]["seq"] == newest["last_seq"]
    assert before["entries"][-1]["seq"] < newest["entries"][0]["seq"]
    assert not newest["is_whole"]


def test_an_entry_larger_than_a_page_makes_one_of_its_own(client: TestClient):
    run_id = ended(client, team(assistant("writer", "é" * MAX_PAGE_BYTES, "Short."), max_messages=3))
    sizes = [len(json.dumps(event.data)) for event in stream(client, run_id) if event.name == "entries"]
    assert sum(size > MAX_PAGE_BYTES for size in sizes) == 1
    pages = [client.get(f"/api/runs/{run_id}/events?limit=2000").json()]
    while not pages[-1]["is_whole"]:
        after = pages[-1]["entries"][-1]["seq"]
        pages.append(client.get(f"/api/runs/{run_id}/events?limit=2000&after={after}").json())
    contents = [str(entry["body"].get("content")) for each in pages for entry in each["entries"]]
    assert "é" * MAX_PAGE_BYTES in contents
    assert "Short." in contents


def test_a_stream_sends_much_in_several_events(client: TestClient, run_id: str):
    sizes = [len(json.dumps(event.data)) for event in stream(client, run_id) if event.name == "entries"]
    assert len(sizes) > 2
    assert max(sizes) < MAX_PAGE_BYTES + 20 * SLACK


def test_a_run_too_large_for_a_file_is_refused_before_it_is_packed(client: TestClient):
    count = 60  # a message stands in the log twice, and its answer
    run_id = ended(client, team(assistant("writer", *["x" * 200_000] * count), max_messages=count))
    for path in ("bundle", "bundle/preview"):
        answer = client.get(f"/api/runs/{run_id}/{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('{"a":"caf\\ud800"}', '{"a": "caf\\ufffd"}'),
        ('{"a":NaN,"b":[-Infinity]}', '{"a": "nan", "b": ["-inf"]}'),
        ({"a": float("nan")}, '{"a": "nan"}'),
        ('{"a":"NaN is a name"}', '{"a": "NaN is a name"}'),
        ({"a": 1}, '{"a": 1}'),
    ],
    ids=["half a character", "no numbers", "an object", "a word", "a plain object"],
)
def test_what_older_logs_hold_is_passed_on_as_json(said: Any, text: str):
    assert text_of(said) == text
    json.loads(text, parse_constant=pytest.fail)


def test_pages_of_entries_lose_none_and_stay_small():
    at = datetime.now(UTC)
    some = [LogEntry("run", seq, at, "message", {"a": "x" * 300_000}) for seq in range(10)]
    pages = list(in_pages(some))
    assert [entry for each in pages for entry in each] == some
    assert max(map(len, pages)) == 3
