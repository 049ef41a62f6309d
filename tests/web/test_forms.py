"""The form of a component: what each kind of value becomes, and where errors land."""

import json

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import catalogue
from studio.errors import Finding, NotFound
from studio.web.forms.form_fields import MAX_FIELDS, MAX_NAMES
from studio.web.forms.form_model import FormField, FormModel
from studio.web.forms.forms import build_form, form_at

AGENT = "autogen_agentchat.agents.AssistantAgent"
MODEL = "autogen_ext.models.openai.OpenAIChatCompletionClient"


def schema_of(**properties: JsonValue) -> dict[str, JsonValue]:
    return {"title": "Thing", "description": "Does a thing.\n\nMore.", "type": "object", "properties": properties}


def form_of(
    properties: dict[str, JsonValue], config: dict[str, JsonValue] | None = None, *findings: Finding
) -> FormModel:
    return build_form({"provider": "x.Thing", "config": config or {}}, schema_of(**properties), "", findings)


def field_of(schema: JsonValue, *value: JsonValue) -> FormField:
    config: dict[str, JsonValue] = {"it": value[0]} if value else {}
    return form_of({"it": schema}, config).primary[0]


def test_each_type_has_its_control() -> None:
    kinds: list[tuple[dict[str, JsonValue], str]] = [
        ({"type": "string"}, "text"),
        ({"type": "string", "x-multiline": True}, "multiline"),
        ({"type": "string", "x-language": "python"}, "code"),
        ({"type": "string", "x-secret": True}, "secret"),
        ({"type": "string", "enum": ["a", "b"]}, "choice"),
        ({"type": "integer"}, "integer"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "array", "items": {"type": "string"}}, "list"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "object"),
        ({"x-component": "model", "x-accepts": ["model"]}, "component"),
        ({"type": "array", "items": {"x-component": "tool", "x-accepts": ["tool"]}}, "components"),
        ({}, "json"),
    ]
    assert [field_of(schema).kind for schema, _ in kinds] == [kind for _, kind in kinds]


def test_an_optional_value_folds_to_one_control_that_may_be_empty() -> None:
    field = field_of({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None}, 3)
    assert (field.kind, field.is_nullable, field.data_kind, field.minimum) == ("integer", True, "null-integer", 1)
    assert not field.variants


def test_a_value_of_several_types_offers_them_and_shows_the_one_it_has() -> None:
    schema: JsonValue = {
        "anyOf": [
            {"type": "string"},
            {"type": "object", "title": "Handoff", "properties": {"target": {"type": "string"}}},
        ]
    }
    field = field_of(schema, {"target": "b"})
    assert field.kind == "object"
    assert [(each.label, each.is_current) for each in field.variants] == [("Text", False), ("Handoff", True)]


def test_the_variant_is_told_by_its_constant() -> None:
    variants: list[JsonValue] = [
        {
            "type": "object",
            "title": name,
            "required": ["type", "where"],
            "properties": {"type": {"const": name}, "where": {"type": "string"}},
        }
        for name in ("local", "remote")
    ]
    field = field_of({"oneOf": variants}, {"type": "remote", "where": "there"})
    assert [each.is_current for each in field.variants] == [False, True]
    assert [part.name for part in field.parts] == ["where"]
    assert json.loads(field.variants[0].value_json) == {"type": "local", "where": ""}


