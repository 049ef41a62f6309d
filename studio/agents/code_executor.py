"""The agent that runs code: that of others, or its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from inspect import isawaitable
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import Field, JsonValue, PrivateAttr, SerializerFunctionWrapHandler, model_serializer, model_validator

from studio.agents.base import ChatAgent, Step
from studio.agents.cleanup import release_all
from studio.agents.code_turn import ApprovalFuncType, ApprovalRequest, CodeTurn, code_blocks_in, readable_result
from studio.components import PARTICIPANT_NAMES, JsonObject
from studio.contexts import ChatCompletionContext, UnboundedChatCompletionContext
from studio.executors import CodeExecutor
from studio.executors.code_calls import running_code_for
from studio.files import files_metadata, written_text
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    CodeBlock,
    CodeResult,
    Response,
    TextMessage,
)
from studio.models import ChatCompletionClient

LANGUAGES = ("python", "sh")
TERMINAL = (
    "A computer terminal that performs no other action than running Python scripts (provided to it quoted in ```python "
    "code blocks), or sh shell scripts (provided to it quoted in ```sh code blocks)."
)
WRITER = (
    "A Code Execution Agent that generates and executes Python and shell scripts based on user instructions. It "
    "ensures correctness, efficiency, and minimal errors while gracefully handling edge cases."
)
INSTRUCTIONS = (
    "You are a Code Execution Agent. Your role is to generate and execute Python code and shell scripts based on user "
    "instructions, ensuring correctness, efficiency, and minimal errors. Handle edge cases gracefully. Python code "
    "should be provided in ```python code blocks, and sh shell scripts should be provided in ```sh code blocks for "
    "execution."
)
NO_CODE = (
    "No code blocks found in the thread. Please provide at least one markdown-encoded code block to execute (i.e., "
    "quoting code in ```python or ```sh code blocks)."
)


class CodeExecutorAgent(ChatAgent):
    """Runs code from the messages of other agents. With a model, writes the code and reviews its output."""

    provider = "autogen_agentchat.agents.CodeExecutorAgent"
    keywords = "python shell run"
    aliases = (
        "autogen_agentchat.agents._code_executor_agent.CodeExecutorAgent",
        "autogen_ext.teams.magentic_one.CodeExecutorAgent",
        "studio.agents.CodeExecutorAgent",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "code_executor")
    starts_with: ClassVar[Mapping[str, JsonValue]] = {"model_client_stream": True}
    absent_in_json: ClassVar[Mapping[str, object]] = {"system_message": None}

    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = ""
    code_executor: Annotated[CodeExecutor, Field(description="Where code runs.")]
    model_client: Annotated[
        ChatCompletionClient | None,
        Field(description="Writes the code. Empty: runs the code of other agents."),
    ] = None
    sources: Annotated[
        list[str] | None,
        Field(description="Run code only from these agents. Empty: from all.", json_schema_extra=PARTICIPANT_NAMES),
    ] = None
    system_message: Annotated[
        str | None,
        Field(description="Instructions, sent first. Empty: none are sent.", json_schema_extra={"x-multiline": True}),
    ] = INSTRUCTIONS
    model_context: Annotated[
        ChatCompletionContext | None,
        Field(description="Limits the conversation that the model sees. Empty: all of it."),
    ] = None
    model_client_stream: Annotated[bool, Field(description="Show the answer while the model writes it.")] = False
    supported_languages: Annotated[
        list[str] | None,
        Field(description="Ignore code in other languages. Empty: python and sh."),
    ] = None
    max_retries_on_error: Annotated[
        int,
        Field(
            description="How often the model may correct code that failed.",
            exclude_if=lambda count: not count,  # AutoGen writes none
            json_schema_extra={"minimum": 0},
        ),
    ] = 0

    _approve: ApprovalFuncType | None = PrivateAttr(default=None)
    _context: ChatCompletionContext | None = PrivateAttr(default=None)
    _turn: CodeTurn | None = PrivateAttr(default=None)
    """The newest."""

    def __init__(self, *args: Any, approval_func: ApprovalFuncType | None = None, **data: Any) -> None:
        """Make one as in AgentChat; the function decides before code is run, and has no JSON."""
        super().__init__(*args, **data)
        self._approve = approval_func

    @model_validator(mode="before")
    @classmethod
    def _no_description_is_the_default(cls, value: object) -> object:
        if not isinstance(value, Mapping) or "provider" in value:
            return cast("object", value)
        given = dict(cast("Mapping[str, object]", value))
        if not given.get("description"):
            given["description"] = TERMINAL if given.get("model_client") is None else WRITER
        return given

    @model_validator(mode="after")
    def _can_decide_to_retry(self) -> Self:
        if self.max_retries_on_error > 0:
            if self.model_client is None:
                raise ValueError("model_client.model_info must be provided when max_retries_on_error > 0")
            if not self.model_client.is_opaque and not self.model_client.info["structured_output"]:
                raise ValueError("Specified model_client doesn't support structured output mode.")
        return self

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        if self._approve is not None:
            raise ValueError(
                "Cannot serialize CodeExecutorAgent with approval_func set. The approval function is not serializable."
            )
        return super()._to_envelope(handler)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        token = cancellation_token or CancellationToken()
        if self.model_client is None:
            result = await self._run_what_was_said(messages, token)
            metadata = files_metadata(result.files)
            yield Response(chat_message=TextMessage(content=result.output, source=self.name, metadata=metadata))
            return
        self._give_up_turn()
        turn = self._turn = CodeTurn(
            name=self.name,
            client=self.model_client,
            streams=self.model_client_stream,
            instructions=self.system_message,
            context=self._own_context(),
            languages=self._languages(),
            max_retries=self.max_retries_on_error,
            token=token,
            execute=lambda blocks: self._execute(blocks, token),
        )
        async with aclosing(turn.steps(messages)) as steps:
            async for step in steps:
                yield step

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if self._turn is not None and self._turn.heard is messages else messages

    async def _run_what_was_said(self, messages: Sequence[BaseChatMessage], token: CancellationToken) -> CodeResult:
        blocks = self._blocks_in(messages)
        return await self._execute(blocks, token) if blocks else CodeResult(exit_code=0, output=NO_CODE)

    def _blocks_in(self, messages: Sequence[BaseChatMessage]) -> list[CodeBlock]:
        return [
            block
            for message in messages
            if isinstance(message, TextMessage) and (self.sources is None or message.source in self.sources)
            for block in code_blocks_in(written_text(message.content, message.metadata), self._languages())
        ]

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CodeResult:
        """Run code if it is approved; silence, failure and refusal are put into words for a model."""
        refusal = await self._refusal(blocks)
        if refusal is not None:
            return CodeResult(exit_code=1, output=f"Code execution was not approved. Reason: {refusal}")
        with running_code_for(self.name):
            return readable_result(await self.code_executor.execute_code_blocks(blocks, token))

    async def _refusal(self, blocks: Sequence[CodeBlock]) -> str | None:
        """Why the code must not be run; None when it may."""
        if self._approve is None:
            return None
        code = "\n\n".join(f"```{block.language}\n{block.code}\n```" for block in blocks)
        answer = self._approve(ApprovalRequest(code=code, context=await self._own_context().get_messages()))
        decision = await answer if isawaitable(answer) else answer
        return None if decision.approved else decision.reason

    def _languages(self) -> Sequence[str]:
        return LANGUAGES if self.supported_languages is None else self.supported_languages

    def _own_context(self) -> ChatCompletionContext:
        if self._context is None:
            self._context = self.model_context or UnboundedChatCompletionContext()
        return self._context

    def _give_up_turn(self) -> None:
        """Let the turn before write nothing any more, should it end late."""
        if self._turn is not None:
            self._turn.is_given_up = True

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._give_up_turn()
        await self._own_context().clear()

    async def save_state(self) -> Mapping[str, JsonValue]:
        if self.model_client is None:
            return await super().save_state()
        context = dict(await self._own_context().save_state())
        return {"type": "CodeExecutorAgentState", "version": "1.0.0", "llm_context": context}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        context = state.get("llm_context")
        if context is not None:
            self._give_up_turn()
            await self._own_context().load_state(cast("JsonObject", context))

    async def release(self) -> None:
        clients = [] if self.model_client is None else [self.model_client.close]
        await release_all(self.code_executor.release, *clients)
