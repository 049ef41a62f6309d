"""Runs that exist already, scored by a suite: nothing is run, and nothing is paid."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import NotFound
from studio.evaluation.scorers import Verdict
from studio.evaluation.suites import Case, RunScore, Suite, score_run
from studio.evaluation.transcript import Transcript, read_transcript
from studio.runs import LogEntry, RunRecord, RunStatus
from studio.runs.journal.pages import read_whole
from studio.runs.sharing.bundle import MAX_ENTRIES, read_bundle
from studio.runs.tasks import task_message
from studio.store import Store


@dataclass(frozen=True)
class PastRun:
    """A run with what scorers read of it."""

    id: str
    team_name: str
    task: str
    transcript: Transcript


@dataclass(frozen=True)
class PastScore:
    """What a suite says of a run; `score` is None where no case has the task of the run."""

    run: PastRun
    score: RunScore | None

    def as_json(self) -> JsonObject:
        heading: JsonObject = {"run": self.run.id, "team": self.run.team_name}
        if self.score is None:
            return {**heading, "case": None, "verdict": None, "scores": []}
        return {**heading, **score_json(self.score)}


async def stored_run(store: Store, run_id: str) -> PastRun:
    """A run of the store.

    Raises:
        NotFound: There is no such run.
        TooLarge: Its log is too long to be scored.
    """
    run = await store.runs.get(run_id)
    entries = await read_whole(store.runs, run_id, max_entries=MAX_ENTRIES)
    return await asyncio.to_thread(_past_run, run, entries)


def _past_run(run: RunRecord, entries: Sequence[LogEntry]) -> PastRun:
    transcript = read_transcript(run.status, run.started_at, run.ended_at, entries)
    return PastRun(run.id, run.team_name, _text(run.task), transcript)


def bundled_run(document: bytes) -> PastRun:
    """A run in a file that was saved with Share.

    Raises:
        InvalidDocument: The file is no bundle.
        TooLarge: The run is larger than a bundle may be.
    """
    bundle = read_bundle(document)
    run = bundle.run
    status = RunStatus(state=run.state, reason=run.reason, detail=run.detail, usage=run.usage)
    entries = (LogEntry(run.id, each.seq, each.at, each.kind, each.body) for each in bundle.entries)
    return PastRun(
        run.id, run.team_name, _text(run.task), read_transcript(status, run.started_at, run.ended_at, entries)
    )


def score_past_runs(suite: Suite, runs: Sequence[PastRun], case_key: str = "") -> list[PastScore]:
    """Score each run as one of the case with its task, or of the one that is named.

    It may take a second for a long run: call it in a thread.

    Raises:
        NotFound: No case has this ID.
    """
    by_task = {_settled(case.task): case for case in suite.cases}
    named = _named(suite, case_key) if case_key else None
    found = [(run, named or by_task.get(_settled(run.task))) for run in runs]
    return [PastScore(run, score_run(suite, case, run.transcript) if case else None) for run, case in found]


def verdict_counts(scores: Sequence[PastScore]) -> dict[Verdict, int]:
    """How many runs of cases there are of each verdict."""
    counted = Counter(each.score.verdict for each in scores if each.score is not None)
    return {"pass": counted["pass"], "fail": counted["fail"], "unscored": counted["unscored"]}


def score_json(score: RunScore) -> JsonObject:
    """What all scorers say of a run, as JSON."""
    scores: list[JsonValue] = [
        {
            "scorer": each.scorer,
            "invariant": each.is_invariant,
            "verdict": each.score.verdict,
            "value": each.score.value,
            "reason": each.score.reason,
            "places": list(each.score.places),
            **({"judged_by": each.score.judged_by} if each.score.judged_by else {}),
        }
        for each in score.scores
    ]
    return {"case": score.case, "verdict": score.verdict, "scores": scores}


def _named(suite: Suite, key: str) -> Case:
    case = next((case for case in suite.cases if case.key == key), None)
    if case is None:
        raise NotFound(f"The suite has no case {key!r}.", fix="`studio eval check` lists the cases.")
    return case


def _text(task: JsonValue) -> str:
    message = task_message(task)
    return message if isinstance(message, str) else message.to_text()


def _settled(task: str) -> str:
    return " ".join(task.split())
