"""What a call of a tool costs beside the tool's own work, in each sandbox that works here.

Prints milliseconds: of calls that find a ready worker, and of calls that start one. On a busy machine the smallest
number says most.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterable

from studio.sandbox import PlainProcess, WorkerPool, current_jail, current_workers, examined, run_function

CALLS = 20
PAUSE_S = 0.3
"""Between two calls, as a model takes at least; meanwhile the next worker starts."""


async def call_ms() -> float:
    """How long one call of a tool takes that does next to nothing."""
    began = time.perf_counter()
    source = "def add(a: int, b: int) -> int: return a + b"
    reply = await run_function(imports="", source=source, function="add", arguments={"a": 1, "b": 2})
    assert reply["value"] == 3
    return 1000 * (time.perf_counter() - began)


async def measure(name: str) -> None:
    """Print a row for the jail of this context."""
    cold = [await call_ms() for _ in range(5)]
    warm: list[float] = []
    async with WorkerPool() as workers:
        token = current_workers.set(workers)
        workers.prepare()
        for _ in range(CALLS):
            await asyncio.sleep(PAUSE_S)
            warm.append(await call_ms())
        current_workers.reset(token)
    print(f"{name:<28} {results(warm)}   {results(cold)}")


def results(times: Iterable[float]) -> str:
    ordered = sorted(times)
    return f"{ordered[0]:8.2f} {statistics.median(ordered):8.2f}"


async def main() -> None:
    print(f"{'':<28} {'ready: least':>8}   median   {'started: least':>8}  median")
    await measure(PlainProcess().name)
    for each in examined():
        if each.works:
            current_jail.set(each.jail)
            await measure(each.text.split(":")[0])


if __name__ == "__main__":
    asyncio.run(main())
