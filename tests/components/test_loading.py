from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import (
    Component,
    extract_secrets,
    load_component,
    validate_component,
    walk,
)
from studio.conditions import MaxMessageTermination
from studio.errors import InvalidComponent, InvalidDocument
from tests.components.examples import Car, CarPark, PetrolEngine, Vehicle, car, engine, park

make_car: Any = Car  # the type checker does not know of positional arguments
make_engine: Any = PetrolEngine
UNKNOWN: dict[str, JsonValue] = {
    "provider": "elsewhere.Rocket",
    "label": "Rocket",
    "odd": [None, {"b": 1, "a": 2}],
    "config": {"x": None},
}


def places(document: JsonValue) -> dict[str, str]:
    return {finding.where: finding.code for finding in validate_component(document).errors}


def test_an_envelope_becomes_an_instance_of_the_registered_class():
    loaded = load_component(park(car("herbie")), CarPark)
    assert isinstance(loaded.vehicles[0], Car)
    assert isinstance(loaded.vehicles[0].engine, PetrolEngine)


def test_dumping_writes_the_envelope_of_autogen():
    assert make_car("herbie", PetrolEngine(litres=1)).dump_component() == {
        "provider": "example.Car",
        "component_type": "vehicle",
        "version": 1,
        "component_version": 1,
        "description": "Drives on roads.",
        "label": "Car",
        "config": {
            "name": "herbie",
            "engine": {
                "provider": "example.PetrolEngine",
                "component_type": "engine",
                "version": 2,
                "component_version": 2,
                "description": "Burns petrol.",
                "label": "PetrolEngine",
                "config": {"litres": 1.0},
            },
            "spare_engines": [],
            "motto": "Always onwards.",
            "owner": None,
        },
    }


def test_label_and_description_of_the_author_survive():
    document = {**car(), "label": "My car", "description": "Red."}
    assert load_component(document).dump_component()["label"] == "My car"
    assert load_component(document).dump_component()["description"] == "Red."


def test_an_alias_loads_and_is_written_back_as_the_provider():
    document: JsonValue = {"provider": "example.engines.PetrolEngine", "config": {"litres": 2}}
    assert load_component(document).dump_component()["provider"] == "example.PetrolEngine"


def test_an_older_version_is_upgraded_and_reported():
    old: JsonValue = {"provider": "example.PetrolEngine", "component_version": 1, "config": {"size": 3}}
    assert load_component(old, PetrolEngine).litres == 3
    assert [finding.code for finding in validate_component(old).warnings] == ["upgraded"]


def test_a_newer_version_is_refused():
    assert places({**engine(), "component_version": 9}) == {"": "newer_version"}


def test_a_field_absent_in_json_may_differ_from_the_constructors_default():
    assert load_component(car(), Car).motto is None
    assert make_car("herbie", PetrolEngine(litres=1)).motto == "Always onwards."


def test_an_unknown_provider_is_kept_as_it_came():
    loaded = load_component(park(UNKNOWN))
    assert cast("dict[str, dict[str, list[JsonValue]]]", loaded.dump_component())["config"]["vehicles"] == [UNKNOWN]
    report = validate_component(park(UNKNOWN))
    assert report.ok
    assert not report.is_runnable
    assert [part.status for part in report.parts] == ["loaded", "opaque"]


def test_an_opaque_component_fits_everywhere():
    loaded = load_component(car(engine=UNKNOWN), Car)
    assert loaded.engine.is_opaque
    assert load_component(UNKNOWN, Vehicle).dump_component() == UNKNOWN


def test_unknown_fields_of_autogen_json_are_kept_and_reported():
    document = car(colour="red")
    assert cast("dict[str, JsonValue]", load_component(document).dump_component()["config"])["colour"] == "red"
    assert [(finding.code, finding.where) for finding in validate_component(document).warnings] == [
        ("unknown_field", "/config/colour")
    ]


def test_unknown_fields_of_our_own_components_are_refused():
    assert places({"provider": "studio.example.OwnShed", "config": {"colour": "red"}}) == {
        "/config/colour": "extra_forbidden"
    }


def test_all_errors_come_at_once_each_at_its_place():
    document = park(car(1), car(engine=engine(litres=-1)), car("rude"), {"provider": "example.Car", "config": {}})
    assert places(document) == {
        "/config/vehicles/0/config/name": "string_type",
        "/config/vehicles/1/config/engine/config/litres": "greater_than",
        "/config/vehicles/2/config/name": "value_error",
        "/config/vehicles/3/config/name": "missing",
        "/config/vehicles/3/config/engine": "missing",
    }


def test_a_component_of_the_wrong_kind_is_named():
    report = validate_component(park(engine()))
    assert [(finding.where, finding.message) for finding in report.errors] == [
        ("/config/vehicles/0", "A vehicle or a fleet belongs here, but PetrolEngine is an engine.")
    ]
    assert [part.status for part in report.parts] == ["loaded", "wrong"]


