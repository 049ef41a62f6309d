"""Model clients as AutoGen's scripts make and derive them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, Self, cast

from pydantic import PrivateAttr, SecretStr
from typing_extensions import TypedDict

from studio import models as ours
from studio.actors import log_events
from studio.autogen import logs
from studio.autogen.compat_base import Freed, mix_in
from studio.autogen.dual_attribute import DualAttribute
from studio.components import SecretRef
from studio.messages import CreateResult, LLMMessage, RequestUsage
from studio.models.openai_client import KEYLESS


class ModelCapabilities(TypedDict):
    """What a model can do, as clients said it before there was `ModelInfo`."""

    vision: bool
    function_calling: bool
    json_output: bool


class ModelFamily(ours.ModelFamily):
    """Names of model families."""

    ANY: ClassVar[str] = "any"
    GEMINI_1_5_FLASH: ClassVar[str] = "gemini-1.5-flash"
    GEMINI_1_5_PRO: ClassVar[str] = "gemini-1.5-pro"
    GEMINI_2_0_FLASH: ClassVar[str] = "gemini-2.0-flash"
    GEMINI_2_5_PRO: ClassVar[str] = "gemini-2.5-pro"
    GEMINI_2_5_FLASH: ClassVar[str] = "gemini-2.5-flash"
    CLAUDE_3_HAIKU: ClassVar[str] = "claude-3-haiku"
    CLAUDE_3_SONNET: ClassVar[str] = "claude-3-sonnet"
    CLAUDE_3_OPUS: ClassVar[str] = "claude-3-opus"
    CLAUDE_3_5_HAIKU: ClassVar[str] = "claude-3-5-haiku"
    CLAUDE_3_5_SONNET: ClassVar[str] = "claude-3-5-sonnet"
    CLAUDE_3_7_SONNET: ClassVar[str] = "claude-3-7-sonnet"
    CLAUDE_4_OPUS: ClassVar[str] = "claude-4-opus"
    CLAUDE_4_SONNET: ClassVar[str] = "claude-4-sonnet"
    LLAMA_3_3_8B: ClassVar[str] = "llama-3.3-8b"
    LLAMA_3_3_70B: ClassVar[str] = "llama-3.3-70b"
    LLAMA_4_SCOUT: ClassVar[str] = "llama-4-scout"
    LLAMA_4_MAVERICK: ClassVar[str] = "llama-4-maverick"
    CODESRAL: ClassVar[str] = "codestral"
    OPEN_CODESRAL_MAMBA: ClassVar[str] = "open-codestral-mamba"
    MISTRAL: ClassVar[str] = "mistral"
    MINISTRAL: ClassVar[str] = "ministral"
    PIXTRAL: ClassVar[str] = "pixtral"

    @staticmethod
    def is_claude(family: str) -> bool:
        return family.startswith("claude-")

    @staticmethod
    def is_gemini(family: str) -> bool:
        return family.startswith("gemini-")

    @staticmethod
    def is_llama(family: str) -> bool:
        return family.startswith("llama-")

    @staticmethod
    def is_mistral(family: str) -> bool:
        return family in ("codestral", "open-codestral-mamba", "mistral", "ministral", "pixtral")


def validate_model_info(model_info: Mapping[str, Any]) -> None:
    """See that nothing is missing.

    Raises:
        ValueError: A field is missing.
    """
    for name in ("vision", "function_calling", "json_output", "family"):
        if name not in model_info:
            raise ValueError(f"Missing required field '{name}' in ModelInfo.")


class FreedClient(Freed):
    """Clients take an empty key, as servers of one's own do, and an incomplete `model_info` under either name."""

    def __init__(self, *args: Any, **data: Any) -> None:
        if "model_capabilities" in data:
            data.setdefault("model_info", data.pop("model_capabilities"))
        if data.get("api_key") == "":
            del data["api_key"]
            if not data.get("base_url"):  # to another address the environment's key does not go by itself
                data["api_key"] = SecretRef("secret:unnamed", SecretStr(KEYLESS))
        if isinstance(data.get("model_info"), dict):
            data["model_info"] = {"structured_output": False, "family": "unknown", **data["model_info"]}
        super().__init__(*args, **data)

    @classmethod
    def create_from_config(cls, config: Mapping[str, Any]) -> Self:
        """Make one from arguments in a dictionary."""
        return cls(**config)

    @property
    def _is_logged(self) -> bool:
        """Whether this client asks a service; AutoGen logs no others."""
        return log_events.is_wanted() and not isinstance(self, ours.ReplayChatCompletionClient)

    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult:
        result = cast("CreateResult", await cast("Any", super()).create(messages, **arguments))
        if self._is_logged and not result.cached:
            logs.log_answer(messages, result, is_streamed=False)
        return result

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        is_logged = self._is_logged
        if is_logged:
            logs.log_question(messages)
        async with aclosing(cast("Any", super()).create_stream(messages, **arguments)) as items:
            async for item in items:
                if is_logged and isinstance(item, CreateResult) and not item.cached:
                    logs.log_answer(messages, item, is_streamed=True)
                yield item


def _of_the_engine(client: Any) -> Any:
    return cast("Any", super(FreedClient, client)).capabilities()


_ABILITIES = property(lambda client: client.model_info)
type.__setattr__(FreedClient, "capabilities", DualAttribute("capabilities", _of_the_engine, _ABILITIES))


class ChatCompletionClient(FreedClient, ours.ChatCompletionClient, stands_for=ours.ChatCompletionClient):
    """A model client of a script, which asks its model in `create` itself."""

    @property
    def info(self) -> ours.ModelInfo:
        return cast("ours.ModelInfo", self.model_info)

    @abstractmethod
    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult: ...  # pyright: ignore[reportIncompatibleMethodOverride]

    @abstractmethod
    def create_stream(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]: ...

    @abstractmethod
    def actual_usage(self) -> RequestUsage: ...

    @abstractmethod
    def total_usage(self) -> RequestUsage: ...


class ReplayChatCompletionClient(
    FreedClient, ours.ReplayChatCompletionClient, stands_for=ours.ReplayChatCompletionClient
):
    """Answers from a script and remembers what it was asked."""

    provider = ours.ReplayChatCompletionClient.provider
    aliases = ours.ReplayChatCompletionClient.aliases
    at_the_end = "No more mock responses available"

    _calls: list[dict[str, Any]] = PrivateAttr(default_factory=list[dict[str, Any]])

    @property
    def create_calls(self) -> list[dict[str, Any]]:
        """The arguments of every call so far that had an answer."""
        return self._calls

    @property
    def provided_message_count(self) -> int:
        return len(self.chat_completions)

    @property
    def _current_index(self) -> int:
        return self._index

    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult:
        result = await super().create(messages, **arguments)
        self._remember(messages, arguments)
        return result

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        self._remember(messages, arguments)
        async for item in super().create_stream(messages, **arguments):
            yield item

    def _remember(self, messages: Sequence[LLMMessage], arguments: Mapping[str, Any]) -> None:
        usual: dict[str, Any] = {"tools": (), "json_output": None, "extra_create_args": {}, "cancellation_token": None}
        self._calls.append({**usual, "messages": messages, **arguments})

    def reset(self) -> None:
        super().reset()
        self._calls.clear()


mix_in(ours.ChatCompletionClient, FreedClient)
