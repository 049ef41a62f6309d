"""How components give advice about themselves, and how it reaches whoever checks a document."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from pydantic import JsonValue, field_validator

from studio.components import Advice, advice_kinds, component_classes, validate_component
from studio.components.advice import MAX_OF_ONE
from studio.errors import Finding, Fix
from tests.components.examples import Fleet, Vehicle, car, park

SLOW = Advice("example_slow", "A tractor is on the road.")
CROWDED = Advice("example_crowded", "A convoy holds too many vehicles.")


class Tractor(Vehicle):
    """Is slow."""

    provider = "example.Tractor"
    name: str = "tractor"
    complaints: int = 1

    def advice(self) -> Iterator[Finding]:
        for _ in range(self.complaints):
            yield SLOW("It is slow.", "Buy a car.", "/config/name", [Fix("Call it a car", "/config/name", "car")])


class Grumbler(Vehicle):
    """Cannot even give advice."""

    provider = "example.Grumbler"

    def advice(self) -> Iterator[Finding]:
        raise RuntimeError("not foreseen")


class Convoy(Fleet):
    """Gives advice about what is inside."""

    provider = "example.Convoy"
    vehicles: list[Vehicle] = []

    def advice(self) -> Iterator[Finding]:
        if len(self.vehicles) > 1:
            yield CROWDED("Too many.", where="/config/vehicles")


class Garage(Fleet):
    """Takes two."""

    provider = "example.Garage"
    vehicles: list[Vehicle] = []

    @field_validator("vehicles")
    @classmethod
    def _fit(cls, vehicles: list[Vehicle]) -> list[Vehicle]:
        if len(vehicles) > 2:
            raise ValueError("Only two fit.")
        return vehicles


def tractor(**config: JsonValue) -> dict[str, JsonValue]:
    return {"provider": "example.Tractor", "config": config}


def convoy(*vehicles: JsonValue) -> dict[str, JsonValue]:
    return {"provider": "example.Convoy", "config": {"vehicles": list(vehicles)}}


def advice_in(document: JsonValue) -> list[tuple[str, str]]:
    return [(finding.code, finding.where) for finding in validate_component(document).warnings]


def test_advice_comes_with_its_place_in_the_document():
    assert advice_in(park(car(), tractor())) == [("example_slow", "/config/vehicles/1/config/name")]


def test_the_places_that_a_remedy_writes_are_those_of_the_document():
    report = validate_component(park(tractor()))
    where = "/config/vehicles/0/config/name"
    assert [fix for finding in report.warnings for fix in finding.fixes] == [Fix("Call it a car", where, "car")]
    assert json.loads(json.dumps(report.as_json()))["warnings"][0]["fixes"] == [
        {"label": "Call it a car", "pointer": where, "value": "car"}
    ]


def test_advice_is_no_error():
    report = validate_component(tractor())
    assert report.ok
    assert report.is_runnable


def test_a_component_with_nothing_to_say_says_nothing():
    assert advice_in(car()) == []


def test_an_error_in_one_part_leaves_the_advice_of_all_others():
    document = convoy(tractor(), car(name="rude"))
    report = validate_component(document)
    assert [finding.where for finding in report.errors] == ["/config/vehicles/1/config/name"]
    assert advice_in(document) == [
        ("example_crowded", "/config/vehicles"),
        ("example_slow", "/config/vehicles/0/config/name"),
    ]


def test_what_is_inside_a_wrong_part_still_gives_advice():
    wrong: JsonValue = {"provider": "example.CarPark", "config": {"motto": 3, "vehicles": [tractor()]}}
    assert advice_in(park(wrong)) == [("example_slow", "/config/vehicles/0/config/vehicles/0/config/name")]


def test_a_wrong_root_leaves_the_advice_of_what_it_holds():
    wrong: JsonValue = {"provider": "example.CarPark", "config": {"motto": 3, "vehicles": [convoy(tractor())]}}
    assert advice_in(wrong) == [("example_slow", "/config/vehicles/0/config/vehicles/0/config/name")]


def test_a_mistake_that_another_hid_leaves_the_rest_its_advice():
    """The vehicles are only counted once each of them is sound."""
    document: JsonValue = {"provider": "example.Garage", "config": {"vehicles": [tractor(), car(name="rude"), car()]}}
    assert advice_in(document) == [("example_slow", "/config/vehicles/0/config/name")]


def test_the_capabilities_of_sound_parts_are_known_beside_an_error():
    report = validate_component(park(car(), car(name="rude")))
    assert [(item.kind, item.where) for item in report.capabilities] == [("host", "/config/vehicles/0/config/engine")]


def test_nothing_is_asked_of_a_part_that_nobody_knows():
    assert advice_in(park({"provider": "acme.Tractor", "config": {}})) == [
        ("unknown_provider", "/config/vehicles/0/provider")
    ]


def test_advice_that_cannot_be_given_is_left_out(caplog: pytest.LogCaptureFixture):
    report = validate_component(park({"provider": "example.Grumbler", "config": {}}, tractor()))
    assert report.ok
    assert [finding.code for finding in report.warnings] == ["example_slow"]
    assert "Grumbler" in caplog.text


def test_one_component_cannot_drown_the_others():
    assert len(advice_in(tractor(complaints=10_000))) == MAX_OF_ONE


def test_every_kind_of_advice_has_a_code_of_its_own_and_a_sentence():
    component_classes()
    assert all(code == kind.code and kind.meaning.endswith(".") for code, kind in advice_kinds.items())
    with pytest.raises(ValueError, match="Two kinds"):
        Advice("example_slow", "Again.")
