"""What runs code or is at OpenAI, as AutoGen's scripts call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, Self

from studio import agents as ours
from studio import tools
from studio.agents import code_executor
from studio.autogen.agents import FreedAgent
from studio.autogen.tools import FreedTool
from studio.contexts import UnboundedChatCompletionContext
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, CodeBlock, CodeResult, Response
from studio.tools.code_execution import CodeExecutionInput, CodeExecutionResult


class CodeExecutorAgent(FreedAgent, ours.CodeExecutorAgent, stands_for=ours.CodeExecutorAgent):
    """Runs the code in messages, or code that its model writes."""

    provider = ours.CodeExecutorAgent.provider
    aliases = ours.CodeExecutorAgent.aliases

    DEFAULT_AGENT_DESCRIPTION: ClassVar[str] = code_executor.WRITER
    DEFAULT_TERMINAL_DESCRIPTION: ClassVar[str] = code_executor.TERMINAL
    DEFAULT_SUPPORTED_LANGUAGES: ClassVar[list[str]] = list(code_executor.LANGUAGES)
    NO_CODE_BLOCKS_FOUND_MESSAGE: ClassVar[str] = code_executor.NO_CODE

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        if named.get("model_context") is None:  # as AgentChat keeps and dumps it
            named["model_context"] = UnboundedChatCompletionContext()
        super().__init__(**named)

    @property
    def _approval_func(self) -> ours.ApprovalFuncType | None:
        """Who is asked before code runs, under AutoGen's name."""
        return self._approve

    async def extract_code_blocks_from_messages(self, messages: Sequence[BaseChatMessage]) -> list[CodeBlock]:
        """The code in what those said whose code it runs."""
        return self._blocks_in(messages)

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

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> Any:
        return CodeExecutionResult.model_validate(await super().run_json(args, cancellation_token, call_id))


class OpenAIAgent(FreedAgent, ours.OpenAIAgent, stands_for=ours.OpenAIAgent):
    """Answers with a model of OpenAI."""

    provider = ours.OpenAIAgent.provider
    aliases = ours.OpenAIAgent.aliases

    def __init__(self, *args: Any, **data: Any) -> None:
        super().__init__(*args, **data)
        # As AgentChat tells and dumps them.
        vars(self)["tools"] = [{"type": tool} if isinstance(tool, str) else tool for tool in self.tools or ()]

    def __getattr__(self, name: str) -> Any:
        if name == "_client":  # the service's own, under AutoGen's name
            return self._given_client or self._connection.get(self._connect)
        return super().__getattr__(name)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        """Answer the new messages; what a script's own stream shows on the way is inside the response, too."""
        shown: list[BaseMessage] = []
        async with aclosing(self.on_messages_stream(messages, cancellation_token)) as steps:
            async for step in steps:
                if isinstance(step, Response):
                    inside = list(step.inner_messages or ())
                    inside += [message for message in shown if message not in inside]
                    return Response(chat_message=step.chat_message, inner_messages=inside)
                if step.is_kept:
                    shown.append(step)
        raise ValueError("No response was generated")

    @classmethod
    def from_config(cls, config: Any) -> Self:
        """Make one from such a config."""
        return cls._from_config(config)

    def to_config(self) -> Any:
        """Its config with fields as attributes."""
        return self._to_config()
