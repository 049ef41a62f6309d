"""A database that an older studio left, killed with runs in every state: each run can be read, and goes on."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.fakes.openai_server import OpenAIServer
from tests.kills.studio import Watched, follow, start_run, studio_in, tell
from tests.kills.teams import reply_to

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere only 127.0.0.1 leads to this machine."),
]

OLDER = sorted((Path(__file__).parent / "older").glob("*.sql"))
ENDED = {"finished": 3, "stopped": 1, "cancelled": 1}
PAGES = (
    "/runs/{}",
    "/api/runs/{}",
    "/api/runs/{}/events",
    "/api/runs/{}/bundle",
    "/api/runs/{}/cost",
    "/runs/{}/share",
)


class Models(OpenAIServer):
    """At the address that the teams name: it belongs to what is asked of a model, and so to what was recorded."""

    place = ("127.0.0.77", 9377)


@pytest.mark.parametrize("dump", OLDER, ids=lambda dump: dump.stem)
async def test_runs_of_an_older_studio_go_on_to_their_end(tmp_path: Path, dump: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "studio.db")) as database:
        database.executescript(dump.read_text())  # noqa: ASYNC240 -- nothing else happens here
    with Models() as models:
        models.always(reply_to)
        async with studio_in(tmp_path) as (_, client):
            await check_runs(client)


async def check_runs(client: httpx.AsyncClient) -> None:
    runs = (await client.get("/api/runs")).json()
    states = Counter(run["state"] for run in runs)
    assert {state: states[state] for state in ENDED} == ENDED
    for team in (await client.get("/api/teams")).json():  # with all that this version wants to be allowed
        new = Watched(await start_run(client, team["id"], "New."), team["name"])
        await tell(client, new, {"command": "cancel"})
    for run in runs:
        watched = Watched(run["id"], run["team_name"])
        if run["state"] not in ENDED:
            await tell(client, watched, {"command": "continue"})
        await follow(client, watched)
        assert watched.state == (run["state"] if run["state"] in ENDED else "finished"), watched
        assert watched.shown_twice() == []
        assert {path: (await client.get(path.format(run["id"]))).status_code for path in PAGES} == dict.fromkeys(
            PAGES, 200
        )