def test_a_component_of_the_right_kind_and_the_wrong_class_is_named_by_its_class():
    with pytest.raises(InvalidComponent, match="A CarPark belongs here, but OwnShed is another fleet"):
        CarPark.load_component({"provider": "studio.example.OwnShed", "config": {}})


def test_coercion_is_reported_and_keeps_places_true():
    document = car(spare_engines=engine())
    assert len(load_component(document, Car).spare_engines) == 1
    assert [finding.where for finding in validate_component(document).warnings] == ["/config/spare_engines"]


def test_a_misspelt_provider_gets_a_suggestion():
    assert "example.Car" in validate_component({"provider": "example.Carr", "config": {}}).warnings[0].fix


@pytest.mark.parametrize("document", [[], "x", 3, None, {}, {"Provider": "x"}, {"provider": 7}])
def test_what_is_no_component_is_refused_with_a_sentence(document: JsonValue):
    with pytest.raises(InvalidComponent) as caught:
        load_component(document)
    assert caught.value.what


def test_config_that_is_no_object_is_refused():
    assert places({"provider": "example.Car", "config": [1]}) == {"": "config_not_object"}


def test_a_cyclic_document_is_refused():
    document = park()
    cast("dict[str, list[JsonValue]]", document["config"])["vehicles"].append(document)
    assert not validate_component(document).ok
    with pytest.raises(InvalidDocument):
        load_component(document)


def test_fifteen_levels_of_nesting_load_and_thousands_are_refused():
    def nested(levels: int) -> JsonValue:
        document = park()
        for _ in range(levels):
            document = park(document)
        return document

    assert len(list(walk(load_component(nested(15))))) == 16
    assert validate_component(nested(3000)).errors[0].code == "invalid_document"


def test_positional_arguments_follow_the_declared_order():
    assert make_car("herbie", make_engine(2)).engine == PetrolEngine(litres=2)
    with pytest.raises(TypeError, match="by position and by name"):
        make_car("herbie", make_engine(2), name="twice")


def test_capabilities_come_with_their_place_each_thing_once():
    report = validate_component(park(car(), car("b", engine=engine(key="env:PETROL_KEY"))))
    assert [(item.kind, item.where) for item in report.capabilities] == [
        ("host", "/config/vehicles/0/config/engine"),
        ("secret", "/config/vehicles/1/config/engine"),
    ]


def test_a_key_in_the_open_is_never_written_back(monkeypatch: pytest.MonkeyPatch):
    loaded = load_component(engine(key="sk-hidden"), PetrolEngine)
    monkeypatch.delenv("PETROL_KEY", raising=False)
    assert loaded.key is not None
    assert loaded.key.resolve() == "sk-hidden"
    assert "sk-hidden" not in json.dumps(loaded.dump_component()) + repr(loaded)
    assert cast("dict[str, JsonValue]", loaded.dump_component()["config"])["key"] == "env:PETROL_KEY"
    assert validate_component(engine(key="sk-hidden")).warnings[0].code == "secret_in_clear"


def test_the_mask_of_autogen_becomes_an_unresolved_reference():
    loaded = load_component(engine(key="**********"), PetrolEngine)
    assert loaded.key is not None
    assert loaded.key.reference == "env:PETROL_KEY"
    assert loaded.key.literal is None


def test_keys_are_taken_out_of_a_document_before_it_is_stored():
    document, found = extract_secrets(park(car(engine=engine(key="sk-hidden"))))
    assert [secret.value for secret in found] == ["sk-hidden"]
    assert "sk-hidden" not in json.dumps(document)
    assert validate_component(document).warnings == ()


names = st.text(min_size=1).filter(lambda text: text != "rude")
engines = st.builds(PetrolEngine, litres=st.floats(0.1, 100))
cars = st.builds(
    Car, name=names, engine=engines, spare_engines=st.lists(engines, max_size=2), owner=st.none() | st.text()
)
parks = st.recursive(
    st.builds(CarPark, vehicles=st.lists(cars, max_size=3)),
    lambda inner: st.builds(CarPark, vehicles=st.lists(cars | inner, max_size=3)),
    max_leaves=5,
)


@pytest.mark.slow
@given(parks)
def test_dump_then_load_gives_an_equal_component(fleet: CarPark):
    assert Component.load_component(fleet.dump_component()) == fleet
    assert Component.load_component(json.loads(json.dumps(fleet.dump_component()))) == fleet


def test_the_summary_of_an_earlier_version_is_no_description_of_the_author():
    stored = MaxMessageTermination(max_messages=3).dump_component()
    stored["description"] = "Stop after a number of messages, the task included."
    assert load_component(stored).dump_component()["description"] == MaxMessageTermination.summary()
    written: JsonValue = {**stored, "description": "Stop early."}
    assert load_component(written).dump_component()["description"] == "Stop early."
