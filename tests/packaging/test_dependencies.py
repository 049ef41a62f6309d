"""What the package requires is what it imports, and each requirement has its reason written down."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement

from tests.packaging.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COME_WITH_ANOTHER = {
    *("anyio", "httpx2", "starlette", "markupsafe", "pdfminer-six", "pydantic-core", "typing-extensions")
}
"""Parts of fastapi, jinja2, markitdown, mcp and pydantic that these promise to bring, in the version that fits."""

NEVER_IMPORTED = {"aiohttp", "aiosqlite", "asyncpg", "ipykernel", "llama-cpp-python", "python-multipart"}
"""Used by azure-core, named in database URLs, started as a process, imported by name since it is not there for
the checks, and used by fastapi to read forms."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {normal(Requirement(text).name) for text in requirements}


def imported_distributions() -> set[str]:
    modules: set[str] = set()
    for file in (ROOT / "studio").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module)
    known = packages_distributions()
    return {
        distribution_of(module, known[top])
        for module in modules
        if (top := module.split(".")[0]) not in sys.stdlib_module_names | {"studio"} and top in known
    }


def distribution_of(module: str, candidates: list[str]) -> str:
    """The distribution that a module comes with; those that share a namespace are told apart by their names."""
    named = [normal(name) for name in candidates if f"{normal(module)}-".startswith(f"{normal(name)}-")]
    return max(named, key=len, default=min(map(normal, candidates), key=len))


def required() -> set[str]:
    """What the package needs, always or for one of its extras."""
    extras = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name != "dev"}
    return names([*PROJECT["dependencies"], *(need for needs in extras.values() for need in needs)])


@pytest.mark.slow
def test_everything_imported_is_required():
    assert imported_distributions() - required() - COME_WITH_ANOTHER == set()


@pytest.mark.slow
def test_everything_required_is_imported():
    assert required() - imported_distributions() - NEVER_IMPORTED == set()


def test_the_reason_for_each_dependency_is_written_down():
    written = (ROOT / "docs/design/dependencies.md").read_text()
    needed = required() | names(PROJECT["optional-dependencies"]["dev"])
    tools = json.loads((ROOT / "frontend/package.json").read_text())["devDependencies"]
    vendored = json.loads((ROOT / "frontend/vendor.json").read_text())
    everything = {*needed, *tools, *vendored["modules"], *vendored["fonts"]}
    assert [name for name in sorted(everything) if f"`{name}`" not in written] == []
