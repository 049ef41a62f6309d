"""What goes to a model and what comes back, in AutoGen's shapes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Protocol, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SerializationInfo, model_serializer, model_validator
from typing_extensions import TypedDict

from studio.effects import canonical_json, sha256_hex
from studio.messages.unchecked import unchecked

_MAGIC = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


class SavesItself(Protocol):
    """A picture of Pillow's, as far as it is needed here."""

    def save(self, fp: BytesIO, /, format: str) -> None: ...


class Image(BaseModel):
    """A picture in a message, as base64 data; its type is read from the first bytes, never from a name."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    data: str

    def __init__(self, image: SavesItself | None = None, /, **data: Any) -> None:
        """Make one of base64 `data`, or of a picture of Pillow's."""
        if image is not None:
            picture = BytesIO()
            image.save(picture, format="PNG")
            data["data"] = base64.b64encode(picture.getvalue()).decode("ascii")
        super().__init__(**data)

    @model_validator(mode="before")
    @classmethod
    def _check(cls, value: object) -> object:
        if isinstance(value, str):
            return {"data": value.rpartition("base64,")[2]}
        return value

    @model_validator(mode="after")
    def _is_base64(self) -> Self:
        try:
            base64.b64decode(self.data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ValueError("An image is base64 text.") from error
        return self

    @classmethod
    def from_uri(cls, uri: str) -> Image:
        """Make one from a `data:` URI.

        Raises:
            ValueError: The URI is not base64 data of a PNG, JPEG, GIF or WebP picture.
        """
        head, found, data = uri.partition("base64,")
        if not found or not head.startswith("data:"):
            raise ValueError("Only `data:` URIs with base64 data hold an image.")
        image = cls(data=data)
        if image.mime_type == "application/octet-stream":
            raise ValueError("The data is not a PNG, JPEG, GIF or WebP image.")
        return image

    @classmethod
    def from_base64(cls, data: str) -> Image:
        return cls(data=data)

    @classmethod
    def from_pil(cls, pil_image: SavesItself) -> Image:
        return cls(pil_image)

    @classmethod
    def from_file(cls, file_path: Path | str) -> Image:
        return cls(data=base64.b64encode(Path(file_path).read_bytes()).decode("ascii"))

    @property
    def mime_type(self) -> str:
        start = base64.b64decode(self.data[:64] + "=" * (-len(self.data[:64]) % 4))
        return next((mime for magic, mime in _MAGIC if start.startswith(magic)), "application/octet-stream")

    @property
    def data_uri(self) -> str:
        return f"data:{self.mime_type};base64,{self.data}"

    @property
    def image(self) -> Any:
        """The picture as one of Pillow's; needs the package `pillow`."""
        return import_module("PIL.Image").open(BytesIO(base64.b64decode(self.data)))

    def to_base64(self) -> str:
        return self.data

    def to_openai_format(self, detail: Literal["auto", "low", "high"] = "auto") -> dict[str, JsonValue]:
        """The content part of OpenAI's chat completion API."""
        return {"type": "image_url", "image_url": {"url": self.data_uri, "detail": detail}}


def _init_by_place(self: BaseModel, *values: object, **named: object) -> None:
    """Take the fields also by place: in AutoGen these classes are dataclasses."""
    if values:
        fields = type(self).model_fields
        if len(values) > len(fields):
            raise TypeError(f"{type(self).__name__} has {len(fields)} fields, {len(values)} values were given.")
        BaseModel.__init__(self, **dict(zip(fields, values, strict=False)), **named)
    else:
        BaseModel.__init__(self, **named)


class FunctionCall(BaseModel):
    """A model's request to call a tool; `arguments` is JSON text as the model wrote it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str
    arguments: str
    name: str

    if TYPE_CHECKING:

        def __init__(self, id: str, arguments: str, name: str) -> None: ...

    else:
        __init__ = _init_by_place

    def __str__(self) -> str:
        return repr(self)


class RequestUsage(BaseModel):
    """Tokens of one model call. `cached_tokens` of the prompt cost less: the service had read them before."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: Annotated[int, Field(repr=False, exclude_if=lambda count: count == 0)] = 0

    if TYPE_CHECKING:

        def __init__(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> None: ...

    else:
        __init__ = _init_by_place

    def __str__(self) -> str:
        return repr(self)


# Fields that are given: shared, since the classes are frozen.
_TEXT, _TEXT_OF, _TEXT_AND_THOUGHT = {"content"}, {"content", "source"}, {"content", "source", "thought"}
_ALL_OF_RESULT, _COUNTS = {"content", "name", "call_id", "is_error"}, {"prompt_tokens", "completion_tokens"}

HASHED_AS_IT_IS = 500
"""Characters of a text that is hashed anew with each conversation it is in; of others the digest is kept."""


class _ModelMessage(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)

    @cached_property
    def json_body(self) -> dict[str, JsonValue]:
        """This message as plain JSON, made once."""
        return cast("dict[str, JsonValue]", self.model_dump(mode="json"))

    @property
    def digest(self) -> str:
        """SHA-256 of the message, made once."""
        own = vars(self)
        if (known := own.get("_digest")) is None:
            known = own["_digest"] = sha256_hex(canonical_json(self.json_body))
        return known

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        made = super().model_copy(update=update, deep=deep)
        for kept in ("_digest", "json_body"):
            vars(made).pop(kept, None)
        return made


class SystemMessage(_ModelMessage):
    """Instructions to the model from the author of the agent."""

    content: str
    type: Literal["SystemMessage"] = "SystemMessage"


class UserMessage(_ModelMessage):
    """Something said to the model, by a person or another agent."""

    content: str | list[str | Image]
    source: str
    type: Literal["UserMessage"] = "UserMessage"


class AssistantMessage(_ModelMessage):
    """What the model answered before."""

    content: str | list[FunctionCall]
    thought: str | None = None
    source: str
    type: Literal["AssistantMessage"] = "AssistantMessage"

    @classmethod
    def of_calls(cls, calls: Sequence[FunctionCall], thought: str | None, source: str) -> Self:
        """One of requested calls that were checked when the model's answer was read."""
        values = {"content": [*calls], "thought": thought, "source": source, "type": "AssistantMessage"}
        return unchecked(cls, _TEXT_AND_THOUGHT, values)


# Functions, since Python takes as long to find a class method of a model as to make the model.


def system_message(text: str) -> SystemMessage:
    """One of text that is known to be that."""
    return unchecked(SystemMessage, _TEXT, {"content": text, "type": "SystemMessage"})


def user_message(text: str, source: str) -> UserMessage:
    """One of text alone, which is only checked where it is not plainly text."""
    if type(text) is str and type(source) is str:
        return unchecked(UserMessage, _TEXT_OF, {"content": text, "source": source, "type": "UserMessage"})
    return UserMessage(content=text, source=source)


def assistant_message(text: str, source: str) -> AssistantMessage:
    """One of text alone, which is only checked where it is not plainly text."""
    if type(text) is str and type(source) is str:
        values = {"content": text, "thought": None, "source": source, "type": "AssistantMessage"}
        return unchecked(AssistantMessage, _TEXT_AND_THOUGHT, values)
    return AssistantMessage(content=text, source=source, thought=None)


class FunctionExecutionResult(BaseModel):
    """What one tool call gave."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    content: str
    name: str
    call_id: str
    is_error: bool | None = None

    @classmethod
    def for_call(cls, call: FunctionCall, content: str, *, is_error: bool) -> Self:
        """What this call gave, which is only checked where it is not plainly text."""
        if type(content) is str and type(is_error) is bool:
            values = {"content": content, "name": call.name, "call_id": call.id, "is_error": is_error}
            return unchecked(cls, _ALL_OF_RESULT, values)
        return cls(content=content, name=call.name, call_id=call.id, is_error=is_error)


class FunctionExecutionResultMessage(_ModelMessage):
    """The results of the tool calls of the message before."""

    content: list[FunctionExecutionResult]
    type: Literal["FunctionExecutionResultMessage"] = "FunctionExecutionResultMessage"

    @classmethod
    def of_results(cls, results: Sequence[FunctionExecutionResult]) -> Self:
        """One of results of ours."""
        return unchecked(cls, _TEXT, {"content": [*results], "type": "FunctionExecutionResultMessage"})


LLMMessage = Annotated[
    SystemMessage | UserMessage | AssistantMessage | FunctionExecutionResultMessage, Field(discriminator="type")
]

_SAID = frozenset((UserMessage, AssistantMessage))


def hashed(message: LLMMessage) -> str:
    """What goes into the hash of a conversation for this message: tells where it ends, and is equal for equal ones."""
    own = message.__dict__
    content = own["content"]
    is_short = type(content) is str and len(content) <= HASHED_AS_IT_IS
    if is_short and type(message) in _SAID and own.get("thought") is None:
        source = own["source"]
        return f"{own['type']} {len(source)} {len(content)}\n{source}{content}"
    return message.digest


FinishReasons = Literal["stop", "length", "function_calls", "content_filter", "unknown"]


class TopLogprob(BaseModel):
    model_config = ConfigDict(defer_build=True)

    logprob: float
    bytes: list[int] | None = None


class ChatCompletionTokenLogprob(BaseModel):
    model_config = ConfigDict(defer_build=True)

    token: str
    logprob: float
    top_logprobs: list[TopLogprob] | None = None
    bytes: list[int] | None = None


class CreateResult(BaseModel):
    """A model's whole answer: text or tool calls, and what it cost."""

    model_config = ConfigDict(defer_build=True)

    finish_reason: FinishReasons
    content: str | list[FunctionCall]
    usage: RequestUsage
    cached: bool
    logprobs: list[ChatCompletionTokenLogprob] | None = None
    thought: str | None = None


def text_answer(text: str, prompt_tokens: int, completion_tokens: int, *, is_cached: bool) -> CreateResult:
    """A whole answer of text alone, of values that are known to be right."""
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "cached_tokens": 0}
    values = {
        "finish_reason": "stop",
        "content": text,
        "usage": unchecked(RequestUsage, _COUNTS, counts),
        "cached": is_cached,
        "logprobs": None,
        "thought": None,
    }
    return unchecked(CreateResult, {"finish_reason", "content", "usage", "cached"}, values)


class ParametersSchema(TypedDict):
    """JSON schema of a tool's arguments; always an object."""

    type: str
    properties: dict[str, JsonValue]
    required: NotRequired[list[str]]
    additionalProperties: NotRequired[bool]


class ToolSchema(TypedDict):
    """How a tool is shown to a model."""

    name: str
    description: NotRequired[str]
    parameters: NotRequired[ParametersSchema]
    strict: NotRequired[bool]


class MemoryContent(BaseModel):
    """One remembered thing."""

    model_config = ConfigDict(defer_build=True)

    content: str | bytes | dict[str, JsonValue] | Image
    mime_type: str
    metadata: dict[str, JsonValue] | None = None

    @model_serializer(mode="plain", when_used="json")
    def _to_json(self, info: SerializationInfo) -> dict[str, JsonValue]:
        content = self.content
        plain: JsonValue
        if isinstance(content, bytes):
            plain = base64.b64encode(content).decode("ascii")
        elif isinstance(content, Image):
            plain = {"data": content.data}
        else:
            plain = content
        out: dict[str, JsonValue] = {"content": plain, "mime_type": self.mime_type}
        if self.metadata is not None or not info.exclude_none:
            out["metadata"] = self.metadata
        return out
