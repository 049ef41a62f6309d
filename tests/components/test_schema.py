from __future__ import annotations

from studio.components import catalogue, component_classes, form_schema, slots, template, validate_component
from tests.components.examples import Car, CarPark, PetrolEngine


def test_places_for_components_are_marked_with_what_they_accept():
    properties = form_schema(Car)["properties"]
    assert isinstance(properties, dict)
    assert properties["engine"] == {"x-component": "engine", "x-accepts": ["engine"]}


def test_slots_say_what_fits_how_many_and_whether_one_is_needed():
    assert [(slot.field, slot.accepts, slot.many, slot.required) for slot in slots(Car)] == [
        ("engine", ("engine",), False, True),
        ("spare_engines", ("engine",), True, False),
    ]
    assert [(slot.accepts, slot.many) for slot in slots(CarPark)] == [(("fleet", "vehicle"), True)]


def test_secrets_are_marked():
    assert "x-secret" in str(form_schema(PetrolEngine))


def test_a_template_holds_defaults_and_examples():
    assert template(PetrolEngine)["config"] == {"litres": 1.6}
    assert template(CarPark)["config"] == {"vehicles": [], "motto": "Room for all."}


def test_every_registered_component_has_help_a_schema_and_a_template_of_its_own_kind():
    entries = {entry["provider"]: entry for entry in catalogue()}
    for cls in (cls for cls in component_classes() if cls.is_offered):
        entry = entries[cls.provider]
        assert entry["summary"], cls
        assert entry["schema"], cls
        codes = {finding.code for finding in validate_component(template(cls)).errors}
        assert codes <= {"missing", "too_short", "value_error"}, (cls, codes)


def test_the_catalogue_names_each_kind_as_pages_show_it():
    titles = {entry["label"]: entry["title"] for entry in catalogue()}
    assert titles["RoundRobinGroupChat"] == "Round robin"
    assert titles["AzureOpenAIChatCompletionClient"] == "Azure OpenAI"
    assert titles["HttpTool"] == "HTTP tool"
    assert titles["AgentTool"] == "Agent as a tool"
