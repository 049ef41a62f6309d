"""A recording and the sample files of a ready team, as a page shows them: nothing runs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass

from studio.files import sized
from studio.services.ready_teams import TEAM, ReadyTeam, SampleFile, Step

MAX_SHOWN_BYTES = 100_000
_PICTURE = "image/png"


@dataclass(frozen=True)
class Turn:
    """One entry of the transcript.

    Args:
        kind: "says", "calls", "runs", "hands", "selects" or "asks".
        by: Name of the agent; "Orchestrator" or "Selector" for the model of the team.
        text: Markdown of what it says, or what the selected agent is to do.
        call: Of a tool: its name.
        code: What a tool is given, as code or as lines of `name: value`.
        result: What the tool or the code gave.
        target: The agent that is handed to, or selected.
    """

    kind: str
    by: str
    text: str = ""
    call: str = ""
    code: str = ""
    result: str = ""
    target: str = ""
    is_person: bool = False


@dataclass(frozen=True)
class Sample:
    """A sample file; `picture` is its address as an image, `text` its content, where it has one."""

    name: str
    size: str
    text: str
    picture: str


def turns_of(team: ReadyTeam) -> Iterator[Turn]:
    """The recording in order, without the steps that only say who speaks next where the next one shows it."""
    for step in team.recording:
        if step.by == TEAM:
            yield _of_team(step)
        elif step.call:
            yield Turn("calls", step.by, step.text.strip(), step.call, _given(step), step.result.strip())
        elif step.handoff:
            yield Turn("hands", step.by, step.text.strip(), target=step.handoff)
        elif step.result:
            yield Turn("runs", step.by, result=step.result.strip())
        else:
            yield Turn("says", step.by, step.text.strip(), is_person=step.by in team.people)


def _of_team(step: Step) -> Turn:
    if step.next and not step.text:
        return Turn("selects", "Selector", target=step.next)
    if step.next:
        return Turn("asks", "Orchestrator", step.text.strip(), target=step.next)
    return Turn("says", "Orchestrator", (step.done or step.text).strip())


def _given(step: Step) -> str:
    if list(step.arguments) == ["code"]:
        return str(step.arguments["code"]).strip()
    return "\n".join(f"{name}: {value}" for name, value in step.arguments.items())


def samples_of(team: ReadyTeam) -> Iterator[Sample]:
    """Read the sample files: call it in a thread."""
    return (_sample(file) for file in team.samples)


def _sample(file: SampleFile) -> Sample:
    content = file.path.read_bytes()[:MAX_SHOWN_BYTES]
    picture = text = ""
    if file.path.suffix == ".png":
        picture = f"data:{_PICTURE};base64,{base64.b64encode(content).decode('ascii')}"
    else:
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = ""
    return Sample(file.name, sized(file.size), "" if "\0" in text else text, picture)
