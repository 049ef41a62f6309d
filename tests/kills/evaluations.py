"""`python -m tests.kills.evaluations [--count N]`: evaluations that reuse answers, each killed at a counted step.

A team has two versions, and the first one was evaluated. The second is compared with it, answers are reused, and a
judge is asked. That is done once unbroken, and N times with a studio that is killed at a transaction: at each in turn,
before or after its commit. Then another studio takes over. What differs from the unbroken evaluation is printed, and
which model was asked again although its answer was in a log.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.openai_server import OpenAIServer, Reply
from tests.kills.diary import key_of
from tests.processes import StudioProcess
from tests.web.evaluating import over, started
from tests.web.reusing import agent, pair, saved
from tests.web.serving import ADDRESS

CASES = [{"id": name, "task": f"Greet me at {name}.", "target": "morning"} for name in ("five", "nine")]
PLAN = {"version": 2, "against": 1, "repeats": 2, "reuse_days": 7, "at_once": 8}
LOOK_S = 0.1
ENDED_WITHIN_S = 60
NEVER = 10**9
OTHERWISE = ("id", "evaluation_id", "run_id", "created_at", "ended_at", "started_at", "suite_id", "team_id", "at")
"""Fields that differ between any two evaluations."""


def reply_to(body: dict[str, Any], draw: int) -> Reply:
    """The answer to a request: another one for each draw, which follows from both and is like no other."""
    name = hashlib.sha256(f"{key_of(body)} {draw}".encode()).hexdigest()[:12]
    if "Criteria:" in str(body["messages"][-1]["content"]):
        verdict = {"reason": name, "quote": "Good", "verdict": "met"}
        return Reply(json.dumps({"criteria": [verdict]}), usage=(50, 5))
    part = "morning" if int(name, 16) % 3 else "evening"
    return Reply(f"Good {part}, number {name}.", usage=(100, 10))


@dataclass(frozen=True)
class Ended:
    """An evaluation at its end."""

    result: Any
    cells: Sequence[Any]
    said: Sequence[Sequence[str]]
    """What was said in the run of each cell."""
    begun: int
    """Runs that began, with those of judges."""


@dataclass
class Killed:
    """One evaluation whose studio was killed."""

    step: int
    moment: str
    ended: Ended
    was_killed: bool
    problems: list[str] = field(default_factory=list[str])


class Models(OpenAIServer):
    """Keeps what it was asked, as the answers it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[str] = []
        self.draws = False
        """Whether the same request is answered otherwise each time, as the epochs of a case are."""
        self.always(self._reply)

    def _reply(self, body: dict[str, Any]) -> Reply:
        reply = reply_to(body, len(self.answers) if self.draws else 0)
        self.answers.append(reply.text)
        return reply


@contextmanager
def serving(data_dir: Path, *killing: object) -> Generator[tuple[StudioProcess, httpx.Client]]:
    """A studio in a process of its own; `killing` is the step, the moment, and the file that counts steps."""
    command = ("serve", "--port", 0, "--data-dir", data_dir)
    environment = {"OPENAI_API_KEY": "key"}
    if killing:
        process = StudioProcess.start(*killing, *command, environment=environment, module="tests.kills.ending")
    else:
        process = StudioProcess.start(*command, environment=environment)
    with process.output as output:
        try:
            found = ADDRESS.search(output.readline())
            assert found, output.read()
            headers = {"Authorization": f"Bearer {found[2]}"}
            with httpx.Client(base_url=found[1], headers=headers, trust_env=False, timeout=30) as client:
                yield process, client
        finally:
            process.kill()
            process.wait(ENDED_WITHIN_S)


def prepare(data_dir: Path, models: OpenAIServer) -> str:
    """A studio whose first version was evaluated; the ID of its suite."""
    judge = agent("judge", "", models.url)["config"]
    assert isinstance(judge, dict)
    scorers = [{"includes": "{target}"}, {"judge": {"criteria": ["Greets."], "model": judge["model_client"]}}]
    with serving(data_dir) as (_, client):
        suite_id = saved(client, pair(models.url), pair(models.url, critic="Be strict."))
        document = {"suite": "greetings", "scorers": scorers, "cases": CASES}
        client.put(f"/api/suites/{suite_id}", json={"document": document, "revision": 1}).raise_for_status()
        assert over(client, started(client, suite_id, version=1, repeats=2), ENDED_WITHIN_S)["state"] == "finished"
    return suite_id


def whole(folder: Path, template: Path, suite_id: str, models: Models) -> tuple[Ended, int]:
    """The evaluation as nothing breaks it, and of how many steps it is."""
    data_dir, steps = folder / "whole", folder / "whole.steps"
    shutil.copytree(template, data_dir)
    models.answers.clear()
    with serving(data_dir, NEVER, "after", steps) as (_, client):
        evaluation_id = started(client, suite_id, **PLAN)
        over(client, evaluation_id, ENDED_WITHIN_S)
        ended = _ended(client, data_dir, evaluation_id)
    assert max(Counter(models.answers).values()) == 1
    return ended, len(steps.read_bytes())


