"""An assistant writes code, another agent runs it."""

import asyncio
import tempfile

from autogen_agentchat.agents import ApprovalResponse, AssistantAgent, CodeExecutorAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from scripting import model, said, told

FENCE = "`" * 3


def allow(request):
    print("asked for:", request.code.strip())
    return ApprovalResponse(approved="print" in request.code, reason="It only prints.")


async def main():
    writer = AssistantAgent("writer", model_client=model(f"{FENCE}python\nprint(6 * 7)\n{FENCE}", "TERMINATE"))
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalCommandLineCodeExecutor(work_dir=folder)
        runner = CodeExecutorAgent("runner", code_executor=executor, approval_func=allow)
        stop = TextMentionTermination("TERMINATE") | MaxMessageTermination(10)
        team = RoundRobinGroupChat([writer, runner], termination_condition=stop)
        result = await told(team.run_stream(task="What is 6 times 7?"))
    assert "42" in said(result)[2]


asyncio.run(main())
