"""Fields are called what AutoGen and the services call them, in forms, errors and changes alike."""

from __future__ import annotations

from typing import cast

import pytest

from studio.components import (
    JsonObject,
    catalogue,
    diff,
    load_packages,
    merge,
    title_from_name,
    unit_from_name,
    validate_component,
)

load_packages()


OWN_TITLES = {
    "action": "On violation",  # of a guardrail, where the bare name says nothing
    "budget_tokens": "Thinking budget",  # Anthropic's documentation says so in its headings
    "cwd": "Working directory",  # what MCP's documentation says that it is
    "datatype": "Data type",  # two words
    "default_auto_reply": "Default reply",  # AG2's documentation says so
    "embedding_function_config": "Embedding function",  # Chroma's name
    "encoding_error_handler": "Encoding errors",  # a choice, and no handler
    "is_cloud": "Mem0 Platform",  # Mem0's name of its cloud
    "k": "Top k",  # as other memories call it
    "max_completion_token": "Max completion tokens",  # AutoGen's name is in the singular
    "max_consecutive_auto_reply": "Max consecutive auto-replies",  # AG2's name is in the singular
    "max_prompt_token": "Max prompt tokens",  # AutoGen's name is in the singular
    "max_total_token": "Max total tokens",  # AutoGen's name is in the singular
    "message": "Replacement message",  # of a guardrail, beside messages of other kinds
    "model_info": "Model capabilities",  # what AutoGen's documentation says that it holds
    "n": "Choices (n)",  # one letter says nothing
    "n_ctx": "n_ctx – context window",  # the name that users of llama.cpp look for
    "n_gpu_layers": "GPU layers",  # llama.cpp's option is `--gpu-layers`
    "ssl": "Use TLS",  # SSL is what TLS replaced
    "stop": "Stop sequences",  # the services' word for it
    "store": "Store conversation",  # of OpenAI's agent: a store is a component elsewhere
    "to_resize_viewport": "Resize viewport",  # no title begins with "to"
    "to_save_screenshots": "Save screenshots",  # no title begins with "to"
}
"""Fields whose title is not their name, each with the reason."""


def titles_of_forms() -> dict[str, set[str]]:
    """The titles that each name of a field has in the forms of all components."""
    titles: dict[str, set[str]] = {}
    for entry in catalogue():
        schema = cast("JsonObject", entry["schema"])
        for part in (schema, *cast("dict[str, JsonObject]", schema.get("$defs", {})).values()):
            for name, field in cast("dict[str, JsonObject]", part.get("properties", {})).items():
                titles.setdefault(name, set()).add(str(field.get("title") or title_from_name(name)))
    return titles


def test_a_form_calls_a_field_by_its_name_in_the_documentation():
    own = {name: found - {title_from_name(name)} for name, found in titles_of_forms().items()}
    assert {name: found for name, found in own.items() if found} == {
        name: {title} for name, title in OWN_TITLES.items()
    }


@pytest.mark.parametrize(
    ("name", "title", "unit"),
    [
        ("max_tokens", "Max tokens", "tokens"),
        ("base_url", "Base URL", ""),
        ("api_key", "API key", ""),
        ("azure_ad_token", "Azure AD token", ""),
        ("timeout_seconds", "Timeout", "s"),
        ("delay_s", "Delay", "s"),
        ("timeout", "Timeout", "s"),
        ("k", "K", ""),
    ],
)
def test_a_title_comes_from_the_name(name: str, title: str, unit: str):
    assert (title_from_name(name), unit_from_name(name)) == (title, unit)


def team(**config: object) -> JsonObject:
    provider = "autogen_agentchat.teams.RoundRobinGroupChat"
    filled = {"participants": [writer()], **config}
    return cast("JsonObject", {"provider": provider, "component_type": "team", "config": filled})


def writer(**config: object) -> JsonObject:
    provider = "autogen_agentchat.agents.AssistantAgent"
    model = {"provider": "autogen_ext.models.replay.ReplayChatCompletionClient", "config": {"chat_completions": ["Hi"]}}
    filled = {"name": "writer", "model_client": model, **config}
    return cast("JsonObject", {"provider": provider, "component_type": "agent", "config": filled})


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (team(max_turns="many"), "“Max turns” must be a whole number."),
        (team(emit_team_events=7), "“Emit team events” must be true or false."),
        (team(participants=[writer(model_client_stream="x")]), "“Model client stream” must be true or false."),
        (writer(memory="x"), "“Memory” must be a list."),
        (writer(metadata={"team": 3}), "`team` must be text."),
        (writer(system_message=3), "“System message” must be text."),
        (writer(handoffs=["critic", {"target": "critic", "message": 4}]), "“Message” must be text."),
    ],
)
def test_an_error_names_the_field_as_its_form_does(document: JsonObject, sentence: str):
    assert [each.message for each in validate_component(document).errors] == [sentence]


def test_a_change_and_a_conflict_name_the_field_as_its_form_does():
    before, mine, theirs = team(max_turns=5), team(max_turns=6), team(max_turns=7)
    assert [each.sentence for each in diff(before, mine)] == ["max turns 5 → 6"]
    assert [each.label for each in merge(before, mine, theirs).conflicts] == ["max turns"]
