"""The studio is killed in the midst of an upload: files that were there stay, and the next start works."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_an_upload_that_a_kill_breaks_off_leaves_nothing_that_is_in_the_way(tmp_path: Path):
    content = b"kept" * 200_000
    with studio(tmp_path) as (process, client):
        kept = client.post("/api/files", params={"name": "kept.txt"}, content=content).json()
        url = client.base_url
        with socket.create_connection((url.host, url.port or 80)) as begun:
            head = f"POST /api/files HTTP/1.1\r\nHost: {url.host}:{url.port}\r\nContent-Length: 9000000\r\n"
            begun.sendall(f"{head}Authorization: {client.headers['Authorization']}\r\n\r\n".encode())
            begun.sendall(b"x" * 2_000_000)
            process.kill()
    with studio(tmp_path) as (_, client):
        assert client.get(f"/api/files/{kept['id']}").content == content
        again = client.post("/api/files", params={"name": "again.txt"}, content=b"x" * 9_000_000)
        assert again.json()["size"] == 9_000_000
