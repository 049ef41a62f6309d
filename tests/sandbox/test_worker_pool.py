"""Workers that are ready before they are called."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from studio.errors import ToolFailed
from studio.sandbox import (
    Jail,
    JailUnavailable,
    Limits,
    PlainProcess,
    UnavailableJail,
    WorkerPool,
    current_jail,
    current_workers,
    open_sandbox,
    run_function,
    worker_pool,
)
from tests.sandbox.jailed import PLAIN, best_jail

pytestmark = pytest.mark.slow


@pytest.fixture(params=["plain", "jailed"])
def jail(request: pytest.FixtureRequest) -> Jail:
    return PLAIN if request.param == "plain" else best_jail()


@asynccontextmanager
async def ready(jail: Jail) -> AsyncGenerator[WorkerPool]:
    current_jail.set(jail)  # the context is the test's own
    async with WorkerPool() as workers:
        current_workers.set(workers)
        yield workers


async def call(source: str, **given: str) -> object:
    reply = await run_function(imports="", source=source, function="f", arguments={}, environment=given)
    return reply.get("value", reply.get("error"))


async def test_a_call_finds_a_worker_that_waits_for_it(jail: Jail) -> None:
    async with ready(jail) as workers:
        workers.prepare()
        with pytest.raises(KeyError):
            await use_up(workers)
        waiting = children()
        with pytest.raises(ToolFailed, match="exit code 3"):
            await call("import os\ndef f(): os._exit(3)")
        assert waiting - children()


async def use_up(workers: WorkerPool) -> None:
    """Take a worker, and fail; it is gone then."""
    async with workers.one():
        raise KeyError


async def test_nothing_of_a_call_is_there_for_the_next(jail: Jail) -> None:
    leave = (
        "import builtins, os, subprocess\n"
        "def f():\n"
        "    builtins.left = 1\n"
        "    open('left', 'w').close()\n"
        "    subprocess.Popen(['sleep', '60'])\n"
        "    return os.environ['SECRET']"
    )
    look = (
        "import builtins, os\n"
        "def f(): return [hasattr(builtins, 'left'), os.listdir(), os.environ.get('SECRET'), 'SECRET' in str(\n"
        "    [open(f'/proc/{pid}/environ').read() for pid in os.listdir('/proc') if pid == 'self'])]"
    )
    async with ready(jail):
        assert await call(leave, SECRET="s3cret") == "s3cret"
        for _ in range(3):
            assert await call(look) == [False, [], None, False]


async def test_calls_at_the_same_time_have_workers_of_their_own(jail: Jail) -> None:
    async with ready(jail), asyncio.TaskGroup() as tasks:
        calls = [tasks.create_task(call("import os\ndef f(): return os.environ['N']", N=str(n))) for n in range(5)]
    assert [each.result() for each in calls] == ["0", "1", "2", "3", "4"]


async def test_a_worker_that_fails_is_not_used_again(jail: Jail) -> None:
    async with ready(jail):
        with pytest.raises(ToolFailed, match="exit code 3"):
            await call("import os\ndef f(): os._exit(3)")
        source = "import time\ndef f(): time.sleep(60)"
        with pytest.raises(ToolFailed, match="longer than 1 s"):
            await run_function(imports="", source=source, function="f", arguments={}, limits=Limits(timeout_s=1))
        assert await call("def f(): return 1") == 1


async def test_none_is_left_behind(jail: Jail) -> None:
    before = children()
    async with ready(jail) as workers:
        await call("def f(): return 1")
        workers.prepare(("example.com",))
        async with workers.one():
            assert children() != before
    assert children() == before


async def test_those_that_nobody_calls_go_to_rest() -> None:
    before = children()
    current_jail.set(PLAIN)
    async with WorkerPool(rest_s=0) as workers:
        async with workers.one():
            assert children() != before
        async with asyncio.timeout(10):
            while children() != before:  # noqa: ASYNC110
                await asyncio.sleep(0)  # nobody tells of it


def children() -> set[str]:
    """Processes that this one has started."""
    found: set[str] = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
        except FileNotFoundError:
            continue
        if parent == str(os.getpid()):
            found.add(name)
    return found


async def test_without_a_jail_nothing_runs() -> None:
    current_jail.set(UnavailableJail(JailUnavailable("Nothing works.", fix="Install it.")))
    async with WorkerPool() as workers:
        for chosen in (None, workers):
            current_workers.set(chosen)
            with pytest.raises(JailUnavailable, match=r"Nothing works\. Install it\."):
                await call("def f(): return 1")


async def test_a_sandbox_is_opened_by_its_name() -> None:
    async with open_sandbox("process") as jail:
        assert isinstance(jail, PlainProcess)
        assert current_workers.get() is not None
        assert await call("def f(): return 1") == 1
    assert current_workers.get() is None


async def test_many_calls_at_once_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_AT_ONCE", 2)
    monkeypatch.setattr(worker_pool, "MAX_WAIT_S", 0.05)
    async with WorkerPool() as workers, AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(workers.one())
        with pytest.raises(ToolFailed, match="2 tools are already running"):
            async with workers.one():
                pass
        await stack.aclose()
        async with workers.one() as worker:
            assert worker.is_running