def test_references_of_the_schema_are_followed() -> None:
    schema: dict[str, JsonValue] = {
        **schema_of(it={"$ref": "#/$defs/Inner", "title": "Inner thing"}),
        "$defs": {"Inner": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    }
    field = build_form({"provider": "x", "config": {"it": {"a": 1}}}, schema).primary[0]
    assert (field.label, field.parts[0].pointer, field.parts[0].value) == ("Inner thing", "/config/it/a", 1)


def test_a_map_of_groups_has_an_entry_with_fields_for_each_name() -> None:
    step: JsonValue = {
        "type": "object",
        "properties": {
            "to": {"type": "string", "title": "To"},
            "kept": {"type": "string", "default": "all", "x-advanced": True},
        },
        "required": ["to"],
    }
    steps: JsonValue = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Step"}}
    component: dict[str, JsonValue] = {"provider": "x.Thing", "config": {"it": {"a/b": {"to": "c", "kept": "all"}}}}
    [field] = build_form(component, {**schema_of(it=steps), "$defs": {"Step": step}}).primary
    assert field.kind == "map"
    assert json.loads(field.item_json) == {"to": ""}
    [entry] = field.parts
    assert [(part.label, part.pointer, part.value) for part in entry.parts] == [("To", "/config/it/a~1b/to", "c")]


def test_pointers_lead_to_the_place_in_the_whole_document() -> None:
    form = build_form(
        {"provider": "x", "config": {"it": ["a", "b"]}},
        schema_of(it={"type": "array", "items": {"type": "string"}}),
        "/config/participants/0",
    )
    assert [part.pointer for part in form.primary[0].parts] == [
        "/config/participants/0/config/it/0",
        "/config/participants/0/config/it/1",
    ]


def test_an_error_stands_at_its_field_and_others_do_not_move_in() -> None:
    findings = [
        Finding("ge", "At least 1.", "Raise it.", "/config/it"),
        Finding("x", "Elsewhere.", "", "/config/other/config/it"),
        Finding("extra", "No such field.", "", "/config/unknown"),
    ]
    form = form_of({"it": {"type": "integer"}}, {"it": 0}, *findings)
    assert (form.primary[0].error, form.primary[0].fix) == ("At least 1.", "Raise it.")
    assert [problem.message for problem in form.problems] == ["Elsewhere.", "No such field."]


def test_errors_inside_a_component_are_counted_where_it_stands() -> None:
    inner: JsonValue = {"provider": "x.Model", "component_type": "model", "config": {}}
    finding = Finding("missing", "`model` is required.", "", "/config/it/config/model")
    form = form_of({"it": {"x-component": "model", "x-accepts": ["model"]}}, {"it": inner}, finding)
    assert form.primary[0].components[0].problem_count == 1
    assert form.problems == ()


def test_a_literal_secret_never_reaches_the_page_and_a_reference_does() -> None:
    secret: JsonValue = {"type": "string", "x-secret": True}
    assert field_of(secret, "sk-very-secret").text == ""
    assert field_of(secret, "env:OPENAI_API_KEY").text == "env:OPENAI_API_KEY"


def test_what_differs_from_the_default_is_marked_and_can_be_reset() -> None:
    field = field_of({"type": "integer", "default": 1}, 2)
    assert (field.is_changed, field.default_json) == (True, "1")
    assert not field_of({"type": "integer", "default": 1}).is_changed


def test_required_fields_come_first_and_what_few_people_need_is_folded() -> None:
    advanced: JsonValue = {"type": "integer", "default": 1, "x-advanced": True}
    properties: dict[str, JsonValue] = {f"rare_{n}": advanced for n in range(4)}
    properties |= {"usual": {"type": "integer"}, "name": {"type": "string"}}
    schema: dict[str, JsonValue] = {**schema_of(**properties), "required": ["name"]}
    form = build_form({"provider": "x", "config": {"rare_2": 7}}, schema)
    assert [each.name for each in form.primary] == ["name", "usual"]
    assert len(form.more) == 4
    assert form.changed_count == 1


def test_of_many_plain_fields_only_the_weighty_ones_are_shown_at_once() -> None:
    properties: dict[str, JsonValue] = {f"option_{n}": {"type": "integer", "default": n} for n in range(9)}
    form = form_of({**properties, "text": {"type": "string", "x-multiline": True}})
    assert [each.name for each in form.primary] == ["text"]


def test_an_unknown_component_has_no_fields_and_says_so() -> None:
    assert build_form({"provider": "somewhere.Else", "config": {"a": 1}}, {}).is_opaque


def test_an_absent_field_shows_what_its_absence_means() -> None:
    document: JsonValue = {"provider": AGENT, "component_type": "agent", "config": {"name": "a"}}
    form = form_at(document, "")
    instructions = next(each for each in form.primary if each.name == "system_message")
    assert instructions.text == ""


def test_every_registered_component_has_a_form() -> None:
    for entry in catalogue():
        form = form_at(entry["template"], "")
        assert not form.is_opaque, entry["provider"]
        assert all(each.label for each in (*form.primary, *form.more)), entry["provider"]


def test_the_form_of_a_component_deep_in_a_document() -> None:
    model: JsonValue = {"provider": MODEL, "component_type": "model", "config": {"model": "gpt-4o"}}
    document: JsonValue = {"provider": AGENT, "component_type": "agent", "config": {"name": "a", "model_client": model}}
    form = form_at(document, "/config/model_client")
    assert form.primary[0].pointer == "/config/model_client/config/model"


def test_a_list_of_components_and_others_shows_them_all() -> None:
    tool: JsonValue = {"provider": "x.Tool", "component_type": "tool", "config": {}}
    place: JsonValue = {"x-component": "tool", "x-accepts": ["tool"]}
    field = field_of({"type": "array", "items": {"anyOf": [place, {"type": "string"}]}}, [tool, "web_search"])
    assert [(part.kind, part.text) for part in field.parts if part.kind == "text"] == [("text", "web_search")]
    assert field.parts[0].components[0].provider == "x.Tool"
    assert field.accepts == ("tool",)


def test_a_value_that_its_schema_does_not_foresee_is_shown_as_json() -> None:
    field = field_of({"type": "array", "items": {"type": "string"}}, "not a list")
    assert (field.kind, field.text) == ("json", "not a list")


def test_an_entry_of_a_config_has_a_form_of_its_own() -> None:
    nodes: JsonValue = {
        "a/1": {"name": "a/1", "edges": [{"target": "b", "condition": "yes"}]},
        "b": {"name": "b", "edges": []},
    }
    graph: JsonValue = {"provider": "autogen_agentchat.teams.GraphFlow", "config": {"graph": {"nodes": nodes}}}
    edge = form_at(graph, "/config/graph/nodes/a~11/edges/0")
    assert edge.title == "Edge to b"
    target = edge.primary[0]
    assert (target.kind, target.choices, target.value) == ("choice", ("a/1", "b"), "b")
    start = next(each for each in form_at(graph, "/config/graph").fields if each.name == "default_start_node")
    assert (start.kind, start.is_nullable, start.choices) == ("choice", True, ("a/1", "b"))


@pytest.mark.parametrize("pointer", ["/config/graph", "/config/participants/3", "/config/name/0", "/nowhere"])
def test_what_is_not_there_has_no_form(pointer: str) -> None:
    team: JsonValue = {"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": {"participants": []}}
    with pytest.raises(NotFound):
        form_at(team, pointer)


def test_a_name_that_is_gone_stays_visible_among_the_choices() -> None:
    nodes: JsonValue = {"a": {"name": "a", "edges": [{"target": "gone"}]}}
    graph: JsonValue = {"provider": "autogen_agentchat.teams.GraphFlow", "config": {"graph": {"nodes": nodes}}}
    assert form_at(graph, "/config/graph/nodes/a/edges/0").primary[0].choices == ("a", "gone")


def test_a_name_is_offered_from_the_team_around_a_nested_condition() -> None:
    condition: JsonValue = {"provider": "autogen_agentchat.conditions.HandoffTermination", "config": {"target": "x"}}
    agent: JsonValue = {"provider": AGENT, "config": {"name": "writer"}}
    either: JsonValue = {
        "provider": "autogen_agentchat.base.OrTerminationCondition",
        "config": {"conditions": [condition]},
    }
    team: JsonValue = {
        "provider": "autogen_agentchat.teams.Swarm",
        "config": {"participants": [agent], "termination_condition": either},
    }
    form = form_at(team, "/config/termination_condition/config/conditions/0")
    assert form.primary[0].suggestions == ("writer",)
    inline = form_at(team, "/config/termination_condition").primary[0].components[0].form
    assert inline is not None
    assert inline.primary[0].suggestions == ("writer",)


def test_a_small_component_has_its_form_in_place_and_a_large_one_does_not() -> None:
    limit: JsonValue = {"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": 3}}
    agent: JsonValue = {"provider": AGENT, "config": {"name": "writer"}}
    team: JsonValue = {
        "provider": "autogen_agentchat.teams.Swarm",
        "config": {"participants": [agent], "termination_condition": limit},
    }
    fields = {field.name: field for field in form_at(team, "").fields}
    inline = fields["termination_condition"].components[0].form
    assert inline is not None
    assert inline.primary[0].pointer == "/config/termination_condition/config/max_messages"
    assert fields["participants"].components[0].form is None


