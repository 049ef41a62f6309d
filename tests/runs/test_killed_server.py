from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from studio.runs import RunState, RunSupervisor
from studio.store import open_store
from tests.runs.scripted import OpenStudio, World, current_world, scripted

ROOT = Path(__file__).parents[2]


async def serve_until_killed(data_dir: Path) -> None:
    """A server with one run that waits in a model call and one that waits for an answer."""
    world = World()
    current_world.set(world)
    async with open_store(data_dir) as store, RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor:
        world.answers.set()
        asking = await supervisor.start(scripted("ann: ?Which?"), "Go.")
        async with aclosing(supervisor.subscribe(asking)) as batches:
            async for batch in batches:
                if batch.view.pending:
                    break
        world.answers.clear()
        world.called.clear()
        calling = await supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        print(calling, asking, flush=True)
        await asyncio.Event().wait()


@pytest.mark.slow
async def test_runs_of_a_killed_server_go_on_at_the_next_start(
    tmp_path: Path, open_studio: OpenStudio, world: World
) -> None:
    code = (
        "import asyncio, pathlib, sys; from tests.runs.test_killed_server import serve_until_killed; "
        "asyncio.run(serve_until_killed(pathlib.Path(sys.argv[1])))"
    )
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout
    ids = (await server.stdout.readline()).decode().split()
    server.kill()
    await server.communicate()
    calling, asking = ids
    async with open_studio() as studio:
        await studio.until(calling, RunState.FINISHED)
        assert world.calls == ["one"]
        view = await studio.supervisor.view(asking)
        assert view.pending
        await studio.supervisor.command(asking, "answer", request_id=view.pending.request_id, text="This.")
        await studio.until(asking, RunState.FINISHED)
        assert await studio.said(asking) == ["Go.", "", "This."]
        assert world.calls == ["one"]
        for run_id in ids:
            log = await studio.log(run_id)
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
