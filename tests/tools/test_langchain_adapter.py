"""Real tools of LangChain, called by an agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, cast

import pytest
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, Tool, ToolException, tool
from pydantic import BaseModel, Field

from studio.components import all_capabilities
from studio.errors import ConfigError, ToolFailed
from studio.messages import ToolCallSummaryMessage
from studio.tools import LangChainToolAdapter
from tests.teams.scripted import agent, wishes


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


class Place(BaseModel):
    city: str
    zip_codes: list[str] = Field(description="As on letters.")


@tool
def distance(start: Place, user: Annotated[str, InjectedToolArg] = "nobody") -> dict[str, Any]:
    """How far it is."""
    return {"from": start.city, "codes": len(start.zip_codes), "for": user}


class Repeat(BaseTool):
    name: str = "repeat"
    description: str = "Says it several times."

    def _run(self, word: str, times: int = 2) -> str:
        return word * times


async def shout(text: str) -> str:
    return text.upper()


def answer(word: str) -> str:
    if word == "bad":
        raise ToolException("No such word.")
    return f"{word}!"


def twice(query):  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType] -- as people write them
    return query * 2  # pyright: ignore[reportUnknownVariableType]


async def test_an_agent_calls_a_tool_of_langchain():
    helper = agent("a", wishes(("add", '{"a": 5}')), tools=[LangChainToolAdapter(add)])
    last = (await helper.run(task="Add.")).messages[-1]
    assert isinstance(last, ToolCallSummaryMessage)
    assert last.content == "7"


def test_the_model_is_told_names_types_and_what_must_be_given():
    schema = LangChainToolAdapter(add).schema
    assert (schema["name"], schema.get("description")) == ("add", "Add two numbers.")
    assert schema.get("parameters") == {
        "type": "object",
        "properties": {
            "a": {"title": "A", "type": "integer"},
            "b": {"default": 2, "title": "B", "type": "integer"},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


async def test_a_tool_of_a_class_of_its_own():
    adapter = LangChainToolAdapter(Repeat())
    assert adapter.schema.get("parameters", {}).get("required") == ["word"]
    assert await adapter.run_json({"word": "ha", "times": 3}) == "hahaha"


async def test_a_tool_with_nested_arguments_and_a_hidden_one():
    adapter = LangChainToolAdapter(distance)
    shown = json.dumps(adapter.schema)
    assert "As on letters." in shown
    assert "$ref" not in shown
    assert "user" not in shown
    value = await adapter.run_json({"start": {"city": "Bern", "zip_codes": ["3000", "3001"]}})
    assert value == {"from": "Bern", "codes": 2, "for": "nobody"}


async def test_a_tool_of_one_text_whose_function_is_not_annotated():
    function = cast("Callable[[str], str]", twice)
    adapter = LangChainToolAdapter(Tool(name="twice", func=function, description="Says it twice."))
    assert adapter.schema.get("parameters", {}).get("required") == ["query"]
    assert await adapter.run_json({"query": "ab"}) == "abab"


async def test_a_tool_that_is_only_async_is_awaited():
    adapter = LangChainToolAdapter(StructuredTool.from_function(coroutine=shout, description="Loud."))
    assert await adapter.run_json({"text": "hi"}) == "HI"


async def test_a_tool_whose_arguments_are_a_json_schema():
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    made = StructuredTool(name="answer", description="Answers.", func=answer, args_schema=schema)
    adapter = LangChainToolAdapter(made)
    assert adapter.schema.get("parameters", {}).get("properties") == schema["properties"]
    assert await adapter.run_json({"word": "yes"}) == "yes!"


@pytest.mark.parametrize("arguments", [{"a": "many"}, {}, {"a": 1, "b": None}])
async def test_arguments_that_do_not_fit_are_told_to_the_model(arguments: dict[str, object]):
    with pytest.raises(ToolFailed, match="validation error"):
        await LangChainToolAdapter(add).run_json(arguments)


async def test_an_error_of_the_tool_is_told_to_the_model_or_handled_as_the_tool_says():
    plain = StructuredTool.from_function(answer, description="Answers.")
    with pytest.raises(ToolFailed, match=r"No such word\."):
        await LangChainToolAdapter(plain).run_json({"word": "bad"})
    handled = StructuredTool.from_function(answer, description="Answers.", handle_tool_error="Say another.")
    assert await LangChainToolAdapter(handled).run_json({"word": "bad"}) == "Say another."


def test_it_can_be_approved_and_has_no_json():
    adapter = LangChainToolAdapter(add)
    assert [capability.kind for capability in all_capabilities(adapter)] == ["python"]
    helper = agent("a", "Done.", tools=[adapter])
    with pytest.raises(ConfigError, match="LangChainToolAdapter"):
        helper.dump_component()
    assert adapter != LangChainToolAdapter(add)
