"""Code that a model writes, in the jail: what it must not do there, and its ordinary work.

What must not be done is done by a plain process first, so that each of these tests could fail.
"""

from __future__ import annotations

import os
import select
import socket
import venv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from studio.executors import (
    CodeExecutor,
    CodeFunction,
    FunctionsUnusable,
    JupyterCodeExecutor,
    LocalCommandLineCodeExecutor,
)
from studio.executors.local import VirtualEnvironment
from studio.messages import CodeBlock
from studio.sandbox import Jail, JailUnavailable, ServerPaths, UnavailableJail
from studio.sandbox.grants import NO_NETWORK
from studio.sandbox.linux import BubblewrapJail, LandlockJail
from studio.tools import PythonCodeExecutionTool
from studio.tools.code_execution import CodeExecutionInput
from tests.sandbox.jailed import DAEMON, NAMES, PLAIN, best_jail, jail_named, within
from tests.sandbox.sites import ASK, package_index, site

pytestmark = pytest.mark.slow

DID_IT = "did it"
ATTEMPTS = {
    "read the database": "print(open({data!r} + '/studio.db').read())",
    "list the data folder": "import os; print(os.listdir({data!r}) and 'did it')",
    "write beside the database": "open({data!r} + '/new', 'w').write('x'); print('did it')",
    "read the environment": "import os; print(os.environ['STUDIO_CANARY'])",
    "read the environment of the server": "print('did' + open('/proc/{server}/environ').read()[:0] + ' it')",
    "signal the server": "import os; os.kill({server}, 0); print('did it')",
    "reach the port of the studio": (
        "import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('did it')"
    ),
}


@dataclass(frozen=True)
class Studio:
    """What code would like to get at."""

    data: Path
    port: int

    def attempt(self, what: str) -> str:
        """Code that tries it, and prints `did it` when it could."""
        return ATTEMPTS[what].format(data=str(self.data), server=os.getpid(), port=self.port)


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    """A data folder with a database, a port, and a secret in the environment, as a server has them."""
    data = tmp_path / "team-studio"
    data.mkdir()
    (data / "studio.db").write_text(DID_IT)
    monkeypatch.setenv("STUDIO_CANARY", DID_IT)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Studio(data, listener.getsockname()[1])


@pytest.fixture(params=NAMES)
def jail(request: pytest.FixtureRequest) -> Jail:
    return jail_named(request.param)


def python(code: str) -> CodeBlock:
    return CodeBlock(language="python", code=code)


def shell(code: str) -> CodeBlock:
    return CodeBlock(language="sh", code=code)


def has_ended(heard: int) -> bool:
    """Whether the last writer of a pipe is gone, or goes at last: the kernel ends a jail from the top down."""
    readable, _, _ = select.select([heard], [], [], 5)
    return bool(readable) and os.read(heard, 1) == b""


async def output(executor: CodeExecutor, *blocks: CodeBlock) -> str:
    result = await executor.execute_code_blocks(blocks)
    return result.output.strip()


@pytest.mark.parametrize("what", ATTEMPTS)
async def test_commands_keep_to_their_own(what: str, jail: Jail, studio: Studio) -> None:
    code = python(studio.attempt(what))
    with within(PLAIN):
        async with LocalCommandLineCodeExecutor() as executor:
            done = await output(executor, code)
    # The executor gives nothing of the studio's environment, with or without a jail.
    assert (done.splitlines() == [DID_IT]) == (what != "read the environment")
    with within(jail):
        async with LocalCommandLineCodeExecutor() as executor:
            refused = await output(executor, code)
    assert "Error" in refused
    assert DID_IT not in refused.splitlines()


