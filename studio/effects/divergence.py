"""Where a repeated run does something else than was recorded."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pydantic import JsonValue

from studio.effects.journal import Recorded
from studio.effects.request import EffectRequest
from studio.errors import RunFailed

SHOWN = 200
"""Characters of a text that a sentence about it repeats."""
WORDS = {
    "model": "a call of the model {}",
    "tool": "a call of the tool {}",
    "code": "code run by {}",
    "memory": "a query of the memory {}",
    "input": "a question to the user, by {}",
    "clock": "a read of the {}",
}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference: number of the recorded entry, what it is, and what came in its place, in words."""

    seq: int
    expected: str
    actual: str
    note: str = ""


class Diverged(RunFailed):
    """A repeated run does something else than was recorded."""

    code = "diverged"

    def __init__(self, divergence: Divergence) -> None:
        same = " with other content" if divergence.expected == divergence.actual else ""
        super().__init__(
            f"At entry {divergence.seq} the recording has {divergence.expected}; now came {divergence.actual}{same}."
            f" {divergence.note}".rstrip(),
            fix="Something that is not recorded has changed. Fork the run before this entry to continue from there.",
        )
        self.divergence = divergence

    def as_json(self) -> dict[str, object]:
        error = super().as_json()["error"]
        return {"error": {**(error if isinstance(error, dict) else {}), "divergence": asdict(self.divergence)}}


class NotRecorded(RunFailed):
    """A replay came to something that was never recorded."""

    code = "not_recorded"

    def __init__(self, request: EffectRequest) -> None:
        super().__init__(
            f"Nothing is recorded for {of_request(request)}.",
            fix="A replay makes no calls. Let this tool run, or set a fixed result.",
        )


def of_request(request: EffectRequest) -> str:
    """What is asked, in words."""
    return WORDS[request.kind].format(request.source)


def of_item(body: dict[str, JsonValue]) -> str:
    """What a run has given, in words."""
    text = str(body.get("content", ""))
    shown = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return f"{body.get('type')} from {body.get('source')}: {shown!r}"


def of_entry(entry: Recorded) -> str:
    """What was recorded, in words."""
    if entry.kind == "effect":
        return WORDS.get(str(entry.body.get("effect")), "{}").format(entry.body.get("source"))
    return of_item(entry.body)
