"""Code in a real Jupyter kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.executors import ExecutorUnavailable, JupyterCodeExecutor, JupyterCodeResult
from studio.messages import CancellationToken, CodeBlock

pytestmark = pytest.mark.slow

SHOW = (
    "from IPython.display import display, HTML, Image\n"
    "import base64\n"
    "display(HTML('<p>hi</p>'))\n"
    "display(Image(data=base64.b64decode('iVBORw0KGgo='), format='png'))"
)


def python(*cells: str) -> list[CodeBlock]:
    return [CodeBlock(language="python", code=cell) for cell in cells]


async def test_cells_share_variables_and_show_text_pictures_and_errors(tmp_path: Path) -> None:
    async with JupyterCodeExecutor(output_dir=str(tmp_path)) as executor:
        first = await executor.execute_code_blocks(python("x = 20; print('hi')", "x + 1"))
        failed = await executor.execute_code_blocks(python("1 / 0", "print('no')"))
        shown = await executor.execute_code_blocks(python(SHOW))
    assert (first.exit_code, first.output) == (0, "hi\n\n21")
    assert failed.exit_code == 1
    assert failed.output.endswith("ZeroDivisionError: division by zero")
    assert isinstance(shown, JupyterCodeResult)
    page, picture = shown.output_files
    assert picture.suffix == ".png"
    assert page.read_text() == "<p>hi</p>"


async def test_a_cell_that_takes_too_long_or_is_cancelled_leaves_the_kernel_usable() -> None:
    token = CancellationToken()
    token.cancel()
    async with JupyterCodeExecutor(timeout=1) as executor:
        await executor.execute_code_blocks(python("x = 1"))
        late = await executor.execute_code_blocks(python("import time; time.sleep(60)"))
        cancelled = await executor.execute_code_blocks(python("import time; time.sleep(60)"), token)
        after = await executor.execute_code_blocks(python("x"))
    assert [result.exit_code for result in (late, cancelled, after)] == [124, 125, 0]
    assert (late.output, cancelled.output, after.output) == ("\nTimeout", "\nCancelled", "1")


async def test_an_unknown_kernel_is_told() -> None:
    with pytest.raises(ExecutorUnavailable, match="Unknown Jupyter kernel 'cobol'"):
        await JupyterCodeExecutor(kernel_name="cobol").start()
