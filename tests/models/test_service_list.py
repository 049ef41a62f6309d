"""The model services that choosers offer are data; each entry is a whole model component."""

from __future__ import annotations

import pytest

from studio.components import load_component, validate_component
from studio.models import ChatCompletionClient
from studio.models.service_list import ModelService, known_models, model_services, service_at

OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
SERVICES = model_services()


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.id)
def test_each_service_is_a_complete_model_with_a_reference_for_a_key(service: ModelService) -> None:
    component = service.component()
    assert validate_component(component).errors == ()
    client = load_component(component, ChatCompletionClient)
    assert client.dump_component() == load_component(client.dump_component(), ChatCompletionClient).dump_component()
    secrets = [each.detail for each in client.capabilities() if each.kind == "secret"]
    assert [each.partition(" to ")[0] for each in secrets] == [f"env:{service.key_variable}"] * bool(
        service.key_variable
    )


def test_no_two_services_are_called_alike_or_stand_at_one_address() -> None:
    places = [(service.provider, service.address) for service in SERVICES]
    assert len({service.name for service in SERVICES}) == len(SERVICES) == len(set(places))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("", "openai"),
        ("https://openrouter.ai/api/v1/", "openrouter"),
        ("http://localhost:11434/v1", "ollama"),
        ("https://models.example.com/v1", "openai-compatible"),
    ],
)
def test_a_service_is_known_by_its_address(address: str, found: str) -> None:
    service = service_at(OPENAI, address)
    assert service is not None
    assert service.id == found


def test_names_are_suggested_for_the_service_that_is_asked() -> None:
    assert "gpt-4o-mini" in known_models("openai", "")
    assert known_models("openai", "https://api.deepseek.com/v1") == [
        "deepseek-chat",
        "deepseek-reasoner",
        "deepseek-r1",
    ]
    assert "claude-haiku-4-5" in known_models("anthropic", "")
    assert known_models("openai", "https://models.example.com/v1") == []
