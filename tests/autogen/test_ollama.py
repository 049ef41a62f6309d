"""Ollama's client as AutoGen's scripts ask it."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow

SCRIPT = """
    import asyncio, warnings
    from autogen_core.models import UserMessage
    from autogen_ext.models.ollama import OllamaChatCompletionClient
    from ollama import AsyncClient, ChatResponse, Message
    from pydantic import BaseModel

    asked = []

    async def chat(self, **arguments):
        asked.append(arguments)
        message = Message(role="assistant", content="hello")
        return ChatResponse(model="llama3.2", done=True, done_reason="stop", message=message)

    AsyncClient.chat = chat
    hi = [UserMessage(content="hi", source="user")]
"""


def test_the_model_of_all_answers_may_be_given_with_the_client(run_script: RunScript):
    outcome = run_script(
        SCRIPT
        + """
    class Answer(BaseModel):
        number: int

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        client = OllamaChatCompletionClient(model="llama3.2", response_format=Answer)
    asyncio.run(client.create(hi))
    print([warning.category.__name__ for warning in told], asked[0]["format"]["properties"]["number"]["type"])
    loaded = OllamaChatCompletionClient.load_component(client.dump_component())
    asyncio.run(loaded.create(hi))
    print(asked[0]["format"] == asked[1]["format"])
    """
    )
    assert outcome.lines == ["['DeprecationWarning'] integer", "True"]


def test_a_parameter_without_a_type_is_told_as_text(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.ollama._ollama_client import convert_tools

        told = {"x": {"description": "any"}, "y": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}
        tool, = convert_tools([{"name": "f", "parameters": {"type": "object", "properties": told}}])
        print({name: each.type for name, each in tool["function"]["parameters"]["properties"].items()})
    """)
    assert outcome.lines == ["{'x': 'string', 'y': 'integer'}"], outcome.err


def test_options_may_stand_beside_the_arguments_of_a_call(run_script: RunScript):
    outcome = run_script(
        SCRIPT
        + """
    client = OllamaChatCompletionClient(model="llama3.2", options={"seed": 1})
    asyncio.run(client.create(hi, extra_create_args={"temperature": 0.1, "keep_alive": 5, "unknown": 1}))
    print(asked[0]["options"], asked[0]["keep_alive"], "temperature" in asked[0], "unknown" in asked[0])
    try:
        asyncio.run(client.create(hi, json_output=True, extra_create_args={"format": "json"}))
    except ValueError as error:
        print(error)
    """
    )
    assert outcome.lines == [
        "{'seed': 1, 'temperature': 0.1} 5 False False",
        "json_output and format cannot be set at the same time. Use json_output instead.",
    ]