def test_what_may_stand_in_its_place_is_what_its_slot_takes() -> None:
    model: JsonValue = {"provider": MODEL, "component_type": "model", "config": {"model": "gpt-4o"}}
    document: JsonValue = {"provider": AGENT, "component_type": "agent", "config": {"name": "a", "model_client": model}}
    offered = form_at(document, "/config/model_client").alternatives
    assert [each.provider for each in offered if each.is_current] == [MODEL]
    assert {"autogen_ext.models.cache.ChatCompletionCache"} < {each.provider for each in offered}


def test_a_number_tells_its_unit_and_range() -> None:
    schema: dict[str, JsonValue] = {"type": "number", "exclusiveMinimum": 0, "maximum": 60}
    [field] = form_of({"timeout_seconds": schema}, {"timeout_seconds": 5}).primary
    assert (field.label, field.aside) == ("Timeout", "s · up to 60")
    assert field_of({"type": "integer", "exclusiveMinimum": 0}).aside == "1 or more"
    assert field_of({"type": "integer", "minimum": -2, "maximum": 2}).aside == "-2 to 2"


def test_emptying_a_field_that_cannot_be_null_leaves_it_out() -> None:
    assert field_of({"type": "boolean"}).data_kind == "absent-boolean"
    assert field_of({"type": "boolean", "default": False}).data_kind == "boolean"


