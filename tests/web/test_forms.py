"""The form of a component: what each kind of value becomes, and where errors land."""

import json

from pydantic import JsonValue

from studio.components import catalogue
from studio.errors import Finding
from studio.web.form_model import FormField, FormModel
from studio.web.forms import build_form, form_at

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
    assert [(each.label, each.is_current) for each in field.variants] == [("text", False), ("Handoff", True)]


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


def test_required_fields_come_first_and_the_rest_is_folded() -> None:
    properties: dict[str, JsonValue] = {f"option_{n}": {"type": "integer", "default": n} for n in range(6)}
    schema: dict[str, JsonValue] = {**schema_of(**properties, name={"type": "string"}), "required": ["name"]}
    form = build_form({"provider": "x", "config": {"option_2": 7}}, schema)
    assert [each.name for each in form.primary] == ["name"]
    assert len(form.more) == 6
    assert form.changed_count == 1


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
