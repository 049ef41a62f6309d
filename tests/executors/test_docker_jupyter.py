"""Code in a Jupyter kernel behind a server; the container is a process of this machine with a real kernel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from studio.components import JsonObject, SecretRef, all_capabilities, load_component
from studio.executors import (
    CodeExecutor,
    DockerJupyterCodeExecutor,
    DockerJupyterCodeResult,
    DockerJupyterServer,
    ExecutorUnavailable,
    JupyterConnectionInfo,
)
from studio.executors.docker_jupyter import IMAGE
from studio.messages import CancellationToken, CodeBlock
from tests.executors.conftest import docker

HERE: JsonObject = {"host": "127.0.0.1", "use_https": False, "port": 9, "token": "env:JUPYTER_TOKEN"}
SHOW = "from IPython.display import display, HTML\ndisplay(HTML('<p>hi</p>'))"


def python(*cells: str) -> list[CodeBlock]:
    return [CodeBlock(language="python", code=cell) for cell in cells]


pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def server(jupyter_image: None) -> AsyncGenerator[DockerJupyterServer]:  # noqa: ARG001 -- it is made of that
    async with DockerJupyterServer() as running:
        yield running


@pytest.mark.slow
async def test_cells_share_variables_and_show_text_pages_and_errors(
    server: DockerJupyterServer, tmp_path: Path
) -> None:
    async with DockerJupyterCodeExecutor(jupyter_server=server, output_dir=str(tmp_path / "out")) as executor:
        first = await executor.execute_code_blocks(python("x = 20; print('hi')", "x + 1"))
        failed = await executor.execute_code_blocks(python("1 / 0", "print('no')"))
        shown = await executor.execute_code_blocks(python(SHOW))
    assert (first.exit_code, first.output) == (0, "hi\n\n21")
    assert failed.exit_code == 1
    assert failed.output.endswith("ZeroDivisionError: division by zero")
    assert isinstance(shown, DockerJupyterCodeResult)
    assert [Path(file).parent for file in shown.output_files] == [tmp_path / "out"]
    assert server.is_started  # whoever started it ends it


@pytest.mark.slow
async def test_a_cell_that_takes_too_long_or_is_cancelled_leaves_the_kernel_usable(server: DockerJupyterServer) -> None:
    token = CancellationToken()
    token.cancel()
    async with DockerJupyterCodeExecutor(jupyter_server=server, timeout=1) as executor:
        await executor.execute_code_blocks(python("x = 1"))
        late = await executor.execute_code_blocks(python("import time; time.sleep(60)"))
        cancelled = await executor.execute_code_blocks(python("import time; time.sleep(60)"), token)
        after = await executor.execute_code_blocks(python("x"))
    assert [result.exit_code for result in (late, cancelled, after)] == [124, 125, 0]
    assert (late.output, cancelled.output, after.output) == ("\nTimeout", "\nCancelled", "1")


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_an_executor_of_its_own_starts_the_container_and_removes_it() -> None:
    variables = {"SIZE": "3", "PATH": "/usr/local/bin:/usr/bin", "LD_PRELOAD": ""}
    async with DockerJupyterCodeExecutor(jupyter_server=DockerJupyterServer(docker_env=variables)) as executor:
        result = await executor.execute_code_blocks(python("import os; print(os.environ['SIZE'])"))
        assert docker("ps", "--format", "{{.Image}} {{.Ports}}") == IMAGE
    assert (result.exit_code, result.output) == (0, "3\n")
    assert docker("ps", "--all", "--quiet") == ""


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_the_variables_of_the_container_do_not_reach_the_docker_command(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    of_the_team = tmp_path / "bin" / "docker"
    of_the_team.write_text(f"#!/bin/sh\n/usr/bin/touch {tmp_path}/ran\n")
    of_the_team.chmod(0o755)
    variables = {"PATH": str(tmp_path / "bin"), "DOCKER_HOST": "unix:///nowhere"}
    async with DockerJupyterServer(docker_env=variables, auto_remove=False) as server:
        assert server.is_started
    assert not (tmp_path / "ran").exists()
    docker("rm", docker("ps", "--all", "--quiet"))


@pytest.mark.parametrize("name", ["", "A=B", "A B", "#A", "A\n--privileged"])
def test_what_is_no_name_of_a_variable_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a valid variable name"):
        DockerJupyterServer(docker_env={name: "1"})


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_a_variable_of_several_lines_is_refused() -> None:
    with pytest.raises(ExecutorUnavailable, match="several lines"):
        await DockerJupyterServer(docker_env={"KEY": "a\nb"}).start()


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_without_an_engine_or_image_it_fails_and_nothing_else_runs_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = DockerJupyterServer(custom_image_name="own")
    code = python(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(ExecutorUnavailable, match="Custom image own does not exist"):
        await DockerJupyterCodeExecutor(jupyter_server=own).execute_code_blocks(code)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(ExecutorUnavailable, match="no Docker engine answers"):
        await DockerJupyterCodeExecutor().execute_code_blocks(code)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
async def test_a_wrong_token_and_an_unknown_kernel_are_told(
    server: DockerJupyterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", "wrong")
    where = server.connection_info
    known = JupyterConnectionInfo(host=where.host, port=where.port, token=SecretRef("env:JUPYTER_TOKEN"))
    with pytest.raises(ExecutorUnavailable, match="answered with status 401"):
        await DockerJupyterCodeExecutor(jupyter_server=known).start()
    with pytest.raises(ExecutorUnavailable, match="Kernel cobol is not installed"):
        await DockerJupyterCodeExecutor(jupyter_server=server, kernel_name="cobol").start()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [("200 OK", "Hello!", "no Jupyter server"), ("200 OK", "[]", "no Jupyter server"), ("500 No", "", "status 500")],
)
async def test_what_is_no_jupyter_server_is_told(status: str, body: str, words: str) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(reply, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        with pytest.raises(ExecutorUnavailable, match=words):
            await DockerJupyterCodeExecutor(jupyter_server=JupyterConnectionInfo(host="127.0.0.1", port=port)).start()


@pytest.mark.slow
async def test_what_a_cell_calls_a_picture_and_is_none_does_not_end_the_run(server: DockerJupyterServer) -> None:
    async with DockerJupyterCodeExecutor(jupyter_server=server) as executor:
        cell = "from IPython.display import display\ndisplay({'image/png': 'abc', 'text/plain': 'x'}, raw=True)"
        result = await executor.execute_code_blocks(python(cell))
    assert (result.exit_code, result.output) == (0, "x")


@pytest.mark.slow
async def test_a_server_that_dies_in_a_cell_is_an_error(server: DockerJupyterServer) -> None:
    async with DockerJupyterCodeExecutor(jupyter_server=server) as executor:
        with pytest.raises(ExecutorUnavailable, match="closed the connection"):
            await executor.execute_code_blocks(python("import os; os.kill(os.getppid(), 9)"))


def test_a_server_elsewhere_is_written_as_autogen_has_it_and_named_before_it_is_used() -> None:
    document: JsonObject = {
        "provider": "autogen_ext.code_executors.docker_jupyter.DockerJupyterCodeExecutor",
        "component_type": "code_executor",
        "config": {"jupyter_server": HERE, "kernel_name": "python3", "timeout": 60},
    }
    executor = load_component(document, CodeExecutor)
    assert executor.dump_component()["config"] == document["config"]
    assert [(item.kind, item.detail) for item in all_capabilities(executor)] == [
        ("secret", "env:JUPYTER_TOKEN to http://127.0.0.1:9"),
        ("host", "http://127.0.0.1:9"),
    ]


class Known:
    """A script's own server."""

    @property
    def connection_info(self) -> JupyterConnectionInfo:
        return JupyterConnectionInfo(host="localhost", use_https=True, token=SecretRef("env:KEY"))


