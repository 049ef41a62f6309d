"""Python functions as tools: loaded without being run, run outside this process."""

from __future__ import annotations

import os
import platform
from typing import Any

import pytest

from studio import effects
from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.effects import RecordingEffects
from studio.errors import ConfigError, ToolFailed
from studio.tools import Alias, FunctionTool, ImportFromModule

ADD: JsonObject = {
    "provider": "autogen_core.tools.FunctionTool",
    "component_type": "tool",
    "version": 1,
    "component_version": 1,
    "description": "Create custom tools by wrapping standard Python functions.",
    "label": "FunctionTool",
    "config": {
        "source_code": "def add(a: int, b: Annotated[int, 'second'] = 2) -> int:\n    return a + b\n",
        "name": "adder",
        "description": "Adds",
        "global_imports": [
            "math",
            {"module": "typing", "imports": ["Annotated", {"name": "List", "alias": "L"}]},
            {"name": "json", "alias": "j"},
        ],
        "has_cancellation_support": False,
    },
}


def tool(source: str, **config: Any) -> FunctionTool:
    given: dict[str, Any] = {"name": "f", "description": "d", "source_code": source, **config}
    return FunctionTool(**given)


def load_add() -> FunctionTool:
    return load_component(ADD, expected=FunctionTool)


def test_it_loads_and_dumps_unchanged() -> None:
    assert load_add().dump_component() == ADD
    assert load_add() == load_add()


async def test_it_runs_elsewhere_and_coerces_arguments() -> None:
    assert await load_add().run_json({"a": "40"}) == 42
    assert await tool("import os\ndef f(): return os.getpid()").run_json({}) != os.getpid()


