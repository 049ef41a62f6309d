"""`python -m studio.autogen.recorded_run RECORD SCRIPT.py ARGS` runs a program of AutoGen Core and records it.

`studio run` starts this in a process of its own and keeps the record as a run. RECORD is a file; each line is an entry
of the run's log as JSON, and the last one says how the program ended. Two variables of the environment change the run:
`STUDIO_ANSWERS` names a file of recorded effects that answer in place of the world, and `STUDIO_USD` is the most that
model calls may cost.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast
from uuid import uuid4

from pydantic import BaseModel, JsonValue

from studio import effects
from studio.actors import AgentId
from studio.actors.log_events import handling_agent
from studio.actors.message_watch import SeenMessage, watch_messages
from studio.autogen.__main__ import main
from studio.components import JsonObject
from studio.components.readable_json import well_formed_json
from studio.components.redaction import Redactor
from studio.effects import EffectRequest, EffectsMiddleware, Perform, RecordingEffects, StreamItem
from studio.effects.outcomes import outcome_of
from studio.errors import RunFailed
from studio.messages import RequestUsage, TextMessage
from studio.models.prices import PriceBook
from studio.runs.replay.entries import to_body
from studio.runs.spending.ledger import CostCenter
from studio.runs.spending.pricing import CallPricing

MAX_ENTRIES = 20_000
MAX_TEXT = 20_000
"""Characters of one message that are kept."""
MAX_ANSWERS_BYTES = 256 * 1024 * 1024
SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
OUTSIDE = "user"
"""Who sends and gets what agents do not: as the task of a team is the user's."""


