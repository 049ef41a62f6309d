"""Tools as AutoGen's scripts make and derive them."""

from __future__ import annotations

import asyncio
import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial
from typing import Annotated, Any, ClassVar, Protocol, cast, get_args, get_origin, get_type_hints, runtime_checkable

from pydantic import (
    BaseModel,
    Field,
    JsonValue,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
)
from pydantic.fields import FieldInfo

from studio import tools as ours
from studio.actors import log_events
from studio.autogen import logs
from studio.autogen.compat_base import Freed, mix_in
from studio.autogen.envelope import ComponentModel
from studio.components import JsonObject
from studio.messages import CancellationToken, ParametersSchema, ToolSchema
from studio.models import model_from_schema
from studio.models.schema_model import inlined
from studio.tools.base import ToolReturn, plain
from studio.tools.function_tool import source_of

_token: ContextVar[CancellationToken | None] = ContextVar("studio_autogen_token", default=None)
NOT_STRICT = (
    "Strict mode is enabled, but not all input arguments are marked as required. "
    "Default arguments are not allowed in strict mode."
)


@runtime_checkable
class Tool(Protocol):
    """Anything that behaves like a tool."""

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> ToolSchema: ...

    async def run_json(self, args: Mapping[str, Any], cancellation_token: CancellationToken) -> Any: ...


def _model_of_arguments(tool: Any) -> type[BaseModel]:
    return model_from_schema(tool.schema["parameters"], f"{tool.name}Args")


def _type_of_value(tool: Any) -> type[object]:
    del tool  # of most tools nothing is known
    return object


async def _run(tool: Any, args: BaseModel, cancellation_token: CancellationToken) -> Any:
    return await tool.run_json(args.model_dump(mode="json", exclude_unset=True), cancellation_token)


_OF_EVERY_TOOL: Mapping[str, Callable[..., Any]] = {
    "args_type": _model_of_arguments,
    "return_type": _type_of_value,
    "run": _run,
}
"""What AutoGen's tools have and ours lack, unless they have something of their own under the name."""


class FreedTool(Freed):
    """Tools of ours say their name and description, and give their values as they are."""

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "description"):
            return cast("dict[str, Any]", cast("ours.BaseTool", self).schema)[name]
        ask = _OF_EVERY_TOOL.get(name)
        return super().__getattr__(name) if ask is None else partial(ask, self)

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        returned = cast("ToolReturn", await cast("Any", super()).call(arguments, cancellation_token, call_id))
        if log_events.is_wanted() and not isinstance(self, ours.StreamTool):
            logs.log_tool(self.name, arguments, returned.text)
        return returned

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> Any:
        return (await self.call(args, cancellation_token, call_id)).value


class FreedStreamTool(FreedTool):
    """The value of one that tells what happens on the way is the last that it yields."""

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        items = cast("Any", super()).run_json_stream(args, cancellation_token, call_id)
        async with aclosing(_logged(cast("ours.StreamTool", self), args, items)) as logged:
            async for item in logged:
                yield item

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> Any:
        last: object = None
        async with aclosing(self.run_json_stream(args, cancellation_token, call_id)) as items:
            async for item in items:
                last = item
        return last


async def _logged(
    tool: ours.StreamTool, args: Mapping[str, object], items: AsyncGenerator[object, None]
) -> AsyncGenerator[object, None]:
    """What the tool yields; at the end it is noted with the last."""
    last: object = None
    async with aclosing(items):
        async for item in items:
            last = item
            yield item
    if log_events.is_wanted():
        logs.log_tool(tool.schema["name"], args, tool.return_value_as_string(last))


class BaseTool(Freed, ours.BaseTool, stands_for=ours.BaseTool):
    """A tool of a script: its `run` takes an instance of its arguments' model."""

    _args_type: Any = PrivateAttr()
    _return_type: Any = PrivateAttr()
    _name: str = PrivateAttr("")
    _description: str = PrivateAttr("")
    _strict: bool = PrivateAttr(False)

    def __init__(self, args_type: Any, return_type: Any, name: str, description: str, strict: bool = False) -> None:
        super().__init__()
        self._args_type, self._return_type = args_type, return_type
        self._name, self._description, self._strict = name, description, strict

    @property
    def name(self) -> str:
        return self._name

    @property
    def description(self) -> str:
        return self._description

    def args_type(self) -> Any:
        return self._args_type

    def return_type(self) -> Any:
        return self._return_type

    def state_type(self) -> type[BaseModel] | None:
        return None

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- as in the base class
        return {
            "name": self.name,
            "description": self.description,
            "parameters": parameters_of(self._args_type, strict=self._strict),
            "strict": self._strict,
        }

    @abstractmethod
    async def run(self, args: Any, cancellation_token: CancellationToken) -> Any:
        """Do the work."""

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> Any:
        """Check the arguments and do the work; the value is as `run` gives it."""
        del call_id
        value = await self.run(self._args_type.model_validate(args), cancellation_token or CancellationToken())
        if log_events.is_wanted():
            logs.log_tool(self.name, args, self.return_value_as_string(value))
        return value

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        reset = _token.set(cancellation_token)
        try:
            return await super().call(arguments, cancellation_token, call_id)
        finally:
            _token.reset(reset)

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        value = await self.run_json(arguments, _token.get() or CancellationToken())
        return ToolReturn(plain(value), self.return_value_as_string(value))


