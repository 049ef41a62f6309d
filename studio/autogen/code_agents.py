"""The agent that runs code, as AgentChat's scripts call it."""

from __future__ import annotations

from collections.abc import Sequence

from studio import agents as ours
from studio.autogen.agents import FreedAgent
from studio.messages import CancellationToken, CodeBlock, CodeResult


class CodeExecutorAgent(FreedAgent, ours.CodeExecutorAgent, stands_for=ours.CodeExecutorAgent):
    """Runs the code in messages, or code that its model writes."""

    provider = ours.CodeExecutorAgent.provider
    aliases = ours.CodeExecutorAgent.aliases

    async def execute_code_block(
        self, code_blocks: Sequence[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        """Run blocks of code, after approval where there is somebody to ask."""
        return await self._execute(code_blocks, cancellation_token)
