"""What is told about a field calls it as its form does."""

from __future__ import annotations

from typing import cast

import pytest

from studio.components import JsonObject, diff, load_rooms, merge, validate_component

load_rooms()


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
        (team(max_turns="many"), "“Turn limit” must be a whole number."),
        (team(emit_team_events=7), "“Tell who is chosen” must be true or false."),
        (team(participants=[writer(model_client_stream="x")]), "“Stream” must be true or false."),
        (writer(memory="x"), "“Memory” must be a list."),
        (writer(metadata={"team": 3}), "`team` must be text."),
        (writer(system_message=3), "“Instructions” must be text."),
        (writer(handoffs=["critic", {"target": "critic", "message": 4}]), "“Message” must be text."),
    ],
)
def test_an_error_names_the_field_as_its_form_does(document: JsonObject, sentence: str):
    assert [each.message for each in validate_component(document).errors] == [sentence]


def test_a_change_and_a_conflict_name_the_field_as_its_form_does():
    before, mine, theirs = team(max_turns=5), team(max_turns=6), team(max_turns=7)
    assert [each.sentence for each in diff(before, mine)] == ["turn limit 5 → 6"]
    assert [each.label for each in merge(before, mine, theirs).conflicts] == ["turn limit"]
