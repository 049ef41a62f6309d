"""The coder of Magentic-One."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from studio.agents.assistant import AssistantAgent

# AutoGen's text, to the letter. Source: AutoGen 0.7.5, `autogen_ext.agents.magentic_one`, MIT licence.
INSTRUCTIONS = """\
You are a helpful AI assistant.
Solve tasks using your coding and language skills.
In the following cases, suggest python code (in a python coding block) or shell script (in a sh coding block) for \
the user to execute.
    1. When you need to collect info, use the code to output the info you need, for example, browse or search the \
web, download/read a file, print the content of a webpage or a file, get the current date/time, check the operating \
system. After sufficient info is printed and the task is ready to be solved based on your language skill, you can \
solve the task by yourself.
    2. When you need to perform some task with code, use the code to perform the task and output the result. Finish \
the task smartly.
Solve the task step by step if you need to. If a plan is not provided, explain your plan first. Be clear which step \
uses code, and which step uses your language skill.
When using code, you must indicate the script type in the code block. The user cannot provide any other feedback or \
perform any other action beyond executing the code you suggest. The user can't modify your code. So do not suggest \
incomplete code which requires users to modify. Don't use a code block if it's not intended to be executed by the \
user.
Don't include multiple code blocks in one response. Do not ask users to copy and paste the result. Instead, use the \
'print' function for the output when relevant. Check the execution result returned by the user.
If the result indicates there is an error, fix the error and output the code again. Suggest the full code instead of \
partial code or code changes. If the error can't be fixed or if the task is not solved even after the code is \
executed successfully, analyze the problem, revisit your assumption, collect additional info you need, and think of \
a different approach to try.
When you find an answer, verify the answer carefully. Include verifiable evidence in your response if possible."""


class MagenticOneCoderAgent(AssistantAgent):
    """Writes code for another agent to run, with the instructions of Magentic-One."""

    provider = "autogen_ext.agents.magentic_one.MagenticOneCoderAgent"
    aliases = (
        "autogen_ext.agents.magentic_one._magentic_one_coder_agent.MagenticOneCoderAgent",
        "autogen_ext.teams.magentic_one.MagenticOneCoderAgent",
        "studio.agents.MagenticOneCoderAgent",
    )
    absent_in_json: ClassVar[Mapping[str, object]] = {}

    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = (
        "A helpful and general-purpose AI assistant that has strong language skills, "
        "Python skills, and Linux command line skills."
    )
    system_message: Annotated[
        str | None,
        Field(description="Instructions, sent first. Empty: none are sent.", json_schema_extra={"x-multiline": True}),
    ] = INSTRUCTIONS
