"""Documents that nobody writes by hand end in findings, soon and in little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, JsonValue

from studio.components import (
    Component,
    DefaultEnv,
    SecretRef,
    Warn,
    envelopes,
    load_component,
    parse_document,
    validate_component,
    walk,
)
from studio.errors import MAX_FINDINGS, InvalidComponent, InvalidDocument
from tests.components.examples import Car, CarPark, Fleet, car, engine, park


class Tank(BaseModel):
    """What a trailer carries."""

    key: Annotated[SecretRef | None, DefaultEnv("TANK_KEY")] = None
    fleet: Fleet | None = None


class Trailer(Component):
    """Carries tanks."""

    provider = "example.Trailer"
    component_type = "vehicle"
    tanks: Annotated[dict[str, Tank], Field(examples=[{}])] = {}

    @classmethod
    def coerce(cls, config: dict[str, JsonValue], warn: Warn) -> dict[str, JsonValue]:
        del warn
        if config.get("tanks") == "explode":
            raise RuntimeError("the rules did not foresee this")
        return config


class Loner(Component):
    """Has a child that cannot be asked what it needs."""

    provider = "example.Loner"
    is_odd: bool = False

    def children(self) -> Iterator[tuple[str, Component]]:
        if self.is_odd:
            raise RuntimeError("nobody foresaw this")
        yield from super().children()


def test_a_long_key_above_many_values_costs_no_memory():
    text = '{"' + "k" * 30_000 + '":[' + ",".join("0" * 15_000) + "]}"
    tracemalloc.start()
    try:
        with pytest.raises(InvalidDocument, match="more than 2000 characters"):
            parse_document(text)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_many_short_keys_on_the_way_are_refused_as_well():
    value: JsonValue = 1
    for _ in range(150):
        value = {"k" * 50: value}
    with pytest.raises(InvalidDocument, match="more than 2000 characters"):
        load_component(value)


def test_the_place_of_what_is_not_json_is_told():
    with pytest.raises(InvalidDocument) as caught:
        load_component({"provider": "x", "config": {"a/b": [1, {"c~": float("inf")}]}})
    assert caught.value.where == "/config/a~1b/1/c~0"


@pytest.mark.parametrize("version", [-1, -(2**70), "2", 1.5, [1]])
def test_a_version_that_is_none_is_a_finding(version: JsonValue):
    report = validate_component(park({**car(), "component_version": version}))
    assert [(finding.code, finding.where) for finding in report.errors] == [("bad_version", "/config/vehicles/0")]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"provider": "example.Trailer", "config": {"tanks": "explode"}}, "the rules did not foresee this"),
        ({"provider": "example.PetrolEngine", "component_version": 1, "config": {}}, "KeyError"),
    ],
)
def test_what_no_rule_foresaw_is_a_finding(document: JsonValue, said: str):
    report = validate_component(document)
    assert [finding.code for finding in report.errors] == ["unexpected"]
    assert said in report.errors[0].message
    with pytest.raises(InvalidComponent):
        load_component(document)


def test_validating_never_raises():
    report = validate_component({"provider": "example.Loner", "config": {"is_odd": True}})
    assert [finding.code for finding in report.errors] == ["unexpected"]


@pytest.mark.slow
def test_thousands_of_mistakes_are_told_in_part_and_every_part_is_marked():
    report = validate_component(park(*[car(name="rude") for _ in range(3000)]))
    assert len(report.errors) == MAX_FINDINGS + 1
    assert report.errors[-1].code == "more_findings"
    assert sum(part.status == "wrong" for part in report.parts) == 3000


def test_the_json_of_an_error_lists_as_many():
    with pytest.raises(InvalidComponent) as caught:
        load_component(park(*[car(name="rude") for _ in range(300)]))
    listed = caught.value.as_json()["findings"]
    assert isinstance(listed, list)
    assert len(listed) == MAX_FINDINGS + 1  # pyright: ignore[reportUnknownArgumentType] -- JSON


def test_more_components_than_anybody_has_are_refused():
    many: JsonValue = [{"provider": "x"} for _ in range(20_001)]
    report = validate_component({"provider": "x", "config": {"all": many}})
    assert "more than 20000 components" in report.errors[0].message


def test_pointers_of_warnings_are_escaped():
    warnings = validate_component(car(**{"a/b~": 1})).warnings
    assert [finding.where for finding in warnings] == ["/config/a~1b~0"]


def test_secrets_and_components_are_found_inside_plain_objects():
    document: JsonValue = {
        "provider": "example.Trailer",
        "config": {"tanks": {"a/b": {"key": "env:TANK_KEY", "fleet": park(car(engine=engine()))}}},
    }
    loaded = load_component(document)
    assert [capability.detail for capability in loaded.capabilities()] == ["env:TANK_KEY"]
    inside = {where: type(part) for where, part in walk(loaded)}
    assert inside["/config/tanks/a~1b/fleet"] is CarPark
    assert inside["/config/tanks/a~1b/fleet/config/vehicles/0"] is Car
    assert set(inside) == {where for where, _ in envelopes(document)}
