"""Another type in the same place keeps what fits it."""

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, component_classes, group_of, switch_to, template, validate_component
from studio.errors import UnknownProvider

AGENTS = "autogen_agentchat.agents"
TEAMS = "autogen_agentchat.teams"
CONDITIONS = "autogen_agentchat.conditions"
OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
AZURE = "autogen_ext.models.openai.AzureOpenAIChatCompletionClient"
ANTHROPIC = "autogen_ext.models.anthropic.AnthropicChatCompletionClient"


def model(**config: JsonValue) -> JsonObject:
    return {"provider": OPENAI, "component_type": "model", "config": {"model": "gpt-4o", **config}}


def agent(**config: JsonValue) -> JsonObject:
    own: JsonObject = {"name": "writer", "description": "Writes.", "model_client": model(), **config}
    return {"provider": f"{AGENTS}.AssistantAgent", "component_type": "agent", "label": "Author", "config": own}


def config_of(component: JsonObject, provider: str) -> JsonObject:
    config = switch_to(component, provider).component["config"]
    assert isinstance(config, dict)
    return config


def test_an_agent_keeps_its_name_model_and_label() -> None:
    made = switch_to(agent(tools=[], max_tool_iterations=3), f"{AGENTS}.SocietyOfMindAgent")
    config = made.component["config"]
    assert isinstance(config, dict)
    assert (config["name"], config["description"], config["model_client"]) == ("writer", "Writes.", model())
    assert made.component["label"] == "Author"
    assert set(made.left) == {"tools", "max_tool_iterations"}


def test_a_default_of_the_old_type_gives_way_to_that_of_the_new_one() -> None:
    component: JsonObject = {"provider": f"{TEAMS}.RoundRobinGroupChat", "config": {"name": "RoundRobinGroupChat"}}
    assert config_of(component, f"{TEAMS}.Swarm")["name"] == "Swarm"


def test_a_model_name_goes_along_only_to_the_same_service() -> None:
    assert config_of(model(temperature=0.2), AZURE)["model"] == "gpt-4o"
    moved = config_of(model(temperature=0.2), ANTHROPIC)
    assert moved["model"] != "gpt-4o"
    assert moved["temperature"] == 0.2


def test_a_chosen_key_goes_along_and_the_usual_one_does_not() -> None:
    assert config_of(model(api_key="secret:mine"), ANTHROPIC)["api_key"] == "secret:mine"
    assert "api_key" not in config_of(model(api_key="env:OPENAI_API_KEY"), ANTHROPIC)


def test_a_value_out_of_the_new_range_stays_behind() -> None:
    made = switch_to(model(temperature=1.8), ANTHROPIC)
    assert "temperature" in made.left


def test_the_members_of_a_team_stay_though_one_of_them_is_not_finished() -> None:
    members: list[JsonValue] = [agent(), {"provider": f"{AGENTS}.AssistantAgent", "config": {"name": ""}}]
    team: JsonObject = {"provider": f"{TEAMS}.RoundRobinGroupChat", "config": {"participants": members}}
    assert config_of(team, f"{TEAMS}.Swarm")["participants"] == members


def test_a_condition_goes_into_one_that_holds_others_and_comes_out_again() -> None:
    limit: JsonObject = {"provider": f"{CONDITIONS}.MaxMessageTermination", "config": {"max_messages": 7}}
    both = switch_to(limit, "autogen_agentchat.base.OrTerminationCondition")
    assert both.component["config"] == {"conditions": [limit]}
    assert both.left == ()
    assert switch_to(both.component, f"{CONDITIONS}.MaxMessageTermination").component == limit


def test_words_that_are_no_text_are_left_behind() -> None:
    made = switch_to(
        {**model(), "label": [[]], "description": {"a": 1}}, "autogen_ext.models.openai.OpenAIChatCompletionClient"
    )
    assert made.component.get("label") != [[]]
    assert made.component.get("description") != {"a": 1}


def test_a_type_that_nobody_registered_is_refused() -> None:
    with pytest.raises(UnknownProvider):
        switch_to(model(), "somewhere.Else")


@pytest.mark.slow
def test_every_type_becomes_every_other_of_its_group_without_new_errors() -> None:
    classes = [cls for cls in component_classes() if cls.is_offered and cls.provider.startswith("autogen")]
    for old in classes:
        for new in (cls for cls in classes if group_of(cls.component_type) == group_of(old.component_type)):
            made = switch_to(template(old), new.provider).component
            fresh = {error.where for error in validate_component(template(new)).errors}
            known = {error.where for error in validate_component(template(old)).errors} | fresh
            wrong = [each for each in validate_component(made).errors if each.where not in known]
            inside = [each for each in wrong if each.where.count("/config/") < 2]
            assert not inside, (old.provider, new.provider)
