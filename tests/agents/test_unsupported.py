"""Agents that need what is not here: they open, show their config, and say what they would need."""

from __future__ import annotations

import pytest

from studio.agents import Unsupported
from studio.components import JsonObject, catalogue, form_schema, load_component, validate_component
from studio.components.base import find_class
from studio.teams import Team

MODEL: JsonObject = {"provider": "OpenAIChatCompletionClient", "config": {"model": "gpt-4o", "api_key": "env:KEY"}}
VIDEO: JsonObject = {
    "provider": "autogen_ext.agents.video_surfer.VideoSurfer",
    "config": {"name": "viewer", "description": "Sees.", "model_client": MODEL},
}
ASSISTANT: JsonObject = {
    "provider": "autogen_ext.agents.openai.OpenAIAssistantAgent",
    "config": {
        "name": "helper",
        "description": "Helps.",
        "model": "gpt-4o",
        "instructions": "Be kind.",
        "tools": ["code_interpreter", {"type": "function", "function": {"name": "f"}}],
        "assistant_id": "asst_1",
    },
}
AGENTS = pytest.mark.parametrize(
    ("document", "needed"), [(VIDEO, "opencv-python"), (ASSISTANT, "Assistants API")], ids=["video", "assistant"]
)


@AGENTS
def test_it_opens_as_it_is_and_the_check_says_what_it_would_need(document: JsonObject, needed: str):
    config, dumped = document["config"], load_component(document).dump_component()["config"]
    assert isinstance(config, dict)
    assert isinstance(dumped, dict)
    assert {name: dumped[name] for name in config if name != "model_client"} == {
        name: value for name, value in config.items() if name != "model_client"
    }
    report = validate_component(document)
    assert report.ok
    assert [needed in warning.message for warning in report.warnings if warning.where == "/config"] == [True]


@AGENTS
def test_its_form_can_be_shown_but_the_palette_offers_it_not(document: JsonObject, needed: str):
    del needed
    cls = find_class(str(document["provider"]))
    assert cls is not None
    assert "description" in str(form_schema(cls))
    assert document["provider"] not in [entry["provider"] for entry in catalogue()]


@AGENTS
async def test_a_run_ends_with_what_it_would_need(document: JsonObject, needed: str):
    team: JsonObject = {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "config": {"participants": [document], "max_turns": 1},
    }
    with pytest.raises(Unsupported, match=needed) as caught:
        await load_component(team, Team).run(task="Go.")
    assert caught.value.fix
