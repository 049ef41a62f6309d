"""Takes objects that only behave like a model client, a context, a workbench or a memory: stand-ins of a test, say."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isawaitable
from typing import Any, ClassVar, Self, cast

from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from studio.components import Component
from studio.contexts import ChatCompletionContext
from studio.memory import Memory
from studio.models import ChatCompletionClient
from studio.tools import Workbench

KINDS: dict[str, type[Component]] = {
    "model_client": ChatCompletionClient,
    "model_context": ChatCompletionContext,
    "workbench": Workbench,
    "memory": Memory,
}
"""By the name of a constructor's argument."""

_AT_THE_EDGES = ("close", "start", "stop", "reset")
"""Called by the engine of its own accord, so that a stand-in need not have them."""


def adopt(name: str, value: Any, *, is_needed: bool = False) -> Any:
    """The value of a constructor's argument, as a component if it is none.

    Args:
        name: Of the argument.
        value: What a script gives for it.
        is_needed: Whether None is taken for a component, too: one without attributes, so that using it fails.
    """
    if isinstance(value, list):
        return [adopt(name, item) for item in cast("list[Any]", value)]
    is_plain = isinstance(value, str | dict | Component) or (value is None and not is_needed)
    return cast("Any", value) if is_plain or name not in KINDS else _class_for(KINDS[name]).around(value)


def given(value: Any) -> Any:
    """What the script gave, where `adopt` put a component around it."""
    if isinstance(value, list):
        return [given(item) for item in cast("list[Any]", value)]
    return value.original if isinstance(value, _Foreign) else value


class _Foreign(Component):
    """A component around an object that is none."""

    writes_itself: ClassVar[bool] = True

    _foreign: Any = PrivateAttr()

    @property
    def original(self) -> Any:
        """What the script gave."""
        return self._foreign

    @classmethod
    def around(cls, foreign: Any) -> Self:
        made = cls.model_construct()
        made._foreign = foreign
        return made

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        del handler
        return self._foreign.dump_component().model_dump(mode="json", exclude_none=True)


@cache
def _class_for(base: type[Component]) -> type[_Foreign]:
    """A component of that kind that passes everything on."""
    passed = (name for name in dir(base) if not name.startswith("_") and name not in dir(_Foreign))
    members: dict[str, Any] = {"__module__": __name__, **{name: _passing_on(name) for name in passed}}
    if base is ChatCompletionClient:
        members["info"] = property(lambda self: self.original.model_info)
    make = cast("Callable[..., type[_Foreign]]", type(base))
    return make(f"Foreign{base.__name__}", (_Foreign, base), members)


def _passing_on(name: str) -> Any:
    if name not in _AT_THE_EDGES:
        return property(lambda self: getattr(self.original, name))

    async def at_the_edge(self: Any, *args: Any, **data: Any) -> Any:
        method = cast("Callable[..., Any] | None", getattr(self.original, name, None))
        result = method(*args, **data) if method is not None else None
        return await result if isawaitable(result) else result

    return at_the_edge
