"""The ready-made team of Magentic-One: its members, with a person or without, and code only after approval."""

import warnings

from autogen_agentchat.agents import ApprovalResponse
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from autogen_ext.teams.magentic_one import MagenticOne
from scripting import as_json, model


def approval_func(request):
    return ApprovalResponse(approved=False, reason="Not today.")


warnings.simplefilter("ignore")  # that the model is none of OpenAI's, that this executor is not shut in
alone = MagenticOne(client=model(), approval_func=approval_func, code_executor=LocalCommandLineCodeExecutor())
print([member.name for member in alone._participants])
team = MagenticOne(model(), True, input, LocalCommandLineCodeExecutor())
dumped = as_json(team)
print(dumped["provider"], dumped["label"], dumped["config"]["max_turns"])
names = [member["config"]["name"] for member in dumped["config"]["participants"]]
print(names)
assert names == ["FileSurfer", "WebSurfer", "Coder", "ComputerTerminal", "User"]
