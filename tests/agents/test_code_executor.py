"""The agent that runs code, with real processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from studio import effects
from studio.agents import ApprovalRequest, ApprovalResponse, CodeExecutorAgent
from studio.components import load_component
from studio.executors import LocalCommandLineCodeExecutor
from studio.messages import CodeExecutionEvent, CodeGenerationEvent, TaskResult, TextMessage
from tests.teams.scripted import CountingWorld, said, scripted

PRINTS = "```python\nprint(6 * 7)\n```"
FAILS = "```python\nraise SystemExit('no')\n```"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code runs in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def executor(**config: Any) -> CodeExecutorAgent:
    return CodeExecutorAgent("runner", LocalCommandLineCodeExecutor(work_dir="code", timeout=10), **config)


async def last_word(task: str | list[TextMessage], **config: Any) -> str:
    return (await executor(**config).run(task=task)).messages[-1].to_text()


async def test_silence_and_failure_have_words():
    assert await last_word("```sh\ntrue\n```") == (
        "The script ran but produced no output to console. The POSIX exit code was: 0. "
        "If you were expecting output, consider revising the script to ensure content is printed to stdout."
    )
    assert (await last_word("```sh\necho oh; exit 3\n```")).startswith(
        "The script ran, then exited with an error (POSIX exit code: 3)\nIts output was:\noh"
    )


async def test_only_languages_that_are_wished_are_run():
    assert (await last_word("```sh\necho 1\n```", supported_languages=["python"])).startswith("No code blocks found")


async def test_an_approval_function_decides_and_reads_the_code():
    asked: list[str] = []

    def refuse(request: ApprovalRequest) -> ApprovalResponse:
        asked.append(request.code)
        return ApprovalResponse(approved=False, reason="not today")

    assert await last_word(PRINTS, approval_func=refuse) == "Code execution was not approved. Reason: not today"
    assert asked == ["```python\nprint(6 * 7)\n\n```"]


async def test_an_approval_function_may_take_its_time():
    async def agree(_request: ApprovalRequest) -> ApprovalResponse:
        return ApprovalResponse(approved=True, reason="")

    assert await last_word(PRINTS, approval_func=agree) == "42\n"


def test_an_agent_with_an_approval_function_is_not_written_down():
    def agree(_request: ApprovalRequest) -> ApprovalResponse:
        return ApprovalResponse(approved=True, reason="")

    with pytest.raises(ValueError, match="Cannot serialize CodeExecutorAgent with approval_func set"):
        executor(approval_func=agree).dump_component()


async def test_with_a_model_it_writes_runs_and_reflects():
    result = await executor(model_client=scripted(PRINTS, "It is 42.")).run(task="6 * 7?")
    kinds = [type(message).__name__ for message in result.messages]
    assert kinds == ["TextMessage", "CodeGenerationEvent", "CodeExecutionEvent", "TextMessage"]
    assert said(result.messages)[2:] == [("runner", "42\n"), ("runner", "It is 42.")]


async def test_an_answer_without_code_is_the_answer():
    result = await executor(model_client=scripted("Hello.")).run(task="Hi")
    assert said(result.messages) == [("user", "Hi"), ("runner", "Hello.")]


def decision(retry: bool) -> str:
    return json.dumps({"reason": "print it", "retry": retry})


async def correcting(*replies: str) -> TaskResult:
    return await executor(model_client=scripted(*replies), max_retries_on_error=1).run(task="go")


@pytest.mark.slow
async def test_code_that_failed_is_corrected_if_the_model_wishes():
    result = await correcting(FAILS, decision(retry=True), PRINTS, "Done.")
    generated = [message for message in result.messages if isinstance(message, CodeGenerationEvent)]
    assert [message.retry_attempt for message in generated] == [0, 0, 1]
    assert generated[1].content == "Attempt number: 1\nProposed correction: print it"
    executed = [message.result.exit_code for message in result.messages if isinstance(message, CodeExecutionEvent)]
    assert executed == [1, 0]


async def test_code_that_failed_is_left_if_the_model_wishes():
    result = await correcting(FAILS, decision(retry=False), "It failed.")
    assert said(result.messages)[-1] == ("runner", "It failed.")


def test_correcting_needs_a_model_that_can_decide():
    with pytest.raises(ValidationError, match=r"model_client\.model_info must be provided"):
        executor(max_retries_on_error=1)


async def test_running_code_is_one_effect():
    world = CountingWorld()
    with effects.use(world):
        await last_word(PRINTS)
    assert world.asked == ["code"]


async def test_what_was_said_is_remembered_in_the_state():
    first, second = (executor(model_client=scripted("Hello.", "Again.")) for _ in range(2))
    await first.run(task="Hi")
    await second.load_state(await first.save_state())
    assert await second.save_state() == await first.save_state()


def test_the_description_says_whether_it_writes_code():
    assert executor().description.startswith("A computer terminal")
    assert executor(model_client=scripted()).description.startswith("A Code Execution Agent")


def test_a_dump_loads_to_the_same_agent():
    document = executor(sources=["coder"], supported_languages=["python"]).dump_component()
    assert load_component(document).dump_component() == document


@pytest.mark.parametrize("is_loaded", [False, True])
async def test_a_turn_that_ends_late_writes_nothing_into_what_came_after_it(*, is_loaded: bool):
    runner = executor(model_client=scripted(PRINTS))
    before = await runner.save_state()
    steps = runner.on_messages_stream([TextMessage(content="Go.", source="user")])
    assert isinstance(await anext(steps), CodeGenerationEvent)
    await (runner.load_state(before) if is_loaded else runner.on_reset())
    await steps.aclose()
    assert await runner.save_state() == before


COUNTS = """```python
import os
print("before:", os.path.exists("left"))
open("left", "w").close()
```"""


async def test_an_executor_that_a_program_started_lasts_over_its_runs():
    runner = CodeExecutorAgent("runner", LocalCommandLineCodeExecutor(timeout=10))
    async with runner.code_executor:
        said = [(await runner.run(task=COUNTS)).messages[-1].to_text() for _ in range(2)]
        await runner.code_executor.restart()
        said += [(await runner.run(task=COUNTS)).messages[-1].to_text() for _ in range(2)]
    said += [(await runner.run(task=COUNTS)).messages[-1].to_text() for _ in range(2)]
    assert [words.split()[-1] for words in said] == ["False", "True", "False", "True", "False", "False"]
