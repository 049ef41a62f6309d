"""The client of llama.cpp: the model runs in this process, on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from importlib import import_module
from typing import Annotated, Any, Protocol, Self, TypeVar, cast

from pydantic import Field, JsonValue, PrivateAttr, model_validator

from studio.components import Capability, JsonObject
from studio.errors import ConfigError
from studio.messages import CreateResult, RequestUsage
from studio.models.base import ChatCompletionClient, ModelCall
from studio.models.connection import Connection
from studio.models.extras import needs_extra
from studio.models.fields import ADVANCED, AnswerTokens, ResponseFormat, Seed, TopP
from studio.models.info import KnownInfo, ModelInfo, known_info
from studio.models.openai_answer import Fold
from studio.models.openai_request import Dialect, request_body

T = TypeVar("T")

HUGGING_FACE = "https://huggingface.co:443"
DEFAULT_CONTEXT_TOKENS = 2048
"""Length of the context that llama.cpp takes without being told."""
_CREATE_FIELDS = ("temperature", "top_p", "max_tokens", "stop", "seed", "response_format")


class _Engine(Protocol):
    """The SDK's `Llama`, as far as it is used."""

    n_tokens: int

    def create_chat_completion(self, **arguments: Any) -> Iterator[dict[str, Any]]: ...

    def tokenize(self, text: bytes, *, add_bos: bool) -> list[int]: ...

    def close(self) -> None: ...


class _Library(Protocol):
    """The SDK; it has no types of its own."""

    Llama: Any


