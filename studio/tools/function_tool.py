"""A Python function as a tool."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError, model_validator

from studio.components import Capability, JsonObject, secret_source
from studio.errors import ConfigError, ToolFailed
from studio.executors.imports import Alias, Import, ImportFromModule, import_statements
from studio.messages import CancellationToken, ToolSchema
from studio.messages.llm import ParametersSchema
from studio.sandbox import TIMEOUT_S, Limits
from studio.sandbox.worker import ContextVariables, fitting
from studio.tools.base import BaseTool, ToolReturn, plain, text_of
from studio.tools.reporter import context_variables, emit
from studio.tools.variables import apply_changes

if TYPE_CHECKING:
    from studio.tools.signature import Signature


def _defines_function(source: str) -> str:
    _signature_of(source)
    return source


def _signature_of(source: str, imports: Sequence[Import] = ()) -> Signature:
    from studio.tools.signature import read_signature  # an agent that has no function reads none

    return read_signature(source, _imported_names(imports))


class FunctionTool(BaseTool):
    """Calls a Python function in a separate process.

    The function gets the imports in `global_imports`, the environment variables that its source names, and an empty
    folder. In a script, a tool made from a live function calls that function directly.
    """

    provider = "autogen_core.tools.FunctionTool"
    keywords = "code script custom"
    aliases = (
        "autogen_core.tools._function_tool.FunctionTool",
        "autogen_agentchat.base._handoff.FunctionTool",
        "autogen_agentchat.agents._assistant_agent.FunctionTool",
        "autogen_ext.agents.azure._azure_ai_agent.FunctionTool",
        "autogen_ext.agents.openai._openai_assistant_agent.FunctionTool",
        "autogenstudio.gallery.tools.bing_search.FunctionTool",
        "autogenstudio.gallery.tools.calculator.FunctionTool",
        "autogenstudio.gallery.tools.fetch_webpage.FunctionTool",
        "autogenstudio.gallery.tools.generate_image.FunctionTool",
        "autogenstudio.gallery.tools.google_search.FunctionTool",
        "studio.tools.FunctionTool",
    )
    positional = ("func", "description", "name", "global_imports", "strict")
    needs_jail = True

    name: Annotated[str, Field(min_length=1, description="Name of the tool, as the model sees it.", examples=["add"])]
    description: Annotated[
        str,
        Field(
            description="Tells the model what the tool does.",
            examples=["Add two numbers."],
            json_schema_extra={"x-multiline": True},
        ),
    ]
    source_code: Annotated[
        str,
        AfterValidator(_defines_function),
        Field(
            description="A Python function with type hints. The model fills in its parameters.",
            examples=['def add(a: float, b: float) -> float:\n    """Add two numbers."""\n    return a + b\n'],
            json_schema_extra={"x-language": "python", "x-multiline": True},
        ),
    ]
    global_imports: Annotated[
        list[Import],
        Field(
            description="Modules that the source uses without importing them.", json_schema_extra={"x-advanced": True}
        ),
    ] = Field(default_factory=list[Import], description="Modules that the source uses without importing them.")
    has_cancellation_support: Annotated[
        bool,
        Field(
            description="The function takes a cancellation token. Canceling ends its process either way.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = False
    strict: Annotated[
        bool | None,
        Field(
            description="The model service checks the arguments. Parameters must not have defaults.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    timeout_s: Annotated[
        float | None,
        Field(
            gt=0,
            description=f"For one call, in seconds. Empty: {TIMEOUT_S:g}.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None

    _signature: Signature | None = PrivateAttr(default=None)
    _live: Callable[..., Any] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, **data: Any) -> None:
        super().__init__(*args, **data)
        function = args[0] if args else data.get("func")
        self._live = function if callable(function) else None

    @classmethod
    def _name_arguments(cls, args: Sequence[Any], data: dict[str, Any]) -> dict[str, Any]:
        named = super()._name_arguments(args, data)
        function = named.pop("func", None)
        if not callable(function):
            return named
        source = source_of(function)
        named.setdefault("name", function.__name__)
        named["name"] = named["name"] or function.__name__
        named["strict"] = named.get("strict") or None
        has_token = "cancellation_token" in inspect.signature(function).parameters
        return {**named, "source_code": source, "has_cancellation_support": has_token}

    @model_validator(mode="after")
    def _read_source(self) -> Self:
        self._signature = _signature_of(self.source_code, self.global_imports)
        parameters = self._signature.parameters
        if self.strict and set(cast("list[str]", parameters["required"])) != set(
            cast("JsonObject", parameters["properties"])
        ):
            raise ValueError(
                "Strict mode is enabled, but not all input arguments are marked as required. "
                "Default arguments are not allowed in strict mode."
            )
        return self

    @property
    def signature(self) -> Signature:
        """What the source says about the function."""
        assert self._signature is not None, "validation reads it"
        return self._signature

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self.name,
            description=self.description,
            parameters=cast("ParametersSchema", self.signature.parameters),
            strict=bool(self.strict),
        )

    @property
    def reads_variables(self) -> bool:
        return bool(self.signature.variables_as)

    def capabilities(self) -> Iterator[Capability]:
        program = f"{import_statements(self.global_imports)}{self.source_code}"
        yield Capability("python", f"Runs the Python function of the tool {self.name!r}.", program)
        short = hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest()
        for name in self.signature.environment:
            text = f"Gives the secret env:{name} to the tool {self.name!r}."
            yield Capability("secret", text, f"env:{name} to the Python source {short}")

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        checked, names = self._checked(arguments), self.signature.variables_as
        variables = context_variables() if names else ContextVariables()
        if self._live is not None:
            given = {**fitting(self._live, checked), **dict.fromkeys(names, variables)}
            value = await _call_live(self._live, given, has_token=self.signature.wants_token)
            return ToolReturn(plain(value), text_of(value))
        from studio.sandbox import current_jail, run_function  # not needed before a tool is called
        from studio.sandbox.grants import granted_hosts

        hosts = granted_hosts(self.capabilities())
        reply = await run_function(
            imports=import_statements(self.global_imports),
            source=self.source_code,
            function=self.signature.function,
            arguments=checked,
            wants_token=self.signature.wants_token,
            variables=dict(variables),
            variables_as=names,
            environment=self._environment(),
            hosts=hosts,
            limits=Limits(self.timeout_s or TIMEOUT_S),
        )
        for event in cast("list[JsonObject]", reply.get("events") or []):
            emit(str(event["name"]), event["content"])
        if "error" in reply:
            raise ToolFailed(_why(reply, has_network=bool(hosts) or not current_jail.get().is_confining))
        apply_changes(variables, cast("JsonObject", reply.get("variables") or {}))
        return ToolReturn(reply["value"], str(reply["text"]))

    def _checked(self, arguments: JsonObject) -> JsonObject:
        """The arguments as their annotations want them; those left out stay out, so the function's defaults hold."""
        try:
            model = self.signature.arguments.model_validate(arguments)
        except ValidationError as error:
            raise ToolFailed(str(error)) from error
        return model.model_dump(mode="json", exclude_unset=True)

    def taken(self, arguments: JsonObject) -> JsonObject:
        with suppress(ToolFailed):  # then it is not called
            arguments = self._checked(arguments)
        return super().taken(arguments)

    def _environment(self) -> dict[str, str]:
        source = secret_source.get()
        found = {name: source(f"env:{name}") for name in self.signature.environment}
        return {name: value for name, value in found.items() if value}