def killed(folder: Path, template: Path, suite_id: str, models: Models, step: int, moment: str) -> Killed:
    """The evaluation with a studio that is killed, and carried on by another one; two pages watch."""
    data_dir, steps = folder / "killed", folder / "killed.steps"
    shutil.rmtree(data_dir, ignore_errors=True)
    steps.unlink(missing_ok=True)
    shutil.copytree(template, data_dir)
    models.answers.clear()
    pages = Pages()
    with serving(data_dir, step, moment, steps) as (process, client):
        try:
            evaluation_id = started(client, suite_id, **PLAN)
            pages.watch(client, evaluation_id)
        except httpx.TransportError:
            process.wait(ENDED_WITHIN_S)
        was_killed = not process.is_running
    known = {*_answers_in(data_dir)}
    asked_before, evaluation_id = len(models.answers), _newest(data_dir)
    with serving(data_dir) as (_, client):
        pages.watch(client, evaluation_id)
        ended = _ended(client, data_dir, evaluation_id)
    found = Killed(step, moment, ended, was_killed, pages.problems)
    if again := known & {*models.answers[asked_before:]}:
        found.problems.append(f"asked again although answered: {sorted(again)}")
    recorded = Counter(_answers_in(data_dir))
    if twice := [text for text, count in recorded.items() if count > 1]:
        found.problems.append(f"answered twice in the logs: {twice}")
    return found


@dataclass
class Pages:
    """Two people who look at an evaluation: the API, and the part of the page that the browser asks for again."""

    done: int = 0
    problems: list[str] = field(default_factory=list[str])

    def watch(self, client: httpx.Client, evaluation_id: str) -> None:
        """Look until the evaluation has ended, or the studio is gone, which raises an error of the transport."""
        until = time.monotonic() + ENDED_WITHIN_S
        while time.monotonic() < until:
            found = client.get(f"/api/evaluations/{evaluation_id}").json()
            done = sum(each["passed"] + each["failed"] + each["unscored"] for each in found["versions"])
            self._see(done)
            page = client.get(f"/fragments/evaluations/{evaluation_id}").text
            if counted := re.search(r"(\d+) of (\d+) runs are done", page):
                self._see(int(counted[1]))
            if found["ended_at"] is not None:
                return
            time.sleep(LOOK_S)
        self.problems.append("it did not end")

    def _see(self, done: int) -> None:
        if done < self.done:
            self.problems.append(f"a page lost runs: {self.done}, then {done}")
        self.done = max(done, self.done)


def compare(true: Ended, found: Killed) -> list[str]:
    """What is not as in the unbroken evaluation."""
    problems = [*found.problems]
    for name in ("result", "cells", "said", "begun"):
        mine, other = getattr(found.ended, name), getattr(true, name)
        if mine != other:
            if name in ("cells", "said"):
                mine, other = next(pair for pair in zip(mine, other, strict=True) if pair[0] != pair[1])
            problems.append(f"{name} differs:\n    {mine}\n    {other}")
    return problems


def _ended(client: httpx.Client, data_dir: Path, evaluation_id: str) -> Ended:
    found = client.get(f"/api/evaluations/{evaluation_id}").json()
    cells = client.get(f"/api/evaluations/{evaluation_id}/cells").json()
    said = [
        [str(json.loads(body).get("content")) for (body,) in _read(data_dir, _SAID, cell["run_id"])] for cell in cells
    ]
    ((begun,),) = _read(data_dir, "SELECT count(*) FROM run WHERE started_at IS NOT NULL")
    for cell in cells:
        del cell["attempt"]  # a run that had not begun begins under another ID
        for score in cell["scores"]:
            del score["places"]  # the log of a run that was interrupted has entries more
            score.pop("judged_by", None)
    return Ended(_without(found), [_without(each) for each in cells], said, begun)


_SAID = "SELECT body FROM run_event WHERE kind = 'message' AND run_id = ? ORDER BY seq"


def _without(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in OTHERWISE}


def _answers_in(data_dir: Path) -> list[str]:
    """What models have answered by the logs; answers that were reused are in another log."""
    bodies = [json.loads(body) for (body,) in _read(data_dir, "SELECT body FROM run_event WHERE kind = 'effect'")]
    return [
        str(each["result"]["content"])
        for each in bodies
        if each.get("effect") == "model" and "reused" not in each and each.get("result")
    ]


def _newest(data_dir: Path) -> str:
    ((found,),) = _read(data_dir, "SELECT id FROM evaluation ORDER BY created_at DESC LIMIT 1")
    return str(found)


def _read(data_dir: Path, statement: str, *values: str) -> list[Any]:
    with closing(sqlite3.connect(data_dir / "studio.db", timeout=30)) as database:
        return database.execute(statement, values).fetchall()


def kill_evaluations(folder: Path, count: int) -> tuple[int, int, list[str]]:
    """Kill so many; how many steps an evaluation has, how many were killed on the way, and what is wrong."""
    problems: list[str] = []
    killed_count = 0
    with Models() as models:
        template = folder / "template"
        models.draws = True
        suite_id = prepare(template, models)
        models.draws = False
        true, step_count = whole(folder, template, suite_id, models)
        for number in range(count):
            step = 1 + number * step_count // count
            moment = ("before", "after")[number % 2]
            found = killed(folder, template, suite_id, models, step, moment)
            killed_count += found.was_killed
            problems += [f"step {step}, {moment}: {each}" for each in compare(true, found)]
            print(f"{number + 1} of {count}: step {step} {moment}, {len(problems)} problems", file=sys.stderr)
    return step_count, killed_count, problems


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills.evaluations", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        steps, killed_count, problems = kill_evaluations(Path(name), options.count)
    print(f"{options.count} evaluations of {steps} steps, {killed_count} killed on the way")
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