def test_anything_that_knows_a_server_may_be_given() -> None:
    executor = DockerJupyterCodeExecutor.model_validate({"jupyter_server": Known()})
    assert "https://localhost" in str(all_capabilities(executor))
    with pytest.raises(ExecutorUnavailable, match="not started"):
        _ = DockerJupyterServer().connection_info


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_a_container_that_is_kept_gives_its_name_to_the_next_one() -> None:
    for _ in range(2):
        async with DockerJupyterServer(container_name="lab", auto_remove=False) as server:
            assert server.is_started
        assert docker("ps", "--all", "--format", "{{.Names}} {{.State}}") == "lab exited"
    docker("rm", "lab")


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_a_container_of_somebody_else_is_left_alone() -> None:
    docker("run", "--name", "database", "--network", "none", "python:3-slim", "true")
    with pytest.raises(ExecutorUnavailable, match="already in use"):
        await DockerJupyterServer(container_name="database").start()
    assert docker("ps", "--all", "--format", "{{.Names}}") == "database"
    docker("rm", "database")


@pytest.mark.slow
@pytest.mark.usefixtures("jupyter_image")
async def test_its_folder_is_seen_in_the_container(tmp_path: Path) -> None:
    work = tmp_path / "work"
    async with DockerJupyterCodeExecutor(jupyter_server=DockerJupyterServer(bind_dir=str(work))) as executor:
        await executor.execute_code_blocks(python("open('made', 'w').write('x')"))
    assert (work / "made").read_text() == "x"
