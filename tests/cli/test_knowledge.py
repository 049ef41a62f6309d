"""Commands without a server read the knowledge bases of the studio on this computer; a script says what it lacks."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from studio.code import export_python
from studio.components import JsonObject, load_component
from studio.knowledge import cut_passages
from studio.store import open_store
from studio.store.knowledge import ReadDocument
from tests.cli.conftest import Studio
from tests.processes import Outcome
from tests.web.documents import team
from tests.web.knowledge_bases import LEAVE, with_memory, with_tool

READER = team(with_memory("The office."), max_messages=2)


async def fill(data_dir: Path) -> None:
    async def parts() -> AsyncGenerator[bytes]:
        yield LEAVE.encode()

    async with open_store(data_dir) as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        file = await store.files.add(parts(), max_bytes=10**6)
        passages = cut_passages(LEAVE)
        read = ReadDocument("leave.md", file.sha256, file.size, "text/plain", "", None, len(LEAVE), passages)
        await store.knowledge.add(base.id, read, "ann")


def written(file: Path, document: JsonObject) -> Path:
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


@pytest.mark.slow
def test_a_run_reads_the_studio_of_this_computer(studio_process: Callable[..., Outcome], tmp_path: Path):
    asyncio.run(fill(tmp_path / "data"))
    file = written(tmp_path / "team.json", READER)
    code, out, err = studio_process("run", file, "-t", "Who books flights?", "--approve", "--json")
    assert (code, err) == (0, "")
    found = [json.loads(line) for line in out.splitlines() if "MemoryQueryEvent" in line]
    assert found[0]["content"][0]["metadata"]["citation"] == "[leave.md, section 1]"


@pytest.mark.slow
def test_an_evaluation_reads_the_studio_of_this_computer(studio_process: Callable[..., Outcome], tmp_path: Path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("suite: flights\nscorers:\n  - includes: office\ncases:\n  - {id: who, task: Who books flights}\n")
    file = written(tmp_path / "team.json", READER)
    asked = ("eval", "run", suite, file, "--repeats", "1", "--approve", "--json")
    assert studio_process(*asked).code != 0, "there is no knowledge base"
    asyncio.run(fill(tmp_path / "data"))
    assert studio_process(*asked).code == 0


def test_a_check_warns_of_a_base_that_the_studio_here_lacks(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    file = written(tmp_path / "team.json", READER)
    without_studio = studio("check", file)
    assert without_studio.code == 0
    assert "needs: Reads the knowledge base 'Handbook'." in without_studio.out
    assert "note:" not in without_studio.out
    asyncio.run(fill(tmp_path / "data"))
    assert "note:" not in studio("check", file).out
    gone = team(with_tool(knowledge_base="Gone"))
    code, out, _ = studio("check", written(tmp_path / "gone.json", gone))
    assert code == 0
    assert "note: There is no knowledge base 'Gone' here.  /config/participants/0/config/tools/0" in out
    assert "Add it on the page Knowledge, or choose another one." in out


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "exit_code"), [(with_memory("The office."), 1), (with_tool(), 0)])
def test_an_exported_script_says_that_it_needs_a_studio(tmp_path: Path, agent: JsonObject, exit_code: int):
    source = export_python(load_component(team(agent, max_messages=2)))
    file = tmp_path / "reader.py"
    file.write_text(source, encoding="utf-8")
    done = asyncio.run(_executed(file))
    assert done.code == exit_code, done
    said = done.out + done.err
    assert "The knowledge base 'Handbook' cannot be read outside of a studio." in said
    assert "with `studio run`" in said


async def _executed(file: Path) -> Outcome:
    arguments = (sys.executable, str(file), "Who books flights?")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*arguments, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return Outcome(process.returncode or 0, out.decode(), err.decode())
