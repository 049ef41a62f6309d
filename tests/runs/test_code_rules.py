"""Rules and breakpoints for tools hold for code, too: that of an agent that runs code, and that of a tool for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from studio.components import JsonObject
from studio.executors import CodeExecutor
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.runs import Breakpoint, RunState, ToolPolicy, ToolRule
from tests.runs.scripted import OpenStudio
from tests.runs.tooling import Drawer, agent, asked, current_drawer, decide, reply, started, team

TWO_BLOCKS = "```python\nprint(1)\n```\nand\n```sh\nrm -r /\n```"


class NotingExecutor(CodeExecutor):
    """Runs nothing, and notes what it was to run."""

    provider = "tests.runs.NotingExecutor"

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CodeResult:
        del token
        current_drawer.get().calls.extend({"language": block.language, "code": block.code} for block in blocks)
        return CodeResult(exit_code=0, output="ran")


EXECUTOR: JsonObject = {"provider": NotingExecutor.provider, "config": {}}


def coding(said: str) -> JsonObject:
    """Somebody says code, and another agent runs it."""
    runner: JsonObject = {
        "provider": "autogen_agentchat.agents.CodeExecutorAgent",
        "component_type": "agent",
        "config": {"name": "runner", "code_executor": EXECUTOR, "supported_languages": ["python", "sh"]},
    }
    return cast("JsonObject", team(agent("writer", said, tools=()), runner, turns=2))


def coding_by_tool() -> JsonObject:
    clerk = cast("JsonObject", agent("clerk", reply({"code": "print(1)"}, tool="CodeExecutor"), "Bye.", tools=()))
    tool: JsonObject = {
        "provider": "autogen_ext.tools.code_execution.PythonCodeExecutionTool",
        "config": {"executor": EXECUTOR},
    }
    return cast("JsonObject", team({**clerk, "config": {**cast("JsonObject", clerk["config"]), "tools": [tool]}}))


def ruled(tool: str, verdict: str, **more: object) -> ToolPolicy:
    return ToolPolicy(rules=(ToolRule.model_validate({"tool": tool, "verdict": verdict, **more}),))


async def test_code_is_refused_by_a_rule_whatever_block_it_stands_in(open_studio: OpenStudio, drawer: Drawer) -> None:
    when = [{"argument": "code", "test": "matches", "value": ".*rm -r.*"}]
    async with open_studio() as studio:
        run_id = await started(studio, coding(TWO_BLOCKS), policy=ruled("code", "deny", when=when, reason="No."))
        await studio.until(run_id, RunState.FINISHED)
        last = (await studio.said(run_id))[-1]
    assert drawer.calls == []
    assert "This call was refused. No." in last


async def test_a_person_sees_all_code_and_allows_it(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, coding(TWO_BLOCKS), policy=ruled("code", "ask"))
        question = await asked(studio, run_id)
        assert question.source == "runner"
        assert question.details["arguments"] == {"language": "python, sh", "code": "print(1)\n\n\nrm -r /\n"}
        assert drawer.calls == []
        await decide(studio, run_id, question, verdict="allow")
        await studio.until(run_id, RunState.FINISHED)
    assert drawer.calls == [{"language": "python", "code": "print(1)\n"}, {"language": "sh", "code": "rm -r /\n"}]


@pytest.mark.parametrize(
    ("said", "ran"),
    [
        ("```python\nprint(1)\n```", [{"language": "python", "code": "print(2)"}]),
        (TWO_BLOCKS, []),  # nobody can tell which of them it is now
    ],
)
async def test_a_person_changes_code(open_studio: OpenStudio, drawer: Drawer, said: str, ran: list[JsonObject]) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, coding(said), policy=ruled("code", "ask"))
        question = await asked(studio, run_id)
        shown = cast("JsonObject", question.details["arguments"])
        await decide(studio, run_id, question, verdict="allow", arguments={**shown, "code": "print(2)"})
        await studio.until(run_id, RunState.FINISHED)
    assert drawer.calls == ran


@pytest.mark.slow
async def test_the_code_of_a_tool_is_known_by_the_name_of_the_tool(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, coding_by_tool(), policy=ruled("CodeExecutor", "ask"))
        question = await asked(studio, run_id)
        assert (question.source, question.details["tool"]) == ("clerk", "CodeExecutor")
        await decide(studio, run_id, question, verdict="deny", reason="Not now.")
        await studio.until(run_id, RunState.FINISHED)
    assert drawer.calls == []


async def test_what_code_printed_can_be_changed_behind_it(open_studio: OpenStudio, drawer: Drawer) -> None:
    behind = Breakpoint.model_validate({"id": "b", "on": "tool", "when": "after", "name": "code"})
    async with open_studio() as studio:
        run_id = await started(studio, coding("```python\nprint(1)\n```"), breakpoints=[behind])
        question = await asked(studio, run_id, "breakpoint")
        assert question.details["result"] == "ran"
        await decide(studio, run_id, question, verdict="allow", text="ran better")
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[-1] == "ran better"
    assert len(drawer.calls) == 1
