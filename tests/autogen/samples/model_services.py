"""Clients of services, made in every way the guide shows; nothing is asked, so no key and no network is needed."""

import asyncio
import json

from autogen_core.models import ChatCompletionClient
from autogen_ext.models.openai import AzureOpenAIChatCompletionClient, OpenAIChatCompletionClient
from scripting import as_json

KEY = "sk-nothing"


async def main():
    by_config = ChatCompletionClient.load_component(
        {"provider": "OpenAIChatCompletionClient", "config": {"model": "gpt-4o", "api_key": KEY}}
    )
    assert isinstance(by_config, OpenAIChatCompletionClient)
    print(by_config.model_info["family"], by_config.model_info["vision"], by_config.model_info["function_calling"])

    plain = OpenAIChatCompletionClient(model="gpt-4o", api_key=KEY, seed=42, temperature=0, parallel_tool_calls=False)
    config = as_json(plain)["config"]
    print({name: config[name] for name in ("model", "seed", "temperature")})

    elsewhere = OpenAIChatCompletionClient(
        model="our-own-model",
        base_url="https://models.example.org/v1",
        api_key="placeholder",
        model_info={
            "vision": True,
            "function_calling": True,
            "json_output": True,
            "family": "unknown",
            "structured_output": True,
        },
    )
    print(elsewhere.model_info["family"], as_json(elsewhere)["config"]["base_url"])

    azure = AzureOpenAIChatCompletionClient(
        azure_deployment="gpt-4o",
        azure_endpoint="https://example.openai.azure.com/",
        model="gpt-4o",
        api_version="2024-09-01-preview",
        api_key=KEY,
    )
    print(as_json(azure)["provider"], as_json(azure)["config"]["azure_deployment"])
    for client in (by_config, plain, elsewhere, azure):
        assert KEY not in json.dumps(as_json(client))
        await client.close()


asyncio.run(main())
