"""Code in a container of a real engine."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import cast

import pytest

from studio.components import all_capabilities
from studio.components.folders import FolderRefused, FolderRules, folder_rules
from studio.executors import CodeFunction, DockerCommandLineCodeExecutor, ExecutorUnavailable, FunctionWithRequirements
from studio.messages import CancellationToken, CodeBlock
from tests.executors.conftest import docker

pytestmark = pytest.mark.timeout(180)


def shell(*lines: str) -> list[CodeBlock]:
    return [CodeBlock(language="sh", code=line) for line in lines]


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_a_container_is_started_used_and_removed(tmp_path: Path) -> None:
    executor = DockerCommandLineCodeExecutor(
        work_dir=str(tmp_path / "work"), init_command="echo ready > first", extra_hosts={"db": "10.0.0.1"}, timeout=7
    )
    async with executor:
        result = await executor.execute_code_blocks(shell("pwd; grep db /etc/hosts; cat first", "exit 4", "echo two"))
        assert docker("ps", "--quiet")
    assert (result.exit_code, result.output) == (4, "/workspace\n10.0.0.1\tdb\nready\n")
    assert (tmp_path / "work" / "first").read_text() == "ready\n"
    assert docker("ps", "--all", "--quiet") == ""


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_code_that_takes_too_long_or_is_cancelled(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    os.mkfifo(work / "started")
    token = CancellationToken()
    async with DockerCommandLineCodeExecutor(timeout=1, work_dir=str(work)) as executor:
        late = await executor.execute_code_blocks(shell("sleep 60"))
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(executor.execute_code_blocks(shell("echo > started; sleep 60"), token))
            await asyncio.to_thread((work / "started").read_text)
            token.cancel()
        left = await executor.execute_code_blocks(shell("ls /proc | grep -c '^[0-9]'"))
    assert (late.exit_code, late.output) == (124, "\n Timeout")
    assert (running.result().exit_code, running.result().output) == (125, "Code execution was cancelled.")
    assert int(left.output) < 8  # the init, its `sleep`, and these


@pytest.mark.slow
async def test_without_an_engine_it_fails_and_nothing_else_runs_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(ExecutorUnavailable, match=r"no Docker engine answers: .*Cannot connect"):
        await DockerCommandLineCodeExecutor().execute_code_blocks(shell(f"touch {tmp_path / 'ran'}"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_without_its_image_or_when_its_first_command_fails_nothing_stays() -> None:
    with pytest.raises(ExecutorUnavailable, match=r"the image 'studio.invalid/none' could be started"):
        await DockerCommandLineCodeExecutor(image="studio.invalid/none").start()
    with pytest.raises(ExecutorUnavailable, match=r"first command failed: .*denied"):
        await DockerCommandLineCodeExecutor(init_command="cat /etc/shadow", stop_container=False).start()
    assert docker("ps", "--all", "--quiet") == ""


async def test_without_the_command_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ExecutorUnavailable, match="the `docker` command is not installed"):
        await DockerCommandLineCodeExecutor().start()


@pytest.mark.slow
async def test_an_engine_that_cannot_limit_a_container_starts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "docker"
    command.write_text("""#!/bin/sh\necho '{"ServerVersion": "1", "MemoryLimit": false, "PidsLimit": false}'\n""")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ExecutorUnavailable, match="cannot limit memory and processes"):
        await DockerCommandLineCodeExecutor().start()


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_a_name_that_autogen_made_up_is_not_used_again() -> None:
    old = "autogen-code-exec-340d9499-05ee-4ae7-b085-b1f42db85347"
    async with DockerCommandLineCodeExecutor(container_name=old) as executor:
        assert old in str(executor.dump_component())
        assert old not in docker("ps", "--format", "{{.Names}}")


