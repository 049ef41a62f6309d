"""What a filter lets through."""

from __future__ import annotations

from typing import Literal

import pytest

from studio.agents import MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from studio.components import JsonObject, load_component, validate_component
from studio.messages import TextMessage
from tests.teams.scripted import agent

SAID = [TextMessage(content=f"{source}{number}", source=source) for number in (1, 2, 3) for source in ("a", "b", "c")]
Position = Literal["first", "last"] | None


def filtered(*parts: PerSourceFilter, name: str = "n") -> MessageFilterAgent:
    config = MessageFilterConfig(per_source=list(parts))
    return MessageFilterAgent(name=name, wrapped_agent=agent("n", "1", "2", description="Knows."), filter=config)


async def heard(filtering: MessageFilterAgent) -> list[str]:
    await filtering.on_messages(SAID)
    state = await filtering.wrapped_agent.save_state()
    context = state["llm_context"]
    assert isinstance(context, dict)
    messages = context["messages"]
    assert isinstance(messages, list)
    return [str(message["content"]) for message in messages if isinstance(message, dict)][:-1]


@pytest.mark.parametrize(
    ("position", "count", "expected"),
    [
        ("first", 1, ["a1"]),
        ("last", 2, ["a2", "a3"]),
        (None, 1, ["a1", "a2", "a3"]),
        ("last", None, ["a1", "a2", "a3"]),
        ("first", 9, ["a1", "a2", "a3"]),
    ],
)
async def test_messages_are_picked_by_source_position_and_count(
    position: Position, count: int | None, expected: list[str]
):
    assert await heard(filtered(PerSourceFilter(source="a", position=position, count=count))) == expected


async def test_sources_are_heard_in_the_order_of_the_filter():
    parts = (PerSourceFilter(source="c", position="last", count=1), PerSourceFilter(source="a"))
    assert await heard(filtered(*parts)) == ["c3", "a1", "a2", "a3"]


async def test_an_empty_filter_lets_nothing_through():
    assert await heard(filtered()) == []


def test_the_description_is_that_of_the_wrapped_agent_and_is_not_written():
    filtering = filtered(PerSourceFilter(source="a"))
    assert filtering.description == "Knows. (with message filtering)"
    document = filtering.dump_component()
    config = document["config"]
    assert isinstance(config, dict)
    assert "description" not in config
    assert load_component(document, MessageFilterAgent) == filtering


def test_different_names_are_warned_about():
    report = validate_component(filtered(name="other").dump_component())
    assert [(finding.where, finding.code) for finding in report.warnings] == [
        ("/config/wrapped_agent/config/name", "coerced")
    ]


async def test_the_state_is_that_of_the_wrapped_agent():
    first, second = filtered(PerSourceFilter(source="a")), filtered(PerSourceFilter(source="a"))
    await first.on_messages(SAID)
    await second.load_state(await first.save_state())
    assert await second.wrapped_agent.save_state() == await first.wrapped_agent.save_state()


async def test_a_state_of_autogen_that_holds_nothing_is_taken():
    empty: JsonObject = {"type": "BaseState", "version": "1.0.0"}
    await filtered().load_state(empty)
