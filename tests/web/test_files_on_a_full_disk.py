"""An upload that fills the disk is refused in words, and what came of it goes."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.web.documents import assistant, team
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
DISK_MB = 150
MB = 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "none", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("Only root mounts a disk.")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_full_disk_refuses_the_upload_and_keeps_nothing_of_it(small_disk: Path):
    with studio(small_disk) as (_, client):
        kept = client.post("/api/files", params={"name": "kept.bin"}, content=b"\1" * MB).json()
        answer = client.post("/api/files", params={"name": "large.bin"}, content=b"\0" * 90 * MB)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (503, "storage_unavailable"), answer.text
        assert error["message"] == "The disk of the data folder is almost full: 100 MB stay free."
        assert error["fix"] == "Free disk space, or attach a smaller file."
        assert client.get(f"/api/files/{kept['id']}").content == b"\1" * MB
        with closing(sqlite3.connect(small_disk / "studio.db")) as database:
            counts = [database.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("file_upload", "file")]
        assert counts == [(0,), (1,)]
        others = client.post("/api/teams", json={"component": team(assistant("writer", "Done."))})
        assert others.status_code == 201, others.text
