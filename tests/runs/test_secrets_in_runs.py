"""A run does not tell its secrets: neither to its team nor to its log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import cast

import pytest
from pydantic import JsonValue, SecretStr

from studio import effects
from studio.components import SecretRef, load_component, secret_source
from studio.components.redaction import Redactor
from studio.components.secrets import SecretSource
from studio.effects import (
    AsyncGeneratorLike,
    EffectRequest,
    HumanQuestion,
    RecordingEffects,
    RedactingEffects,
    StreamItem,
)
from studio.effects.outcomes import outcome_of
from studio.errors import ModelUnavailable
from studio.runs import NewRun, RunState
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.commands import Command
from studio.runs.journal.log import RunStatus
from studio.runs.redaction import redact_new_run, redactor_for
from tests.runs.scripted import OpenStudio
from tests.web.documents import assistant, function_tool, team

KEY = "sk-never-told-to-anybody"
HIDDEN = "[removed: env:KEY]"
ASKED = EffectRequest("tool", "teller", lambda: None)


class Log:
    """A port of a run that knows one secret, and what it has recorded."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        self.bodies: list[dict[str, JsonValue]] = []
        known = Redactor({"env:KEY": KEY}) if redactor is None else redactor
        self.port = RecordingEffects(self._append, run_id="run", redactor=known)

    async def _append(self, body: dict[str, JsonValue]) -> None:
        self.bodies.append(body)

    async def call(self, answer: JsonValue | Exception) -> JsonValue:
        async def perform() -> JsonValue:
            if isinstance(answer, Exception):
                raise answer
            return answer

        with effects.use(self.port):
            return await effects.call(ASKED, perform)


async def test_a_result_is_clean_before_the_team_and_the_log_have_it() -> None:
    log = Log()
    answer = await log.call({"value": KEY, "text": f"It is {KEY}.", "events": [{"name": "login", "content": KEY}]})
    events: JsonValue = [{"name": "login", "content": HIDDEN}]
    assert answer == {"value": HIDDEN, "text": f"It is {HIDDEN}.", "events": events} == log.bodies[0]["result"]


@pytest.mark.parametrize("error", [ModelUnavailable(f"Wrong: {KEY}", fix=f"Not {KEY}."), ValueError(KEY), OSError(KEY)])
async def test_an_error_is_the_same_as_when_the_run_is_repeated(error: Exception) -> None:
    log = Log()
    with pytest.raises(type(error)) as raised:
        await log.call(error)
    with pytest.raises(type(error)) as repeated:
        outcome_of(log.bodies[0])
    assert str(raised.value) == str(repeated.value)
    assert KEY not in repr(vars(raised.value)) + str(raised.value)
    assert HIDDEN in str(raised.value)
    assert raised.value.__suppress_context__


async def test_an_error_without_secrets_stays_the_very_same() -> None:
    error = LookupError("nothing")
    with pytest.raises(LookupError) as raised:
        await Log().call(error)
    assert raised.value is error


async def test_pieces_are_clean_and_whole() -> None:
    async def perform() -> AsyncIterator[StreamItem]:
        for piece in ("It is sk-nev", "er-told-to-", "anybody", ". Or sk-"):
            yield piece
        yield {"content": f"It is {KEY}. Or sk-"}

    log = Log()
    async with aclosing(cast("AsyncGeneratorLike", log.port.stream(ASKED, perform))) as items:
        got = [item async for item in items]
    *pieces, result = got
    assert "".join(cast("list[str]", pieces)) == f"It is {HIDDEN}. Or sk-"
    assert result == {"content": f"It is {HIDDEN}. Or sk-"} == log.bodies[0]["result"]


async def test_what_a_call_resolves_is_hidden_in_its_own_answer() -> None:
    redactor = Redactor()
    token = secret_source.set(redactor.noting({"env:KEY": KEY}.get))
    try:
        assert await Log(redactor).call(None) is None
        assert SecretRef("env:KEY").resolve() == KEY
        assert await Log(redactor).call(KEY) == HIDDEN
    finally:
        secret_source.reset(token)


async def test_without_a_log_the_world_tells_no_secrets_either() -> None:
    port, error = RedactingEffects(Redactor({"env:KEY": KEY})), LookupError("nothing")

    async def perform(answer: JsonValue | Exception) -> JsonValue:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def pieces() -> AsyncIterator[StreamItem]:
        yield KEY

    assert await port.call(ASKED, lambda: perform(KEY)) == HIDDEN
    assert [piece async for piece in port.stream(ASKED, pieces)] == [HIDDEN]
    with pytest.raises(ValueError, match="removed"):
        await port.call(ASKED, lambda: perform(ValueError(KEY)))
    with pytest.raises(LookupError) as raised:
        await port.call(ASKED, lambda: perform(error))
    assert raised.value is error


async def test_a_key_in_the_open_is_hidden_when_it_is_used() -> None:
    redactor = Redactor()
    redactor_for(redactor, None, dict[str, str]().get)
    assert SecretRef("secret:unnamed", SecretStr(KEY)).resolve() == KEY
    assert redactor.clean_text(KEY) == "[removed: secret:unnamed]"


SECRETS: SecretSource = {"env:KEY": KEY, "env:OTHER": "of-another-team"}.get


def test_a_task_that_names_a_value_of_its_team_is_kept_without_it() -> None:
    agent = assistant("writer")
    config = cast("dict[str, JsonValue]", agent["config"])
    config["tools"] = [function_tool('import os\n\ndef shout() -> str:\n    return os.environ["KEY"]\n')]
    loaded = load_component(team(agent))
    new = NewRun({}, f"Use {KEY} and of-another-team.", f"Use {KEY} and…")
    clean = redact_new_run(new, loaded, SECRETS)
    assert (clean.task, clean.task_text) == (f"Use {HIDDEN} and of-another-team.", f"Use {HIDDEN} and…")
    assert redact_new_run(new, load_component(team()), SECRETS) is new


def test_what_a_person_tells_a_run_is_cleaned() -> None:
    command = Command("decide", "me", "1", f"Take {KEY}.", {"hash": "h", "verdict": "allow", "arguments": {"key": KEY}})
    clean = command.redacted(Redactor({"env:KEY": KEY}))
    assert (clean.text, clean.data["arguments"]) == (f"Take {HIDDEN}.", {"key": HIDDEN})


async def test_a_question_with_a_secret_in_it_is_asked_without(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        lease = await studio.store.runs.create(NewRun({}, "Go.", "Go."))
        run = ActiveRun(lease, studio.store.runs, RunStatus())
        run.redactor.add("env:KEY", KEY)
        await run.change_state(RunState.RUNNING, "start")
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(run.human.ask(HumanQuestion("1", "server", f"Log in with {KEY}?", [KEY])))
            while run.view.pending is None:
                await run.notifier.wait_handle().wait()
            assert (run.view.pending.prompt, run.view.detail) == (f"Log in with {HIDDEN}?",) * 2
            assert run.view.pending.details == {"choices": [HIDDEN]}
            asking.cancel()
        await run.end(Ending(RunState.FAILED, "error", KEY, {"message": KEY}))
        [*_, last] = await studio.store.runs.read(run.id)
        assert (last.body["detail"], last.body["error"]) == (HIDDEN, {"message": HIDDEN})
