"""A run as a test: a pytest file, the answers that it repeats, and the team as it was."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Mapping

from studio.errors import Conflict
from studio.runs.admission import check_approved, load_team
from studio.runs.sharing.cassette import Cassette, play_back, record, what_differs
from studio.runs.sharing.redaction import SecretRemover
from studio.settings import Settings
from studio.store import Store
from studio.web.sharing import known_secrets, whole_log

TEST = '''"""The team {name} behaves as in its run of {date}, which is replayed from its recorded answers.

Needs no key and no network, and costs nothing. Fails when prompts, tools, speakers, messages or the end differ. Keep
the current team in `{stem}.team.json`. If a change is intended, run the team again in the studio and save its test
again.
"""

from pathlib import Path

from studio.testing import replay_run

HERE = Path(__file__).parent


def test_{stem}_does_what_it_did() -> None:
    replay_run(HERE / "{stem}.cassette.jsonl", team=HERE / "{stem}.team.json")
'''


async def make_test(store: Store, settings: Settings, run_id: str) -> tuple[str, bytes]:
    """The name of a ZIP file with the test, and its bytes. The test was tried: it passes with the team as it was.

    Raises:
        NotFound: There is no such run.
        NotApproved: The team could do something that nobody allowed, so it is not loaded.
        Conflict: The run is under way, or it cannot be repeated.
    """
    run = await store.runs.get(run_id)
    if not run.status.state.is_final:
        raise Conflict("The run is still active.", fix="Wait until it ends, or stop it.")
    await check_approved(load_team(run.component), store.approvals, team_id=run.team_id or "")
    remover = SecretRemover(await known_secrets(store, settings, run))
    cassette = await asyncio.to_thread(record, run, await whole_log(store, run_id), remover)
    heading = cassette.heading
    team = load_team(heading.component)
    found = await play_back(team, heading.task, heading.namespace, cassette.log, heading.changes)
    if differs := what_differs(found, heading):
        taken = [one.name for one in remover.removed]
        why = f" Redacted secrets: {', '.join(taken)}." if taken else ""
        fix = "Run the team again and save that run as a test."
        raise Conflict(f"This run cannot be re-executed, so no test can be made from it.{why} {differs}", fix=fix)
    stem = _stem(run.team_name)
    return f"{stem}_test.zip", await asyncio.to_thread(_zipped, _files(stem, cassette))


def _files(stem: str, cassette: Cassette) -> Mapping[str, str]:
    heading = cassette.heading
    name = re.sub(r"[^\w .,'-]", "", heading.team_name)[:80] or "of this run"
    date = heading.recorded_at.strftime("%d %B %Y").lstrip("0")
    return {
        f"test_{stem}.py": TEST.format(name=name, date=date, stem=stem),
        f"{stem}.cassette.jsonl": cassette.lines(),
        f"{stem}.team.json": json.dumps(heading.component, indent=2) + "\n",
    }


def _stem(name: str) -> str:
    """A name that is safe in Python, in an archive and on every disk."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "team"


def _zipped(files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()
