"""One turn of an agent that writes code and has it run: write, run, correct, reflect."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from studio.agents.base import Step
from studio.agents.structured import InvalidAnswer
from studio.agents.turn import NoFinalResult, NoReflection, add_to_context, whole_answer
from studio.contexts import ChatCompletionContext
from studio.errors import RunFailed
from studio.files import files_metadata
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    CodeBlock,
    CodeExecutionEvent,
    CodeGenerationEvent,
    CodeResult,
    CreateResult,
    LLMMessage,
    ModelClientStreamingChunkEvent,
    Response,
    SystemMessage,
    TextMessage,
    ThoughtEvent,
    UserMessage,
    without_images,
)
from studio.models import ChatCompletionClient

BROKEN_OFF = "The execution was broken off before it gave a result."


class ApprovalRequest(BaseModel):
    """The code that is about to be run, and the conversation that led to it."""

    code: str
    context: list[LLMMessage]


class ApprovalResponse(BaseModel):
    """Whether it may be run, and why."""

    approved: bool
    reason: str


ApprovalFuncType = Callable[[ApprovalRequest], ApprovalResponse | Awaitable[ApprovalResponse]]


class RetryDecision(BaseModel):
    """Whether the model wants to correct its code, and how."""

    reason: str
    retry: bool


def code_blocks_in(text: str, languages: Sequence[str]) -> list[CodeBlock]:
    """The fenced blocks of code in a text; one without a language, or in another one, is none."""
    names = "|".join(re.escape(language) for language in languages)
    pattern = re.compile(rf"```(?:\s*({names}))\n([\s\S]*?)```", re.IGNORECASE)
    return [CodeBlock(code=code, language=language.strip()) for language, code in pattern.findall(text)]


def readable_result(result: CodeResult) -> CodeResult:
    """What the code gave, with words for silence and failure."""
    if not result.output.strip():
        output = (
            f"The script ran but produced no output to console. The POSIX exit code was: {result.exit_code}. "
            "If you were expecting output, consider revising the script to ensure content is printed to stdout."
        )
    elif result.exit_code:
        output = (
            f"The script ran, then exited with an error (POSIX exit code: {result.exit_code})\n"
            f"Its output was:\n{result.output}"
        )
    else:
        output = result.output
    return CodeResult(exit_code=result.exit_code, output=output, files=result.files)


@dataclass
class CodeTurn:
    """Made anew for each turn.

    Args:
        execute: Runs blocks of code and gives what came out, in words for the model.
    """

    name: str
    client: ChatCompletionClient
    streams: bool
    instructions: str | None
    context: ChatCompletionContext
    languages: Sequence[str]
    max_retries: int
    token: CancellationToken
    execute: Callable[[Sequence[CodeBlock]], Awaitable[CodeResult]]
    is_given_up: bool = field(default=False, init=False)
    """Whether the agent has gone on without this turn: it writes nothing into the context any more."""
    heard: Sequence[BaseChatMessage] | None = field(default=None, init=False)
    """What it began with, once that is in the context."""
    _inner: list[BaseMessage] = field(default_factory=list[BaseMessage], init=False)
    _result: CreateResult | None = field(default=None, init=False)

    async def steps(self, messages: Sequence[BaseChatMessage]) -> AsyncGenerator[Step, None]:
        """Everything that happens, the response last."""
        for attempt in range(self.max_retries + 1):
            await add_to_context(self.context, messages)
            self.heard = messages
            async with aclosing(self._think()) as steps:
                async for step in steps:
                    yield step
            text = self._text()
            blocks = code_blocks_in(text, self.languages)
            if not blocks:
                yield Response(chat_message=TextMessage(content=text, source=self.name))
                return
            output = BROKEN_OFF
            try:
                yield CodeGenerationEvent(retry_attempt=attempt, content=text, code_blocks=blocks, source=self.name)
                result = await self.execute(blocks)
                output = result.output
            finally:
                if not self.is_given_up:
                    await self.context.add_message(UserMessage(content=output, source=self.name))
            metadata = files_metadata(result.files)
            yield CodeExecutionEvent(retry_attempt=attempt, result=result, source=self.name, metadata=metadata)
            if result.exit_code == 0 or attempt == self.max_retries:
                break
            decision = await self._decide(result)
            if not decision.retry:
                break
            proposed = f"Attempt number: {attempt + 1}\nProposed correction: {decision.reason}"
            yield CodeGenerationEvent(retry_attempt=attempt, content=proposed, code_blocks=[], source=self.name)
        async with aclosing(self._reflect()) as steps:
            async for step in steps:
                yield step

    async def _reflect(self) -> AsyncGenerator[Step, None]:
        async with aclosing(self._think()) as steps:
            async for step in steps:
                yield step
        result = self._result
        if result is None or not isinstance(result.content, str):
            raise NoReflection("Reflect on tool use produced no valid text response.")
        answer = TextMessage(content=result.content, source=self.name, models_usage=result.usage)
        yield Response(chat_message=answer, inner_messages=self._inner)

    async def _think(self) -> AsyncGenerator[Step, None]:
        """Ask the model; its answer is in the context and in `_result` afterwards."""
        system = [] if self.instructions is None else [SystemMessage(content=self.instructions)]
        messages: list[LLMMessage] = [*system, *await self.context.get_messages()]
        if not self.client.info["vision"]:
            messages = without_images(messages)
        self._result = None
        if self.streams:
            async with aclosing(self.client.create_stream(messages, cancellation_token=self.token)) as items:
                async for item in items:
                    if isinstance(item, str):
                        yield ModelClientStreamingChunkEvent(content=item, source=self.name)
                    else:
                        self._result = whole_answer(item)
        else:
            self._result = await self.client.create(messages, cancellation_token=self.token)
        result = self._result
        if result is None:  # the client of a script may end its stream early
            raise NoFinalResult("No final model result in streaming mode.")
        if result.thought:
            event = ThoughtEvent(content=result.thought, source=self.name)
            self._inner.append(event)
            yield event
        await self.context.add_message(
            AssistantMessage(content=result.content, thought=result.thought, source=self.name)
        )

    def _text(self) -> str:
        if self._result is None or not isinstance(self._result.content, str):
            raise RunFailed(f"The model of {self.name!r} requested a tool call where only text is accepted.")
        return self._result.content

    async def _decide(self, result: CodeResult) -> RetryDecision:
        prompt = (
            f"The most recent code execution resulted in an error:\n{result.output}\n\n"
            "Should we attempt to resolve it? Please respond with:\n"
            "- A boolean value for 'retry' indicating whether it should be retried.\n"
            "- A detailed explanation in 'reason' that identifies the issue, justifies your decision to retry or not, "
            "and outlines how you would resolve the error if a retry is attempted."
        )
        asked = [*await self.context.get_messages(), UserMessage(content=prompt, source=self.name)]
        answer = await self.client.create(asked, json_output=RetryDecision, cancellation_token=self.token)
        try:
            return RetryDecision.model_validate_json(answer.content if isinstance(answer.content, str) else "")
        except ValidationError as error:
            raise InvalidAnswer(f"{self.name!r} did not say whether to correct its code.") from error
