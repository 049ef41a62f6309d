"""A team, and the Python that its export is."""

from __future__ import annotations

from studio.components import JsonObject

TEAM: JsonObject = {
    "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
    "config": {
        "name": "duet",
        "participants": [
            {
                "provider": "autogen_agentchat.agents.AssistantAgent",
                "component_version": 2,
                "config": {
                    "name": name,
                    "description": "An agent that provides assistance with ability to use tools.",
                    "model_client": {
                        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
                        "config": {"model": "gpt-4o-mini", "api_key": "env:OPENAI_API_KEY"},
                    },
                    "tools": [
                        {
                            "provider": "autogen_core.tools.FunctionTool",
                            "config": {
                                "name": "today",
                                "description": "Today's date.",
                                "source_code": "def today() -> str:\n    return date.today().isoformat()\n",
                                "global_imports": [{"module": "datetime", "imports": ["date"]}],
                                "has_cancellation_support": False,
                            },
                        }
                    ],
                    "reflect_on_tool_use": False,
                    "tool_call_summary_format": "{result}",
                },
            }
            for name in ("first", "second")
        ],
        "termination_condition": {
            "provider": "autogen_agentchat.conditions.MaxMessageTermination",
            "config": {"max_messages": 4},
        },
    },
}


SCRIPT = '''\
"""duet, exported from Team Studio."""

from __future__ import annotations

import asyncio
import sys
from datetime import date

from studio.agents import AssistantAgent
from studio.components import env
from studio.conditions import MaxMessageTermination
from studio.console import Console
from studio.errors import StudioError
from studio.executors import ImportFromModule
from studio.models import OpenAIChatCompletionClient
from studio.teams import RoundRobinGroupChat
from studio.tools import FunctionTool


def today() -> str:
    return date.today().isoformat()


def build_team() -> RoundRobinGroupChat:
    model_client = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key=env("OPENAI_API_KEY"))
    today_tool = FunctionTool(
        today,
        description="Today's date.",
        global_imports=[ImportFromModule("datetime", ["date"])],
    )
    first = AssistantAgent(
        name="first",
        model_client=model_client,
        system_message=None,
        tools=[today_tool],
    )
    second = AssistantAgent(
        name="second",
        model_client=model_client,
        system_message=None,
        tools=[today_tool],
    )
    return RoundRobinGroupChat(
        name="duet",
        participants=[first, second],
        termination_condition=MaxMessageTermination(max_messages=4),
    )


async def main() -> None:
    task = " ".join(sys.argv[1:]) or input("Task: ")
    await Console(build_team().run_stream(task=task), output_stats=True)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except StudioError as error:
        sys.exit(str(error))
'''
