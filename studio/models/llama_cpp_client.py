"""The client of llama.cpp: the model runs in this process, on this machine."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Protocol, Self, cast

from pydantic import Field, JsonValue, PrivateAttr, model_validator

from studio.components import Capability, JsonObject
from studio.components.folders import file_capability, resolve_folder
from studio.errors import ConfigError, ModelRefused
from studio.messages import CreateResult
from studio.models.base import ChatCompletionClient, ModelCall
from studio.models.extras import needs_extra
from studio.models.fields import ADVANCED, AnswerTokens, ResponseFormat, Seed, StopSequences, TopP
from studio.models.info import KnownInfo, ModelInfo, known_info
from studio.models.llama_cpp_engine import Llama, LlamaCppEngine, Question, interruptible
from studio.models.openai_answer import Fold, result_from
from studio.models.openai_request import Dialect, request_body

HUGGING_FACE = "https://huggingface.co:443"
DEFAULT_CONTEXT_TOKENS = 2048
"""Length of the context that llama.cpp takes without being told."""
_CREATE_FIELDS = ("temperature", "top_p", "max_tokens", "stop", "seed", "response_format")
_NO_STREAM_OF_CALLS = ("chatml-function-calling", "functionary", "functionary-v1")
"""Formats in which the library cannot stream where there are tools."""
_TOO_LONG = re.compile(r"Requested tokens \((\d+)\) exceed context window of (\d+)")


class _Library(Protocol):
    """The SDK; it has no types of its own."""

    Llama: type[Any]
    llama_chat_format: Any


class LlamaCppChatCompletionClient(ChatCompletionClient):
    """Runs a model file with llama.cpp on this machine. A client makes one call at a time."""

    provider = "autogen_ext.models.llama_cpp.LlamaCppChatCompletionClient"
    aliases = (
        "autogen_ext.models.llama_cpp._llama_cpp_completion_client.LlamaCppChatCompletionClient",
        "studio.models.LlamaCppChatCompletionClient",
        "LlamaCppChatCompletionClient",
    )

    model_path: Annotated[str | None, Field(description="GGUF file on this machine.", examples=["model.gguf"])] = None
    repo_id: Annotated[str | None, Field(description="Hugging Face repository, used instead of a model path.")] = None
    filename: Annotated[
        str | None, Field(description="File in the repository. May contain `*`.", examples=["*q4_k_m.gguf"])
    ] = None
    n_ctx: Annotated[
        int | None,
        Field(ge=0, title="n_ctx – context window", description="In tokens. Empty: 2048. 0: the model's own."),
    ] = None
    n_gpu_layers: Annotated[
        int | None,
        Field(ge=-1, title="GPU layers", description="Layers to offload to the GPU (`n_gpu_layers`). -1: all."),
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, description="0 is most deterministic; higher values vary more.")
    ] = None
    max_tokens: AnswerTokens = None
    top_p: TopP = None
    stop: StopSequences = None
    seed: Seed = None
    chat_format: Annotated[
        str | None,
        Field(
            description="Name of a chat format of llama.cpp. Empty: that of the model file.", json_schema_extra=ADVANCED
        ),
    ] = None
    response_format: ResponseFormat = None
    model_info: Annotated[
        ModelInfo | None,
        Field(
            title="Model capabilities",
            description="AutoGen's `model_info`. Empty: known from the model's name.",
            exclude_if=lambda info: isinstance(info, KnownInfo),
            json_schema_extra=ADVANCED,
        ),
    ] = None

    _engine: LlamaCppEngine | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _fill_info(self) -> Self:
        if self.model_info is None:
            # llama.cpp holds every model to a grammar, whatever it was trained for.
            info = KnownInfo({**known_info(self.source), "json_output": True, "structured_output": True})
            object.__setattr__(self, "model_info", info)
        return self

    def capabilities(self) -> Iterator[Capability]:
        if self.model_path is not None:
            yield file_capability("read", self.model_path, "Reads the model file {}.")
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
            await engine.close()

    async def _create(self, call: ModelCall) -> CreateResult:
        from openai.types.chat import ChatCompletion

        question = Question()
        with self._translated():
            answer = await self._opened().whole(question, self._body(call))
        return result_from(ChatCompletion.construct(**answer)).model_copy(update={"usage": question.usage})

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        if self._comes_whole(call):
            result = await self._create(call)
            if isinstance(result.content, str) and result.content:
                yield result.content
            yield result
            return
        fold, question = Fold(), Question()
        with self._translated():
            async with aclosing(self._opened().pieces(question, self._body(call))) as chunks:
                async for chunk in chunks:
                    for text in fold.add(chunk):
                        yield text
        for text in fold.end_thought():
            yield text
        fold.usage = question.usage
        yield fold.result()

    def _comes_whole(self, call: ModelCall) -> bool:
        """Whether the library has nothing to stream: it repeats the name of a tool in each piece of its call."""
        is_call = call.tool_choice == "required" or isinstance(call.tool_choice, dict)
        return bool(call.tools) and (is_call or self.chat_format in _NO_STREAM_OF_CALLS)

    def _body(self, call: ModelCall) -> JsonObject:
        body = request_body(call, Dialect(self.source, self.info, include_names=False), self.create_arguments())
        body["response_format"] = _format_of(body.get("response_format"))
        if call.tools and call.tool_choice == "required":
            body["tool_choice"] = _the_only(call)
        return body

    def _opened(self) -> LlamaCppEngine:
        if self._engine is None:
            path = None if self.model_path is None else resolve_folder(self.model_path, "read", self.capabilities())
            self._engine = LlamaCppEngine(lambda: self._load(path))
        return self._engine

    def _load(self, path: Path | None) -> Llama:
        import httpx
        import httpx2

        with needs_extra("llama-cpp", type(self).__name__):
            library = cast("_Library", import_module("llama_cpp"))
        try:
            return self._loaded(library, path)
        except ImportError as error:
            raise ConfigError(
                "A model of a repository needs the package 'huggingface_hub', which is not installed.",
                fix="Run `pip install huggingface-hub`, or fetch the file yourself and fill in `model_path`.",
            ) from error
        except (ValueError, OSError, httpx.HTTPError, httpx2.HTTPError) as error:
            where = "the path of the file" if self.model_path else "the names of the repository and its file"
            raise ConfigError(f"llama.cpp cannot load {self.source!r}: {error}", fix=f"Check {where}.") from error

    def _loaded(self, library: _Library, path: Path | None) -> Llama:
        formats = library.llama_chat_format
        if self.chat_format is not None:
            try:
                formats.get_chat_completion_handler(self.chat_format)
            except formats.LlamaChatCompletionHandlerNotFoundException as error:
                raise ConfigError(
                    f"{error}.", fix="Leave it empty for the file's own.", where="/chat_format"
                ) from error
        given = {"n_gpu_layers": self.n_gpu_layers, "seed": self.seed, "chat_format": self.chat_format}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        options["n_ctx"] = DEFAULT_CONTEXT_TOKENS if self.n_ctx is None else self.n_ctx
        llama = interruptible(library.Llama)
        if path is not None:
            return cast("Llama", llama(str(path), verbose=False, **options))
        if self.repo_id is not None:
            return cast("Llama", llama.from_pretrained(self.repo_id, self.filename, verbose=False, **options))
        raise ConfigError("llama.cpp needs a model.", fix="Fill in `model_path`, or `repo_id` and `filename`.")

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turn what the library raises inside the block into `ModelRefused`."""
        from jinja2 import TemplateError

        try:
            yield
        except (ValueError, TypeError, LookupError, AssertionError, RuntimeError, TemplateError) as error:
            too_long = _TOO_LONG.search(str(error))
            if too_long is None:
                raise ModelRefused(
                    f"llama.cpp cannot answer with {self.source!r}: {str(error) or type(error).__name__}.",
                    fix="Check the fields of the model client, its chat format above all.",
                ) from error
            raise ModelRefused(
                f"The conversation takes {too_long[1]} tokens, and the context of {self.source!r} is {too_long[2]}.",
                fix="Raise `n_ctx`, or use a model context that trims the conversation.",
            ) from error


def _format_of(wanted: JsonValue) -> JsonValue:
    """OpenAI's `response_format` as llama.cpp writes an answer by schema."""
    named = wanted.get("json_schema") if isinstance(wanted, dict) else None
    return {"type": "json_object", "schema": named.get("schema")} if isinstance(named, dict) else wanted


def _the_only(call: ModelCall) -> JsonObject:
    """The choice of the one tool that there is; the library takes no other word for “one of them”."""
    first, *others = (tool["name"] for tool in call.tools)
    if others:
        raise ModelRefused(
            "llama.cpp can be forced to call one given tool, but not any one of several.",
            fix="Name the tool that must be called, or leave the choice to the model.",
        )
    return {"type": "function", "function": {"name": first}}