async def test_a_folder_beside_the_named_one_is_not_changed(jail: Jail, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    mine.mkdir()
    other.mkdir()
    code = shell(f"touch {mine}/a; touch {other}/a; ln -sfn {other} {mine}/link; touch {mine}/link/b")
    for place, expected in ((jail, []), (PLAIN, ["a", "b"])):
        with within(place):
            async with LocalCommandLineCodeExecutor(work_dir=str(mine)) as executor:
                await executor.execute_code_blocks([code])
        assert sorted(os.listdir(other)) == expected
        assert {"a", "link"} <= set(os.listdir(mine))


@pytest.mark.parametrize("place", ["jail", "plain"])
async def test_nothing_outlives_its_block(place: str, jail: Jail, tmp_path: Path) -> None:
    alive, stop = tmp_path / "alive", tmp_path / "stop"
    os.mkfifo(alive)
    os.mkfifo(stop)
    heard = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with within(jail if place == "jail" else PLAIN):
            async with LocalCommandLineCodeExecutor(work_dir=str(tmp_path)) as executor:
                assert (await output(executor, python(DAEMON))) == ""
        if place == "plain":
            with pytest.raises(BlockingIOError):
                os.read(heard, 1)
            os.close(os.open(stop, os.O_WRONLY))
        else:
            assert has_ended(heard)
    finally:
        os.close(heard)


async def test_code_that_fails_for_want_of_a_network_says_so(jail: Jail) -> None:
    lacking = python("import urllib.request; urllib.request.urlopen('http://example.invalid/')")
    for place, says_so in ((jail, True), (PLAIN, False)):
        with within(place):
            async with LocalCommandLineCodeExecutor() as executor:
                assert (await output(executor, lacking)).startswith(NO_NETWORK) == says_so
                assert not (await output(executor, python("raise SystemExit('other')"))).startswith(NO_NETWORK)


async def test_a_time_limit_ends_everything(jail: Jail, tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    heard = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    with within(jail):
        async with LocalCommandLineCodeExecutor(work_dir=str(tmp_path), timeout=1) as executor:
            result = await executor.execute_code_blocks([shell("setsid sleep 60 > alive & exec sleep 60 > alive")])
    assert (result.exit_code, result.output) == (124, "\nTimeout")
    assert has_ended(heard)
    os.close(heard)


async def test_ordinary_work_goes_on_as_without_a_jail(jail: Jail, tmp_path: Path) -> None:
    with within(jail):
        async with LocalCommandLineCodeExecutor(work_dir=str(tmp_path)) as executor:
            assert (
                await output(
                    executor, python("# filename: lib.py\nimport pydantic\nx = 7\nopen('kept', 'w').write('k')")
                )
                == ""
            )
            later = await output(
                executor,
                python("import lib\nprint(lib.x, open('kept').read())"),
                shell("cat kept; echo; python -c 'print(8)'; echo no >&2; exit 3"),
            )
            program = await executor.execute_code_blocks([CodeBlock(language="pwsh", code="1")])
    assert later == "7 k\nno\nk\n8"
    assert program.exit_code == 127
    assert (tmp_path / "kept").read_text() == "k"


async def test_functions_and_what_they_need_are_there(jail: Jail) -> None:
    functions = [
        CodeFunction(
            source_code="def one() -> int:\n    return pydantic and 1",
            python_packages=["pydantic"],
            global_imports=["pydantic"],
        )
    ]
    missing = [CodeFunction(source_code="def one() -> int:\n    return 1", python_packages=["no-such-package-of-ours"])]
    with within(jail):
        async with LocalCommandLineCodeExecutor(functions=functions) as executor:
            assert await output(executor, python("from functions import one; print(one())")) == "1"
        async with LocalCommandLineCodeExecutor(functions=missing) as executor:
            with pytest.raises(FunctionsUnusable, match="approved without network access: no-such-package-of-ours"):
                await output(executor, python("pass"))


async def test_packages_come_from_a_granted_index(jail: Jail) -> None:
    async with package_index("wishedfor") as index:
        install = f"python -m pip install -q --index-url http://{index}/ --trusted-host 127.0.0.1 wishedfor"
        executor = LocalCommandLineCodeExecutor()
        with within(jail, executor.capabilities(), (index,)):
            async with executor:
                told = await output(executor, shell(install), python("import wishedfor; print(wishedfor.found)"))
    assert told.splitlines()[-1] == "True"


async def test_a_virtual_environment_can_be_read(jail: Jail, tmp_path: Path) -> None:
    builder = venv.EnvBuilder(with_pip=False, symlinks=True)
    builder.create(tmp_path / "environment")
    environment = cast("VirtualEnvironment", builder.ensure_directories(tmp_path / "environment"))
    [packages] = (tmp_path / "environment").glob("lib/python*/site-packages")
    (packages / "only_there.py").write_text("place = 'here'\n")
    with within(jail):
        async with LocalCommandLineCodeExecutor(virtual_env_context=environment) as executor:
            shown = await output(
                executor,
                python("import only_there; print(only_there.place)"),
                shell('python -c "import only_there; print(only_there.place)"'),
                shell(f"touch {packages}/new || echo no"),
            )
    assert shown.splitlines()[:2] == ["here", "here"]
    assert shown.endswith("no")


async def test_only_granted_hosts_are_reached(jail: Jail) -> None:
    async with site("granted") as here, site("other") as there:
        asks = [python(ASK.replace("sys.argv[1]", repr(f"http://{place}/"))) for place in (here, there)]
        direct = python(f"import socket; socket.create_connection({tuple(there.split(':'))!r}, 5); print('did it')")
        executor = LocalCommandLineCodeExecutor()
        with within(PLAIN):
            async with executor:
                assert "other GET" in await output(executor, asks[1])
        with within(jail):
            async with executor:
                assert "no way" in await output(executor, asks[0])
        with within(jail, executor.capabilities(), (here,)):
            async with executor:
                assert await output(executor, asks[0]) == "granted GET / HTTP/1.1"
                assert (await output(executor, asks[1])).startswith("403 ")
                assert (await output(executor, direct)).endswith("Connection refused")


async def test_no_weaker_way_takes_the_place_of_a_missing_jail(tmp_path: Path) -> None:
    executors: list[CodeExecutor] = [LocalCommandLineCodeExecutor(work_dir=str(tmp_path)), JupyterCodeExecutor()]
    with within(UnavailableJail(JailUnavailable("No sandbox works."))):
        for executor in executors:
            with pytest.raises(JailUnavailable, match="No sandbox works"):
                await executor.execute_code_blocks([python("open('ran', 'w')")])
            await executor.stop()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("is_above", [False, True])
async def test_the_studios_own_folder_is_no_folder_for_code(jail: Jail, studio: Studio, is_above: bool) -> None:
    assert isinstance(jail, LandlockJail | BubblewrapJail)
    guarded = replace(jail, outside=ServerPaths(hidden=(studio.data,)))
    database = studio.data / "studio.db"
    folder, name = (studio.data.parent, "team-studio/studio.db") if is_above else (studio.data, "studio.db")
    executor = LocalCommandLineCodeExecutor(work_dir=str(folder), cleanup_temp_files=False)
    with within(guarded), pytest.raises(JailUnavailable):
        await executor.execute_code_blocks([shell(f"# filename: {name}\ntrue")])
    await executor.stop()
    assert database.read_text() == DID_IT


async def test_a_tool_runs_its_code_there_too(jail: Jail, studio: Studio) -> None:
    tool = PythonCodeExecutionTool(executor=LocalCommandLineCodeExecutor())
    code = CodeExecutionInput(code=studio.attempt("read the database"))
    results: list[Any] = []
    for place in (PLAIN, jail):
        with within(place):
            results.append(await tool.run(code))
            await tool.stop()
    assert [result.success for result in results] == [True, False]
    assert "studio.db" in results[1].output


async def test_a_kernel_keeps_its_variables_and_keeps_to_its_own(studio: Studio, tmp_path: Path) -> None:
    executor = JupyterCodeExecutor(output_dir=str(tmp_path / "out"), timeout=20)
    async with site("granted") as here, site("other") as there:
        with within(best_jail(), executor.capabilities(), (here,)):
            async with executor:
                assert await output(executor, python("x = 20\nimport pydantic"), python("x + 1")) == "21"
                for what in ATTEMPTS:
                    refused = await output(executor, python(studio.attempt(what)))
                    assert "Error" in refused
                    assert DID_IT not in refused.splitlines()
                for place, answer in ((here, "granted GET"), (there, "403 The sandbox")):
                    code = ASK.replace("sys.argv[1]", repr(f"http://{place}/"))
                    assert answer in await output(executor, python(code))


async def test_a_cell_is_interrupted_in_the_jail_too() -> None:
    with within(best_jail()):
        async with JupyterCodeExecutor(timeout=1) as executor:
            await executor.execute_code_blocks([python("x = 1")])
            late = await executor.execute_code_blocks([python("import time; time.sleep(60)")])
            after = await executor.execute_code_blocks([python("x")])
    assert (late.exit_code, after.exit_code, after.output) == (124, 0, "1")
