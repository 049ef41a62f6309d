"""Code of the model as a tool call."""

from __future__ import annotations

import os

import pytest

from studio import effects
from studio.errors import ToolFailed
from studio.executors import LocalCommandLineCodeExecutor
from studio.messages import ToolCallSummaryMessage
from studio.tools import PythonCodeExecutionTool
from tests.teams.scripted import CountingWorld, agent, wishes


def exists(path: str) -> bool:
    return os.path.exists(path)


@pytest.fixture
def tool() -> PythonCodeExecutionTool:
    return PythonCodeExecutionTool(executor=LocalCommandLineCodeExecutor())


async def test_the_model_reads_what_the_code_printed(tool: PythonCodeExecutionTool) -> None:
    assert tool.schema["name"] == "CodeExecutor"
    done = await tool.call({"code": "print(1 + 2)"})
    failed = await tool.call({"code": "raise SystemExit('no')"})
    await tool.stop()
    assert (done.text, done.value) == ("3\n", {"success": True, "output": "3\n"})
    assert (failed.text, failed.value) == ("no\n", {"success": False, "output": "no\n"})
    with pytest.raises(ToolFailed, match="Field required"):
        await tool.call({})


async def test_the_executor_lives_for_one_run_and_its_work_is_one_effect(tool: PythonCodeExecutionTool) -> None:
    world = CountingWorld()
    code = wishes(("CodeExecutor", '{"code": "import os; print(os.getcwd())"}'))
    able = agent("a", code, code, tools=[tool])
    with effects.use(world):
        first = (await able.run(task="Go.")).messages[-1]
        second = (await able.run(task="Go on.")).messages[-1]
    assert isinstance(first, ToolCallSummaryMessage)
    assert not exists(first.content.strip())
    assert first.content != second.to_text()
    assert [kind for kind in world.asked if kind != "model"] == ["code", "code"]
