"""How a memory gets its vectors: from a service, over real HTTP, or from a package that stands in here.

Chroma's own default model is not tried: it is downloaded when first used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from studio.components import env
from studio.errors import ConfigError, ModelRefused
from studio.memory import (
    ChromaDBVectorMemory,
    OpenAIEmbeddingFunctionConfig,
    PersistentChromaDBVectorMemoryConfig,
    SentenceTransformerEmbeddingFunctionConfig,
)
from studio.messages import MemoryContent
from tests.fakes.embedding_server import EmbeddingServer
from tests.memory.embedding import letters

Embedding = OpenAIEmbeddingFunctionConfig | SentenceTransformerEmbeddingFunctionConfig


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


async def best_match(folder: Path, embedding: Embedding) -> str:
    """What a memory with three texts finds for one of them, after it was loaded from its JSON."""
    config = PersistentChromaDBVectorMemoryConfig(
        persistence_path=str(folder / "chroma"), k=1, embedding_function_config=embedding
    )
    memory = ChromaDBVectorMemory.load_component(ChromaDBVectorMemory(config=config).dump_component())
    try:
        for line in ("aaaa", "bbbb", "zzzz"):
            await memory.add(MemoryContent(content=line, mime_type="text/plain"))
        return str((await memory.query("bbba")).results[0].content)
    finally:
        await memory.close()


async def test_a_service_is_sent_the_texts_with_its_key(
    server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EMBEDDING_KEY", "sk-right")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-environment")
    server.key = "sk-right"
    embedding = OpenAIEmbeddingFunctionConfig(api_key=env("EMBEDDING_KEY"), base_url=server.url, model_name="small")
    assert await best_match(tmp_path, embedding) == "bbbb"
    assert [request.body["input"] for request in server.requests] == [["aaaa"], ["bbbb"], ["zzzz"], ["bbba"]]
    assert {request.body["model"] for request in server.requests} == {"small"}
    assert not any("org-of-the-environment" in request.headers.values() for request in server.requests)


async def test_a_service_that_refuses_ends_the_look_up_with_its_reason(
    server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EMBEDDING_KEY", "sk-wrong")
    server.key = "sk-right"
    embedding = OpenAIEmbeddingFunctionConfig(api_key=env("EMBEDDING_KEY"), base_url=server.url)
    with pytest.raises(ModelRefused, match="Incorrect API key provided"):
        await best_match(tmp_path, embedding)


class _Vectors(list[list[float]]):
    def tolist(self) -> list[list[float]]:
        return list(self)


class _SentenceTransformer:
    """Stands for the class of `sentence-transformers`, whose `encode` gives an array."""

    loaded: Sequence[str] = ()

    def __init__(self, name: str) -> None:
        type(self).loaded = (*self.loaded, name)

    def encode(self, texts: list[str]) -> _Vectors:
        return _Vectors(letters(texts))


async def test_a_sentence_transformer_is_loaded_once_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = ModuleType("sentence_transformers")
    vars(package)["SentenceTransformer"] = _SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setattr(_SentenceTransformer, "loaded", ())
    assert await best_match(tmp_path, SentenceTransformerEmbeddingFunctionConfig(model_name="mini")) == "bbbb"
    assert _SentenceTransformer.loaded == ("mini",)


async def test_without_its_package_a_sentence_transformer_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match="needs the package 'sentence-transformers'"):
        await best_match(tmp_path, SentenceTransformerEmbeddingFunctionConfig())
