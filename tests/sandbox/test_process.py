"""Foreign code in a process of its own."""

from __future__ import annotations

import asyncio
import os
import select
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.effects.progress import listening
from studio.errors import ToolFailed
from studio.sandbox import Limits, run_function, working_directory


async def run(source: str, *, imports: str = "", limits: Limits | None = None, **arguments: JsonValue) -> JsonValue:
    reply = await run_function(imports=imports, source=source, function="f", arguments=arguments, limits=limits)
    return reply.get("error", reply.get("value"))


async def test_it_gives_the_value_and_its_text() -> None:
    source = "def f(a, b): return {'sum': a + b, 'places': (1, None)}"
    reply = await run_function(imports="", source=source, function="f", arguments={"a": 1, "b": 2})
    assert reply == {"value": {"sum": 3, "places": [1, None]}, "text": "{'sum': 3, 'places': (1, None)}"}


async def test_async_functions_and_imports_work() -> None:
    source = "async def f(x): await asyncio.sleep(0); return m.sqrt(x)"
    assert await run(source, imports="import math as m\nimport asyncio", x=16) == 4.0


async def test_models_and_enumerations_are_made_of_plain_arguments() -> None:
    source = (
        "import enum, datetime, pydantic\n"
        "class Colour(enum.Enum):\n    RED = 'red'\n"
        "class Point(pydantic.BaseModel):\n    x: int\n"
        "def f(c: Colour, p: Point, d: datetime.date): return [c.name, p.x, d.year]"
    )
    assert await run(source, c="red", p={"x": 3}, d="2024-05-01") == ["RED", 3, 2024]


async def test_what_is_emitted_is_told_while_the_function_works() -> None:
    source = "from studio.tools import emit\ndef f():\n emit('rows', {'done': 7})\n emit('nothing', '')\n return 1"
    told: list[str] = []
    with listening(told.append):
        assert await run(source) == 1
    assert told == ['rows: {"done": 7}', "nothing"]


async def test_printing_a_megabyte_spoils_nothing() -> None:
    assert (
        await run("import sys\ndef f():\n print('x' * 1_000_000)\n sys.stderr.write('y' * 1_000_000)\n return 1") == 1
    )


async def test_a_long_result_is_cut_with_a_note() -> None:
    assert await run("def f(): return 'x' * 50", limits=Limits(text_limit=10)) == (
        "xxxxxxxxxx\n[40 more characters were left out]"
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(): raise KeyError('no')", "'no'"),
        ("def f(): raise SystemExit(3)", "3"),
        ("import no_such_module\ndef f(): pass", "No module named 'no_such_module'"),
        ("def f(): return undefined", "name 'undefined' is not defined"),
    ],
)
async def test_what_the_code_raises_is_the_result(source: str, message: str) -> None:
    assert await run(source) == message


async def test_a_process_that_dies_is_told_with_what_it_printed() -> None:
    source = "import os, sys\ndef f():\n sys.stderr.write('out of cheese')\n sys.stderr.flush()\n os._exit(3)"
    with pytest.raises(ToolFailed, match=r"exit code 3 before it gave a result\. It printed: out of cheese"):
        await run(source)


@pytest.mark.slow
async def test_code_that_hangs_is_stopped_with_all_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    source = (
        "import subprocess, pathlib, time\n"
        "def f():\n child = subprocess.Popen(['sleep', '60'])\n"
        f" pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        " time.sleep(60)"
    )
    with pytest.raises(ToolFailed, match=r"longer than 1 s and was stopped"):
        await run(source, limits=Limits(timeout_s=1))
    assert_gone(int(note.read_text()))


async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    source = (
        "import os, time\n"
        f"def f():\n with open({str(fifo)!r}, 'w') as note: note.write(str(os.getpid()))\n time.sleep(60)"
    )
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(source))
        pid = int(await asyncio.to_thread(fifo.read_text))
        running.cancel()
    assert_gone(pid)


def all_below(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def assert_gone(pid: int) -> None:
    """Whoever was killed may need a moment to go, and stays as a zombie where nobody reaps it."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with os.fdopen(process) as ended:
        assert select.select([ended], [], [], 10)[0], "it works on"


async def test_the_environment_holds_only_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    reply = await run_function(
        imports="import os",
        source="def f(): return sorted(os.environ)",
        function="f",
        arguments={},
        environment={"GIVEN": "1"},
    )
    assert reply["value"] == ["GIVEN", "HOME", "LANG", "PATH", "TMPDIR"]


async def test_each_call_has_a_new_folder_unless_one_is_set(tmp_path: Path) -> None:
    source = "import os\ndef f():\n open('left', 'w').close()\n return os.getcwd()"
    first = await run(source)
    assert isinstance(first, str)
    assert Path(first) not in all_below(Path(first).parent)
    token = working_directory.set(tmp_path)
    try:
        await run(source)
    finally:
        working_directory.reset(token)
    assert os.listdir(tmp_path) == ["left"]


async def test_a_cancellation_token_can_be_had_without_autogen() -> None:
    reply = await run_function(
        imports="from autogen_core import CancellationToken",
        source="def f(cancellation_token: CancellationToken): return cancellation_token.is_cancelled()",
        function="f",
        arguments={},
        wants_token=True,
    )
    assert reply["value"] is False
