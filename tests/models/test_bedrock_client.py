"""Claude in Amazon Bedrock, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from studio.components import JsonObject, all_capabilities, extract_secrets, load_component
from studio.errors import ConfigError
from studio.messages import LLMMessage, UserMessage
from studio.models import AnthropicBedrockChatCompletionClient
from tests.fakes.anthropic_server import AnthropicServer

MODEL = "anthropic.claude-haiku-4-5-20251001-v1:0"
ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


def document(server: AnthropicServer, **info: str) -> JsonObject:
    bedrock: JsonObject = {"aws_region": "eu-west-1", "aws_access_key": "AKIA", "aws_secret_key": "s3cret", **info}
    return {
        "provider": "autogen_ext.models.anthropic.AnthropicBedrockChatCompletionClient",
        "config": {"model": MODEL, "base_url": server.url, "bedrock_info": bedrock},
    }


async def test_questions_are_signed(server: AnthropicServer) -> None:
    client = load_component(document(server), AnthropicBedrockChatCompletionClient)
    await client.create(ASK)
    async for _ in client.create_stream(ASK):
        pass
    await client.close()
    assert [request.path.rpartition("/")[2] for request in server.requests] == [
        "invoke",
        "invoke-with-response-stream",
    ]
    assert "Credential=AKIA/" in server.requests[0].headers["authorization"]
    assert "/eu-west-1/bedrock/" in server.requests[0].headers["authorization"]


async def test_without_keys_the_call_says_what_is_missing(server: AnthropicServer) -> None:
    client = AnthropicBedrockChatCompletionClient(model=MODEL, base_url=server.url)
    with pytest.raises(ConfigError, match="bedrock_info"):
        await client.create(ASK)


def test_keys_in_the_open_never_come_back_out(server: AnthropicServer) -> None:
    client = load_component(document(server, aws_session_token="t0ken"))
    written = str(client.dump_component())
    assert not [secret for secret in ("AKIA", "s3cret", "t0ken") if secret in written]
    stored, found = extract_secrets(document(server))
    assert "s3cret" not in str(stored)
    assert [secret.where for secret in found] == [
        "/config/bedrock_info/aws_access_key",
        "/config/bedrock_info/aws_secret_key",
    ]
    assert [capability.detail.partition(" to ")[0] for capability in all_capabilities(client)][:3] == [
        "env:AWS_ACCESS_KEY_ID",
        "env:AWS_SECRET_ACCESS_KEY",
        "env:AWS_SESSION_TOKEN",
    ]
