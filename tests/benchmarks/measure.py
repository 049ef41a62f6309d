"""Runs one scenario of one engine in this interpreter and prints what it cost, as one line of JSON.

The standard library is enough, so that it starts in any engine's environment: `python measure.py ADAPTER SCENARIO
[key=value ...]`. Numbers are CPU time of this process, since other programs may keep the machine busy.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType

Cost = dict[str, float]
Run = Callable[[Callable[[], None]], Awaitable[None]]
LOADS = 10
PROBE = "import time; began = time.process_time(); {line}; print(time.process_time() - began)"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("adapter", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["adapter"] = module
    spec.loader.exec_module(module)
    return module


async def of_turns(build: Callable[..., tuple[Run, int]], size: int, **options: str) -> Cost:
    """Microseconds for each message that the consumer sees; what the engine imports late is not counted."""
    await build(2, **options)[0](lambda: None)
    run, expected = build(size, **options)
    seen = 0

    def tick() -> None:
        nonlocal seen
        seen += 1

    gc.collect()
    began = time.process_time()
    await run(tick)
    passed = time.process_time() - began
    assert seen == expected, f"{seen} messages instead of {expected}"
    return {"us_per_tick": passed / seen * 1e6}


def of_loading(adapter: ModuleType) -> Cost:
    """Milliseconds to load a team of 10 agents and 20 tools with OpenAI clients from JSON."""
    text: str = adapter.config_text()
    adapter.config_load(text)
    began = time.process_time()
    for _ in range(LOADS):
        adapter.config_load(text)
    return {"ms": (time.process_time() - began) / LOADS * 1e3}


def of_importing(adapter: ModuleType) -> Cost:
    """Milliseconds of the import that the round robin needs, in a fresh interpreter; it was compiled before."""
    probe = [sys.executable, "-c", PROBE.format(line=adapter.IMPORT)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = (subprocess.run(probe, capture_output=True, check=True, text=True, env=kept) for _ in range(4))
    _, *times = [float(run.stdout) for run in runs]
    return {"ms": min(times) * 1e3}


def peak_kb() -> int:
    """The most memory of this program so far, on Linux; `getrusage` would count the program that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


async def of_fleet(build: Callable[..., tuple[Run, int]], runs: int, turns: int) -> Cost:
    """Kilobytes at the most for each of many runs at the same time."""
    await build(2)[0](lambda: None)
    before_kb = peak_kb()
    teams = [build(turns)[0] for _ in range(runs)]
    async with asyncio.TaskGroup() as group:
        for run in teams:
            group.create_task(_drain(run))
    return {"kb_per_run": (peak_kb() - before_kb) / runs}


async def _drain(run: Run) -> None:
    await run(lambda: None)


async def measured(adapter: ModuleType, scenario: str, options: dict[str, str]) -> Cost:
    if scenario == "config":
        return of_loading(adapter)
    if scenario == "import":
        return of_importing(adapter)
    if scenario == "fleet":
        return await of_fleet(adapter.round_robin, int(options["runs"]), int(options["turns"]))
    size = int(options.pop("size"))
    return await of_turns(getattr(adapter, scenario), size, **options)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    given = dict(argument.split("=", 1) for argument in sys.argv[3:])
    print(json.dumps(asyncio.run(measured(load(Path(sys.argv[1])), sys.argv[2], given))))
