"""Code that runs in a virtual environment which a script made."""

from __future__ import annotations

import venv
from pathlib import Path
from typing import cast

import pytest

from studio.executors import LocalCommandLineCodeExecutor
from studio.executors.local import VirtualEnvironment
from studio.messages import CodeBlock


@pytest.fixture
def environment(tmp_path: Path) -> VirtualEnvironment:
    """A real one, as the standard library makes it, with a module of its own."""
    builder = venv.EnvBuilder(with_pip=False, symlinks=True)
    folder = tmp_path / "environment"
    builder.create(folder)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "only_there.py").write_text("place = 'here'\n")
    return cast("VirtualEnvironment", builder.ensure_directories(folder))


async def test_python_and_shell_code_see_the_environment_and_its_packages(environment: VirtualEnvironment):
    python = CodeBlock(code="import sys, only_there\nprint(sys.prefix, only_there.place)", language="python")
    shell = CodeBlock(code='python -c "import only_there; print(only_there.place)"', language="sh")
    async with LocalCommandLineCodeExecutor(virtual_env_context=environment) as executor:
        result = await executor.execute_code_blocks([python, shell])
    folder = Path(environment.bin_path).parent
    assert (result.exit_code, result.output) == (0, f"{folder} here\nhere\n")


@pytest.mark.usefixtures("environment")
async def test_without_one_code_runs_in_the_studios_python():
    block = CodeBlock(code="import only_there", language="python")
    async with LocalCommandLineCodeExecutor() as executor:
        result = await executor.execute_code_blocks([block])
    assert result.exit_code == 1
    assert "No module named 'only_there'" in result.output


def test_it_is_no_part_of_the_json(environment: VirtualEnvironment):
    executor = LocalCommandLineCodeExecutor(virtual_env_context=environment)
    assert executor.dump_component() == LocalCommandLineCodeExecutor().dump_component()
