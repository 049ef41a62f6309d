"""`studio run` of a program of AutoGen Core: it is run in a process of its own, and kept as a run to look at.

The one case in which a script is executed, so a person must agree. Other scripts are read.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast
from uuid import uuid4

from studio.agents.participant import RECORDED_PROGRAM
from studio.cli.terminal import terminal
from studio.components import JsonObject
from studio.errors import ConfigError, SetupError
from studio.messages import TextMessage
from studio.runs import LogEntry, RunRecord
from studio.runs.journal.log import EntryKind, RunStatus, Usage
from studio.runs.replay.entries import to_body
from studio.runs.state import RunState
from studio.services.local_files import read_bytes
from studio.settings import Settings
from studio.store import open_store

RUNTIMES = frozenset({"SingleThreadedAgentRuntime", "RoutedAgent", "BaseAgent", "ClosureAgent"})
"""What tells a program of agents that send each other messages from a script that makes a team."""
MAX_LINE = 16 * 1024 * 1024
PAGE = 500


def is_program(file: Path) -> bool:
    """Whether a file is a program of AutoGen Core, as far as its imports tell; nothing of it is executed."""
    if file.suffix != ".py":
        return False
    try:
        tree = ast.parse(read_bytes(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] == "autogen_core"
        and not RUNTIMES.isdisjoint(alias.name for alias in node.names)
        for node in ast.walk(tree)
    )


def run_program(
    file: Path, task: str | None, *, settings: Settings, approve: bool, usd: float | None = None, replay: str = ""
) -> int:
    """Run the program, print what it prints, keep the run in the studio, and give the program's exit code.

    Args:
        file: The program.
        task: Its one argument; None for none.
        settings: Say where the studio is.
        approve: Whether a person has agreed already.
        usd: The most that its model calls may cost.
        replay: ID of an earlier run whose recorded answers are given in place of the world's.

    Raises:
        SetupError: Nobody agreed, or the studio cannot be opened.
        NotFound: There is no such run.
    """
    if not approve:
        _ask(file)
    with tempfile.TemporaryDirectory(prefix="studio-program-") as name:
        folder = Path(name)
        environment = dict(os.environ) | ({} if usd is None else {"STUDIO_USD": str(usd)})
        if replay:
            asyncio.run(_write_answers(settings, replay, folder / "answers"))
            environment["STUDIO_ANSWERS"] = str(folder / "answers")
        began = datetime.now(UTC)
        command = [sys.executable, "-m", "studio.autogen.recorded_run", str(folder / "record"), str(file)]
        code = _wait(subprocess.Popen([*command, *([] if task is None else [task])], env=environment))
        run, entries = _read(folder / "record", file, task, began)
    asyncio.run(_keep(settings, run, entries))
    print(f"Recorded {len(entries)} entries. See them in the studio at /runs/{run.id}", file=sys.stderr)
    return code


def _ask(file: Path) -> None:
    person = terminal(sys.stderr)
    what = f"{str(file)!r} is a program. It is executed on this computer, with all that you may do."
    if not person.is_person():
        raise SetupError(f"Approval needs a terminal. {what}", fix="Read the program, then add --approve.")
    print(what, file=sys.stderr)
    if not person.confirm("Run it? [y/N] "):
        raise SetupError("Nothing has run.", fix="Read the program, then run it again.")


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit code. Ctrl-C reaches the program as well, which then ends by itself."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


async def _write_answers(settings: Settings, run_id: str, file: Path) -> None:
    async with open_store(settings.data_dir, settings.database_url) as store:
        await store.runs.get(run_id)
        with file.open("w", encoding="utf-8") as answers:
            after = 0
            while page := await store.runs.read(run_id, after=after, limit=PAGE, kinds={"effect"}):
                answers.writelines(json.dumps(entry.body) + "\n" for entry in page)
                after = page[-1].seq


async def _keep(settings: Settings, run: RunRecord, entries: Sequence[LogEntry]) -> None:
    async with open_store(settings.data_dir, settings.database_url) as store:
        await store.run_imports.add_run(run, entries)


def _read(record: Path, file: Path, task: str | None, began: datetime) -> tuple[RunRecord, list[LogEntry]]:
    """What the program's process wrote, as a run that has ended."""
    run_id, entries, error = str(uuid4()), list[LogEntry](), "The program was killed."
    usage = Usage()
    agents: dict[str, None] = {}

    def add(at: datetime, kind: EntryKind, body: JsonObject) -> None:
        entries.append(LogEntry(run_id, len(entries) + 1, at, kind, body))

    add(began, "state", {"state": "running", "reason": "start"})
    if task is not None:
        add(began, "message", to_body(TextMessage(source="user", content=task)))
    with record.open(encoding="utf-8") as lines:
        for line in _lines(lines):
            if "end" in line:
                error = str(line["end"])
                continue
            body = cast("JsonObject", line["body"])
            if line["kind"] == "message":
                agents |= dict.fromkeys(each for each in _agents_in(body) if each != "user")
            usage = _plus(usage, body)
            add(datetime.fromisoformat(str(line["at"])), cast("EntryKind", line["kind"]), body)
    state, reason = (RunState.FAILED, "error") if error else (RunState.FINISHED, "end")
    ended = datetime.now(UTC)
    add(ended, "state", {"state": state.value, "reason": reason, "detail": error})
    run = RunRecord(
        id=run_id,
        team_id=None,
        team_name=file.stem,
        task_text=task or file.name,
        status=RunStatus(state=state, reason=reason, detail=error, usage=usage),
        last_seq=len(entries),
        created_at=began,
        started_at=began,
        ended_at=ended,
        component=_component(file.stem, list(agents)),
        task=task or file.name,
    )
    return run, entries


def _lines(file: IO[str]) -> Iterator[JsonObject]:
    while line := file.readline(MAX_LINE):
        try:
            yield json.loads(line)
        except ValueError as error:  # the last one of a program that was killed
            if line.endswith("\n"):
                raise ConfigError("The record of the run cannot be read.", fix="Run the program again.") from error


def _agents_in(body: JsonObject) -> Iterator[str]:
    yield str(body["source"])
    metadata = cast("dict[str, str]", body["metadata"])
    yield from filter(None, metadata["recipients"].split("\n"))


def _plus(usage: Usage, body: JsonObject) -> Usage:
    spent = body.get("spent")
    if not isinstance(spent, dict) or "prompt_tokens" not in spent:
        return usage
    prompt, completion, cost = (spent[name] for name in ("prompt_tokens", "completion_tokens", "micro_usd"))
    return Usage(
        usage.prompt_tokens + cast("int", prompt),
        usage.completion_tokens + cast("int", completion),
        usage.micro_usd + cast("int", cost or 0),
        usage.unpriced_calls + (cost is None),
    )


def _component(name: str, agents: Sequence[str]) -> JsonObject:
    """What pages show in the place of a team: the agents that took part."""
    members: list[JsonObject] = [
        {"provider": f"{RECORDED_PROGRAM}Agent", "component_type": "agent", "label": each, "config": {"name": each}}
        for each in agents
    ]
    config = cast("JsonObject", {"participants": members})
    return {"provider": RECORDED_PROGRAM, "component_type": "team", "version": 1, "label": name, "config": config}
