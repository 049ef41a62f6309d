"""OpenAI's API with its embeddings, too: texts become vectors by how often each letter stands in them."""

from __future__ import annotations

from typing import Any

from tests.fakes.openai_server import OpenAIExchange, OpenAIServer
from tests.memory.embedding import letters


class _EmbeddingExchange(OpenAIExchange):
    def whole(self) -> dict[str, Any]:
        texts: list[str] | None = self.request.body.get("input")
        if texts is None:
            return super().whole()
        assert self.request.body["encoding_format"] == "float", "the only one that this server speaks"
        data = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(letters(texts))]
        return {"object": "list", "data": data, "model": self.model, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class EmbeddingServer(OpenAIServer):
    """OpenAI's API; what `say` queues for a chat model, embeddings do not use up."""

    exchange = _EmbeddingExchange
    question_paths = (*OpenAIServer.question_paths, "/embeddings")
