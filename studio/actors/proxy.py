"""An agent from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.actors.identity import AgentId, AgentMetadata
from studio.actors.protocols import AgentRuntime
from studio.messages import CancellationToken


class AgentProxy:
    """Sends messages to one agent of a runtime.

    Args:
        agent: Its ID.
        runtime: Where it lives.
    """

    def __init__(self, agent: AgentId, runtime: AgentRuntime) -> None:
        self._agent = agent
        self._runtime = runtime

    @property
    def id(self) -> AgentId:
        return self._agent

    @property
    async def metadata(self) -> AgentMetadata:
        return await self._runtime.agent_metadata(self._agent)

    async def send_message(
        self,
        message: Any,
        *,
        sender: AgentId,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        """Send a message, and wait for its answer. See `AgentRuntime.send_message`."""
        return await self._runtime.send_message(
            message, self._agent, sender=sender, cancellation_token=cancellation_token, message_id=message_id
        )

    async def save_state(self) -> Mapping[str, Any]:
        return await self._runtime.agent_save_state(self._agent)

    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._runtime.agent_load_state(self._agent, state)
