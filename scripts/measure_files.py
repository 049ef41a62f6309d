"""Measure a studio with many runs, files and documents: pages, searches, start-up, memory, clean-up. Prints Markdown.

    .venv/bin/python scripts/measure_files.py                    # 50,000 runs, 10,000 files, 2,000 documents
    .venv/bin/python scripts/measure_files.py --runs 1000 --files 200 --documents 50
    .venv/bin/python scripts/measure_files.py --folder DIR       # keeps the data, and uses it next time

The data is written through the store; the studio that answers is a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import httpx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.knowledge import cut_passages  # noqa: E402
from studio.runs import Draft, NewRun, RunState, RunStatus  # noqa: E402
from studio.store import Store, open_store  # noqa: E402
from studio.store.knowledge import ReadDocument  # noqa: E402
from tests.web.documents import assistant, team  # noqa: E402

Row = tuple[str, str]
LOOKS = 15
SECTIONS = 30
"""Of each document; about as many passages."""
VOCABULARY = 20_000
RUN_FILES = 100
"""Of the run whose tab *Files* is asked for."""
TRASHED = 2_000
MAX_BYTES = 10**9
ENDED = RunStatus(state=RunState.FINISHED, reason="end")
PAGES = {
    "Runs": "/runs",
    "Runs, page 900": "/runs?page=900",
    "Runs with a text that few have": "/runs?text=parcel-777",
    "Files of a run, over the API": "/api/runs/{run}/files",
    "Playground of a run with files": "/runs/{run}",
    "Download of a file": "/api/runs/{run}/files/1",
    "Knowledge": "/knowledge",
    "A knowledge base": "/knowledge/{base}",
    "A knowledge base, page 20": "/knowledge/{base}?page=20",
    "A document": "/knowledge/{base}/documents/{document}?section=15",
    "A question of common words": "/knowledge/{base}?q=w0 w1 w2 w3 w4 w5",
    "A question of rare words": "/knowledge/{base}?q=w15000 w16000 w17000",
    "A question that nothing answers": "/knowledge/{base}?q=xylophone",
    "A citation": "/knowledge/cited?base=Contracts&file=contract-7.md&section=3",
    "Health": "/healthz",
}


@dataclass(frozen=True)
class Amounts:
    """How much there is."""

    runs: int
    files: int
    documents: int


@dataclass(frozen=True)
class Known:
    """What pages are asked for by."""

    run: str
    base: str
    document: str


class Clock:
    """How long things take, on the wall and of the processor."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return f"{wall:.2f} s, processor {cpu:.2f} s" if wall < 10 else f"{wall:.0f} s, processor {cpu:.0f} s"


async def parts(content: bytes) -> AsyncGenerator[bytes]:
    yield content


def text_of(number: int) -> str:
    """A document of Markdown with a heading for each section; words are as rare as those of a language."""
    chance = random.Random(number)
    sections = list[str]()
    for section in range(SECTIONS):
        words = (f"w{min(int(chance.paretovariate(0.7)) - 1, VOCABULARY - 1)}" for _ in range(150))
        sections.append(f"## Section {section + 1} of contract {number}\n\n{' '.join(words)}.\n")
    return "\n".join(sections)


async def fill(store: Store, amounts: Amounts) -> Sequence[Row]:
    """Write all of it. The newest run has `RUN_FILES` files, those before it one each."""
    rows, clock = list[Row](), Clock()
    component = team(assistant("writer"))
    made = await store.teams.create(component, name="Chart makers")
    ids = list[str]()
    for number in range(amounts.runs):
        lease = await store.runs.create(
            NewRun(component, f"Chart of parcel-{number}.", f"Chart of parcel-{number}.", made.id, "Chart makers")
        )
        await store.runs.append(lease, [Draft("state", {"state": "finished", "reason": "end"})], ENDED)
        ids.append(lease.run_id)
    rows.append((f"to write {amounts.runs:,} runs", str(clock)))
    clock = Clock()
    for number in range(amounts.files):
        run_id = ids[-1 if number < RUN_FILES else -2 - (number - RUN_FILES) % (len(ids) - 1)]
        content = f"number,value\n{number},{'7' * (number % 40_000)}\n".encode()
        name = f"chart-{number}.csv"
        await store.run_files.keep(run_id, name, parts(content), agent="coder", seq=1, max_bytes=MAX_BYTES)
    rows.append((f"to keep {amounts.files:,} files", str(clock)))
    clock = Clock()
    base = await store.knowledge.create("Contracts", "", "ann")
    for number in range(amounts.documents):
        text = text_of(number)
        file = await store.files.add(parts(text.encode()), max_bytes=MAX_BYTES)
        passages = cut_passages(text)
        name = f"contract-{number}.md"
        read = ReadDocument(name, file.sha256, file.size, "text/markdown", "", None, len(text), passages)
        await store.knowledge.add(base.id, read, "ann")
    rows.append((f"to add {amounts.documents:,} documents", str(clock)))
    return rows


