"""What takes long to be looked at is made in a process beside the server, bounded, and not for who has left."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import Request, Response
from fastapi.testclient import TestClient

from studio.components import Capability
from studio.errors import Finding, InvalidComponent, StudioError, TooLarge
from studio.runs.admission import NotApproved
from studio.settings import Settings
from studio.web import request_queue, views
from studio.web.app import create_app, services_of
from studio.web.auth.person import OWNER
from studio.web.auth.session_cache import AuthContext
from studio.web.request_queue import TooManyAtOnce
from studio.web.views import Desk, Views
from tests.web.documents import assistant, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import ended
from tests.web.watchdog import Watchdog, reference_work

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
TURNS = 110
"""Of a run that is too long to be looked at in the server."""
HELD_UP = 50
"""How often the work of 4 ms is done in one step of the loop: four times the bound of one."""
MADE_AT = re.compile(r'"created_at":"[^"]*"')
"""When a team is run again, its messages are new."""
ADMITTED = AuthContext(OWNER, "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(Settings(data_dir=tmp_path_factory.mktemp("studio") / "data", token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        yield server


@pytest.fixture(scope="module")
def run_id(server: TestClient) -> str:
    client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
    return ended(client, team(assistant("writer", *["A word."] * TURNS), max_messages=TURNS))


@pytest.fixture
def client(server: TestClient) -> TestClient:
    return client_of(server, {"Authorization": f"Bearer {TOKEN}"})


def views_of(server: TestClient) -> Views:
    services = services_of(server.app)  # pyright: ignore[reportArgumentType]
    assert services is not None
    return services.views


async def _pid(desk: Desk) -> Response:
    await desk.store.runs.list()
    return Response(str(os.getpid()))


async def _made_anew(desk: Desk) -> Response:
    del desk
    return Response(os.urandom(8))


async def _write(desk: Desk) -> Response:
    await desk.store.teams.create({"provider": "x"}, name="written")
    return Response()


async def _forever(desk: Desk, began: str) -> Response:
    del desk
    _tell(began)
    while True:
        pass


def _tell(place: str) -> None:
    Path(place).write_text(str(os.getpid()))


class _Stays:
    """A reader who waits."""

    async def receive(self) -> dict[str, Any]:
        return await asyncio.get_running_loop().create_future()


class _Leaves(_Stays):
    """A reader who leaves when the view has begun, which a pipe tells."""

    def __init__(self, began: Path) -> None:
        os.mkfifo(began)
        self._began = began
        self.pid = 0

    async def receive(self) -> dict[str, Any]:
        self.pid = int(await asyncio.to_thread(self._began.read_text))
        return {"type": "http.disconnect"}


def shown(
    server: TestClient, run_id: str, view: views.View, *args: object, reader: Any = None, is_kept: bool = False
) -> Response:
    async def show() -> Response:
        asking = cast("Request", reader or _Stays())
        return await views_of(server).show(asking, ADMITTED, view, [run_id], *args, is_kept=is_kept)

    assert server.portal is not None
    return server.portal.call(show)


@pytest.mark.parametrize(
    "path",
    ["state?at=440", "prompts/430", "diff/{id}", "bundle/preview", "bundle", "test"],
)
def test_a_long_run_is_seen_from_a_process_as_it_is_here(
    client: TestClient, run_id: str, path: str, monkeypatch: pytest.MonkeyPatch
):
    address = f"/api/runs/{run_id}/{path.format(id=run_id)}"
    beside = client.get(address)
    monkeypatch.setattr(views, "MAX_ENTRIES_HERE", 10**6)
    monkeypatch.setattr(views, "MAX_BYTES_HERE", 10**9)
    here = client.get(address)
    assert (beside.status_code, beside.headers["Content-Type"]) == (here.status_code, here.headers["Content-Type"])
    assert here.status_code == 200, here.text
    if path == "test":
        assert zipfile.ZipFile(io.BytesIO(beside.content)).namelist()
    elif path != "bundle":  # which tells when it was saved
        assert MADE_AT.sub("", beside.text) == MADE_AT.sub("", here.text)


def test_pages_and_errors_come_from_it_as_well(client: TestClient, run_id: str):
    page = client.get(f"/runs/{run_id}/compare/{run_id}")
    assert (page.status_code, "The runs are identical." in page.text) == (200, True)
    missing = client.get(f"/api/runs/{run_id}/prompts/1")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")


def test_the_process_is_another_one_and_cannot_write(server: TestClient, run_id: str):
    first = shown(server, run_id, _pid).body
    assert first != str(os.getpid()).encode()
    assert shown(server, run_id, _pid).body == first
    with pytest.raises(Exception, match=r"only be read|read-only"):
        shown(server, run_id, _write)


def test_only_what_is_the_same_for_everybody_is_remembered(server: TestClient, run_id: str):
    assert shown(server, run_id, _made_anew).body != shown(server, run_id, _made_anew).body
    kept = shown(server, run_id, _made_anew, is_kept=True).body
    assert shown(server, run_id, _made_anew, is_kept=True).body == kept


def test_who_leaves_ends_it(server: TestClient, run_id: str, tmp_path: Path):
    reader = _Leaves(tmp_path / "began")
    assert shown(server, run_id, _forever, str(tmp_path / "began"), reader=reader).status_code == views.LEFT
    with pytest.raises(ProcessLookupError):
        os.kill(reader.pid, 0)


@pytest.mark.parametrize(
    "path", ["state?at=431", "prompts/426", "diff/{id}", "bundle/preview", "bundle", "test", "events"]
)
def test_the_loop_of_the_server_goes_on_meanwhile(client: TestClient, run_id: str, path: str):
    address = f"/api/runs/{run_id}/{path.format(id=run_id)}"
    client.get(address)  # what is made once, such as a process
    watchdog = Watchdog()
    with watchdog.watching():
        assert client.get(address).status_code == 200
    assert [str(stall) for stall in watchdog.stalls] == []
    assert watchdog.longest_s > 0


def test_the_watchdog_finds_what_holds_up_the_loop():
    async def hold_up() -> None:
        for _ in range(HELD_UP):
            reference_work()

    watchdog = Watchdog()
    with watchdog.watching():
        asyncio.run(hold_up())
    assert len(watchdog.stalls) == 1


def test_what_takes_too_long_is_refused(
    server: TestClient, run_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(views, "MAX_VIEW_S", 0.2)
    with pytest.raises(TooLarge, match="too long"):
        shown(server, run_id, _forever, str(tmp_path / "began"))


def test_one_person_has_one_view_made_at_a_time_and_few_waiting(
    server: TestClient, run_id: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(request_queue, "MAX_WAITING", 0)
    with pytest.raises(TooManyAtOnce, match="Wait"):
        shown(server, run_id, _pid)


def test_views_of_ended_runs_are_remembered_until_a_run_is_deleted(
    client: TestClient, run_id: str, monkeypatch: pytest.MonkeyPatch
):
    address = f"/api/runs/{run_id}/state?at=300"
    first = client.get(address).json()
    monkeypatch.setattr(views, "MAX_VIEW_S", 0.0)
    assert client.get(address).json() == first
    assert client.get(f"/api/runs/{run_id}/state?at=301").status_code == 413
    other = ended(client, team())
    assert client.delete(f"/api/runs/{other}").status_code == 204
    assert client.get(address).status_code == 413


@pytest.mark.parametrize(
    "error",
    [
        TooLarge("What.", fix="Fix.", where="/x"),
        InvalidComponent([Finding("code", "What.", "Fix.", "/x"), Finding("more", "More.")]),
        NotApproved([Capability(kind="python", text="Runs code.", detail="x", where="/x")], team_id="t"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_travel_between_processes(error: StudioError):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.as_json(), str(again)) == (type(error), error.as_json(), str(error))
