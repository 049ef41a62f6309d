"""Code in a Jupyter kernel behind a server; the container is a process of this machine with a real kernel."""

from __future__ import annotations

import asyncio
import os
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
from studio.messages import CancellationToken, CodeBlock
from tests.executors.conftest import diary

HERE: JsonObject = {"host": "127.0.0.1", "use_https": False, "port": 9, "token": "env:JUPYTER_TOKEN"}
SHOW = "from IPython.display import display, HTML\ndisplay(HTML('<p>hi</p>'))"


def python(*cells: str) -> list[CodeBlock]:
    return [CodeBlock(language="python", code=cell) for cell in cells]


@pytest.fixture
async def server(docker: Path) -> AsyncGenerator[DockerJupyterServer]:
    (docker / "image").touch()
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
async def test_an_executor_of_its_own_makes_the_image_starts_the_container_and_removes_it(docker: Path) -> None:
    async with DockerJupyterCodeExecutor(jupyter_server=DockerJupyterServer(docker_env={"SIZE": "3"})) as executor:
        await executor.execute_code_blocks(python("1"))
    calls = diary(docker)
    assert [line[:2][0] for line in calls] == ["version", "image", "build", "run", "port", "rm"]
    assert "kernelgateway" in (docker / "image").read_text()
    started = calls[3]
    assert "127.0.0.1::8888" in started
    assert [started[place + 1] for place, part in enumerate(started) if part == "--env"] == ["HOME=/tmp"]
    assert (docker / "environment").read_text().split() == ["TOKEN", "KG_AUTH_TOKEN", "SIZE"]
    assert not os.path.exists(started[started.index("--env-file") + 1])  # noqa: ASYNC240 -- a file of this machine


@pytest.mark.slow
async def test_the_variables_of_the_container_do_not_reach_the_docker_command(docker: Path, tmp_path: Path) -> None:
    (docker / "image").touch()
    (tmp_path / "bin").mkdir()
    of_the_team = tmp_path / "bin" / "docker"
    of_the_team.write_text(f"#!/bin/sh\n/usr/bin/touch {tmp_path}/ran\n")
    of_the_team.chmod(0o755)
    async with DockerJupyterServer(docker_env={"PATH": str(tmp_path / "bin"), "LD_PRELOAD": "/nowhere"}) as server:
        assert server.is_started
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["", "A=B", "A B", "#A", "A\n--privileged"])
def test_what_is_no_name_of_a_variable_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a variable"):
        DockerJupyterServer(docker_env={name: "1"})


@pytest.mark.slow
async def test_a_variable_of_several_lines_is_refused(docker: Path) -> None:
    (docker / "image").touch()
    with pytest.raises(ExecutorUnavailable, match="several lines"):
        await DockerJupyterServer(docker_env={"KEY": "a\nb"}).start()


@pytest.mark.slow
async def test_without_an_engine_or_image_it_fails_and_nothing_else_runs_the_code(docker: Path) -> None:
    code = python(f"open({str(docker / 'ran')!r}, 'w')")
    with pytest.raises(ExecutorUnavailable, match="Custom image own does not exist"):
        await DockerJupyterCodeExecutor(
            jupyter_server=DockerJupyterServer(custom_image_name="own")
        ).execute_code_blocks(code)
    (docker / "image").touch()
    with pytest.raises(ExecutorUnavailable, match="pull access denied"):
        await DockerJupyterServer(custom_image_name="no-such-image").start()
    (docker / "no-engine").touch()
    with pytest.raises(ExecutorUnavailable, match="no Docker engine answers"):
        await DockerJupyterCodeExecutor().execute_code_blocks(code)
    assert not (docker / "ran").exists()
    assert [line[0] for line in diary(docker)][-1] == "version"


@pytest.mark.slow
async def test_a_wrong_token_and_an_unknown_kernel_are_told(
    server: DockerJupyterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", "wrong")
    where = server.connection_info
    known = JupyterConnectionInfo(host=where.host, port=where.port, token=SecretRef("env:JUPYTER_TOKEN"))
    with pytest.raises(ExecutorUnavailable, match="answers with status 403"):
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
async def test_a_server_that_dies_in_a_cell_is_an_error(server: DockerJupyterServer, docker: Path) -> None:
    async with DockerJupyterCodeExecutor(jupyter_server=server) as executor:
        pid = int((docker / "server").read_text())
        with pytest.raises(ExecutorUnavailable, match="closed the connection"):
            await executor.execute_code_blocks(python(f"import os; os.kill({pid}, 9)"))


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
async def test_a_container_that_is_kept_gives_its_name_to_the_next_one(docker: Path) -> None:
    (docker / "image").touch()
    for _ in range(2):
        async with DockerJupyterServer(container_name="lab", auto_remove=False) as server:
            assert server.is_started
        assert (docker / "containers/lab").exists()


@pytest.mark.slow
async def test_a_container_of_somebody_else_is_left_alone(docker: Path) -> None:
    (docker / "image").touch()
    (docker / "containers").mkdir()
    (docker / "containers/database").touch()
    with pytest.raises(ExecutorUnavailable, match="already in use"):
        await DockerJupyterServer(container_name="database").start()
    assert (docker / "containers/database").exists()
