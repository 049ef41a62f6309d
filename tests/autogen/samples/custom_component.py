"""Components of one's own with a config schema: a base, two implementations, and what may go wrong."""

import json
from abc import abstractmethod

from autogen_core import Component, ComponentBase, ComponentLoader, ComponentModel, is_component_class
from pydantic import BaseModel


class ShapeConfig(BaseModel):
    size: int
    colour: str | None = None


class Shape(ComponentBase[BaseModel]):
    component_type = "shape"

    @abstractmethod
    def area(self): ...


class Square(Shape, Component[ShapeConfig]):
    """A square.

    With equal sides.
    """

    component_config_schema = ShapeConfig
    component_version = 2

    def __init__(self, size, colour=None):
        self.size, self.colour = size, colour

    def area(self):
        return self.size**2

    def _to_config(self):
        return ShapeConfig(size=self.size, colour=self.colour)

    @classmethod
    def _from_config(cls, config):
        return cls(config.size, config.colour)

    @classmethod
    def _from_config_past_version(cls, config, version):
        return cls(config["side"], f"of version {version}")


class Stack(Shape, Component[BaseModel]):
    """Holds another component."""

    class Config(BaseModel):
        inner: ComponentModel
        count: int

    component_config_schema = Config

    def __init__(self, inner, count):
        self.inner, self.count = inner, count

    def area(self):
        return self.count * self.inner.area()

    def _to_config(self):
        return Stack.Config(inner=self.inner.dump_component(), count=self.count)

    @classmethod
    def _from_config(cls, config):
        return cls(Shape.load_component(config.inner), config.count)


stack = Stack(Square(3, "red"), 2)
dumped = stack.dump_component()
print(json.dumps(dumped.model_dump(), sort_keys=True))
again = ComponentLoader.load_component(ComponentModel.model_validate_json(dumped.model_dump_json()), Shape)
assert again.area() == stack.area() == 18 and again.inner.colour == "red"
old = Square.load_component({"provider": "__main__.Square", "component_version": 1, "config": {"side": 5}})
print(old.size, old.colour, is_component_class(Square), is_component_class(int))
for wrong in ({"provider": "__main__.Square", "config": {"size": 1}}, {"provider": "__main__.Square", "config": {}}):
    try:
        Stack.load_component(wrong)
    except (TypeError, ValueError) as error:
        print("refused:", isinstance(error, ValueError))
    else:
        raise AssertionError("It must not load.")
