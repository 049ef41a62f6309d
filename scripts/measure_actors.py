"""What a message costs between agents that send each other messages, beside AutoGen.

`python scripts/measure_actors.py [PYTHON]`, where PYTHON has autogen-core 0.7.5; both are measured in turns. Prints
processor time in µs of a message that is sent and answered, and of one handling of a message that is published to 1, 10
and 100 agents, the median of five runs, with the most memory that was in use; a ratio is formed in each turn, its range
is that of the turns. The last rows are longer, one run each.
"""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

CASES = (("send", 1, 10_000), ("publish", 1, 10_000), ("publish", 10, 1_000), ("publish", 100, 100))
LONG = (("send", 1, 100_000), ("publish", 1, 100_000), ("publish", 10, 100_000), ("publish", 100, 10_000))
REPEATS = 5
BURST = 100
"""Messages that are published before they are waited for."""


@dataclass
class Text:
    """A message."""

    text: str


def core() -> Any:
    """The package of this Python: AutoGen's where it is installed, else ours."""
    logging.getLogger("autogen_core").setLevel(logging.ERROR)
    return import_module("autogen_core" if find_spec("autogen_core") else "studio.actors")


def listener(package: Any) -> Any:
    """A class of agents that answer what they hear."""
    base: Any = package.RoutedAgent

    class Listener(base):
        """Answers."""

        def __init__(self) -> None:
            base.__init__(self, "Answers.")

        @package.message_handler
        async def on_text(self, message: Text, ctx: Any) -> Text:
            del ctx
            return message

    return Listener


async def cost_us(way: str, subscribers: int, messages: int) -> float:
    """Processor time of one handling of a message, in µs."""
    package = core()
    runtime = package.SingleThreadedAgentRuntime()
    cls = listener(package)
    for number in range(subscribers):
        await cls.register(runtime, f"agent{number}", cls)
        await runtime.add_subscription(package.TypeSubscription("default", f"agent{number}"))
    runtime.start()
    began = time.process_time()
    if way == "send":
        for _ in range(messages):
            await runtime.send_message(Text("hello"), package.AgentId("agent0", "default"))
    for first in range(0, messages if way == "publish" else 0, BURST):
        for _ in range(first, min(first + BURST, messages)):
            await runtime.publish_message(Text("hello"), package.TopicId("default", "default"))
        await runtime.stop_when_idle()
        runtime.start()
    await runtime.stop_when_idle()
    return 1e6 * (time.process_time() - began) / (messages * subscribers)


def measure(case: tuple[str, int, int], python: str) -> dict[str, float]:
    """One case in a process of its own."""
    done = subprocess.run([python, __file__, "--case", json.dumps(case)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    """Measure one case, or start a process for each."""
    if sys.argv[1:2] == ["--case"]:
        cost = asyncio.run(cost_us(*json.loads(sys.argv[2])))
        print(json.dumps({"us": cost, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
        return
    pythons = {"Team Studio": sys.executable} | ({"AutoGen": sys.argv[1]} if sys.argv[1:] else {})
    for case in CASES + LONG:
        found: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
        for _ in range(REPEATS if case in CASES else 1):
            for name, python in pythons.items():
                found[name].append(measure(case, python))
        way, subscribers, messages = case
        row = [f"{way} to {subscribers:>3}, {messages:>6,} messages"]
        row += [
            f"{name} {median(each['us'] for each in runs):6.1f} µs {max(each['mb'] for each in runs):5.0f} MB"
            for name, runs in found.items()
        ]
        if len(pythons) > 1:
            ours, theirs = found.values()
            times = [other["us"] / own["us"] for own, other in zip(ours, theirs, strict=True)]
            row.append(f"{median(times):5.1f} times ({min(times):.1f}-{max(times):.1f})")
        print("   ".join(row), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
