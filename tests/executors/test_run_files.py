"""Each executor gives its code the files of the run, and keeps those that the code writes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from studio.executors import (
    CodeExecutor,
    DockerCommandLineCodeExecutor,
    JupyterCodeExecutor,
    LocalCommandLineCodeExecutor,
)
from studio.executors.run_files import current_run_files
from studio.files import Attachment
from studio.messages import CodeBlock

pytestmark = pytest.mark.slow
READ_AND_WRITE = """
text = open("in.txt").read()
open("in.txt.copy", "w").write(text + "!")
"""
PICTURE = "from IPython.display import display, Image\ndisplay(Image(data=b'\\x89PNG\\r\\n\\x1a\\n', format='png'))"


@dataclass
class Kept:
    """The files of a run, in memory."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    async def bring_in(self, folder: Path, *, after: int) -> int:
        if not after:
            (folder / "in.txt").write_text("brought")
        return 1

    async def keep(self, name: str, content: AsyncGenerator[bytes], agent: str) -> Attachment:
        del agent
        data = self.files[name] = b"".join([part async for part in content])
        return Attachment(name=name, sha256=sha256(data).hexdigest(), size=len(data), media_type="text/plain")


@pytest.fixture
def kept() -> Iterator[Kept]:
    kept = Kept()
    token = current_run_files.set(kept)
    yield kept
    current_run_files.reset(token)


async def exchange(executor: CodeExecutor, kept: Kept) -> None:
    async with executor:
        for _ in range(2):  # what has not changed is not kept again
            result = await executor.execute_code_blocks([CodeBlock(language="python", code=READ_AND_WRITE)])
            assert (result.exit_code, [file.name for file in result.files]) == (0, ["in.txt.copy"]), result.output
            assert kept.files == {"in.txt.copy": b"brought!"}
        quiet = await executor.execute_code_blocks([CodeBlock(language="python", code="pass")])
        assert quiet.files == []


async def test_programs_on_this_machine(kept: Kept) -> None:
    await exchange(LocalCommandLineCodeExecutor(), kept)


async def test_a_kernel_on_this_machine(kept: Kept) -> None:
    executor = JupyterCodeExecutor()
    await exchange(executor, kept)
    async with executor:
        shown = await executor.execute_code_blocks([CodeBlock(language="python", code=PICTURE)])
    assert [Path(file.name).suffix for file in shown.files] == [".png"]


@pytest.mark.usefixtures("engine")
async def test_programs_in_a_container(kept: Kept) -> None:
    await exchange(DockerCommandLineCodeExecutor(), kept)
