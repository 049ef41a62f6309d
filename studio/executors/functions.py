"""Functions that an executor offers to the code it runs, kept as source and put into a module beside the code."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import Template
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from studio.components.python_text import parsed
from studio.executors.imports import Import, import_statements

PROMPT = """These functions are in the module `$module_name`; import them from there, as in
`from $module_name import a_function`:

$functions"""


def _function_in(source: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The one function of a source, which is parsed and not run."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"Could not compile function: {error}") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if len(functions) != 1:
        raise ValueError("The string must contain exactly one function")
    return functions[0]


def _has_one_function(source: str) -> str:
    _function_in(source)
    return source


class CodeFunction(BaseModel):
    """A function, with what it needs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_code: Annotated[
        str,
        AfterValidator(_has_one_function),
        Field(
            description="Python source of the function.",
            json_schema_extra={"x-language": "python", "x-multiline": True},
        ),
    ]
    python_packages: Annotated[
        list[
            Annotated[str, Field(pattern="^[A-Za-z0-9]", description="Packages that pip installs if they are missing.")]
        ],
        Field(description="Packages that pip installs if they are missing."),
    ] = Field(default_factory=list[str], description="Packages that pip installs if they are missing.")
    global_imports: Annotated[
        list[Import], Field(description="Modules that the source uses without importing them.")
    ] = Field(default_factory=list[Import], description="Modules that the source uses without importing them.")

    @property
    def stub(self) -> str:
        """Signature and docstring."""
        function = _function_in(self.source_code)
        documented = ast.get_docstring(function) is not None
        body: list[ast.stmt] = [function.body[0]] if documented else []
        function.body = [*body, ast.Expr(ast.Constant(...))]
        function.decorator_list = []
        return ast.unparse(function)


@dataclass
class FunctionWithRequirementsStr:
    """A function that is given as text, with the packages and imports it needs."""

    func: str
    python_packages: Sequence[str] = ()
    global_imports: Sequence[Import] = ()

    def __post_init__(self) -> None:
        _function_in(self.func)

    def __call__(self, *_args: object, **_data: object) -> None:
        raise NotImplementedError("A function that is given only as text cannot be called.")


class FunctionWithRequirements:
    """A function, with the packages and imports it needs; it can still be called."""

    __name__: str

    def __init__(
        self, func: Callable[..., Any], python_packages: Sequence[str] = (), global_imports: Sequence[Import] = ()
    ) -> None:
        self.func = func
        self.python_packages = python_packages
        self.global_imports = global_imports
        functools.update_wrapper(self, func)

    @classmethod
    def from_callable(
        cls, func: Callable[..., Any], python_packages: Sequence[str] = (), global_imports: Sequence[Import] = ()
    ) -> FunctionWithRequirements:
        """The same, under AutoGen's name."""
        return cls(func, python_packages, global_imports)

    @staticmethod
    def from_str(
        func: str, python_packages: Sequence[str] = (), global_imports: Sequence[Import] = ()
    ) -> FunctionWithRequirementsStr:
        """One that is given as text.

        Raises:
            ValueError: The text does not hold exactly one function.
        """
        return FunctionWithRequirementsStr(func, python_packages, global_imports)

    def __call__(self, *args: Any, **data: Any) -> Any:
        return self.func(*args, **data)


def with_requirements(
    python_packages: Sequence[str] = (), global_imports: Sequence[Import] = ()
) -> Callable[[Callable[..., Any]], FunctionWithRequirements]:
    """Decorate a function that an executor shall offer with the packages and imports it needs."""
    return lambda func: FunctionWithRequirements(func, python_packages, global_imports)


def as_code_function(given: object) -> object:
    """What a script gives as a function, as data.

    Raises:
        ValueError: Its source cannot be read.
    """
    if isinstance(given, FunctionWithRequirementsStr):
        return _made(given.func, given.python_packages, given.global_imports)
    if isinstance(given, FunctionWithRequirements):
        return _made(_source_of(given.func), given.python_packages, given.global_imports)
    return _made(_source_of(given), (), ()) if inspect.isfunction(given) else given


def _made(source: str, packages: Sequence[str], imports: Sequence[Import]) -> CodeFunction:
    return CodeFunction(source_code=source, python_packages=list(packages), global_imports=list(imports))


def _source_of(function: Callable[..., Any]) -> str:
    """The source of a live function, without the decorator of this module."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError) as error:
        raise ValueError(f"The source of {function!r} cannot be read; define it with `def` in a file.") from error
    lines = source.splitlines()
    for decorator in reversed(_function_in(source).decorator_list):
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called).rpartition(".")[2] == with_requirements.__name__:
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    return "\n".join(lines) + "\n"


def as_code_functions(given: object) -> object:
    """As `as_code_function`, for a sequence of them; an empty one is none."""
    if isinstance(given, list | tuple):
        return [as_code_function(item) for item in cast("Sequence[object]", given)] or None
    return given


def module_of(functions: Sequence[CodeFunction]) -> str:
    """The source of a module that holds all of them."""
    imports = dict.fromkeys(line for function in functions for line in _import_lines(function))
    return "\n".join([*imports, *(f"\n\n{function.source_code.strip()}" for function in functions)]) + "\n"


def _import_lines(function: CodeFunction) -> list[str]:
    return import_statements(function.global_imports).splitlines()


def packages_of(functions: Sequence[CodeFunction]) -> list[str]:
    """All packages that they need, each once."""
    return list(dict.fromkeys(package for function in functions for package in function.python_packages))


def prompt_of(functions: Sequence[CodeFunction], module: str, template: str) -> str:
    """The functions as a model is told them.

    Args:
        functions: Shown as stubs.
        module: The module's name, for `$module_name`.
        template: Also holds `$functions`.
    """
    stubs = "\n\n".join(function.stub for function in functions)
    return Template(template).substitute(module_name=module, functions=stubs)
