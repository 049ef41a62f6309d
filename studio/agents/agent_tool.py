"""An agent, or anything else that takes a task, as a tool of another agent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Annotated

from pydantic import Field, JsonValue

from studio.agents.base import ChatAgent
from studio.agents.participant import Participant
from studio.errors import ToolFailed
from studio.messages import BaseChatMessage, CancellationToken, TaskResult, ToolSchema
from studio.tools import StreamTool


class TaskTool(StreamTool):
    """Gives its one argument, `task`, to somebody and tells the model what was said about it.

    Everything that happens inside is shown on the way, and whoever works keeps the conversation for the next call.
    """

    return_value_as_last_message: Annotated[
        bool, Field(description="Return only the last message. Off: the model reads the whole conversation.")
    ] = False

    def worker(self) -> Participant:
        """Who does the work."""
        raise NotImplementedError

    def shown_as(self) -> tuple[str, str]:
        """Name and description for the model."""
        raise NotImplementedError

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- as in the base class
        name, description = self.shown_as()
        return {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {"task": {"title": "Task", "type": "string"}},
                "required": ["task"],
                "additionalProperties": False,
            },
            "strict": True,
        }

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        del call_id
        task = args.get("task")
        if not isinstance(task, str):
            raise ToolFailed("`task` must be text.")
        async with aclosing(self.worker().run_stream(task, cancellation_token)) as items:
            async for item in items:
                yield item

    def return_value_as_string(self, value: object) -> str:
        messages = value.messages if isinstance(value, TaskResult) else ()
        chat = [message for message in messages if isinstance(message, BaseChatMessage)]
        if self.return_value_as_last_message:
            return chat[-1].to_model_text() if chat else ""
        return "\n\n".join(
            f"{message.source}: {message.to_model_text()}" for message in chat if message.source != "user"
        )

    async def save_state_json(self) -> Mapping[str, JsonValue]:
        return await self.worker().save_state()

    async def load_state_json(self, state: Mapping[str, JsonValue]) -> None:
        await self.worker().load_state(state)


class AgentTool(TaskTool):
    """Lets a model give a task to another agent."""

    provider = "autogen_agentchat.tools.AgentTool"
    aliases = ("autogen_agentchat.tools._agent.AgentTool", "studio.agents.AgentTool")
    positional = ("agent", "return_value_as_last_message")

    agent: Annotated[ChatAgent, Field(description="The tool has its name and description.")]

    def worker(self) -> Participant:
        return self.agent

    def shown_as(self) -> tuple[str, str]:
        return self.name, self.description

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def description(self) -> str:
        return self.agent.description