class Recorder:
    """Writes each message and each answer of the world as a line.

    Args:
        file: Takes the lines.
        redactor: Knows the secrets, which are taken out.
        limit_usd: The most that model calls may cost; None for no limit.
    """

    def __init__(self, file: IO[str], redactor: Redactor, limit_usd: float | None) -> None:
        self._file = file
        self._redactor = redactor
        self._prices = PriceBook()
        self._used: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        """Tokens of an agent's model calls since its last message."""
        self._left = MAX_ENTRIES
        self._limit = None if limit_usd is None else round(limit_usd * 1_000_000)
        self._spent = 0

    def show(self, seen: SeenMessage) -> None:
        """Keep a message, and for whom it is. An answer of nothing is none."""
        if seen.way == "answered" and seen.message is None:
            return
        source = name_of(seen.sender)
        prompt, completion = self._used.pop(source, (0, 0))
        metadata = {"way": seen.way, "message": type(seen.message).__name__}
        metadata["recipients"] = "\n".join(map(name_of, seen.recipients))
        if seen.topic is not None:
            metadata["topic"] = str(seen.topic)
        usage = RequestUsage(prompt_tokens=prompt, completion_tokens=completion) if prompt or completion else None
        message = TextMessage(
            source=source, content=text_of(seen.message, seen.way)[:MAX_TEXT], metadata=metadata, models_usage=usage
        )
        self._write("message", cast("JsonObject", self._redactor.clean(to_body(message))))

    def keep_effect(self, body: JsonObject) -> None:
        """Keep an answer of the world."""
        self._write("effect", body)

    def measure(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """What a call took, as its entry tells it."""
        agent = name_of(handling_agent())
        pricing = CallPricing(CostCenter(agent), request, self._prices)
        if request.kind != "model" or isinstance(result, Exception):
            return {"spent": pricing.time_only(seconds)}
        spent = pricing.spent_on_model(result, seconds)
        self._spent += spent["micro_usd"] or 0
        used = self._used[agent]
        used[0] += spent["prompt_tokens"]
        used[1] += spent["completion_tokens"]
        return {"spent": spent}

    def check_limit(self) -> None:
        """Raises: RunFailed: The limit is reached."""
        if self._limit is not None and self._spent >= self._limit:
            raise RunFailed(
                f"Model calls have cost ${self._spent / 1_000_000:.4f}, which is the limit of this run.",
                fix="Raise --usd, or leave it out.",
            )

    def end(self, error: str) -> None:
        """Say how the program ended: "" where nothing failed."""
        line = {"end": self._redactor.clean_text(error), "is_cut": self._left < 0}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def _write(self, kind: str, body: JsonObject) -> None:
        self._left -= 1
        if self._left >= 0:
            at = datetime.now(UTC).isoformat()
            self._file.write(json.dumps({"at": at, "kind": kind, "body": well_formed_json(body)}) + "\n")


class ProgramEffects(EffectsMiddleware):
    """Keeps a run within its limit, and answers equal requests from a record where there is one, each entry once."""

    def __init__(self, outer: effects.Effects, recorder: Recorder, answers: Path | None) -> None:
        super().__init__(outer)
        self._recorder = recorder
        self._known = None if answers is None else _by_request(answers)

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        return self._outer.call(request, self._guarded(request, perform))

    def _guarded(self, request: EffectRequest, perform: Perform) -> Perform:
        async def work() -> JsonValue:
            if self._known is not None and request.kind != "clock":
                return self._answer(request)
            if request.kind == "model":
                self._recorder.check_limit()
            return await perform()

        return work

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        async def again() -> AsyncIterator[StreamItem]:
            yield cast("StreamItem", self._answer(request))

        if self._known is not None:
            return self._outer.stream(request, again)
        self._recorder.check_limit()
        return self._outer.stream(request, perform)

    def _answer(self, request: EffectRequest) -> JsonValue:
        found = (self._known or {}).get(request.hash)
        if not found:
            raise effects.NotRecorded(request)
        return outcome_of(found.popleft())


def _by_request(file: Path) -> dict[str, deque[JsonObject]]:
    if file.stat().st_size > MAX_ANSWERS_BYTES:
        raise RunFailed("The recorded run is too large to be replayed.")
    found: dict[str, deque[JsonObject]] = {}
    for line in file.read_text("utf-8").splitlines():
        body: JsonObject = json.loads(line)
        found.setdefault(str(body.get("request")), deque()).append(body)
    return found


def name_of(agent: AgentId | None) -> str:
    """An agent's type, with its key where there is more than the default one."""
    if agent is None:
        return OUTSIDE
    return agent.type if agent.key == "default" else str(agent)


def text_of(message: object, way: str) -> str:
    """What a message says, for people: its only text, or its fields as JSON."""
    if way == "failed":
        return f"**{type(message).__name__}:** {message}"
    if isinstance(message, str):
        return message
    fields = fields_of(message)
    texts = [value for value in fields.values() if isinstance(value, str)]
    name = type(message).__name__
    if len(fields) == 1 and texts:
        return f"**{name}**\n\n{texts[0]}"
    return f"**{name}**\n\n```json\n{json.dumps(fields, indent=2, default=str, ensure_ascii=False)}\n```"


def fields_of(message: object) -> dict[str, object]:
    """A message as an object of its fields."""
    if isinstance(message, BaseModel):
        return message.model_dump(mode="json", fallback=str)
    if is_dataclass(message) and not isinstance(message, type):
        return asdict(message)
    return {"value": message}


def secrets_of_environment() -> Redactor:
    """Takes out what the environment calls a key, a token, a secret or a password."""
    redactor = Redactor()
    for name, value in os.environ.items():
        if name.upper().endswith(SECRET_NAMES) and value:
            redactor.add(f"env:{name}", value)
    return redactor


def run(arguments: list[str]) -> int:
    """Run the program as `python -m studio.autogen` would, and write down what happens."""
    record, *rest = arguments
    answers, limit = os.environ.pop("STUDIO_ANSWERS", ""), os.environ.pop("STUDIO_USD", "")
    redactor = secrets_of_environment()
    with Path(record).open("w", encoding="utf-8") as file:
        recorder = Recorder(file, redactor, float(limit) if limit else None)
        recording = RecordingEffects(recorder.keep_effect, run_id=str(uuid4()), redactor=redactor)
        recording.meter = recorder.measure
        port = ProgramEffects(recording, recorder, Path(answers) if answers else None)
        error = ""
        try:
            with effects.use(port), watch_messages(recorder.show):
                return main(rest)
        except SystemExit as ending:
            error = "" if ending.code in (None, 0) else f"The program ended with {ending.code!r}."
            raise
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"
            raise
        finally:
            recorder.end(error)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
