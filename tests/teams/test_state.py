"""Teams as components, and their saved states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest
from pydantic import JsonValue

from studio import effects
from studio.components import JsonObject, load_component, validate_component
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.contexts import UnboundedChatCompletionContext
from studio.errors import ConfigError
from studio.messages import LLMMessage, UserMessage
from studio.teams import RoundRobinGroupChat, SelectorGroupChat, Team
from tests.teams.scripted import CountingWorld, agent, pair, said, scripted


def states_in(state: Mapping[str, JsonValue]) -> dict[str, JsonObject]:
    return cast("dict[str, JsonObject]", state["agent_states"])


async def test_a_team_goes_on_from_a_saved_state():
    first = pair(limit=2)
    await first.run(task="go")
    second = load_component(first.dump_component(), RoundRobinGroupChat)
    await second.load_state(await first.save_state())
    result = await second.run()
    assert said(result.messages) == [("b", "1"), ("a", "1")]
    assert said(second.thread) == [("user", "go"), ("a", "1"), ("b", "1"), ("a", "1")]


async def test_the_state_has_autogens_shape():
    team = pair(limit=2)
    await team.run(task="go")
    state = await team.save_state()
    states = states_in(state)
    assert (state["type"], list(states)) == ("TeamState", ["a", "b", "RoundRobinGroupChatManager"])
    assert states["b"]["type"] == "ChatAgentContainerState"
    assert [message["content"] for message in cast("list[JsonObject]", states["b"]["message_buffer"])] == ["go", "1"]
    manager = states["RoundRobinGroupChatManager"]
    assert (manager["current_turn"], manager["next_speaker_index"]) == (0, 1)


async def test_a_state_that_lacks_somebody_is_refused():
    with pytest.raises(ValueError, match="Agent state for a not found"):
        await pair().load_state({"agent_states": {}})


async def test_a_state_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="Invalid state format"):
        await pair().load_state({"team_id": "old"})


def selector() -> SelectorGroupChat:
    beginning: list[LLMMessage] = [UserMessage(content="Be fair.", source="house")]
    return SelectorGroupChat(
        participants=[agent("a", "1", "2"), agent("b", "1"), agent("c", "1")],
        model_client=scripted("a", "b", "c"),
        termination_condition=MaxMessageTermination(max_messages=2),
        model_context=UnboundedChatCompletionContext(initial_messages=beginning),
    )


async def history_shown_to(team: SelectorGroupChat) -> str:
    """What the selector's model is shown in the next run."""
    world = CountingWorld()
    with effects.use(world):
        await team.run()
    messages = cast("list[JsonObject]", cast("JsonObject", world.bodies[0])["messages"])
    return str(messages[0]["content"])


async def test_a_selector_that_takes_up_a_state_knows_the_conversation_once():
    used, fresh = selector(), selector()
    await used.run(task="go")
    state = await used.save_state()
    await used.load_state(state)
    await fresh.load_state(state)
    for team in (used, fresh):
        assert (await history_shown_to(team)).count("user: go") == 1
    assert states_in(state)["SelectorGroupChatManager"]["previous_speaker"] == "a"


async def test_a_team_with_something_unknown_inside_says_where():
    document = pair().dump_component()
    participants = cast("list[JsonObject]", cast("JsonObject", document["config"])["participants"])
    participants[1]["provider"] = "somewhere.Else"
    team = load_component(document, Team)
    with pytest.raises(ConfigError) as caught:
        await team.run(task="go")
    assert caught.value.where == "/config/participants/1"
    assert team.dump_component() == document


def test_participants_need_names_of_their_own():
    with pytest.raises(ValueError, match="The participant names must be unique"):
        RoundRobinGroupChat(participants=[agent("a", "1"), agent("a", "1")])


def test_a_team_needs_somebody():
    with pytest.raises(ValueError, match="At least one participant is required"):
        RoundRobinGroupChat(participants=[])


def test_a_selector_needs_two_participants():
    with pytest.raises(ValueError, match="At least two participants are required"):
        SelectorGroupChat(participants=[agent("a", "1")], model_client=scripted("a"))


def test_a_placeholder_that_nobody_fills_is_a_warning():
    document = selector().dump_component()
    cast("JsonObject", document["config"])["selector_prompt"] = "Choose from {people}."
    warnings = [each.where for each in validate_component(document).warnings if each.code != "unheard_word"]
    assert warnings == ["/config/selector_prompt"]


def test_a_team_made_in_python_comes_back_from_its_json():
    team = SelectorGroupChat(
        participants=[agent("x", "1"), pair()],
        model_client=scripted("x"),
        termination_condition=MaxMessageTermination(max_messages=2) | TextMentionTermination(text="x"),
    )
    assert load_component(team.dump_component()) == team


def test_a_name_left_out_is_the_kind_of_team():
    document = pair().dump_component()
    cast("JsonObject", document["config"]).pop("name")
    assert load_component(document, Team).name == "RoundRobinGroupChat"


async def test_a_state_that_cannot_be_taken_up_changes_nothing():
    used = pair(limit=2)
    await used.run(task="go")
    broken = dict(await used.save_state())
    states_in(broken)["b"]["agent_state"] = {"llm_context": {"messages": [{"type": "unheard of"}]}}
    team = pair(limit=3)
    await team.run(task="other")
    before = await team.save_state()
    with pytest.raises(ValueError, match="unheard of"):
        await team.load_state(broken)
    assert await team.save_state() == before
    assert said((await team.run()).messages) == [("a", "2"), ("b", "2"), ("a", "3")]
