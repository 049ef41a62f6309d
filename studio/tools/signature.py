"""Reads a function's signature from its source. The source is parsed, never executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from studio.components import JsonObject
from studio.components.python_text import THIS_PYTHON, CostlyPython, parsed, require_cheap
from studio.models.schema_model import is_field_name, parameters_of
from studio.tools.annotations import Names, default_of, names_in

CANCELLATION_TOKEN = "cancellation_token"
KEPT_SOURCE = 50_000
"""Characters up to which a source is remembered once it was read."""
KEPT_SOURCES = 1024
"""More than the tools of a large team: with fewer, each check of it would read all of them again."""


@dataclass(frozen=True)
class Signature:
    """What a tool's source says about its function.

    Args:
        function: The function's name.
        arguments: Model of the arguments, as AutoGen makes one of a live function.
        wants_token: Whether it takes a cancellation token.
        variables_as: Parameters that are annotated `ContextVariables`; the model never sees them.
        docstring: Its documentation.
        environment: Environment variables that the source names.
        parameters: JSON schema of the arguments, definitions inlined; not to be changed.
    """

    function: str
    arguments: type[BaseModel] = field(compare=False)
    wants_token: bool
    variables_as: tuple[str, ...]
    docstring: str
    environment: tuple[str, ...]
    parameters: JsonObject = field(compare=False)


def read_signature(source: str, imported: tuple[tuple[str, str], ...] = ()) -> Signature:
    """Read the first function of a tool's source; the same source is read once.

    Args:
        source: Python source; helper functions and classes may stand beside the function.
        imported: Local and original name of what the tool imports besides, where they differ.

    Raises:
        ValueError: The source does not parse, defines no function, or one that no schema can be made of.
    """
    is_kept = len(source) <= KEPT_SOURCE
    if is_kept:  # before it is looked up, so that a document gets the same answer each time
        require_cheap(source, is_kept=True)
    try:
        return (_read_once if is_kept else _read)(source, imported)
    except ValueError:
        raise
    except Exception as error:  # Pydantic, which makes the schema, fails in many ways on odd annotations
        raise ValueError(f"The function's parameters cannot be read: {type(error).__name__}: {error}"[:300]) from error


def _read(source: str, imported: tuple[tuple[str, str], ...]) -> Signature:
    tree = _parse(source)
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    if function is None:
        raise ValueError("The source defines no function. Write `def name(...):`.")
    names = names_in(tree, dict(imported))
    arguments = _arguments_model(function, names)
    return Signature(
        function=function.name,
        arguments=arguments,
        wants_token=any(argument.arg == CANCELLATION_TOKEN for argument in _named_arguments(function.args)),
        variables_as=tuple(
            argument.arg for argument in _named_arguments(function.args) if names.is_variables(argument)
        ),
        docstring=ast.get_docstring(function) or "",
        environment=tuple(dict.fromkeys(_environment_names(tree))),
        parameters=cast("JsonObject", parameters_of(cast("JsonObject", arguments.model_json_schema()))),
    )


_read_once = lru_cache(maxsize=KEPT_SOURCES)(_read)


def _parse(source: str) -> ast.Module:
    try:
        return parsed(source, is_kept=len(source) <= KEPT_SOURCE)
    except SyntaxError as error:
        raise ValueError(f"The source is not valid {THIS_PYTHON}: {error.msg} (line {error.lineno}).") from error
    except CostlyPython:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"The source is not valid {THIS_PYTHON}: {error or type(error).__name__}.") from error


def _named_arguments(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    plain = [*arguments.posonlyargs, *arguments.args]
    given = dict(zip((arg.arg for arg in reversed(plain)), reversed(arguments.defaults), strict=False))
    only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {**given, **{arg.arg: default for arg, default in only if default is not None}}


def _arguments_model(function: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> type[BaseModel]:
    defaults = _defaults(function.args)
    fields: dict[str, Any] = {}
    for index, argument in enumerate(_named_arguments(function.args)):
        if argument.arg == CANCELLATION_TOKEN or names.is_variables(argument):
            continue
        kind, description = names.parameter(argument)
        details: dict[str, Any] = {"description": description or argument.arg}
        if argument.arg in defaults:
            details.update(default_of(defaults[argument.arg]))
        usable = is_field_name(argument.arg)
        if not usable:
            details.update(alias=argument.arg, title=argument.arg.strip("_").replace("_", " ").title())
        fields[argument.arg if usable else f"field_{index}"] = (kind, Field(**details))
    config = ConfigDict(protected_namespaces=(), validate_by_alias=True, serialize_by_alias=True)
    return create_model(f"{function.name}args", __config__=config, **fields)


def _environment_names(tree: ast.Module) -> Iterator[str]:
    """Names in `os.environ["NAME"]`, `os.environ.get("NAME")` and `os.getenv("NAME")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _ends_with(node.value, "environ"):
            yield from _texts([node.slice])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            is_get = isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault")
            if _ends_with(node.func, "getenv") or (
                is_get and _ends_with(cast("ast.Attribute", node.func).value, "environ")
            ):
                yield from _texts(node.args[:1])


def _ends_with(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == name) or (isinstance(node, ast.Name) and node.id == name)


def _texts(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