async def known(store: Store) -> Known:
    [base] = await store.knowledge.list()
    [document] = await store.knowledge.documents(base.base.id, limit=1)
    [newest] = await store.runs.list(limit=1)
    return Known(newest.id, base.base.id, document.id)


@contextmanager
def served(folder: Path) -> Generator[tuple[httpx.Client, int]]:
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = next(each for line in process.stdout if (each := re.search(r"(http://[^/]+)/\?token=(\S+)", line)))
            headers = {"Authorization": f"Bearer {found[2]}"}
            with httpx.Client(base_url=found[1], headers=headers, trust_env=False, timeout=60) as client:
                yield client, process.pid
        finally:
            process.terminate()


def memory_mb(pid: int, name: str) -> float:
    """`VmRSS` is what it has now, `VmHWM` the most that it ever had."""
    return int(Path(f"/proc/{pid}/status").read_text().partition(f"{name}:")[2].split()[0]) / 1024


def started(folder: Path) -> str:
    began = time.perf_counter()
    with served(folder) as (client, _):
        client.get("/runs").raise_for_status()
        return f"{time.perf_counter() - began:.1f} s"


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pages(folder: Path, there: Known) -> Sequence[Row]:
    rows = list[Row]()
    with tempfile.TemporaryDirectory() as empty:
        rows.append(("Start with an empty data folder, to the first page", started(Path(empty))))
    rows.append(("Start with all of it, to the first page", started(folder)))
    with served(folder) as (client, pid):
        client.get("/runs").raise_for_status()
        before = memory_mb(pid, "VmRSS")
        for name, path in PAGES.items():
            address = path.format(run=there.run, base=there.base, document=there.document)
            times, cpu = list[float](), cpu_s(pid)
            for _ in range(LOOKS):
                asked = time.perf_counter()
                answer = client.get(address)
                times.append((time.perf_counter() - asked) * 1000)
                assert answer.status_code < 400, (address, answer.status_code)
            took = (cpu_s(pid) - cpu) / LOOKS * 1000
            rows.append((name, f"{median(times):.0f} ms (most {max(times):.0f}; processor {took:.0f})"))
        rows.append(
            (
                "Memory of the studio: after the first page, at most, after all",
                f"{before:.0f}, {memory_mb(pid, 'VmHWM'):.0f}, {memory_mb(pid, 'VmRSS'):.0f} MB",
            )
        )
    return rows


class Beside:
    """Something writes all the while; the longest that one write waited counts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.most_ms = 0.0
        self._is_over = False

    async def write(self) -> None:
        while not self._is_over:
            began = time.perf_counter()
            await self._store.audit.add("ann", "GET /x", outcome="200")
            self.most_ms = max(self.most_ms, (time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.01)

    async def timed(self, name: str, doing: Awaitable[object]) -> Row:
        clock, self.most_ms, self._is_over = Clock(), 0.0, False
        async with asyncio.TaskGroup() as group:
            group.create_task(self.write())
            await asyncio.sleep(0)
            await doing
            self._is_over = True
        return name, f"{clock}; another's write waited {self.most_ms:.0f} ms at most"


async def clean_up(store: Store, there: Known) -> Sequence[Row]:
    beside, rows = Beside(store), list[Row]()
    summaries = await store.runs.list(limit=TRASHED)
    newest = [each.id for each in summaries]
    later = datetime.now(UTC) + timedelta(days=2)
    look = store.files.prune(later)
    rows.append(await beside.timed("Hourly look for unused files, all old and none unused", look))
    await store.labels.move("run", newest, "trashed")
    rows.append(await beside.timed(f"Trash with {len(newest):,} runs is emptied", store.trash.empty()))
    rows.append(await beside.timed("Their files are deleted", store.files.prune(later)))
    rows.append(await beside.timed("A knowledge base of all documents is deleted", store.knowledge.delete(there.base)))
    rows.append(await beside.timed("Their files are deleted", store.files.prune(later)))
    return rows


def size_mb(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.iterdir() if each.is_file()) / 2**20


async def measured(folder: Path, amounts: Amounts) -> Sequence[Row]:
    rows = list[Row]()
    if not (folder / "studio.db").exists():
        async with open_store(folder) as store:
            rows += await fill(store, amounts)
    rows.append(("Size of the data folder", f"{size_mb(folder):,.0f} MB"))
    async with open_store(folder) as store:
        there = await known(store)
    rows += await asyncio.to_thread(pages, folder, there)
    with tempfile.TemporaryDirectory(dir=folder.parent) as copied:
        copy = Path(shutil.copytree(folder, Path(copied) / "data"))
        async with open_store(copy) as store:
            rows += await clean_up(store, there)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    amounts = Amounts(options.runs, options.files, options.documents)
    with tempfile.TemporaryDirectory() as made:
        rows = asyncio.run(measured(options.folder or Path(made) / "data", amounts))
    print("| | |\n|---|---|")
    for name, said in rows:
        print(f"| {name} | {said} |")


if __name__ == "__main__":
    main()
