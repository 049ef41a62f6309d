"""The cost of a turn, counted in instructions of Python: the same on every machine, however busy it is."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from studio import effects
from studio.components import JsonObject
from studio.messages import explained
from tests.benchmarks.studio import Run, graph, round_robin, selector, swarm

Build = Callable[[int, str], tuple[Run, int]]


class Counter:
    """Counts the instructions that Python runs while it is in force."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Counter:
        del argument
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.count += event == "opcode"
        return self


async def instructions(build: Build, size: int, model: str) -> int:
    """What a run takes, without what others have the collector of garbage call while it goes on."""
    run, _ = build(size, model)
    counter = Counter()
    before = sys.gettrace()
    gc.collect()
    gc.disable()
    sys.settrace(counter)
    try:
        await run(lambda: None)
    finally:
        sys.settrace(before)
        gc.enable()
    return counter.count


async def instructions_between(build: Build, model: str, first: int, last: int) -> float:
    """For each turn from the first to the last one: what a run costs once does not count."""
    return (await instructions(build, last, model) - await instructions(build, first, model)) / (last - first)


SCENARIOS = [
    pytest.param(round_robin, "null", 16, 1_350, id="round robin"),
    pytest.param(round_robin, "replay", 16, 1_750, id="scripted model"),
    pytest.param(selector, "null", 16, 2_500, id="selector"),
    pytest.param(swarm, "null", 16, 3_250, id="swarm"),
    pytest.param(graph, "null", 2, 90_000, id="graph, a lap of 20"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("build", "model", "size", "most"), SCENARIOS)
async def test_a_late_turn_costs_what_an_early_one_does(build: Build, model: str, size: int, most: int) -> None:
    await instructions(build, size, model)  # what is made at first use
    early = await instructions_between(build, model, size, 2 * size)
    late = await instructions_between(build, model, 5 * size, 6 * size)
    assert late <= 1.03 * early
    assert late <= most


@pytest.mark.slow
async def test_a_turn_that_is_recorded_and_explained_costs_a_late_run_no_more() -> None:
    async def kept_nowhere(entry: JsonObject) -> None:
        del entry

    with explained(), effects.use(effects.RecordingEffects(kept_nowhere, run_id="counted")):
        await instructions(round_robin, 16, "replay")
        early = await instructions_between(round_robin, "replay", 16, 32)
        late = await instructions_between(round_robin, "replay", 80, 96)
    assert late <= 1.03 * early
    assert late <= 3_200
