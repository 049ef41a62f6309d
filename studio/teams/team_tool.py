"""A team as a tool of an agent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.agents import Participant, TaskTool
from studio.teams.base import Team


class TeamTool(TaskTool):
    """Lets a model give a task to a team."""

    provider = "autogen_agentchat.tools.TeamTool"
    aliases = ("autogen_agentchat.tools._team.TeamTool", "studio.teams.TeamTool")
    positional = ("team", "name", "description", "return_value_as_last_message")

    team: Team
    name: Annotated[
        str, Field(min_length=1, description="Name of the tool, as the model sees it.", examples=["ask_team"])
    ]
    description: Annotated[
        str,
        Field(
            description="Tells the model what the team does.",
            examples=["Gives a task to a team."],
            json_schema_extra={"x-multiline": True},
        ),
    ]

    def worker(self) -> Participant:
        return self.team

    def shown_as(self) -> tuple[str, str]:
        return self.name, self.description
