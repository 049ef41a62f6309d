"""Conditions in words, for the sentence on the canvas."""

from pydantic import JsonValue

from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.web.forms.condition_words import describe_conditions


def test_each_condition_of_a_tree_is_put_into_words_at_its_place() -> None:
    tree = TextMentionTermination(text="DONE") | MaxMessageTermination(max_messages=5)
    words = describe_conditions({"provider": "a.Team", "config": {"termination_condition": tree.dump_component()}})
    place = "/config/termination_condition/config/conditions"
    assert words[f"{place}/0"] == '"DONE" is mentioned'
    assert words[f"{place}/1"] == "5 messages are reached"


def test_a_condition_that_is_wrong_has_no_words_and_stops_nobody() -> None:
    wrong: JsonValue = {"provider": MaxMessageTermination.provider, "config": {"max_messages": "many"}}
    assert describe_conditions([wrong, {"provider": "un.Known", "config": {}}]) == {}
