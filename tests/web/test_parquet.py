"""Parquet files are shown as tables: read in a process of their own, bounded, and said clearly where they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.sandbox import UNCONFINED
from studio.services import documents
from studio.services.document_reader import MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROWS, cell_text
from tests.web.filing import run_with
from tests.web.tables import parquet

pytestmark = pytest.mark.timeout(60)


def table(client: TestClient, content: bytes, name: str = "cities.parquet") -> Any:
    return client.get(f"/api/runs/{run_with(client, (content, name))}/files/1/table")


def test_its_rows_are_shown_below_their_head(client: TestClient):
    content = parquet({"city": ["Paris", "Zürich", None], "people": [2, 3, 1]})
    answer = table(client, content, "renamed.txt")
    assert answer.status_code == 200, answer.text
    rows = [["city", "people"], ["Paris", "2"], ["Zürich", "3"], ["", "1"]]
    assert answer.json() == {"rows": rows, "is_cut": False}


def test_rows_columns_and_cells_are_bounded(client: TestClient):
    many = parquet({f"c{number}": [*range(MAX_ROWS + 10)] for number in range(MAX_COLUMNS + 2)})
    found = table(client, many).json()
    assert (len(found["rows"]), len(found["rows"][0]), found["is_cut"]) == (MAX_ROWS + 1, MAX_COLUMNS, True)
    assert cell_text("x" * 10_000) == "x" * MAX_CELL_CHARS
    assert cell_text(b"\x00\xff") == "00ff"


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"x" * 500 + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"])
def test_a_damaged_one_is_refused_in_words(client: TestClient, content: bytes):
    answer = table(client, content)
    assert answer.status_code == 422
    assert "damaged" in answer.json()["error"]["message"]
    assert answer.json()["error"]["fix"] == "Download the file."


def test_another_file_is_no_table(client: TestClient):
    assert table(client, b"city,people\n", "cities.csv").status_code == 404


def test_without_the_package_the_message_says_what_to_install(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    without = tmp_path / "reader.py"
    head = "import runpy, sys\nsys.modules['arro3'] = sys.modules['arro3.io'] = None\n"
    without.write_text(f"{head}runpy.run_path({str(documents.READER)!r}, run_name='__main__')")
    monkeypatch.setattr(documents, "READER", without)
    services = app_services(client)
    monkeypatch.setattr(services, "documents", documents.Documents(services.store.files, UNCONFINED))
    answer = table(client, parquet({"n": [1]}))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "missing_extra"), answer.text
    assert 'pip install "team-studio[parquet]"' in answer.json()["error"]["fix"]


def app_services(client: TestClient) -> Any:
    app: Any = client.app
    return app.state.services
