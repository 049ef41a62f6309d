"""Measure a large evaluation with scripted models: cells a second, memory, and its page. Prints Markdown.

    .venv/bin/python scripts/measure_evaluations.py                       # 1,000 cases x 2 versions x 3 repeats
    .venv/bin/python scripts/measure_evaluations.py --cases 100
    .venv/bin/python scripts/measure_evaluations.py --inspect PYTHON      # the same in Inspect AI, of that interpreter

It is started, watched as its page watches it, and finished through the API of a studio in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.components import JsonObject  # noqa: E402
from tests.web.documents import assistant, team  # noqa: E402

Row = tuple[str, str]
REPEATS, VERSIONS, WATCH_S, LOOKS = 3, 2, 1.0, 5
WORDS = ("pine", "oak", "elm")
"""What the newer version says: that the targets are these in turn lets a third of its cases pass."""

INSPECT = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

cases, epochs, folder, at_once = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
words = ("pine", "oak", "elm")
samples = [Sample(id=f"case-{n}", input=f"Write label {n}.", target=words[n % 3]) for n in range(cases)]
for answer in ("pine, oak and elm", "pine"):
    output = ModelOutput.from_content("mockllm/model", answer)
    output.usage = ModelUsage(input_tokens=4, output_tokens=4, total_tokens=8)  # or it would count them by a download
    model = get_model("mockllm/model", custom_outputs=(output.model_copy() for _ in range(cases * epochs)))
    task = Task(dataset=samples, solver=generate(), scorer=includes())
    (log,) = eval(task, model=model, epochs=epochs, log_dir=folder, display="none", max_samples=at_once)
    assert log.status == "success", log.error
"""


@dataclass(frozen=True)
class Studio:
    """A studio in a process of its own."""

    client: httpx.Client
    pid: int

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self, name: str) -> float:
        """`VmRSS` is what it has now, `VmHWM` the most that it ever had."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition(f"{name}:")[2].split()[0]) / 1024

    def post(self, path: str, body: object) -> str:
        answer = self.client.post(path, json=body)
        answer.raise_for_status()
        return str(answer.json()["id"])

    def get_ms(self, path: str) -> float:
        began = time.perf_counter()
        self.client.get(path).raise_for_status()
        return (time.perf_counter() - began) * 1000


@contextmanager
def served(folder: str) -> Generator[Studio]:
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", folder]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = next(each for line in process.stdout if (each := re.search(r"(http://[^/]+)/\?token=(\S+)", line)))
            headers = {"Authorization": f"Bearer {found[2]}"}
            with httpx.Client(base_url=found[1], headers=headers, trust_env=False, timeout=60) as client:
                yield Studio(client, process.pid)
        finally:
            process.terminate()


def labeller(answer: str) -> JsonObject:
    return team(assistant("writer", answer), label="Label writers", max_messages=2)


def suite_of(cases: int) -> JsonObject:
    return {
        "suite": "labels",
        "scorers": [{"includes": "{target}"}],
        "cases": [
            {"id": f"case-{n}", "task": f"Write label {n}.", "target": WORDS[n % len(WORDS)]} for n in range(cases)
        ],
    }


def measured(cases: int, at_once: int) -> Sequence[Row]:
    with tempfile.TemporaryDirectory() as folder, served(folder) as studio:
        team_id = studio.post("/api/teams", {"component": labeller(", ".join(WORDS))})
        body = {"component": labeller(WORDS[0]), "revision": 1}
        studio.client.put(f"/api/teams/{team_id}", json=body).raise_for_status()
        suite_id = studio.post(f"/api/teams/{team_id}/suites", {"document": suite_of(cases)})
        idle_mb, cpu_s, began = studio.memory_mb("VmRSS"), studio.cpu_s, time.monotonic()
        plan = {"version": 2, "against": 1, "repeats": REPEATS, "at_once": at_once, "usd": 1}
        evaluation_id = studio.post(f"/api/suites/{suite_id}/evaluations", plan)
        begun_s = time.monotonic() - began
        fragment, watched = f"/fragments/evaluations/{evaluation_id}", list[float]()
        while studio.client.get(f"/api/suites/{suite_id}/evaluations").json()[0]["ended_at"] is None:
            watched.append(studio.get_ms(fragment))
            time.sleep(WATCH_S)
        took_s, cells = time.monotonic() - began, cases * VERSIONS * REPEATS
        rows = [
            ("starting it", f"{begun_s:.1f} s"),
            (
                f"{cells:,} cells, {at_once} at once, watched",
                f"{took_s:.0f} s, {cells / took_s:.0f} cells a second; processor: {studio.cpu_s - cpu_s:.0f} s",
            ),
            (
                "memory before, at most, and after",
                f"{idle_mb:.0f}, {studio.memory_mb('VmHWM'):.0f} and {studio.memory_mb('VmRSS'):.0f} MB",
            ),
            ("its page while it ran, median and most", f"{median(watched):.0f} and {max(watched):.0f} ms"),
        ]
        pages = {
            "the page": f"/evaluations/{evaluation_id}",
            "the last page of all cases": f"{fragment}?group=&page={-(-cases // 100)}",
            "the page of its suite": f"/suites/{suite_id}",
            "the result over the API": f"/api/evaluations/{evaluation_id}",
        }
        for name, path in pages.items():
            times = [studio.get_ms(path) for _ in range(LOOKS)]
            rows.append((f"{name}, once it is finished", f"{median(times):.0f} ms"))
        return rows


def measured_inspect(python: str, cases: int, at_once: int) -> Sequence[Row]:
    with tempfile.TemporaryDirectory() as folder:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([python, "-c", INSPECT, str(cases), str(REPEATS), folder, str(at_once)], check=True)
        took_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cells, log_mb = cases * VERSIONS * REPEATS, sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
    said = f"{took_s:.0f} s, {cells / took_s:.0f} samples a second; processor: {cpu_s:.0f} s"
    return [
        (f"Inspect AI: {cells:,} samples, {at_once} at once", said),
        ("its memory at most, and its logs", f"{after.ru_maxrss / 1024:.0f} and {log_mb:.0f} MB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--inspect", default="", metavar="PYTHON", help="an interpreter that has inspect-ai")
    options = parser.parse_args()
    inspect = bool(options.inspect)
    rows = (
        measured_inspect(options.inspect, options.cases, options.at_once)
        if inspect
        else measured(options.cases, options.at_once)
    )
    print("| | |\n|---|---|")
    for name, said in rows:
        print(f"| {name} | {said} |")


if __name__ == "__main__":
    main()
