"""What a model call can cost at the most, told before it is made, and how its answer is kept within that."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import NamedTuple, Protocol, cast

from pydantic import JsonValue

from studio.effects import canonical_json
from studio.messages import Image, LLMMessage, ToolSchema

PER_CALL_TOKENS = 64
PER_MESSAGE_TOKENS = 32
"""What a service puts around a conversation and around each message; known ones put 3 to 7 tokens."""
FOR_TOOLS_TOKENS = 1024
"""What a service tells a model about tools in general; Anthropic takes up to 530 tokens for it."""
MAX_IMAGE_TOKENS = 37_000
"""One picture of the largest size, read by gpt-4o-mini: 2,833 and six times 5,667. Others take far less."""
DEFAULT_MAX_OUTPUT_TOKENS = 4096
"""Asked of a model whose longest answer nobody knows; services refuse to be asked for more than it can give."""
LIMITS_OF_ANSWERS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


class TokenBound(NamedTuple):
    """Bounds of one call. `is_set` tells that the client's own config keeps each of the `choices` that short."""

    prompt: int
    completion: int
    is_set: bool = False
    choices: int = 1


class Spender(Protocol):
    """Who asks a model, as far as its cost is concerned."""

    @property
    def source(self) -> str:
        """Name by which the price is found."""
        ...

    @property
    def is_free(self) -> bool:
        """Whether nobody charges for it, unless a price was set by hand."""
        ...

    def is_charged(self, answer: dict[str, JsonValue]) -> bool:
        """Whether this answer was paid for."""
        ...


class Spending(NamedTuple):
    """A model call before it is made, for those who keep a budget. `most` says None when nobody can tell."""

    owner: Spender
    most: Callable[[], TokenBound | None]


class Read(NamedTuple):
    """What a model was asked last, and how many tokens the service counted in it."""

    messages: Sequence[LLMMessage]
    tools: Sequence[ToolSchema]
    prompt_tokens: int


_answer_limit: ContextVar[int | None] = ContextVar("studio_answer_limit", default=None)


def answers_within(tokens: int | None) -> AbstractContextManager[None]:
    """Let model answers inside the block take no more than so many tokens; the request itself stays the same one."""
    return _AS_IT_IS if tokens == _answer_limit.get() else _limited_to(tokens)


_AS_IT_IS = nullcontext()


@contextmanager
def _limited_to(tokens: int | None) -> Generator[None]:
    token = _answer_limit.set(tokens)
    try:
        yield
    finally:
        _answer_limit.reset(token)


answer_limit: Callable[[], int | None] = _answer_limit.get
"""What an answer may take here; None when it may take what it wants."""


def limit_in(arguments: Mapping[str, JsonValue]) -> int | None:
    """The shortest limit of an answer that these arguments name."""
    named = [arguments[name] for name in LIMITS_OF_ANSWERS if name in arguments]
    limits = [limit for limit in named if isinstance(limit, int) and limit > 0]
    return min(limits, default=None)


def max_prompt_tokens(messages: Sequence[LLMMessage], tools: Sequence[ToolSchema], last: Read | None = None) -> int:
    """A bound on the tokens of a prompt.

    What the service has counted in the prompt before is taken from there. Of the rest, each byte may be a token: no
    tokenizer makes more of a text.
    """
    if last is not None and _goes_on_from(last, messages, tools):
        return last.prompt_tokens + sum(map(_max_in, messages[len(last.messages) :]))
    of_tools = sum(max_schema_tokens(cast("JsonValue", tool)) for tool in tools)
    return PER_CALL_TOKENS + (FOR_TOOLS_TOKENS + of_tools if tools else 0) + sum(map(_max_in, messages))


def max_schema_tokens(schema: JsonValue) -> int:
    """A bound on the tokens in which a model is told a JSON schema; 0 for None."""
    return 0 if schema is None else _bytes(canonical_json(schema)) + PER_MESSAGE_TOKENS


def max_with_answer(prompt: int, arguments: Mapping[str, JsonValue], longest: int) -> TokenBound:
    """The whole bound, by the arguments of the request; `longest` is the model's own limit."""
    own, choices = limit_in(arguments), arguments.get("n", 1)
    count = choices if isinstance(choices, int) and choices > 1 else 1
    return TokenBound(prompt, (own or longest) * count, own is not None, count)


def _goes_on_from(last: Read, messages: Sequence[LLMMessage], tools: Sequence[ToolSchema]) -> bool:
    if last.prompt_tokens == 0 or len(last.messages) > len(messages) or tuple(last.tools) != tuple(tools):
        return False
    return all(a is b for a, b in zip(last.messages, messages, strict=False))


def _max_in(message: LLMMessage) -> int:
    total = PER_MESSAGE_TOKENS + 2 * _bytes(str(getattr(message, "source", "")))
    if thought := getattr(message, "thought", None):
        total += _bytes(str(thought))
    content = message.content
    if isinstance(content, str):
        return total + _bytes(content)
    for part in content:
        if isinstance(part, Image):
            total += MAX_IMAGE_TOKENS
        else:
            total += PER_MESSAGE_TOKENS + _bytes(part if isinstance(part, str) else part.model_dump_json())
    return total


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