def test_a_masked_key_is_told_with_its_remedy(client: TestClient) -> None:
    document: JsonValue = {
        "provider": MODEL,
        "component_type": "model",
        "config": {"model": "m", "api_key": "**********"},
    }
    page = client.post("/fragments/form", json={"component": document}).text
    assert "The export masked this key" in page
    assert "**********" not in page


def test_the_form_says_which_keys_are_set_and_never_what_they_are(client: TestClient) -> None:
    client.put("/api/secrets/mine", json={"value": "sk-very-secret"})
    document: JsonValue = {
        "provider": MODEL,
        "component_type": "model",
        "config": {"model": "m", "api_key": "secret:mine"},
    }
    page = client.post("/fragments/form", json={"component": document}).text
    assert '<option value="secret:mine">set</option>' in page
    assert "sk-very-secret" not in page


def test_a_type_is_switched_over_http(client: TestClient) -> None:
    document: JsonValue = {"provider": MODEL, "component_type": "model", "config": {"model": "m", "temperature": 0.5}}
    to = "autogen_ext.models.anthropic.AnthropicChatCompletionClient"
    answer = client.post("/api/components/switch", json={"component": document, "provider": to})
    assert answer.json()["component"]["config"]["temperature"] == 0.5
    assert answer.json()["left"] == ["model"]
    assert client.post("/api/components/switch", json={"component": document, "provider": "no"}).status_code == 422


def test_a_phrase_of_a_schema_only_fills_in_names() -> None:
    """A tool server may send any schema: no attributes, and no widths that would fill the memory."""
    parts: JsonValue = {"a": {"type": "string"}, "b": {"type": "string"}}
    phrases: JsonValue = ["{a.__class__}", "{a:9999999999}", "{a!r}", "{a} and {b}"]
    field = field_of({"type": "object", "properties": parts, "x-says": phrases}, {"a": "one"})
    assert field.summary.endswith("one and ")


def test_a_form_of_very_many_entries_has_an_end() -> None:
    many: list[JsonValue] = [f"name{index}" for index in range(MAX_FIELDS + 1)]
    properties: dict[str, JsonValue] = {
        "many": {"type": "array", "items": {"type": "string"}},
        "few": {"type": "array", "items": {"type": "string"}},
    }
    fields = {each.name: each for each in form_of(properties, {"many": many, "few": ["a"]}).fields}
    assert (fields["many"].kind, fields["many"].parts) == ("json", ())
    assert len(fields["few"].parts) == 1


def test_names_to_choose_from_are_not_repeated_without_end() -> None:
    members: JsonValue = [{"config": {"name": f"w{index}"}} for index in range(1_000)]
    listed: JsonValue = {"type": "array", "items": {"type": "string"}, "x-suggestions": "/participants"}
    entries: list[JsonValue] = ["w1"] * 1_000
    [field] = form_of({"it": listed}, {"it": entries, "participants": members}).primary
    assert len(field.parts[0].suggestions) == 1_000
    assert sum(len(part.suggestions) for part in field.parts) <= MAX_NAMES + 1_000


def test_the_name_of_the_whole_team_is_folded_away_and_that_of_one_inside_is_not() -> None:
    inner: JsonValue = {"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": {"participants": []}}
    outer: JsonValue = {"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": {"participants": [inner]}}
    assert "name" in {field.name for field in form_at(outer, "").more}
    assert "name" in {field.name for field in form_at(outer, "/config/participants/0").primary}
    agent: JsonValue = {"provider": AGENT, "config": {"name": "writer"}}
    assert "name" in {field.name for field in form_at(agent, "").primary}
