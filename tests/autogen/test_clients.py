"""Model clients as AutoGen's scripts make them, and what they ask of them."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.slow


def test_a_cache_can_do_what_its_client_can(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.cache import ChatCompletionCache
        from autogen_ext.models.replay import ReplayChatCompletionClient

        able = {"vision": True, "function_calling": True, "json_output": False, "family": "gpt-4o"}
        client = ReplayChatCompletionClient(["one", "two"], model_info=able)
        cache = ChatCompletionCache(client)
        print(cache.model_info == client.model_info, cache.model_info["family"], client.provided_message_count)
    """)
    assert outcome.lines == ["True gpt-4o 2"]


def test_abilities_may_be_given_under_their_older_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.openai import OpenAIChatCompletionClient

        able = {"vision": False, "function_calling": True, "json_output": False}
        client = OpenAIChatCompletionClient(model="own", api_key="k", model_capabilities=able)
        print(client.model_info["function_calling"], client.model_info["family"])
        print(OpenAIChatCompletionClient.create_from_config({"model": "gpt-4o", "api_key": "k"}).model_info["family"])
    """)
    assert outcome.lines == ["True unknown", "gpt-4o"]


def test_every_family_of_models_has_its_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_core.models import ModelFamily

        print(ModelFamily.CODESRAL, ModelFamily.OPEN_CODESRAL_MAMBA, ModelFamily.MISTRAL)
        print(ModelFamily.MINISTRAL, ModelFamily.PIXTRAL)
        print(ModelFamily.is_mistral("pixtral"), ModelFamily.is_mistral(ModelFamily.GPT_4O))
    """)
    assert outcome.lines == ["codestral open-codestral-mamba mistral", "ministral pixtral", "True False"]


def test_options_of_an_ollama_model_may_stand_beside_its_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.ollama import OllamaChatCompletionClient

        client = OllamaChatCompletionClient(model="llama3.2", temperature=0.7, num_ctx=4096, options={"seed": 1})
        config = client.dump_component().config
        print(config["options"], "temperature" in config)
        print(OllamaChatCompletionClient.load_component(client.dump_component()).options["temperature"])
    """)
    assert outcome.lines == ["{'seed': 1, 'temperature': 0.7, 'num_ctx': 4096} False", "0.7"]


def test_azures_clients_take_a_key_an_identity_or_a_function(run_script: RunScript):
    with OpenAIServer() as server:
        server.say("by key", "by provider", "by function")
        outcome = run_script(AZURE_SCRIPT, server.url)
    assert outcome.lines == ["by key False", "of-an-identity", "by provider True", "by function False"]
    assert server.requests[0].key == "of-a-key"
    assert [request.headers["authorization"] for request in server.requests[1:]] == ["Bearer of-an-identity"] * 2


def test_azures_client_says_that_it_wants_an_endpoint(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.azure import AzureAIChatCompletionClient

        try:
            AzureAIChatCompletionClient(model="m", api_key="k")
        except ValueError as error:
            print(error)
    """)
    assert outcome.lines == ["endpoint is required for AzureAIChatCompletionClient"], outcome.err


AZURE_SCRIPT = """
    import asyncio, sys
    from autogen_core.models import UserMessage
    from autogen_ext.auth.azure import AzureTokenProvider
    from autogen_ext.models.azure import AzureAIChatCompletionClient
    from autogen_ext.models.openai import AzureOpenAIChatCompletionClient
    from azure.core.credentials import AccessToken, AzureKeyCredential

    class Identity:
        def get_token(self, *scopes):
            return AccessToken("of-an-identity", 9999999999)

    class AsyncIdentity:
        async def get_token(self, *scopes):
            return AccessToken("of-an-identity", 9999999999)

    async def ask(client):
        answer = await client.create([UserMessage(content="Hi", source="user")])
        await client.close()
        return answer.content

    async def main(url):
        able = {"vision": False, "function_calling": False, "json_output": False, "family": "unknown"}
        settings = {"model": "m", "endpoint": url, "model_info": able}
        client = AzureAIChatCompletionClient(**settings, credential=AzureKeyCredential("of-a-key"))
        print(await ask(client), "of-a-key" in str(client.dump_component()))
        client = AzureAIChatCompletionClient(**settings, credential=AsyncIdentity())
        print(await client.token_provider.token())
        provider = AzureTokenProvider(Identity(), "https://cognitiveservices.azure.com/.default")
        for given in (provider, lambda: provider()):
            client = AzureOpenAIChatCompletionClient(
                model="gpt-4o", azure_endpoint=url, api_version="2024-10-21", azure_ad_token_provider=given
            )
            print(await ask(client), given is client.azure_ad_token_provider)

    asyncio.run(main(sys.argv[1]))
"""
