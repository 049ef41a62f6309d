"""What is known about models, and how older configs say it."""

from __future__ import annotations

from typing import cast

import pytest

from studio.components import JsonObject, load_component, validate_component
from studio.models import ModelFamily, OpenAIChatCompletionClient
from studio.models.info import context_tokens, known_info


@pytest.mark.parametrize(
    ("model", "family", "vision", "structured"),
    [
        ("gpt-4o-mini-2024-07-18", "gpt-4o", True, True),
        ("gpt-4o-2024-05-13", "gpt-4o", True, False),
        ("gpt-4-0613", "gpt-4", False, False),
        ("o3-mini", "o3", False, True),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet", True, False),
        ("qwen3:8b", "unknown", False, False),
    ],
)
def test_abilities_follow_from_the_longest_known_prefix(
    model: str, family: str, vision: bool, structured: bool
) -> None:
    info = known_info(model)
    assert (info["family"], info["vision"], info["structured_output"]) == (family, vision, structured)


def test_only_openai_families_take_a_system_prompt_as_selector() -> None:
    assert ModelFamily.is_openai("gpt-4o")
    assert not ModelFamily.is_openai(ModelFamily.UNKNOWN)


def test_context_lengths_are_known_or_careful() -> None:
    assert context_tokens("gpt-4.1-mini") > 1_000_000
    assert context_tokens("something-new") == 8_192


def test_an_unknown_model_loads_with_a_warning_and_does_not_write_its_guess() -> None:
    document: JsonObject = {
        "provider": "OpenAIChatCompletionClient",
        "config": {"model": "something-new", "base_url": "http://h/v1"},
    }
    report = validate_component(document)
    assert report.ok
    assert [(warning.where, warning.code) for warning in report.warnings] == [("/config/model", "coerced")]
    client = load_component(document, expected=OpenAIChatCompletionClient)
    assert client.info["function_calling"]
    assert client.dump_component()["config"] == document["config"]


def test_older_model_info_is_completed() -> None:
    client = load_component(
        {
            "provider": "openai_chat_completion_client",
            "config": {"model": "m", "model_capabilities": {"vision": True, "function_calling": True}},
        },
        expected=OpenAIChatCompletionClient,
    )
    assert client.model_info == {
        "vision": True,
        "function_calling": True,
        "json_output": False,
        "family": "unknown",
        "structured_output": False,
    }


@pytest.mark.parametrize(
    ("provider", "more"),
    [
        ("autogen_ext.models.openai.OpenAIChatCompletionClient", {}),
        ("autogen_ext.models.ollama.OllamaChatCompletionClient", {}),
        ("autogen_ext.models.anthropic.AnthropicChatCompletionClient", {}),
        ("autogen_ext.models.azure.AzureAIChatCompletionClient", {"endpoint": "https://x.example"}),
    ],
)
def test_a_time_limit_of_zero_is_read_as_absent_and_told(provider: str, more: JsonObject) -> None:
    config: JsonObject = {"model": "gpt-4o", **more}
    document: JsonObject = {"provider": provider, "config": {**config, "timeout": 0}}
    report = validate_component(document)
    assert report.ok
    assert ("/config/timeout", "coerced") in [(warning.where, warning.code) for warning in report.warnings]
    assert "timeout" not in cast("JsonObject", load_component(document).dump_component()["config"])
    assert not validate_component({**document, "config": {**config, "timeout": -1}}).ok


def test_a_masked_key_becomes_a_reference_to_the_services_usual_variable() -> None:
    document: JsonObject = {
        "provider": "OpenAIChatCompletionClient",
        "config": {"model": "gemini-2.0-flash", "api_key": "*" * 10},
    }
    client = load_component(document, expected=OpenAIChatCompletionClient)
    assert client.api_key is not None
    assert client.api_key.reference == "env:GEMINI_API_KEY"
