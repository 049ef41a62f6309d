"""Code in a container."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from studio.components import all_capabilities
from studio.executors import DockerCommandLineCodeExecutor, ExecutorUnavailable
from studio.messages import CancellationToken, CodeBlock
from tests.executors.conftest import diary


def shell(*lines: str) -> list[CodeBlock]:
    return [CodeBlock(language="sh", code=line) for line in lines]


@pytest.mark.slow
async def test_a_container_is_started_used_and_removed(docker: Path, tmp_path: Path) -> None:
    executor = DockerCommandLineCodeExecutor(
        image="python:3-slim",
        work_dir=str(tmp_path / "work"),
        init_command="true",
        extra_volumes={"data": {"bind": "/data", "mode": "ro"}},
        extra_hosts={"db": "10.0.0.1"},
        timeout=7,
    )
    async with executor:
        result = await executor.execute_code_blocks(shell("echo one; pwd", "exit 4", "echo two"))
    assert (result.exit_code, result.output) == (4, f"one\n{tmp_path / 'work'}\n")
    verbs = [line[0] for line in diary(docker)]
    assert verbs == ["version", "run", "exec", "exec", "exec", "rm"]
    started = " ".join(diary(docker)[1])
    assert f"--volume {tmp_path / 'work'}:/workspace:rw --volume data:/data:ro --add-host db:10.0.0.1" in started
    assert diary(docker)[3][2:5] == ["timeout", "7", "sh"]


@pytest.mark.slow
async def test_code_that_takes_too_long_or_is_cancelled(docker: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    token = CancellationToken()
    async with DockerCommandLineCodeExecutor(timeout=1) as executor:
        late = await executor.execute_code_blocks(shell("sleep 60"))
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(executor.execute_code_blocks(shell(f"echo > {fifo}; sleep 60"), token))
            await asyncio.to_thread(fifo.read_text)
            token.cancel()
    assert (late.exit_code, late.output) == (124, "\n Timeout")
    assert (running.result().exit_code, running.result().output) == (125, "Code execution was cancelled.")
    assert [line[0] for line in diary(docker)][-2:] == ["restart", "rm"]


@pytest.mark.slow
async def test_without_an_engine_or_image_it_fails_and_nothing_else_runs_the_code(docker: Path) -> None:
    (docker / "no-engine").touch()
    code = shell(f"touch {docker / 'ran'}")
    with pytest.raises(ExecutorUnavailable, match="no Docker engine answers: Cannot connect"):
        await DockerCommandLineCodeExecutor().execute_code_blocks(code)
    (docker / "no-engine").unlink()
    with pytest.raises(ExecutorUnavailable, match="pull access denied"):
        await DockerCommandLineCodeExecutor(image="no-such-image").execute_code_blocks(code)
    assert not (docker / "ran").exists()


async def test_without_the_command_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ExecutorUnavailable, match="there is no `docker` command here"):
        await DockerCommandLineCodeExecutor().start()


@pytest.mark.slow
async def test_a_name_that_autogen_made_up_is_not_used_again(docker: Path) -> None:
    old = "autogen-code-exec-340d9499-05ee-4ae7-b085-b1f42db85347"
    async with DockerCommandLineCodeExecutor(container_name=old) as executor:
        assert old in str(executor.dump_component())
    assert old not in (docker / "diary").read_text()


def test_what_it_can_do_names_image_folders_and_hosts() -> None:
    (capability,) = all_capabilities(DockerCommandLineCodeExecutor(work_dir="coding", extra_hosts={"db": "10.0.0.1"}))
    assert capability.kind == "process"
    assert capability.detail == (
        'docker {"folder": "coding in the team\'s own folder", "hosts": {"db": "10.0.0.1"}, '
        '"image": "python:3-slim", "init_command": null, "volumes": {}}'
    )


@pytest.mark.slow
async def test_a_container_that_is_kept_gives_its_name_to_the_next_one(docker: Path) -> None:
    for said in ("one", "two"):
        async with DockerCommandLineCodeExecutor(container_name="lab", auto_remove=False) as executor:
            result = await executor.execute_code_blocks(shell(f"echo {said}"))
        assert (result.exit_code, result.output) == (0, f"{said}\n")
        assert (docker / "containers/lab").exists()


@pytest.mark.slow
@pytest.mark.parametrize("auto_remove", [True, False])
async def test_a_container_of_somebody_else_is_left_alone(docker: Path, auto_remove: bool) -> None:
    (docker / "containers").mkdir()
    (docker / "containers/database").write_text("status=exited\n")
    with pytest.raises(ExecutorUnavailable, match="already in use"):
        await DockerCommandLineCodeExecutor(container_name="database", auto_remove=auto_remove).start()
    assert (docker / "containers/database").read_text() == "status=exited\n"
