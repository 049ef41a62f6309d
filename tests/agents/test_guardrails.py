"""Guardrails around an agent."""

from __future__ import annotations

from typing import Any, cast

import pytest

from studio import effects
from studio.agents import AssistantAgent, Guardrail, ModelGuardrail, RegexGuardrail
from studio.components import JsonObject, load_component, validate_component
from studio.conditions import StopMessageTermination
from studio.messages import (
    CreateResult,
    GuardrailEvent,
    ModelClientStreamingChunkEvent,
    StopMessage,
    TextMessage,
    message_from_json,
)
from studio.models import ModelInfo, ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat
from tests.teams.scripted import CountingWorld, agent, said, scripted

SECRET = RegexGuardrail(name="no_secrets", pattern="(?i)password", message="I must not say.")


async def test_what_trips_an_input_guardrail_never_reaches_the_model():
    world = CountingWorld()
    able = agent("a", "fine", input_guardrails=[SECRET])
    with effects.use(world):
        result = await able.run(task="What is the PASSWORD?")
    assert world.asked == []
    assert said(result.messages)[1:] == [
        ("a", "Guardrail no_secrets (input): Matches 'PASSWORD'."),
        ("a", "I must not say."),
    ]
    assert said((await able.run(task="How are you?")).messages)[-1] == ("a", "fine")


async def test_an_answer_that_trips_is_replaced_and_keeps_its_usage():
    result = await agent("a", "The password is x.", output_guardrails=[SECRET]).run(task="Tell me.")
    event, answer = result.messages[-2:]
    assert isinstance(event, GuardrailEvent)
    assert (event.guardrail, event.watched) == ("no_secrets", "output")
    assert isinstance(answer, TextMessage)
    assert answer.content == "I must not say."
    assert answer.models_usage is not None


async def test_a_watched_answer_is_not_streamed_before_it_is_checked():
    able = agent("a", "The password is x.", output_guardrails=[SECRET], model_client_stream=True)
    items = [item async for item in able.run_stream(task="Tell me.")]
    assert not [item for item in items if isinstance(item, ModelClientStreamingChunkEvent)]


async def test_a_guardrail_may_stop_the_team():
    stop = RegexGuardrail(name="end", pattern="x", message="That is enough.", action="stop")
    able = agent("a", "x", "x", output_guardrails=[stop])
    assert StopMessage in able.produced_message_types
    team = RoundRobinGroupChat(participants=[able], termination_condition=StopMessageTermination())
    result = await team.run(task="go")
    assert (result.stop_reason, said(result.messages)[-1]) == ("Stop message received", ("a", "That is enough."))


@pytest.mark.parametrize("info", [{}, {"structured_output": False}, {"structured_output": False, "json_output": False}])
async def test_a_model_may_judge(info: dict[str, Any]):
    replies: list[str | CreateResult] = [
        '{"tripped": false}',
        'Well: {"tripped": true, "reason": "It asks for a diagnosis."}',
    ]
    model = ReplayChatCompletionClient(
        chat_completions=replies, model_info=cast("ModelInfo", {**scripted().info, **info})
    )
    rail = ModelGuardrail(name="medical", model_client=model, rule="The text asks for medical advice.")
    able = agent("a", "Hello.", input_guardrails=[rail])
    assert said((await able.run(task="Hello")).messages)[-1] == ("a", "Hello.")
    result = await able.run(task="What do I have?")
    assert said(result.messages)[-2][1] == "Guardrail medical (input): It asks for a diagnosis."


async def test_without_a_verdict_nothing_is_let_through():
    rail = ModelGuardrail(
        name="medical", model_client=scripted("Sure, no problem."), rule="It asks for medical advice."
    )
    with pytest.raises(Exception, match="gave no verdict"):
        await agent("a", "Hello.", input_guardrails=[rail]).run(task="Hello")


def test_guardrails_are_written_only_when_there_are_some():
    assert "guardrails" not in str(agent("a").dump_component())
    written = agent("a", input_guardrails=[SECRET]).dump_component()
    assert load_component(written, AssistantAgent).input_guardrails == [SECRET]
    wrong: JsonObject = {**SECRET.dump_component(), "config": {"name": "x", "pattern": "("}}
    report = validate_component(wrong, Guardrail)
    assert [(error.where, error.code) for error in report.errors] == [("/config/pattern", "value_error")]


def test_its_event_can_be_read_back():
    event = GuardrailEvent(source="a", guardrail="g", watched="input", content="why")
    assert message_from_json(event.dump()) == event