class BaseToolWithState(BaseTool):
    """A tool of a script that has a state."""

    _state_type: Any = PrivateAttr()

    def __init__(self, args_type: Any, return_type: Any, state_type: Any, name: str, description: str) -> None:
        super().__init__(args_type, return_type, name, description)
        self._state_type = state_type

    @abstractmethod
    def save_state(self) -> Any: ...

    @abstractmethod
    def load_state(self, state: Any) -> None: ...

    def state_type(self) -> type[BaseModel] | None:
        return self._state_type

    async def save_state_json(self) -> Mapping[str, JsonValue]:
        return self.save_state().model_dump(mode="json")

    async def load_state_json(self, state: Mapping[str, JsonValue]) -> None:
        self.load_state(self._state_type.model_validate(state))


class BaseStreamTool(BaseTool, ours.StreamTool):
    """A tool of a script that tells what happens on the way."""

    @abstractmethod
    def run_stream(self, args: Any, cancellation_token: CancellationToken) -> AsyncGenerator[Any, None]:
        """Yield what happens, and last the value."""

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        del call_id
        checked = self._args_type.model_validate(args)
        stream = self.run_stream(checked, cancellation_token or CancellationToken())
        async with aclosing(_logged(self, args, stream)) as items:
            async for item in items:
                yield item


class FunctionTool(BaseTool, stands_for=ours.FunctionTool):
    """Any callable of a script as a tool; its annotations may be any types that Pydantic knows."""

    writes_itself: ClassVar[bool] = True

    _function: Any = PrivateAttr()
    _imports: Any = PrivateAttr()

    def __init__(
        self,
        func: Callable[..., Any],
        description: str,
        name: str | None = None,
        global_imports: Sequence[Any] = (),
        strict: bool = False,
    ) -> None:
        named = name or getattr(func, "__name__", None) or getattr(getattr(func, "func", None), "__name__", "")
        arguments, returned = _signature_of(func, named)
        super().__init__(arguments, returned, named or type(func).__name__, description, strict)
        parameters_of(arguments, strict=strict)
        self._function, self._imports = func, list(global_imports)

    async def run(self, args: Any, cancellation_token: CancellationToken) -> Any:
        chosen = cast("BaseModel", args)
        given = {name: getattr(chosen, name) for name in type(chosen).model_fields if name in chosen.model_fields_set}
        if _wants_token(self._function):
            given["cancellation_token"] = cancellation_token
        if inspect.iscoroutinefunction(inspect.unwrap(self._function)):
            return await self._function(**given)
        value = await asyncio.to_thread(self._function, **given)
        return await value if inspect.isawaitable(value) else value

    def _as_ours(self) -> ours.FunctionTool:
        return ours.FunctionTool(
            name=self.name,
            description=self.description,
            source_code=source_of(self._function),
            global_imports=self._imports,
            has_cancellation_support=_wants_token(self._function),
            strict=self._strict or None,
        )

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        del handler
        return dict(self._as_ours().dump_component())

    def dump_component(self) -> ComponentModel:
        return ComponentModel.model_validate(self._as_ours().dump_component())


class Workbench(Freed, ours.Workbench, stands_for=ours.Workbench):
    """A set of tools of a script."""


mix_in(ours.StreamTool, FreedStreamTool)
mix_in(ours.BaseTool, FreedTool)
StreamTool = BaseStreamTool


def parameters_of(model: type[BaseModel], *, strict: bool) -> ParametersSchema:
    """A model of arguments as a model client is told it.

    Raises:
        ValueError: Strict, but an argument may be left out.
    """
    schema = inlined(cast("JsonObject", model.model_json_schema()))
    properties = cast("JsonObject", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    if strict and set(required) != set(properties):
        raise ValueError(NOT_STRICT)
    more = bool(schema.get("additionalProperties", False))
    if strict and more:
        raise ValueError("Strict mode is enabled but additional argument is also enabled.")
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": more}


def _wants_token(function: Callable[..., Any]) -> bool:
    return "cancellation_token" in inspect.signature(function).parameters


def _signature_of(function: Callable[..., Any], name: str) -> tuple[type[BaseModel], Any]:
    hints = hints_of(function)
    fields = dict(_fields_of(function, hints))
    returned = hints.get("return")
    return create_model(f"{name}args", **fields), get_args(returned)[0] if get_origin(
        returned
    ) is Annotated else returned


def _fields_of(function: Callable[..., Any], hints: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "cancellation_token":
            continue
        if name not in hints:
            raise ValueError(f"No annotation for parameter {name!r} of the tool's function.")
        default = ... if parameter.default is parameter.empty else parameter.default
        annotation = hints[name]
        has_field = any(isinstance(item, FieldInfo) for item in getattr(annotation, "__metadata__", ()))
        text = next((item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, str)), None)
        info = Field(default=default) if has_field else Field(default=default, description=text or name)
        yield name, (annotation, info)


def hints_of(function: Any) -> dict[str, Any]:
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    called = function if inspect.isroutine(function) else type(function).__call__
    return get_type_hints(called, include_extras=True)
