"""`studio serve` starts, says where it is, and ends when told to."""

from __future__ import annotations

import os
import re
import signal
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.processes import StudioProcess, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]


@contextmanager
def serving(data_dir: Path) -> Generator[tuple[StudioProcess, str]]:
    """A studio of its own process on a free port, and the address it printed."""
    with StudioProcess.start("serve", "--port", "0", "--data-dir", data_dir, errors="apart") as process:
        yield process, process.output.readline().strip()


def test_one_line_tells_the_address_with_the_token(tmp_path: Path):
    with serving(tmp_path) as (_, line):
        found = re.fullmatch(r"Team Studio is ready: (http://127\.0\.0\.1:\d+)/\?token=([\w-]{20,})", line)
        assert found, line
        assert httpx.get(f"{found[1]}/healthz").json() == {"ok": True}
        assert httpx.get(f"{found[1]}/api/teams").status_code == 401
        headers = {"Authorization": f"Bearer {found[2]}"}
        assert httpx.get(f"{found[1]}/api/teams", headers=headers).json() == []


def test_a_running_studio_asks_itself_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with serving(tmp_path) as (_, line):
        origin, _, token = line.removeprefix("Team Studio is ready: ").partition("/?token=")
        for host in ("127.0.0.1", "localhost", "0.0.0.0", "2130706433"):
            url = f"http://{host}:{origin.rpartition(':')[2]}/healthz"
            answer = httpx.post(
                f"{origin}/api/galleries/preview", json={"url": url}, headers={"Authorization": f"Bearer {token}"}
            )
            assert answer.json()["error"]["code"] == "url_refused"
            assert "The studio itself" in answer.json()["error"]["message"]


def test_the_token_and_the_database_are_kept_where_only_the_owner_reads_them(tmp_path: Path):
    with serving(tmp_path) as (_, first):
        modes = {stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("token", "studio.db", "studio.db-wal")}
    with serving(tmp_path) as (_, second):
        pass
    assert modes == {0o600}
    assert first.partition("token=")[2] == second.partition("token=")[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_traceback(tmp_path: Path, number: signal.Signals):
    with serving(tmp_path) as (process, _):
        process.signal(number)
        assert process.wait(20) in (0, -number)
        assert process.errors is not None
        assert process.errors.read() == ""


def test_a_port_that_is_taken_is_one_line_and_exit_code_two(tmp_path: Path):
    with serving(tmp_path) as (_, line):
        port = line.partition("127.0.0.1:")[2].partition("/")[0]
        assert "--port" in refused("--port", port, "--data-dir", str(tmp_path / "other"))


def test_a_folder_that_another_studio_uses_is_one_line_and_exit_code_two(tmp_path: Path):
    with serving(tmp_path) as (_, line):
        said = refused("--port", "0", "--data-dir", str(tmp_path))
        assert httpx.get(f"{line.removeprefix('Team Studio is ready: ').partition('/?')[0]}/healthz").is_success
    assert said.startswith(f"studio: Another studio is running on {str(tmp_path)!r}.")


def test_a_database_that_cannot_be_opened_is_one_line_and_exit_code_two(tmp_path: Path):
    (tmp_path / "studio.db").write_bytes(b"no database" * 1000)
    assert "studio.db" in refused("--port", "0", "--data-dir", str(tmp_path))


def refused(*options: str) -> str:
    """What a studio that cannot start says instead; nothing but one line on standard error."""
    code, out, err = run("serve", *options)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    return err
