"""A small family of components for the tests of the mechanism itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, JsonValue, field_validator

from studio.components import Capability, Component, DefaultEnv, JsonObject, SecretRef, Warn


class Engine(Component):
    component_type = "engine"


class Vehicle(Component):
    component_type = "vehicle"


class Fleet(Component):
    component_type = "fleet"


class PetrolEngine(Engine):
    """Burns petrol."""

    provider = "example.PetrolEngine"
    aliases = ("example.engines.PetrolEngine",)
    component_version = 2
    upgrades = {1: lambda old: {**{k: v for k, v in old.items() if k != "size"}, "litres": old["size"]}}
    litres: Annotated[float, Field(gt=0, examples=[1.6])]
    key: Annotated[SecretRef | None, DefaultEnv("PETROL_KEY")] = None

    def capabilities(self) -> Iterator[Capability]:
        yield from super().capabilities()
        yield Capability("host", "Contacts the petrol station.", "petrol.example:443")


class Car(Vehicle):
    """Drives on roads.

    More text that no form shows.
    """

    provider = "example.Car"
    positional = ("name", "engine")
    absent_in_json = {"motto": None}
    keep_null = frozenset({"owner"})
    name: Annotated[str, Field(examples=["car"])]
    engine: Engine
    spare_engines: list[Engine] = []
    owner: str | None = None
    motto: str | None = "Always onwards."

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        spares = config.get("spare_engines")
        if not isinstance(spares, dict):
            return config
        warn("`spare_engines` was one engine; it is now a list.", "/spare_engines")
        return {**config, "spare_engines": [spares]}

    @field_validator("name")
    @classmethod
    def _speaks_well(cls, name: str) -> str:
        if name == "rude":
            raise ValueError("The name must be polite.")
        return name


class CarPark(Fleet):
    """Holds vehicles, and other fleets."""

    provider = "example.CarPark"
    vehicles: list[Vehicle | Fleet] = []
    motto: str = "Room for all."


class OwnShed(Fleet):
    """One of the studio's own, so it refuses unknown fields."""

    provider = "studio.example.OwnShed"
    width_px: int = 3


def engine(**config: JsonValue) -> dict[str, JsonValue]:
    return {"provider": "example.PetrolEngine", "component_version": 2, "config": {"litres": 1.6, **config}}


def car(name: JsonValue = "herbie", **config: JsonValue) -> dict[str, JsonValue]:
    return {"provider": "example.Car", "config": {"name": name, "engine": engine(), **config}}


def park(*vehicles: JsonValue) -> dict[str, JsonValue]:
    return {"provider": "example.CarPark", "config": {"vehicles": list(vehicles)}}
