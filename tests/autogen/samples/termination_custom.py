"""A condition of one's own, with a config, stops a team when a tool was used; it is dumped and loaded."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TerminatedException, TerminationCondition
from autogen_agentchat.messages import StopMessage, ToolCallExecutionEvent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import Component
from pydantic import BaseModel
from scripting import as_json, calls, model, told


class ToolUsedConfig(BaseModel):
    tool: str


class ToolUsed(TerminationCondition, Component[ToolUsedConfig]):
    """Stops when a tool was used."""

    component_config_schema = ToolUsedConfig

    def __init__(self, tool):
        self._tool = tool
        self._is_over = False

    @property
    def terminated(self):
        return self._is_over

    async def __call__(self, messages):
        if self._is_over:
            raise TerminatedException("It is over already.")
        for message in messages:
            if isinstance(message, ToolCallExecutionEvent) and any(done.name == self._tool for done in message.content):
                self._is_over = True
                return StopMessage(content=f"{self._tool} was used.", source="ToolUsed")
        return None

    async def reset(self):
        self._is_over = False

    def _to_config(self):
        return ToolUsedConfig(tool=self._tool)

    @classmethod
    def _from_config(cls, config):
        return cls(config.tool)


def seal() -> str:
    """Seal the letter."""
    return "sealed"


async def main():
    author = AssistantAgent("author", model_client=model("Dear all,", "Dear all, yours"))
    reader = AssistantAgent("reader", model_client=model("Sign it.", calls(("seal", {}))), tools=[seal])
    team = RoundRobinGroupChat([author, reader], termination_condition=ToolUsed("seal"))
    result = await told(team.run_stream(task="A letter."))
    assert result.stop_reason == "seal was used."

    dumped = ToolUsed("stamp").dump_component()
    print(dumped.provider, dumped.component_type, dumped.label, dumped.description, dumped.config)
    loaded = TerminationCondition.load_component(dumped)
    assert isinstance(loaded, ToolUsed) and loaded._tool == "stamp"
    either = loaded | ToolUsed("seal")
    parts = as_json(either)["config"]["conditions"]
    print([part["config"]["tool"] for part in parts])


asyncio.run(main())