MADE = """
import datetime
from enum import Enum
from typing import Any, Mapping, Optional, Sequence, Union
from pydantic import BaseModel

class Kind(Enum):
    A = "a"

class Part(BaseModel):
    x: int

def f(value: {annotation}):
    return repr(value)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("annotation", "given", "made"),
    [
        ("set[int]", [1, "1"], "{1}"),
        ("frozenset[str]", ["a"], "frozenset({'a'})"),
        ("tuple[int, ...]", [1, 2], "(1, 2)"),
        ("tuple[int, Part]", [1, {"x": 2}], "(1, Part(x=2))"),
        ("tuple", [1, 2], "(1, 2)"),
        ("list[Part]", [{"x": 1}], "[Part(x=1)]"),
        ("Sequence[Kind]", ["a"], "[<Kind.A: 'a'>]"),
        ("Optional[Part]", {"x": 1}, "Part(x=1)"),
        ("Optional[Part]", None, "None"),
        ("Part | str", "x", "'x'"),
        ("Union[Kind, int]", "a", "<Kind.A: 'a'>"),
        ("Union[int, list[Part]]", [{"x": 1}], "[Part(x=1)]"),
        ("dict[int, Part]", {"1": {"x": 2}}, "{1: Part(x=2)}"),
        ("Mapping[str, set[int]]", {"k": [1]}, "{'k': {1}}"),
        ("datetime.date | None", "2026-01-02", "datetime.date(2026, 1, 2)"),
        ("bytes", "hi", "b'hi'"),
        ("list[Any]", [[1]], "[[1]]"),
    ],
)
async def test_the_function_is_given_what_its_annotations_name(annotation: str, given: object, made: str) -> None:
    assert await tool(MADE.replace("{annotation}", annotation)).run_json({"value": given}) == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"b": 1}, r"1 validation error for addargs\na\n  Field required"), ({"a": "x"}, "valid integer")],
)
async def test_wrong_arguments_are_told_to_the_model(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ToolFailed, match=message):
        await load_add().run_json(arguments)


async def test_what_the_function_raises_is_told_to_the_model() -> None:
    with pytest.raises(ToolFailed, match="division by zero"):
        await tool("def f(a: int): return a / 0").run_json({"a": 1})


@pytest.mark.slow
async def test_a_missing_module_is_told_with_the_python_that_lacks_it() -> None:
    source = "def load() -> str:\n    import no_such_module_here.inner\n    return ''\n"
    made = FunctionTool(name="load", description="", source_code=source)
    with pytest.raises(ToolFailed, match=r"No module named 'no_such_module_here'.* -m pip install no_such_module_here"):
        await made.run_json({})


@pytest.mark.slow
async def test_a_function_that_hangs_is_stopped_in_time() -> None:
    with pytest.raises(ToolFailed, match=r"longer than 0\.5 s"):
        await tool("import time\ndef f(): time.sleep(60)", timeout_s=0.5).run_json({})


async def test_only_named_variables_reach_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_KEY", "w-1")
    monkeypatch.setenv("OTHER_KEY", "o-1")
    named = tool("import os\ndef f(): return [os.environ.get('WEATHER_KEY'), 'OTHER_KEY' in os.environ]")
    assert await named.run_json({}) == ["w-1", False]
    kinds = {capability.kind: capability.detail for capability in all_capabilities(named)}
    assert kinds.keys() == {"python", "secret"}
    assert kinds["secret"].startswith("env:WEATHER_KEY to the Python source ")


def test_what_is_approved_is_the_imports_and_the_source() -> None:
    (capability,) = all_capabilities(load_add())
    assert capability.kind == "python"
    assert capability.detail.startswith(
        "import math\nfrom typing import Annotated, List as L\nimport json as j\ndef add(a: int"
    )


def test_source_that_does_not_parse_is_marked_at_its_place_with_the_version_that_reads_it() -> None:
    report = validate_component(
        {**ADD, "config": {"name": "f", "description": "d", "source_code": "def f(:", "global_imports": []}}
    )
    version = ".".join(platform.python_version_tuple()[:2])
    assert [(error.where, error.message) for error in report.errors] == [
        ("/config/source_code", f"The source is not valid Python {version}: invalid syntax (line 1).")
    ]


def test_imports_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="not a module name"):
        tool("def f(): ...", global_imports=["os; print(1)"])


def test_a_strict_tool_has_no_optional_arguments() -> None:
    with pytest.raises(ValueError, match="Strict mode is enabled"):
        tool("def f(a: int = 1): ...", strict=True)
    assert tool("def f(a: int): ...", strict=True).schema.get("strict") is True


async def test_the_call_is_one_effect_and_an_error_is_its_result() -> None:
    entries: list[dict[str, Any]] = []

    async def append(entry: dict[str, Any]) -> None:
        entries.append(entry)

    with effects.use(RecordingEffects(append, run_id="r")):
        await load_add().run_json({"a": 1}, call_id="c1")
        with pytest.raises(ToolFailed):
            await tool("def f(): raise ValueError('bad')").run_json({})
    assert [entry["result"] for entry in entries] == [{"value": 3, "text": "3"}, {"error": "bad"}]


def multiply(a: int, b: int = 3) -> int:
    """Multiply two numbers."""
    return a * b * FACTOR


FACTOR = 10


async def test_a_live_function_is_called_itself_and_writes_its_source() -> None:
    made = FunctionTool(multiply, description="Multiplies.", global_imports=[ImportFromModule("typing", ["Any"])])
    assert await made.run_json({"a": 2}) == 60
    config = made.dump_component()["config"]
    assert isinstance(config, dict)
    assert (config["name"], str(config["source_code"]).splitlines()[0]) == (
        "multiply",
        "def multiply(a: int, b: int = 3) -> int:",
    )
    assert load_component(made.dump_component()).dump_component() == made.dump_component()


def test_what_has_no_source_makes_no_tool() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        FunctionTool(len, description="d")


def test_aliases_are_written_as_python() -> None:
    made = tool("def f(a: N[int]): ...", global_imports=[ImportFromModule("typing", [Alias("List", "N")])])
    assert "from typing import List as N\n" in next(iter(made.capabilities())).detail
