"""Code blocks are executed in a folder, one after the other: what they print, how they end, what they leave."""

import asyncio
import tempfile
import warnings
from pathlib import Path

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

BLOCKS = {
    "prints": [CodeBlock(language="python", code="print('hello')")],
    "writes": [CodeBlock(language="python", code="open('made.txt', 'w').write('kept')")],
    "reads": [CodeBlock(language="python", code="print(open('made.txt').read())")],
    "fails": [CodeBlock(language="python", code="import sys\nsys.exit(3)")],
    "shell": [CodeBlock(language="sh", code="echo one; echo two")],
    "both": [
        CodeBlock(language="python", code="print('first')"),
        CodeBlock(language="python", code="print('second')"),
    ],
}


async def main() -> None:
    warnings.simplefilter("ignore")  # that this executor is not shut in
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalCommandLineCodeExecutor(timeout=30, work_dir=folder)
        await executor.start()
        codes: dict[str, int] = {}
        for name, blocks in BLOCKS.items():
            result = await executor.execute_code_blocks(blocks, CancellationToken())
            codes[name] = result.exit_code
            print(name, result.exit_code, result.output.split())
        assert (Path(folder) / "made.txt").read_text() == "kept"
        assert {name: code for name, code in codes.items() if code} == {"fails": 3}
        await executor.stop()


asyncio.run(main())
