"""What AutoGen's own tests take from its private modules, as far as the engine has a counterpart."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, cast
from warnings import warn

from studio.autogen.models import ModelFamily
from studio.autogen.tools import hints_of
from studio.components import JsonObject
from studio.executors.functions import CodeFunction, as_code_functions, module_of
from studio.executors.imports import import_statements
from studio.messages import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    ToolSchema,
    UserMessage,
)
from studio.models.info import known_info
from studio.models.ollama_request import ollama_tool
from studio.models.openai_request import Dialect, messages_to_openai, openai_tool

_EDGE_PX, _SHORT_EDGE_PX, _TILE_PX = 2048, 768, 512
_BASE_TOKENS, _TOKENS_PER_TILE = 85, 170
TransformerMap = Mapping[type[Any], Callable[[Any, Mapping[str, Any]], list[JsonObject]]]

OLLAMA_VALID_CREATE_KWARGS_KEYS = frozenset(
    ("model", "messages", "tools", "stream", "format", "options", "keep_alive", "think", "response_format")
)
"""Arguments of Ollama's `chat`."""


def get_typed_signature(call: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function, with types in place of their names."""
    hints = hints_of(call)
    signature = inspect.signature(call)
    parameters = [each.replace(annotation=hints[each.name]) for each in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=hints.get("return", inspect.Signature.empty))


def parse_r1_content(content: str) -> tuple[str | None, str]:
    """A thought between `<think>` and `</think>`, and what stands after it; none where the marks are not right."""
    start, end = content.find("<think>"), content.find("</think>")
    if start == -1 or end == -1:
        lacks = "Could not find <think>..</think> field in model response content. No thought was extracted."
    elif end < start:
        lacks = "Found </think> before <think> in model response content. No thought was extracted."
    else:
        return content[start + len("<think>") : end].strip(), content[end + len("</think>") :].strip()
    warn(lacks, UserWarning, stacklevel=2)
    return None, content


def resolve_model(model: str) -> str:
    """The model that a name stands for; only the service knows more than the name."""
    return model


def calculate_vision_tokens(image: Any, detail: str = "auto") -> int:
    """Tokens of a picture as OpenAI counts them.

    Source: OpenAI guide "Images and vision", section "Calculating costs".
    """
    if detail == "low":
        return _BASE_TOKENS
    width, height = image.image.size
    if max(width, height) > _EDGE_PX:
        width, height = _scaled(width, height, _EDGE_PX / max(width, height))
    if min(width, height) > _SHORT_EDGE_PX:
        width, height = _scaled(width, height, _SHORT_EDGE_PX / min(width, height))
    return _BASE_TOKENS + _TOKENS_PER_TILE * math.ceil(width / _TILE_PX) * math.ceil(height / _TILE_PX)


def _scaled(width: int, height: int, factor: float) -> tuple[int, int]:
    return int(width * factor), int(height * factor)


def convert_tools(tools: Sequence[Any]) -> list[JsonObject]:
    """Tools as a request to OpenAI has them."""
    return [openai_tool(_schema_of(tool)) for tool in tools]


def convert_tools_for_ollama(tools: Sequence[Any]) -> list[Any]:
    """Tools as a request to Ollama has them."""
    from ollama import Tool

    return [Tool.model_validate(ollama_tool(_schema_of(tool))) for tool in tools]


def _schema_of(tool: Any) -> ToolSchema:
    return cast("ToolSchema", tool if isinstance(tool, dict) else tool.schema)


def to_oai_type(
    message: LLMMessage,
    prepend_name: bool = False,
    model: str = "unknown",
    model_family: str = ModelFamily.UNKNOWN,
    include_name_in_message: bool = True,
) -> list[JsonObject]:
    """A message as a request to OpenAI has it."""
    context = {"prepend_name": prepend_name, "include_name_in_message": include_name_in_message}
    return get_transformer("openai", model, model_family)[type(message)](message, context)


@cache
def get_transformer(api: str, model: str, model_family: str) -> TransformerMap:
    """How each kind of message is written for a model."""
    del api, model_family  # the model's name decides
    return _transformers(model)


@cache
def _transformers(model: str) -> TransformerMap:
    info = known_info(model)

    def transform(message: LLMMessage, context: Mapping[str, Any]) -> list[JsonObject]:
        return messages_to_openai(
            [message],
            Dialect(
                model,
                cast("Any", {**info, "vision": True}),
                add_name_prefixes=bool(context.get("prepend_name")),
                include_names=bool(context.get("include_name_in_message", True)),
            ),
        )

    kinds = (SystemMessage, UserMessage, AssistantMessage, FunctionExecutionResultMessage)
    return MappingProxyType(dict.fromkeys(kinds, transform))


def find_model_family(api: str, model: str) -> object:
    """The family that a model's name tells."""
    del api
    return known_info(model)["family"]


def to_code(function: Any) -> str:
    """The source of one function of an executor, without its decorator."""
    return cast("list[CodeFunction]", as_code_functions([function]))[0].source_code


def import_to_str(item: Any) -> str:
    """An import of such a function as a statement."""
    return import_statements([item]).rstrip("\n")


def build_python_functions_file(functions: Sequence[Any]) -> str:
    """The module in which code finds the functions of an executor."""
    return module_of(cast("list[CodeFunction]", as_code_functions(list(functions))))
