"""The server as a process: it starts, serves, and stops without waiting for open pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.documents import USER_PROXY, team
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]


@pytest.mark.embedded
def test_a_stopped_server_closes_its_streams_and_its_runs_wait_for_it(tmp_path: Path):
    with studio(tmp_path) as (process, client):
        made = client.post("/api/teams", json={"component": team(USER_PROXY)}).json()
        run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Wait for me."}).json()["id"]
        with client.stream("GET", f"/api/runs/{run_id}/stream") as stream:
            lines = stream.iter_lines()
            assert "event: entries" in lines
            process.terminate()
            assert "event: done" not in list(lines)
        process.wait(15)
    with studio(tmp_path) as (_, client):
        run = client.get(f"/api/runs/{run_id}").json()
    assert (run["state"], run["reason"]) == ("paused", "input")


def test_the_printed_address_opens_the_studio(tmp_path: Path):
    with studio(tmp_path) as (_, client):
        token = client.headers.pop("Authorization").removeprefix("Bearer ")
        assert client.get("/teams").status_code == 401
        page = client.get("/teams", params={"token": token}, follow_redirects=True)
        assert page.status_code == 200
        assert token not in str(page.url)
        style = re.search(r'href="(/static/[^"]+\.css)"', page.text)
        assert style
        assert "immutable" in client.get(style[1]).headers["Cache-Control"]
        assert client.get("/healthz").json() == {"ok": True}


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path):
    with studio(tmp_path) as (_, client):
        command = [sys.executable, "-m", "studio", "serve", "--port", str(client.base_url.port)]
        second = subprocess.run(
            [*command, "--data-dir", str(tmp_path / "other")], capture_output=True, text=True, check=False
        )
    assert second.returncode == 2
    assert "Cannot listen on 127.0.0.1" in second.stderr
    assert "Traceback" not in second.stderr
