"""Files that the studio writes into a folder where foreign code has been: none of them lands anywhere else."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from studio.executors import LocalCommandLineCodeExecutor
from studio.executors.functions import CodeFunction
from studio.executors.workspace_files import OutsideWorkspace, write_within
from studio.messages import CodeBlock


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


async def test_code_cannot_turn_the_script_of_the_next_block_into_another_file(tmp_path: Path) -> None:
    folder, private = tmp_path / "work", tmp_path / "private"
    folder.mkdir()
    private.write_text("mine")
    code = "echo taken"
    digest = hashlib.sha256(code.encode()).hexdigest()
    trap = f"ln -s {private} tmp_code_{digest}.sh; ln -s {private} functions.py; ln -s {private} named.sh"
    async with LocalCommandLineCodeExecutor(work_dir=str(folder)) as executor:
        await executor.execute_code_blocks([CodeBlock(language="sh", code=trap)])
        for block in (code, f"# filename: named.sh\n{code}"):
            result = await executor.execute_code_blocks([CodeBlock(language="sh", code=block)])
            assert result.output in ("taken\n", "Filename is not in the workspace")
    functions = [CodeFunction(source_code="def one() -> int:\n    return 1")]
    async with LocalCommandLineCodeExecutor(work_dir=str(folder), functions=functions) as executor:
        await executor.execute_code_blocks([CodeBlock(language="sh", code="true")])
    assert private.read_text() == "mine"


def test_a_file_is_made_anew_below_the_folder(tmp_path: Path) -> None:
    write_within(tmp_path, "a/b/c.txt", b"one")
    os.link(tmp_path / "a/b/c.txt", tmp_path / "other")
    write_within(tmp_path, "a/b/c.txt", b"two")
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"two"
    assert (tmp_path / "other").read_bytes() == b"one"


@pytest.mark.parametrize("path", ["link/x", "link", "../x", "/etc/x", "", ".", "a/../../x", "folder", "file/x"])
def test_what_does_not_lie_below_it_is_refused(tmp_path: Path, path: str) -> None:
    folder, outside = tmp_path / "inside", tmp_path / "outside"
    for place in (folder, outside, folder / "folder"):
        place.mkdir()
    (folder / "file").write_text("x")
    (folder / "link").symlink_to(outside)
    if path == "link":
        write_within(folder, path, b"x")  # the link makes room for the file
        assert not (folder / "link").is_symlink()
    else:
        with pytest.raises(OutsideWorkspace):
            write_within(folder, path, b"x")
    assert names_in(outside) == []


def test_a_pipe_in_the_place_of_the_file_does_not_hold_up_the_studio(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    write_within(tmp_path, "pipe", b"x")
    assert (tmp_path / "pipe").read_bytes() == b"x"
