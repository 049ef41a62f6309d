"""`python -m tests.benchmarks [--autogen PYTHON] [--repeats N]`: the speed of the engine, as ratios.

In each repeat every engine runs each scenario once, in a fresh process, right after the others; a ratio is formed
inside a repeat, and the median over the repeats is printed with the lowest and the highest. PYTHON is an interpreter
that has `autogen-agentchat==0.7.5` and `autogen-ext[openai]==0.7.5`; without it only the floor is measured against.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.recorded import recorded

HERE = Path(__file__).parent
ALL = ("studio", "floor", "autogen")


@dataclass(frozen=True)
class Case:
    """One scenario at one size."""

    title: str
    scenario: str
    options: Mapping[str, object]
    engines: Sequence[str] = ("studio", "autogen")
    unit: str = "us_per_tick"


CASES = (
    Case("round robin, 1,000 turns", "round_robin", {"size": 1000}, ALL),
    Case("round robin, 1,000 turns, scripted model", "round_robin", {"size": 1000, "model": "replay"}),
    Case("round robin, 100 turns", "round_robin", {"size": 100}, ("studio", "floor")),
    Case("round robin, 5,000 turns", "round_robin", {"size": 5000}, ("studio", "floor")),
    Case("selector, 500 turns", "selector", {"size": 500}),
    Case("swarm, 500 handoffs", "swarm", {"size": 500}),
    Case("graph of 20 nodes, 25 laps", "graph", {"size": 25}),
    Case("load 10 agents and 20 tools", "config", {}, unit="ms"),
    Case("import", "import", {}, unit="ms"),
    Case("250 runs of 10 turns at once", "fleet", {"runs": 250, "turns": 10}, unit="kb_per_run"),
    Case("1,000 runs of 10 turns at once", "fleet", {"runs": 1000, "turns": 10}, unit="kb_per_run"),
)


def cost(case: Case, engine: str, python: str) -> float:
    options = [f"{name}={value}" for name, value in case.options.items()]
    # -P: a file of ours is named like the package that it measures.
    command = [python, "-P", str(HERE / "measure.py"), str(HERE / f"{engine}.py"), case.scenario, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{engine}, {case.title}: {done.stderr[-600:]}")
    return float(json.loads(done.stdout.splitlines()[-1])[case.unit])


def row(case: Case, pythons: Mapping[str, str], repeats: int) -> str:
    costs: dict[str, list[float]] = {engine: [] for engine in case.engines if engine in pythons}
    for _ in range(repeats):
        for engine, found in costs.items():
            found.append(cost(case, engine, pythons[engine]))
    cells = [f"{statistics.median(costs['studio']):,.1f}"]
    for other in ("floor", "autogen"):
        ratios = sorted(theirs / ours for theirs, ours in zip(costs.get(other, ()), costs["studio"], strict=False))
        if other == "floor":
            ratios = sorted(1 / ratio for ratio in ratios)
        cells.append(f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})" if ratios else "")
    return f"| {case.title} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--autogen", default="", metavar="PYTHON", help="an interpreter that has AutoGen 0.7.5")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    pythons = {"studio": sys.executable, "floor": sys.executable}
    if options.autogen:
        pythons["autogen"] = options.autogen
    print("| | Team Studio (µs a message, ms, KB a run) | times the floor | AutoGen is times that |\n|---|---|---|---|")
    for case in CASES:
        print(row(case, pythons, options.repeats), flush=True)
    found = [asyncio.run(recorded(1000)) for _ in range(options.repeats)]
    middle = {name: statistics.median(each[name] for each in found) for name in found[0]}
    print(
        f"\nRecorded: {middle['recorded_us']:,.0f} µs a turn, {middle['ratio']:.1f} times the unrecorded one, "
        f"{middle['ratio_to_explained']:.1f} times one that explains itself unrecorded."
    )


if __name__ == "__main__":
    main()
