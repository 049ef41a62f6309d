"""What runs code or is at OpenAI, as AutoGen's scripts call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studio import agents as ours
from studio import tools
from studio.autogen.agents import FreedAgent
from studio.autogen.tools import FreedTool
from studio.contexts import UnboundedChatCompletionContext
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.tools.code_execution import CodeExecutionInput, CodeExecutionResult


class CodeExecutorAgent(FreedAgent, ours.CodeExecutorAgent, stands_for=ours.CodeExecutorAgent):
    """Runs the code in messages, or code that its model writes."""

    provider = ours.CodeExecutorAgent.provider
    aliases = ours.CodeExecutorAgent.aliases

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        if named.get("model_context") is None:  # as AgentChat keeps and dumps it
            named["model_context"] = UnboundedChatCompletionContext()
        super().__init__(**named)

    async def execute_code_block(
        self, code_blocks: Sequence[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        """Run blocks of code, after approval where there is somebody to ask."""
        return await self._execute(code_blocks, cancellation_token)


class PythonCodeExecutionTool(FreedTool, tools.PythonCodeExecutionTool, stands_for=tools.PythonCodeExecutionTool):
    """Says which models its arguments and its value have."""

    provider = tools.PythonCodeExecutionTool.provider
    aliases = tools.PythonCodeExecutionTool.aliases

    def args_type(self) -> type[CodeExecutionInput]:
        """What its `run` takes."""
        return CodeExecutionInput

    def return_type(self) -> type[CodeExecutionResult]:
        """What its `run` gives."""
        return CodeExecutionResult


class OpenAIAgent(FreedAgent, ours.OpenAIAgent, stands_for=ours.OpenAIAgent):
    """Answers with a model of OpenAI."""

    provider = ours.OpenAIAgent.provider
    aliases = ours.OpenAIAgent.aliases

    def to_config(self) -> Any:
        """Its config with fields as attributes."""
        return self._to_config()
