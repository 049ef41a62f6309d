"""Code in processes on this machine."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from studio import effects
from studio.components import all_capabilities, load_component
from studio.effects import RecordingEffects
from studio.executors import CommandLineCodeResult, LocalCommandLineCodeExecutor
from studio.executors.scripts import with_quiet_pip
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.sandbox import TEXT_LIMIT


def blocks(*parts: tuple[str, str]) -> list[CodeBlock]:
    return [CodeBlock(language=language, code=code) for language, code in parts]


async def run(parts: Sequence[CodeBlock], **config: Any) -> CodeResult:
    async with LocalCommandLineCodeExecutor(**config) as executor:
        return await executor.execute_code_blocks(parts)


async def test_blocks_run_in_order_and_what_they_complain_of_comes_first() -> None:
    python = "import sys; print('out'); print('err', file=sys.stderr)"
    result = await run(blocks(("python", python), ("sh", "echo two"), ("bash", "echo three"), ("Py", "print(4)")))
    assert (result.exit_code, result.output) == (0, "err\nout\ntwo\nthree\n4\n")


async def test_it_stops_at_the_first_failure() -> None:
    result = await run(blocks(("sh", "echo one; exit 3"), ("sh", "echo two")))
    assert (result.exit_code, result.output) == (3, "one\n")


async def test_an_unknown_language_is_a_failure() -> None:
    result = await run(blocks(("sh", "echo one"), ("cobol", "DISPLAY 'TWO'.")))
    assert (result.exit_code, result.output) == (1, "one\n\nunknown language cobol")


async def test_a_program_that_is_not_installed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = await run(blocks(("pwsh", "echo one")))
    assert (result.exit_code, result.output) == (127, "'pwsh' is not installed on this machine.")


async def test_files_are_named_by_their_content_or_by_their_first_line(tmp_path: Path) -> None:
    async with LocalCommandLineCodeExecutor(work_dir=str(tmp_path), cleanup_temp_files=False) as executor:
        result = await executor.execute_code_blocks(blocks(("sh", "true"), ("python", "# filename: sub/fit.py\nx = 1")))
    names = names_in(tmp_path)
    assert names == ["sub/fit.py", "tmp_code_b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b.sh"]
    assert isinstance(result, CommandLineCodeResult)
    assert result.code_file == str(tmp_path / names[1])


async def test_scripts_are_deleted_but_named_ones_stay_for_later_code(tmp_path: Path) -> None:
    executor = LocalCommandLineCodeExecutor(work_dir=str(tmp_path))
    await executor.execute_code_blocks(blocks(("python", "# filename: lib.py\nx = 7"), ("sh", "true")))
    result = await executor.execute_code_blocks(blocks(("python", "import lib; print(lib.x)")))
    await executor.stop()
    assert result.output == "7\n"
    assert [name for name in names_in(tmp_path) if "__pycache__" not in name] == ["lib.py"]


@pytest.mark.parametrize("name", ["../out.py", "/tmp/out.py", "."])
async def test_a_file_outside_the_folder_is_refused(name: str) -> None:
    result = await run(blocks(("python", f"# filename: {name}\nprint(1)")))
    assert (result.exit_code, result.output) == (1, "Filename is not in the workspace")


async def test_a_relative_folder_of_a_script_lies_where_the_script_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = await run(blocks(("sh", "pwd")), work_dir="coding")
    assert result.output == f"{tmp_path / 'coding'}\n"


def exists(path: str) -> bool:
    return os.path.exists(path)


async def test_a_temporary_folder_lasts_from_start_to_stop() -> None:
    executor = LocalCommandLineCodeExecutor()
    first = await executor.execute_code_blocks(blocks(("sh", "touch left; pwd")))
    second = await executor.execute_code_blocks(blocks(("sh", "ls")))
    await executor.stop()
    assert second.output.split()[0] == "left"
    assert not exists(first.output.strip())


@pytest.mark.slow
async def test_code_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    result = await run(blocks(("sh", f"sleep 60 & echo $! > {note}; wait"), ("sh", "echo no")), timeout=1)
    assert (result.exit_code, result.output) == (124, "\nTimeout")
    assert_gone(int(note.read_text()))


async def test_a_cancelled_token_gives_a_result(tmp_path: Path) -> None:
    token = CancellationToken()
    async with LocalCommandLineCodeExecutor() as executor, asyncio.TaskGroup() as tasks:
        fifo, code = waiting(tmp_path)
        running = tasks.create_task(executor.execute_code_blocks(blocks(("sh", code)), token))
        pid = int(await asyncio.to_thread(fifo.read_text))
        token.cancel()
    assert (running.result().exit_code, running.result().output) == (125, "\nCancelled")
    assert_gone(pid)


async def test_cancelling_the_caller_kills_the_process(tmp_path: Path) -> None:
    async with LocalCommandLineCodeExecutor() as executor, asyncio.TaskGroup() as tasks:
        fifo, code = waiting(tmp_path)
        running = tasks.create_task(executor.execute_code_blocks(blocks(("sh", code))))
        pid = int(await asyncio.to_thread(fifo.read_text))
        running.cancel()
    assert running.cancelled()
    assert_gone(pid)


async def test_a_program_in_the_background_lives_until_the_executor_stops(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    executor = LocalCommandLineCodeExecutor()
    await executor.execute_code_blocks(blocks(("sh", f"sleep 60 > {os.devnull} 2>&1 & echo $! > {note}")))
    pid = int(note.read_text())
    os.kill(pid, 0)
    await executor.stop()
    assert_gone(pid)


async def test_code_sees_nothing_of_the_studios_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = await run(blocks(("python", "import os; print(sorted(os.environ))")))
    assert result.output == "['HOME', 'LANG', 'PATH', 'TMPDIR']\n"


async def test_much_output_is_cut_with_a_note() -> None:
    result = await run(blocks(("python", "print('x' * 3_000_000)")))
    assert result.output.startswith("x" * TEXT_LIMIT + "\n[")
    assert result.output.endswith(" more characters were left out]")


async def test_one_execution_is_one_effect() -> None:
    log: list[dict[str, JsonValue]] = []

    async def append(entry: dict[str, JsonValue]) -> None:
        log.append(entry)

    with effects.use(RecordingEffects(append, run_id="run")):
        await run(blocks(("sh", "true"), ("sh", "true")))
    assert [entry["effect"] for entry in log] == ["code"]


def test_pip_is_told_to_be_quiet() -> None:
    assert with_quiet_pip("! pip install x\nprint(1)", "python") == "! pip install -qqq x\nprint(1)"
    assert with_quiet_pip("pip install x\npip install -qqq y", "sh") == "pip install -qqq x\npip install -qqq y"
    assert with_quiet_pip("pip install x", "cobol") == "pip install x"


def test_loading_makes_no_folder_and_tells_what_it_can_do(tmp_path: Path) -> None:
    folder = tmp_path / "coding"
    document: JsonValue = {
        "provider": LocalCommandLineCodeExecutor.provider,
        "config": {"timeout": 30, "work_dir": str(folder), "functions_module": "functions"},
    }
    executor = load_component(document)
    (capability,) = all_capabilities(executor)
    assert capability.kind == "process"
    assert str(folder) in capability.detail
    assert not folder.exists()


def waiting(folder: Path) -> tuple[Path, str]:
    """A pipe, and shell code that writes its process id into it and then waits."""
    fifo = folder / "started"
    os.mkfifo(fifo)
    return fifo, f"echo $$ > {fifo}; sleep 60"


def assert_gone(pid: int) -> None:
    """The process has ended, or is just about to after its SIGKILL."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([process], [], [], 5)
    os.close(process)
    assert ended


def names_in(folder: Path) -> list[str]:
    """Names of files in a folder and below."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


async def test_a_script_that_cannot_be_deleted_costs_no_output(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_args: object, **_data: object) -> None:
        raise OSError("busy")

    monkeypatch.setattr(Path, "unlink", refuse)
    result = await run(blocks(("sh", "echo done")))
    assert (result.exit_code, result.output) == (0, "done\n")
    assert "Failed to delete temporary file" in caplog.text
