"""Rooms of which some modules wait until they are needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import studio
from studio.components import component_classes, find_class

PACKAGES = (
    "agents",
    "components",
    "conditions",
    "contexts",
    "effects",
    "executors",
    "help",
    "importers",
    "memory",
    "messages",
    "models",
    "teams",
    "testing",
    "tools",
)


def declared_names(package: str) -> Iterator[tuple[str, str]]:
    file = Path(studio.__path__[0]) / package / "__init__.py"
    for block in ast.parse(file.read_text()).body:
        if isinstance(block, ast.If):
            for node in block.body:
                assert isinstance(node, ast.ImportFrom)
                yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_every_name_that_is_declared(package: str) -> None:
    names = list(declared_names(package))
    assert names
    for module, name in names:
        assert getattr(import_module(f"studio.{package}"), name) is getattr(import_module(module), name)


def test_a_name_that_a_package_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'studio\.models' has no attribute 'NoSuchClient'"):
        _ = import_module("studio.models").NoSuchClient


def run(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()


def test_a_package_of_agents_or_teams_brings_none_of_them_along() -> None:
    held = run("import sys, studio.agents, studio.teams; print(*sys.modules)")
    assert not [name for name in held if name.startswith(("studio.agents.", "studio.teams.", "studio.messages"))]


def test_a_team_of_assistants_needs_no_service_and_builds_no_schema_to_be_imported() -> None:
    names = "from studio.agents import AssistantAgent; from studio.teams import RoundRobinGroupChat"
    held = set(run(f"import sys; {names}; print(*sys.modules)"))
    assert "studio.agents.assistant" in held
    services = ("studio.models.openai_client", "studio.agents.web_surfer", "studio.tools.mcp", "yaml")
    editing = ("studio.components.comparison.merging", "studio.components.schema", "studio.teams.advice", "difflib")
    recording = ("studio.effects.recording", "studio.messages.decisions", "studio.models.catalogue", "html")
    assert held.isdisjoint((*services, *editing, *recording, "studio.tools.signature"))
    assert "importlib.metadata" not in held  # Pydantic imports it with its first schema


def test_a_start_of_the_server_waits_for_nothing_that_most_starts_do_not_need() -> None:
    held = run("import sys, studio.web.app; print(*sys.modules)")
    assert "studio.importers" in held
    assert not [name for name in held if name.startswith(("studio.importers.flowise", "studio.exporters.autogen"))]
    assert {"studio.importers.importing", "alembic", "markdown_it", "mako", "yaml", "joserfc"}.isdisjoint(held)


@pytest.mark.slow
def test_a_program_that_imported_one_room_finds_the_components_of_all() -> None:
    name = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    program = f"from studio.components import find_class; import studio.agents; print(find_class({name!r}).__name__)"
    assert run(program) == ["OpenAIChatCompletionClient"]


def test_the_catalogue_has_what_waits_in_a_room() -> None:
    assert find_class("autogen_ext.agents.web_surfer.MultimodalWebSurfer") in set(component_classes())
