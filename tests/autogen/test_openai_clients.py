"""OpenAI's clients as AutoGen's scripts make them, catch their errors and put stand-ins below them."""

from __future__ import annotations

import os

import pytest

from tests.autogen.conftest import RunScript
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = pytest.mark.slow


def test_what_a_model_cannot_do_is_a_value_error_in_autogens_words(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import Image
        from autogen_core.models import SystemMessage, UserMessage
        from autogen_ext.models.openai import OpenAIChatCompletionClient
        from pydantic import BaseModel

        PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR4nGNgAAIAAAUAAen6L8YAAAAASUVORK5CYII="

        class Answer(BaseModel):
            text: str

        able = dict.fromkeys(("vision", "function_calling", "json_output", "structured_output"), False)
        client = OpenAIChatCompletionClient(model="own", api_key="k", model_info={**able, "family": "unknown"})
        question = UserMessage(content="hi", source="user")
        picture = UserMessage(content=[Image.from_base64(PIXEL)], source="user")
        rule = SystemMessage(content="Be brief.")

        async def refused(*messages, **arguments):
            for ask in (client.create, client.create_stream):
                try:
                    answer = ask(messages, **arguments)
                    await (anext(answer) if ask == client.create_stream else answer)
                except ValueError as error:
                    print(str(error)[:55])

        async def main():
            await refused(question, tools=[{"name": "add"}])
            await refused(question, json_output=True)
            await refused(question, json_output=Answer)
            await refused(picture)
            await refused(rule, question, rule)

        asyncio.run(main())
    """)
    assert outcome.lines[::2] == outcome.lines[1::2]
    assert outcome.lines[::2] == [
        "Model does not support function calling and tools were ",
        "Model does not support JSON output.",
        "Model does not support structured output.",
        "Model does not support vision and image was provided",
        "Multiple and Not continuous system messages are not sup",
    ]


def test_a_client_is_made_of_the_services_own_and_any_arguments(run_script: RunScript):
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            """
            import asyncio, sys
            from autogen_core.models import AssistantMessage, UserMessage
            from autogen_ext.models.openai import BaseOpenAIChatCompletionClient, OpenAIChatCompletionClient
            from openai import AsyncOpenAI

            class Client(BaseOpenAIChatCompletionClient):
                def __init__(self, url):
                    arguments = {"model": "gpt-4o", "extra_body": {"own": 1}}
                    super().__init__(AsyncOpenAI(api_key="k", base_url=url), create_args=arguments)

            client = Client(sys.argv[1])
            print(asyncio.run(client.create([UserMessage(content="hi", source="user")])).content)
            print(client.model_info["family"], client.total_usage().prompt_tokens)
            print(isinstance(OpenAIChatCompletionClient(model="gpt-4o", api_key="k"), BaseOpenAIChatCompletionClient))
            said = [AssistantMessage(content="so ", source="a")]
            print(repr(client._rstrip_last_assistant_message(said)[-1].content))
            """,
            server.url,
        )
    assert outcome.lines == ["hello", "gpt-4o 11", "True", "'so'"]
    assert server.requests[0].body["own"] == 1


def test_an_error_is_caught_as_the_sdks_own_or_as_the_engines(run_script: RunScript):
    with OpenAIServer() as server:
        server.say(Reply(status=429), Reply(status=400))
        outcome = run_script(
            """
            import asyncio, sys
            import openai
            from autogen_core.models import UserMessage
            from autogen_ext.models.openai import OpenAIChatCompletionClient
            from studio.errors import ModelRefused, ModelUnavailable

            question = [UserMessage(content="hi", source="user")]
            client = OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1], max_retries=0)

            async def main():
                try:
                    await client.create(question)
                except openai.RateLimitError as error:
                    print(isinstance(error, ModelUnavailable), error.status_code, type(error).__name__, error.fix[:5])
                try:
                    async for _ in client.create_stream(question):
                        pass
                except ModelRefused as error:
                    print(isinstance(error, openai.BadRequestError), "Injected by the test." in str(error))

            asyncio.run(main())
            """,
            server.url,
        )
    assert outcome.lines == ["True 429 ModelUnavailable Wait,", "True True"]


def test_a_client_without_a_key_has_none_after_loading_either(run_script: RunScript, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(os.environ, "OPENAI_API_KEY", "of-openai")
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            """
            import asyncio, sys
            from autogen_core.models import ChatCompletionClient, UserMessage
            from autogen_ext.models.openai import OpenAIChatCompletionClient

            written = OpenAIChatCompletionClient(model="gpt-4o", api_key="", base_url=sys.argv[1]).dump_component()
            client = ChatCompletionClient.load_component(written)
            print(asyncio.run(client.create([UserMessage(content="hi", source="user")])).content, written.config.keys())
            """,
            server.url,
        )
    assert outcome.lines == ["hello dict_keys(['model', 'base_url'])"]
    assert server.requests[0].key == "none"


STAND_INS = """
    import asyncio, warnings
    from unittest.mock import AsyncMock, MagicMock
    from autogen_core.models import UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from openai.resources.chat.completions import AsyncCompletions
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    def whole(finish_reason="stop", **message):
        choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
        return ChatCompletion.construct(id="1", created=0, model="m", object="chat.completion", choices=[choice])

    def piece(text):
        choice = {"index": 0, "finish_reason": None, "delta": {"content": text}}
        return ChatCompletionChunk.construct(id="1", object="chat.completion.chunk", choices=[choice])

    question = [UserMessage(content="hi", source="user")]
    client = OpenAIChatCompletionClient(model="gpt-4o", api_key="k")
