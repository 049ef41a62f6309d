"""Repeats the run of a cassette with the team as it is now."""

from __future__ import annotations

import asyncio
import difflib
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.components import JsonObject, parse_document
from studio.effects import EffectRequest, Recorded
from studio.errors import InvalidDocument
from studio.messages import BaseMessage, message_from_json
from studio.runs import LogEntry
from studio.runs.admission import load_team
from studio.runs.comparing.prompts import PromptView, view_of
from studio.runs.replay import reexecute
from studio.runs.sharing.cassette import Cassette, PlaybackResult, play_back, read_cassette, what_differs
from studio.teams import Team

FilePath = str | os.PathLike[str]
MAX_LINES = 60
"""Of the difference between two prompts that a failing test shows."""


class TeamChanged(AssertionError):
    """The team does something else than was recorded."""


@dataclass(frozen=True)
class PlaybackReport:
    """A run that was repeated: its messages and events, oldest first, and why the team stopped."""

    messages: Sequence[BaseMessage]
    stop_reason: str | None


def replay_run(cassette: FilePath, *, team: FilePath | Team | None = None) -> PlaybackReport:
    """Repeat a recorded run and compare every step. No model, tool or person is asked.

    Call it outside of a running event loop.

    Args:
        cassette: The file of recorded answers.
        team: The team as it is now: a file with its JSON or YAML, or the team itself, fresh; None for the recorded one.

    Returns:
        The messages, for checks of your own.

    Raises:
        TeamChanged: A prompt, a tool call, what is said, the order of speakers or the end is another one.
        InvalidComponent: The team does not load.
        InvalidDocument: A file cannot be read.
    """
    recorded = read_cassette(Path(cassette).read_text(encoding="utf-8"))
    now = team if isinstance(team, Team) else load_team(team_document(team) if team else recorded.heading.component)
    found = asyncio.run(_again(now, recorded))
    if differs := what_differs(found, recorded.heading):
        raise TeamChanged("\n".join(_difference(Path(cassette).name, differs, found, recorded)))
    return PlaybackReport([message_from_json(item) for item in found.items], found.stop_reason)


def team_document(team: FilePath) -> JsonObject:
    """The JSON of a team of a file.

    Raises:
        InvalidDocument: It contains none.
    """
    document = parse_document(Path(team).read_bytes())
    if not isinstance(document, dict):
        raise InvalidDocument(f"{str(team)!r} contains no team.", fix="Save it with Export, JSON in the builder.")
    inner = document.get("component")  # what the studio's API gives
    return inner if isinstance(inner, dict) and "provider" not in document else document


async def _again(team: Team, recorded: Cassette) -> PlaybackResult:
    heading = recorded.heading
    return await play_back(team, heading.task, heading.namespace, recorded.log, heading.changes)


def _difference(name: str, differs: str, found: PlaybackResult, recorded: Cassette) -> Iterator[str]:
    yield f"The team no longer behaves as recorded in {name}."
    yield differs
    changed = list(_prompt_changes(found, recorded))
    if changed:
        yield ""
        yield "The recorded prompt (-) and the current one (+):"
        yield from changed[:MAX_LINES]
        if len(changed) > MAX_LINES:
            yield f"… and {len(changed) - MAX_LINES} more lines"
    yield ""
    yield "If the change is intended, run the team again in the studio and save the test again."


def _prompt_changes(found: PlaybackResult, recorded: Cassette) -> Iterator[str]:
    """How the prompt differs at which the two parted, if it was at one."""
    parted, asked = found.divergence, found.unanswered
    if parted is None or asked is None or asked.kind != "model":
        return
    then = asyncio.run(_recorded_prompt(recorded, parted.seq))
    if then is not None:
        yield from list(difflib.unified_diff(_lines(then), _lines(view_of(asked.body)), lineterm="", n=1))[2:]


async def _recorded_prompt(recorded: Cassette, seq: int) -> PromptView | None:
    """What the recorded team asked at an entry."""
    heading, found = recorded.heading, list[PromptView]()

    def look(request: EffectRequest, entry: Recorded) -> None:
        if entry.seq == seq and request.kind == "model":
            found.append(view_of(request.body))

    async def pages() -> AsyncIterator[Sequence[LogEntry]]:
        yield recorded.log

    edits = heading.changes.edits
    await reexecute(heading.component, heading.task, pages(), seq, run_id=heading.namespace, edits=edits, look=look)
    return found[0] if found else None


def _lines(view: PromptView) -> list[str]:
    tools = [f"tool {tool.name}: {tool.description} {json.dumps(tool.schema, sort_keys=True)}" for tool in view.tools]
    said = [line for one in view.messages for line in f"{one.source or one.role}: {one.text}".splitlines()]
    return [*([f"model {view.model}"] if view.model else []), *tools, *said]
