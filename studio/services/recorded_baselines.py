"""Runs of a suite in one file, which later versions of the team are compared with: it can be committed.

A gzip file of JSON lines. The first one says what was run; each later one is a run as *Share* writes it, without
secrets.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio.components import JsonObject, parse_json
from studio.errors import InvalidDocument, TooLarge
from studio.evaluation.results import CANDIDATE
from studio.evaluation.suites import Case
from studio.runs.journal.pages import read_whole
from studio.runs.sharing.bundle import MAX_ENTRIES, Bundle, bundle_from, pack, run_in
from studio.runs.sharing.redaction import SecretRemover
from studio.runs.tasks import task_text
from studio.services.evaluations import MAX_CELLS, EvaluationReport
from studio.store import Store

GZIP = b"\x1f\x8b"
VERSION = 1
MAX_FILE_BYTES = 20 * 2**20
MAX_UNPACKED_BYTES = 400 * 2**20
_AGAIN = "Record the baseline again, with `--save-baseline`."

CaseRun = tuple[str, int]
"""Case and epoch."""


class _Heading(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["team-studio-baseline"] = "team-studio-baseline"
    version: int = VERSION
    suite: Annotated[str, Field(max_length=200)]
    recorded_at: AwareDatetime
    component: JsonObject


class _RecordedRun(BaseModel):
    model_config = ConfigDict(extra="forbid")

    case: Annotated[str, Field(max_length=100)]
    epoch: Annotated[int, Field(ge=1)]
    run: JsonValue


@dataclass(frozen=True)
class RecordedBaseline:
    """A team as it was, and its runs by case and epoch."""

    recorded_at: datetime
    component: JsonObject
    runs: Mapping[CaseRun, Bundle]


async def record_baseline(
    store: Store, report: EvaluationReport, component: JsonObject, secrets: Mapping[str, str]
) -> bytes:
    """The file of the scored runs of an evaluation's candidate.

    Args:
        store: Keeps the runs.
        report: The evaluation.
        component: The team, with references in place of secrets.
        secrets: Values that are taken out, by their references.

    Raises:
        TooLarge: No studio would read the file again.
    """
    now, remover = datetime.now(UTC), SecretRemover(secrets)
    heading = _Heading(
        suite=report.row.suite_name,
        recorded_at=now,
        component=cast("JsonObject", remover.clean(component, "the team")),
    )
    lines = [heading.model_dump_json()]
    size = 0
    for cell in report.cells:
        if cell.version != CANDIDATE or cell.verdict not in ("pass", "fail"):
            continue
        run = await store.runs.get(cell.run_id)
        entries = await read_whole(store.runs, run.id, max_entries=MAX_ENTRIES)
        bundle = (await asyncio.to_thread(pack, run, entries, remover, saved_at=now)).bundle
        line = _RecordedRun(case=cell.case_key, epoch=cell.epoch, run=bundle.model_dump(mode="json"))
        lines.append(json.dumps(line.model_dump(mode="json"), separators=(",", ":")))
        if (size := size + len(lines[-1])) > MAX_UNPACKED_BYTES:
            break
    packed = await asyncio.to_thread(gzip.compress, "\n".join(lines).encode(), mtime=0)
    if size > MAX_UNPACKED_BYTES or len(packed) > MAX_FILE_BYTES:
        raise TooLarge(
            f"The baseline would have more than {MAX_FILE_BYTES // 2**20} MB.", fix="Choose fewer repeats or cases."
        )
    return packed


def read_baseline(content: bytes, name: str) -> RecordedBaseline:
    """Read such a file; nothing in it is executed. It takes seconds for the largest: call it in a thread.

    Raises:
        TooLarge: It is larger than a baseline may be.
        InvalidDocument: It is no baseline.
    """
    try:
        heading, runs = _read(content, name)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidDocument(f"{name!r} is damaged.", fix=_AGAIN) from error
    return RecordedBaseline(heading.recorded_at, heading.component, runs)


def _read(content: bytes, name: str) -> tuple[_Heading, Mapping[CaseRun, Bundle]]:
    heading: _Heading | None = None
    runs: dict[CaseRun, Bundle] = {}
    for number, text in enumerate(_lines_in(content, name), 1):
        try:
            value = parse_json(text)
            if heading is None:
                heading = _Heading.model_validate(value)
                if heading.version > VERSION:
                    raise InvalidDocument(f"{name!r} was recorded by a newer studio.", fix="Update `team-studio`.")
            else:
                line = _RecordedRun.model_validate(value)
                runs[line.case, line.epoch] = bundle_from(line.run)
        except ValidationError as error:
            what = error.errors(include_url=False)[0]["msg"]
            raise InvalidDocument(f"Line {number} of {name!r} is not one of a baseline: {what}.", fix=_AGAIN) from error
    if heading is None:
        raise InvalidDocument(f"{name!r} is empty.", fix=_AGAIN)
    return heading, runs


def _lines_in(content: bytes, name: str) -> Iterator[str]:
    """The lines, of which no more are unpacked than a baseline may have."""
    left, count = MAX_UNPACKED_BYTES, 0
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        while line := file.readline(left + 1):
            left, count = left - len(line), count + 1
            if left < 0 or count > MAX_CELLS + 1:
                raise TooLarge(f"{name!r} is larger than a baseline may be.", fix="Split the suite.")
            yield line.decode("utf-8", "replace")


async def keep_recorded(
    store: Store, recorded: RecordedBaseline, team_id: str, cases: Sequence[Case], repeats: int
) -> Mapping[CaseRun, str]:
    """Bring runs into a store, and give back their IDs: those of cases whose task is still the same.

    Raises:
        InvalidDocument: Two runs are the same one.
    """
    kept: dict[CaseRun, str] = {}
    for case in cases:
        for epoch in range(1, repeats + 1):
            bundle = recorded.runs.get((case.key, epoch))
            if bundle is None or task_text(bundle.run.task) != task_text(case.task):
                continue
            if bundle.run.id in kept.values():
                raise InvalidDocument("A run is twice in the baseline.", where=bundle.run.id, fix=_AGAIN)
            record, entries = run_in(bundle, team_id)
            await store.run_imports.add_run(record, entries, listing="evaluation")
            kept[case.key, epoch] = record.id
    return kept
