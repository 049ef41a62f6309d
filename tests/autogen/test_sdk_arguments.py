"""Arguments that AutoGen passes on to the SDK, ignores, or takes from the environment."""

from __future__ import annotations

import os

import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsBase

from studio.autogen.sdk_arguments import NEVER_SENT
from studio.models import OpenAIChatCompletionClient
from tests.autogen.conftest import RunScript
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.slow

ASKING = """
    import asyncio, sys, warnings
    from autogen_core.models import UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    warnings.simplefilter("default")

    def ask(client):
        return asyncio.run(client.create([UserMessage(content="hi", source="user")])).content
"""


def test_whatever_the_sdk_takes_is_sent(run_script: RunScript):
    """Every argument of a request that is no field of the client, with a value that JSON can hold."""
    fields = set(OpenAIChatCompletionClient.model_fields)
    beside = sorted(CompletionCreateParamsBase.__annotations__.keys() - fields - NEVER_SENT - {"tools", "tool_choice"})
    assert "max_completion_tokens" in beside
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            ASKING
            + """
    given = {name: name for name in sys.argv[2:]}
    print(ask(OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1], **given)))
    """,
            server.url,
            *beside,
        )
        assert outcome.lines == ["hello"], outcome.err
        sent = server.requests[0].body
    assert {name: sent.get(name) for name in beside} == {name: name for name in beside}


def test_the_sdks_client_gets_its_own_arguments_and_the_rest_is_ignored_with_a_warning(run_script: RunScript):
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            ASKING
            + """
    import httpx2

    http = httpx2.AsyncClient(headers={"x-own": "mine"})
    given = dict(project="p", http_client=http, maz_tokens=3, model_context=None, azure_depoyment_id="x")
    print(ask(OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1], **given)))
    """,
            server.url,
        )
        assert outcome.lines == ["hello"], outcome.err
        headers = server.requests[0].headers
    assert (headers["openai-project"], headers["x-own"]) == ("p", "mine")
    assert outcome.err.count("UserWarning") == 1
    assert "ignores `maz_tokens` (did you mean `max_tokens`?), `model_context`, `azure_depoyment_id`" in outcome.err


def test_values_outside_of_a_range_go_to_the_service_as_they_are(run_script: RunScript):
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            ASKING
            + """
    given = dict(max_tokens=-1, temperature=3, timeout=30)
    print(ask(OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1], **given)))
    """,
            server.url,
        )
        assert outcome.lines == ["hello"], outcome.err
        assert (server.requests[0].body["max_tokens"], server.requests[0].body["temperature"]) == (-1, 3)


def test_an_answer_model_in_the_constructor_is_the_answers_schema(run_script: RunScript):
    with OpenAIServer() as server:
        server.say('{"text": "yes"}')
        outcome = run_script(
            ASKING
            + """
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    print(ask(OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1], response_format=Answer)))
    """,
            server.url,
        )
        assert outcome.lines == ['{"text": "yes"}'], outcome.err
        assert server.requests[0].body["response_format"]["json_schema"]["name"] == "Answer"


def test_the_environment_names_the_service_and_its_key_goes_to_the_address_of_a_script(
    run_script: RunScript, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(os.environ, "OPENAI_API_KEY", "of-environment")
    with OpenAIServer() as server:
        server.say("one", "two", "three")
        monkeypatch.setitem(os.environ, "OPENAI_BASE_URL", server.url)
        monkeypatch.setitem(os.environ, "AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        monkeypatch.setitem(os.environ, "OPENAI_API_VERSION", "2024-10-21")
        outcome = run_script(
            ASKING
            + """
    from autogen_ext.models.openai import AzureOpenAIChatCompletionClient

    print(ask(OpenAIChatCompletionClient(model="gpt-4o")))
    print(ask(OpenAIChatCompletionClient(model="gpt-4o", base_url=sys.argv[1])))
    print(AzureOpenAIChatCompletionClient(model="gpt-4o", api_key="k").azure_endpoint)
    """,
            server.url,
        )
        assert outcome.lines == ["one", "two", server.url.removesuffix("/v1")], outcome.err
        assert [request.key for request in server.requests] == ["of-environment"] * 2
