"""Which model turns texts into the vectors that a memory compares."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from studio.components import Capability, DefaultEnv, SecretRef
from studio.components.folders import FolderRefused, folder_rules
from studio.egress import Guard, http_client
from studio.errors import ConfigError, ModelUnavailable
from studio.models.extras import needs_extra
from studio.models.openai_services import OPENAI, exact_address
from studio.models.sdk import own_settings_only
from studio.models.service_errors import translated

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Texts to vectors of one length. Called in a thread of its own."""

DEFAULT_SENTENCE_MODEL = "all-MiniLM-L6-v2"
CHROMA_MODELS = "https://chroma-onnx-models.s3.amazonaws.com:443"
"""Where the `chromadb` package gets its default model from."""
HUGGING_FACE = "https://huggingface.co:443"


class EmbeddingConfig(BaseModel):
    """How vectors are made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    is_custom: ClassVar[bool] = False

    def capabilities(self) -> Iterator[Capability]:
        """What making vectors needs."""
        yield from ()

    def make(self) -> Embed:
        """The function that makes them; may load a model.

        Raises:
            ConfigError: A package is missing, or a secret.
        """
        raise NotImplementedError


class DefaultEmbeddingFunctionConfig(EmbeddingConfig):
    """A small model that runs here; it is downloaded once."""

    function_type: Literal["default"] = "default"

    def capabilities(self) -> Iterator[Capability]:
        yield Capability("host", "Downloads an embedding model, once.", CHROMA_MODELS)

    def make(self) -> Embed:
        with needs_extra("chromadb", "The default embedding"):
            from chromadb.utils.embedding_functions import DefaultEmbeddingFunction
        return cast("Embed", DefaultEmbeddingFunction())


class SentenceTransformerEmbeddingFunctionConfig(EmbeddingConfig):
    """A model of the package `sentence-transformers`, which runs here."""

    function_type: Literal["sentence_transformer"] = "sentence_transformer"
    model_name: Annotated[str, Field(description="Embedding model of the package sentence-transformers.")] = (
        DEFAULT_SENTENCE_MODEL
    )

    def capabilities(self) -> Iterator[Capability]:
        yield Capability(
            "host", f"Downloads the embedding model {self.model_name}, once.", f"{HUGGING_FACE}/{self.model_name}"
        )

    def make(self) -> Embed:
        return sentence_transformer(self.model_name)


class OpenAIEmbedding:
    """Asks a service for vectors; has connections until it is closed.

    Args:
        key: The API key.
        address: The service's base URL.
        model: The model's name.
    """

    def __init__(self, key: str, address: str, model: str) -> None:
        from openai import DefaultHttpxClient, OpenAI

        http = http_client(Guard.for_url(address), client_class=DefaultHttpxClient, follow_redirects=False)
        self._client = own_settings_only(OpenAI(api_key=key, base_url=address, http_client=http), {})
        self._address, self._model = address, model

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The texts' vectors.

        Raises:
            ModelUnavailable: The service gave no vectors. Safe to retry.
            ModelRefused: It refused the key or the model.
        """
        import openai

        with translated(openai, self._address, self._model):
            answer = self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
        vectors = [cast("object", item.embedding) for item in cast("Sequence[Any] | None", answer.data) or ()]
        if len(vectors) != len(texts) or not all(isinstance(vector, list) for vector in vectors):
            raise ModelUnavailable(
                f"The service at {self._address} did not return one vector for each text.",
                fix="Check that the address and path are those of an embeddings service.",
            )
        return cast("Sequence[Sequence[float]]", vectors)

    def close(self) -> None:
        """Let go of the connections; a closed one cannot be used again."""
        self._client.close()


class OpenAIEmbeddingFunctionConfig(EmbeddingConfig):
    """A model of OpenAI, or of a service that speaks its API."""

    function_type: Literal["openai"] = "openai"
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("OPENAI_API_KEY"),
        Field(description="Reference to the key: `env:NAME` or `secret:name`, never the key itself."),
    ] = None
    model_name: Annotated[str, Field(description="Embedding model at the service.")] = "text-embedding-ada-002"
    base_url: Annotated[str | None, Field(description="Address of an OpenAI-compatible service. Empty: OpenAI.")] = None

    @field_validator("api_key", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return value or None

    @property
    def _key(self) -> SecretRef:
        return self.api_key or SecretRef(f"env:{OPENAI.key_env}")

    def capabilities(self) -> Iterator[Capability]:
        host = exact_address(self.base_url or OPENAI.base_url)
        reference = self._key.reference
        yield Capability("secret", f"Sends the secret {reference} to {host}.", f"{reference} to {host}")
        yield Capability("host", f"Sends its memories and queries to {host}.", host)
        yield Capability("spend", f"Spends tokens of {self.model_name} at {host}.", f"{self.model_name} at {host}")

    def make(self) -> Embed:
        return OpenAIEmbedding(self._key.resolve(), self.base_url or OPENAI.base_url, self.model_name)


class CustomEmbeddingFunctionConfig(EmbeddingConfig):
    """A function of a script that gives the embedding function; it cannot be written to JSON."""

    is_custom: ClassVar[bool] = True

    function_type: Literal["custom"] = "custom"
    function: Annotated[Callable[..., Any] | None, Field(exclude=True)] = None
    params: Annotated[Mapping[str, Any], Field(exclude=True)] = Field(default_factory=dict[str, Any])

    def make(self) -> Embed:
        if self.function is None:
            raise ConfigError(
                "The embedding function of this memory was defined in a script and is not in the file.",
                fix="Choose another embedding function, or set it in Python.",
            )
        return cast("Embed", self.function(**self.params))


AnyEmbedding = Annotated[
    DefaultEmbeddingFunctionConfig
    | SentenceTransformerEmbeddingFunctionConfig
    | OpenAIEmbeddingFunctionConfig
    | CustomEmbeddingFunctionConfig,
    Field(discriminator="function_type"),
]


def require_model_name(name: str) -> None:
    """Refuse a folder as the name of a model in a run: what lies in one may be code that loads with the model.

    Raises:
        FolderRefused: It is no name, or there is a file or folder of that name.
    """
    if folder_rules.get() is None:
        return
    parts = PurePath(os.path.expanduser(name))
    if parts.is_absolute() or name.startswith(".") or ".." in parts.parts or os.path.exists(name):
        raise FolderRefused(
            f"{name!r} is a folder, not the name of a model.", fix="Enter the name of a model at Hugging Face."
        )


def sentence_transformer(model_name: str) -> Embed:
    """A model of the package `sentence-transformers`.

    Raises:
        ConfigError: The package is not installed.
        FolderRefused: It is not a name, but a folder.
    """
    require_model_name(model_name)
    try:
        from sentence_transformers import (  # pyright: ignore[reportMissingImports] -- gigabytes; no check needs it
            SentenceTransformer,  # pyright: ignore[reportUnknownVariableType]
        )
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"The embedding model {model_name!r} needs the package 'sentence-transformers', which is not installed.",
            fix="Run `pip install sentence-transformers`.",
        ) from error
    model = cast("Any", SentenceTransformer(model_name))
    return lambda texts: cast("Sequence[Sequence[float]]", model.encode(list(texts)).tolist())