def test_what_it_can_do_names_all_that_the_container_is_given() -> None:
    (capability,) = all_capabilities(
        DockerCommandLineCodeExecutor(
            work_dir="coding",
            bind_dir="/srv/coding",
            extra_hosts={"db": "10.0.0.1"},
            extra_volumes={"/": {"bind": "/host", "mode": "rw"}, "data": {"bind": "/data", "mode": "ro"}},
            init_command="pip install x",
            stop_container=False,
        )
    )
    assert (capability.kind, capability.is_open, capability.may_have_network) == ("process", True, True)
    assert capability.text == (
        "Runs any code that the model writes in a Docker container of 'python:3-slim', which can change the folder "
        "'/srv/coding' of this machine. It can read and change '/' as '/host'. It can read 'the Docker volume data' as "
        "'/data'. The host name 'db' is 10.0.0.1 there. It starts with the command 'pip install x'. It keeps "
        "running after the run ends."
    )
    assert json.loads(capability.detail.removeprefix("docker ")) == {
        "bound": "/srv/coding",
        "folder": "coding in the team's own folder",
        "hosts": {"db": "10.0.0.1"},
        "image": "python:3-slim",
        "init_command": "pip install x",
        "stays": True,
        "volumes": {"/": {"bind": "/host", "mode": "rw"}, "the Docker volume data": {"bind": "/data", "mode": "ro"}},
    }


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "source", ["/", "/etc", "~", "{engine}", "{socket}", "{folder_of_socket}", "{data}", "{data}/inner", "..", "{link}"]
)
@pytest.mark.parametrize("mode", ["ro", "rw"])
async def test_no_volume_opens_the_machine_the_engine_or_the_studio(
    source: str, mode: str, engine: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    (data / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(data)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        address = Path(engine.removeprefix("unix://"))
        named = source.format(
            engine=address, folder_of_socket=address.parent, socket=tmp_path / "s", data=data, link=tmp_path / "link"
        )
        executor = DockerCommandLineCodeExecutor(extra_volumes={named: {"bind": "/host", "mode": mode}})
        approved = frozenset(each.hash for each in all_capabilities(executor))
        token = folder_rules.set(FolderRules(tmp_path / "own", tmp_path / "databases", (data,), approved))
        try:
            with pytest.raises(FolderRefused):
                await executor.start()
        finally:
            folder_rules.reset(token)
    assert docker("ps", "--all", "--quiet") == ""


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_a_container_that_is_kept_gives_its_name_to_the_next_one() -> None:
    for said in ("one", "two"):
        async with DockerCommandLineCodeExecutor(container_name="lab", auto_remove=False) as executor:
            result = await executor.execute_code_blocks(shell(f"echo {said}"))
        assert (result.exit_code, result.output) == (0, f"{said}\n")
        assert docker("ps", "--all", "--format", "{{.Names}} {{.State}}") == "lab exited"
    docker("rm", "lab")


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_a_container_that_is_to_stay_goes_on() -> None:
    async with DockerCommandLineCodeExecutor(container_name="stays", stop_container=False):
        pass
    async with DockerCommandLineCodeExecutor():
        assert docker("ps", "--filter", "name=stays", "--format", "{{.State}}") == "running"
    docker("rm", "--force", "stays")


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("auto_remove", [True, False])
async def test_a_container_of_somebody_else_is_left_alone(auto_remove: bool) -> None:
    docker("run", "--name", "database", "--network", "none", "python:3-slim", "true")
    with pytest.raises(ExecutorUnavailable, match="already in use"):
        await DockerCommandLineCodeExecutor(container_name="database", auto_remove=auto_remove).start()
    assert docker("ps", "--all", "--format", "{{.Names}}") == "database"
    docker("rm", "database")


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_functions_lie_beside_the_code() -> None:
    def double(number: int) -> int:
        return 2 * number

    code = CodeBlock(language="python", code="from functions import double; print(double(4))")
    async with DockerCommandLineCodeExecutor(
        functions=cast("list[CodeFunction]", [FunctionWithRequirements.from_callable(double)])
    ) as executor:
        assert (await executor.execute_code_blocks([code])).output == "8\n"
