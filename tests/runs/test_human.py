"""Questions with choices and with a form."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from studio.agents import UserProxyAgent
from studio.components import load_component
from studio.errors import ConfigError, InvalidComponent
from studio.runs import RunState
from tests.runs.scripted import OpenStudio
from tests.runs.tooling import asked, team

SCHEMA: JsonValue = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 1}, "colour": {"enum": ["red", "blue"]}},
    "required": ["size"],
}


def person(**config: JsonValue) -> JsonValue:
    return {"provider": UserProxyAgent.provider, "config": {"name": "person", "description": "", **config}}


@pytest.mark.parametrize("answer", ["yes", "neither of them"])
async def test_a_question_offers_choices_and_takes_any_text(open_studio: OpenStudio, answer: str) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(team(person(choices=["yes", "no"])), "Go.")
        question = await asked(studio, run_id, "input")
        assert question.details == {"choices": ["yes", "no"]}
        await studio.supervisor.command(run_id, "answer", request_id=question.request_id, text=answer)
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[-1] == answer


async def test_an_answer_fits_the_form_of_its_question(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(team(person(answer_schema=SCHEMA)), "Go.")
        question = await asked(studio, run_id, "input")
        assert question.details == {"schema": SCHEMA}
        for wrong in ("big", "{}", '{"size": 0}', '{"size": 1, "colour": "green"}'):
            with pytest.raises(ConfigError):
                await studio.supervisor.command(run_id, "answer", request_id=question.request_id, text=wrong)
        fitting = json.dumps({"size": 2, "colour": "red"})
        await studio.supervisor.command(run_id, "answer", request_id=question.request_id, text=fitting)
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[-1] == fitting


def test_a_person_without_choices_is_written_as_before() -> None:
    config = UserProxyAgent("person").dump_component()["config"]
    assert config == {"name": "person", "description": "A human user"}


def test_a_form_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidComponent) as refused:
        load_component(person(answer_schema={"type": "string"}))
    assert refused.value.findings[0].where == "/config/answer_schema"