class LlamaCppChatCompletionClient(ChatCompletionClient):
    """Runs a model file with llama.cpp, without any service. Calls to one client wait for each other."""

    provider = "autogen_ext.models.llama_cpp.LlamaCppChatCompletionClient"
    aliases = (
        "autogen_ext.models.llama_cpp._llama_cpp_completion_client.LlamaCppChatCompletionClient",
        "studio.models.LlamaCppChatCompletionClient",
        "LlamaCppChatCompletionClient",
    )

    model_path: Annotated[
        str | None, Field(title="Model file", description="In GGUF format, on this machine.", examples=["model.gguf"])
    ] = None
    repo_id: Annotated[str | None, Field(title="Repository", description="At Hugging Face, in place of a file.")] = None
    filename: Annotated[
        str | None, Field(title="File in the repository", description="May hold `*`.", examples=["*q4_k_m.gguf"])
    ] = None
    n_ctx: Annotated[
        int | None, Field(ge=0, title="Context (tokens)", description="2048 when left out; 0 is the model's own.")
    ] = None
    n_gpu_layers: Annotated[int | None, Field(ge=-1, title="Layers on the GPU", description="-1 is all.")] = None
    temperature: Annotated[float | None, Field(ge=0, title="Temperature")] = None
    max_tokens: AnswerTokens = None
    top_p: TopP = None
    stop: Annotated[list[str] | None, Field(title="Stop at", json_schema_extra=ADVANCED)] = None
    seed: Seed = None
    chat_format: Annotated[
        str | None, Field(title="Chat format", description="The file's own when left out.", json_schema_extra=ADVANCED)
    ] = None
    response_format: ResponseFormat = None
    model_info: Annotated[
        ModelInfo | None,
        Field(
            title="Abilities",
            description="What the model can do.",
            exclude_if=lambda info: isinstance(info, KnownInfo),
            json_schema_extra=ADVANCED,
        ),
    ] = None

    _engine: _Engine | None = PrivateAttr(default=None)
    _turns: Connection[asyncio.Lock] = PrivateAttr(default_factory=lambda: Connection())

    @model_validator(mode="after")
    def _fill_info(self) -> Self:
        if self.model_info is None:
            # llama.cpp holds every model to a grammar, whatever it was trained for.
            info = KnownInfo({**known_info(self.source), "json_output": True, "structured_output": True})
            object.__setattr__(self, "model_info", info)
        return self

    def capabilities(self) -> Iterator[Capability]:
        if self.model_path is not None:
            yield Capability("file", f"Reads the model file {self.model_path}.", self.model_path)
        elif self.repo_id is not None:
            place = f"{HUGGING_FACE}/{self.repo_id}/{self.filename or ''}"
            yield Capability("host", f"Downloads the model {self.repo_id} from Hugging Face.", place)

    @property
    def source(self) -> str:
        return (self.model_path or self.repo_id or "llama.cpp").rpartition("/")[2]

    def settings(self) -> JsonObject:
        place: JsonObject = {"path": self.model_path, "repo": self.repo_id, "file": self.filename}
        return {**place, **self.create_arguments()}

    def context_length(self) -> int:
        return self.n_ctx or DEFAULT_CONTEXT_TOKENS

    @property
    def is_free(self) -> bool:
        return True

    def create_arguments(self) -> JsonObject:
        given = {name: getattr(self, name) for name in _CREATE_FIELDS}
        return {name: value for name, value in given.items() if value is not None}

    async def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.close)

    async def _create(self, call: ModelCall) -> CreateResult:
        # Streamed, too: a whole answer could not be given up half-way.
        async with aclosing(self._create_stream(call)) as items:
            last = [item async for item in items][-1]
        return cast("CreateResult", last)

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        from openai.types.chat import ChatCompletionChunk

        body = request_body(call, Dialect(self.source, self.info, include_names=False), self.create_arguments())
        body["response_format"] = _format_of(body.get("response_format"))
        fold = Fold()
        async with self._turns.get(asyncio.Lock):
            engine = self._engine = self._engine or await _in_thread(self._load)
            chunks = await _in_thread(lambda: engine.create_chat_completion(**body, stream=True))
            while (chunk := await _in_thread(lambda: next(chunks, None))) is not None:
                for text in fold.add(ChatCompletionChunk.construct(**chunk)):
                    yield text
            fold.usage = _usage(engine, "".join(fold.text))
        for text in fold.end_thought():
            yield text
        yield fold.result()

    def _load(self) -> _Engine:
        with needs_extra("llama-cpp", type(self).__name__):
            library = cast("_Library", import_module("llama_cpp"))
        given = {"n_gpu_layers": self.n_gpu_layers, "seed": self.seed, "chat_format": self.chat_format}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        options["n_ctx"] = DEFAULT_CONTEXT_TOKENS if self.n_ctx is None else self.n_ctx
        try:
            if self.model_path is not None:
                return cast("_Engine", library.Llama(self.model_path, verbose=False, **options))
            if self.repo_id is not None:
                return cast(
                    "_Engine", library.Llama.from_pretrained(self.repo_id, self.filename, verbose=False, **options)
                )
        except (ValueError, OSError) as error:
            raise ConfigError(
                f"llama.cpp cannot load {self.source!r}: {error}", fix="Check the path of the file and its format."
            ) from error
        raise ConfigError("llama.cpp needs a model.", fix="Fill in `model_path`, or `repo_id` and `filename`.")


def _format_of(wanted: JsonValue) -> JsonValue:
    """OpenAI's `response_format` as llama.cpp writes an answer by schema."""
    named = wanted.get("json_schema") if isinstance(wanted, dict) else None
    return {"type": "json_object", "schema": named.get("schema")} if isinstance(named, dict) else wanted


async def _in_thread(work: Callable[[], T]) -> T:
    """Run it beside the event loop; a cancelled caller still waits until it is done, for the engine knows one call."""
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise


def _usage(engine: _Engine, text: str) -> RequestUsage:
    """llama.cpp counts no tokens for a stream, but the engine knows how many it holds."""
    completion = len(engine.tokenize(text.encode(), add_bos=False))
    return RequestUsage(prompt_tokens=max(0, engine.n_tokens - completion), completion_tokens=completion)