def _why(reply: JsonObject, *, has_network: bool) -> str:
    """What the function said, and what the studio knows of it."""
    error = str(reply["error"])
    match reply.get("cause"):
        case "network" if not has_network:
            from studio.sandbox.grants import NO_NETWORK

            return f"{NO_NETWORK} The function failed with: {error}"
        case "module":
            module, python = reply["module"], reply["python"]
            return (
                f"{error}. Tools run in the studio's Python, {python}. If the package is called like the module, "
                f"install it with: {python} -m pip install {module}"
            )
        case _:
            return error


def _imported_names(imports: Sequence[Import]) -> tuple[tuple[str, str], ...]:
    aliases = [item for item in imports if isinstance(item, Alias)]
    for item in imports:
        if isinstance(item, ImportFromModule):
            aliases += [name for name in item.imports if isinstance(name, Alias)]
    return tuple((alias.alias, alias.name) for alias in aliases)


def source_of(function: Callable[..., Any]) -> str:
    """The source of a live function.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError) as error:
        raise ConfigError(
            f"The source of {function!r} cannot be read, so it cannot become a tool.",
            fix="Define the function with `def` in a file.",
        ) from error


async def _call_live(function: Callable[..., Any], given: dict[str, Any], *, has_token: bool) -> object:
    """Call a function of the running script; one that is not async gets a thread."""
    if has_token:
        given["cancellation_token"] = CancellationToken()
    if inspect.iscoroutinefunction(function):
        return await function(**given)
    value = await asyncio.to_thread(function, **given)
    return await value if inspect.isawaitable(value) else value