"""


def test_a_stand_in_for_what_parses_answers_gives_them(run_script: RunScript):
    outcome = run_script(
        STAND_INS
        + """
    class Events:
        async def __aenter__(self):
            return self.given()
        async def __aexit__(self, *error):
            print("closed")
        async def given(self):
            for text in ('{"text":', '"b"}'):
                yield MagicMock(type="chunk", chunk=piece(text))
                yield MagicMock(type="content.delta")

    async def main():
        AsyncCompletions.parse = AsyncMock(return_value=whole(content='{"text": "a"}'))
        print((await client.create(question, json_output=Answer)).content)
        print(AsyncCompletions.parse.call_args.kwargs["response_format"] is Answer)
        AsyncCompletions.stream = MagicMock(return_value=Events())
        *_, answer = [item async for item in client.create_stream(question, json_output=Answer)]
        print(answer.content, answer.finish_reason)
        AsyncCompletions.create = AsyncMock(return_value=whole(content="no model"))
        print((await client.create(question)).content)

    asyncio.run(main())
    """
    )
    assert outcome.lines == ['{"text": "a"}', "True", "closed", '{"text":"b"} unknown', "no model"]


def test_what_a_service_does_wrong_is_a_warning(run_script: RunScript):
    outcome = run_script(
        STAND_INS
        + """
    async def warned(answer, **arguments):
        AsyncCompletions.create = AsyncMock(return_value=answer)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = await client.create(question, **arguments)
        print(result.content if isinstance(result.content, str) else result.content[0].arguments)
        print([str(each.message).partition(":")[0] for each in told])

    async def main():
        global client
        call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
        await warned(whole(tool_calls=[call]))
        await warned(whole(content="{}"), json_output=Answer, extra_create_args={"response_format": {"type": "text"}})
        able = {"vision": False, "function_calling": False, "json_output": False, "family": "r1"}
        client = OpenAIChatCompletionClient(model="own", api_key="k", model_info=able)
        await warned(whole(content="<think>hm</think>42"))
        await warned(whole(content="42"))

    asyncio.run(main())
    """
    )
    assert outcome.lines == [
        '{"a": 1}',
        "['Finish reason mismatch', 'Tool call function arguments field is not a string']",
        "{}",
        "['response_format is found in extra_create_args while json_output is set to a Pydantic model class. "
        "The answer follows the json_output.']",
        "42",
        "[]",
        "42",
        "['Could not find <think>..</think> field in model response content. No thought was extracted.']",
    ]


def test_azures_models_are_asked_as_a_script_has_set_them_up(run_script: RunScript):
    with OpenAIServer() as server:
        server.say("hello", Reply(status=429))
        outcome = run_script(
            """
            import asyncio, sys
            from unittest.mock import AsyncMock, MagicMock
            from autogen_core.models import UserMessage
            from autogen_ext.models.azure import AzureAIChatCompletionClient
            from autogen_ext.models.azure.config import GITHUB_MODELS_ENDPOINT
            from azure.ai.inference.models import ChatCompletions
            from azure.core.credentials import AzureKeyCredential
            from azure.core.exceptions import HttpResponseError

            able = {"vision": False, "function_calling": False, "json_output": True, "family": "unknown"}
            common = {"credential": AzureKeyCredential("k"), "model_info": able}
            question = [UserMessage(content="hi", source="user")]
            settings = {"response_format": "json_object", "max_retries": 0}

            async def main(url):
                client = AzureAIChatCompletionClient(endpoint=url, **settings, **common)
                print((await client.create(question)).content)
                try:
                    await client.create(question)
                except HttpResponseError as error:
                    print(error.status_code)
                try:
                    await client.create(question, tools=[{"name": "add"}])
                except ValueError as error:
                    print(error)
                await client.close()
                client._client = MagicMock()
                choice = {"index": 0, "message": {"content": "instead"}, "finish_reason": "stop"}
                client._client.complete = AsyncMock(return_value=ChatCompletions({"choices": [choice]}))
                print((await client.create(question)).content)

            asyncio.run(main(sys.argv[1]))
            try:
                AzureAIChatCompletionClient(endpoint=GITHUB_MODELS_ENDPOINT, **common)
            except ValueError as error:
                print(error)
            """,
            server.url,
        )
    assert outcome.lines == [
        "hello",
        "429",
        "Model does not support function calling and tools were provided",
        "instead",
        "model is required for a GitHub model with AzureAIChatCompletionClient",
    ]
    assert "model" not in server.requests[0].body
    assert server.requests[0].body["response_format"] == {"type": "json_object"}
