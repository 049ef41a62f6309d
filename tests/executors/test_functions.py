"""Functions that code may import, in the executor's own process."""

from __future__ import annotations

import pytest

from studio.components import JsonObject, all_capabilities, load_component
from studio.executors import (
    Alias,
    CodeFunction,
    DockerCommandLineCodeExecutor,
    FunctionsUnusable,
    FunctionWithRequirements,
    ImportFromModule,
    LocalCommandLineCodeExecutor,
    with_requirements,
)
from studio.messages import CodeBlock, CodeResult


def add_two(a: int, b: int) -> int:
    """Add two numbers together."""
    return a + b


@with_requirements(
    python_packages=["pydantic"], global_imports=["math", ImportFromModule("json", [Alias("dumps", "d")])]
)
def area(radius: float) -> str:
    return d(math.floor(math.pi * radius**2))  # pyright: ignore  # noqa: F821


@with_requirements(global_imports=["not_a_real_package"])
def lost() -> None:
    """Cannot be loaded."""


async def run(executor: LocalCommandLineCodeExecutor, code: str) -> CodeResult:
    async with executor:
        return await executor.execute_code_blocks([CodeBlock(language="python", code=code)])


@pytest.mark.slow
async def test_code_imports_a_function_from_the_module() -> None:
    executor = LocalCommandLineCodeExecutor(functions=[add_two], functions_module="sums")
    result = await run(executor, "from sums import add_two\nprint(add_two(1, 2))")
    assert (result.exit_code, result.output) == (0, "3\n")


@pytest.mark.slow
async def test_a_function_has_its_packages_and_imports() -> None:
    result = await run(LocalCommandLineCodeExecutor(functions=[area]), "from functions import area\nprint(area(2))")
    assert (result.exit_code, result.output) == (0, "12\n")
    assert area.__name__ == "area"


@pytest.mark.slow
async def test_a_function_that_is_only_text() -> None:
    text = FunctionWithRequirements.from_str("def twice(a: str) -> str:\n    return a * 2\n")
    result = await run(LocalCommandLineCodeExecutor(functions=[text]), "from functions import *\nprint(twice('x'))")
    assert result.output == "xx\n"


@pytest.mark.slow
async def test_functions_go_with_the_executor_into_json_and_back() -> None:
    document = LocalCommandLineCodeExecutor(functions=[add_two]).dump_component()
    loaded = load_component(document, LocalCommandLineCodeExecutor)
    assert loaded.dump_component() == document
    assert (await run(loaded, "from functions import add_two\nprint(add_two(3, 4))")).output == "7\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lost, "not_a_real_package"),
        (CodeFunction(source_code="def f(): ...", python_packages=["pydantic==not a version"]), "Pip install failed"),
    ],
)
async def test_functions_that_cannot_be_loaded_are_an_error(function: object, message: str) -> None:
    with pytest.raises(FunctionsUnusable, match=message):
        await run(LocalCommandLineCodeExecutor(functions=[function]), "print('never')")


def test_a_model_is_told_signature_and_docstring() -> None:
    executor = LocalCommandLineCodeExecutor(functions=[add_two, area], functions_module="sums")
    told = executor.format_functions_for_prompt()
    assert 'def add_two(a: int, b: int) -> int:\n    """Add two numbers together."""\n    ...' in told
    assert "def area(radius: float) -> str:\n    ..." in told
    assert "from sums import" in told
    assert executor.format_functions_for_prompt("In $module_name.") == "In sums."


def test_functions_and_packages_are_shown_before_they_run() -> None:
    function = CodeFunction(source_code="def one() -> int:\n    return 1\n", python_packages=["numpy"])
    found = {item.kind: item for item in all_capabilities(LocalCommandLineCodeExecutor(functions=[function]))}
    assert "def one() -> int:" in found["python"].detail
    details = [item.detail for item in all_capabilities(DockerCommandLineCodeExecutor(functions=[function]))]
    assert "pip install numpy" in details


@pytest.mark.parametrize("source", ["invaliddef f(): ...", "x = 1", "def f(): ...\ndef g(): ..."])
def test_what_is_not_one_function_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"function"):
        FunctionWithRequirements.from_str(source)
    document: JsonObject = {
        "provider": LocalCommandLineCodeExecutor.provider,
        "config": {"functions": [{"source_code": source}]},
    }
    with pytest.raises(Exception, match="function"):
        load_component(document)


def test_an_option_is_no_package() -> None:
    with pytest.raises(ValueError, match="python_packages"):
        CodeFunction(source_code="def f(): ...", python_packages=["--index-url=http://evil"])


@pytest.mark.parametrize("source", ["def f():\n    return f'" + "{x}" * 100_000 + "'", "def f(): ...\n\0"])
def test_a_function_that_would_cost_too_much_or_is_no_text_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="Could not compile function"):
        CodeFunction(source_code=source)


def test_an_odd_escape_in_a_function_is_taken() -> None:
    assert CodeFunction(source_code="def f():\n    return '\\d'").stub.startswith("def f")
