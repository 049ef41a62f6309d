"""What passages and questions mean, as vectors of an embedding model: at an OpenAI-compatible service, or here."""

from __future__ import annotations

import asyncio
import math
from array import array
from collections.abc import Sequence
from heapq import nlargest
from operator import mul

from studio.errors import ConfigError, ModelUnavailable
from studio.knowledge import MAX_QUERY_CHARS
from studio.memory.local_model import LOCAL, LOCAL_MODEL, embed_here, nearness
from studio.models.endpoints import place_of
from studio.store import Store
from studio.store.knowledge_tables import KnowledgeBase

BATCH = 64
MAX_BATCHES = 8
"""That are asked for at once: adding a document must end."""
MAX_DIMENSIONS = 8_192
MAX_COMPARED = 100_000
LIMIT_S = 60.0
QUESTION_LIMIT_S = 10.0
SPEAKS_OPENAI = ".OpenAIChatCompletionClient"


async def choose_model(store: Store, base_id: str, connection_id: str, model: str) -> None:
    """Let a model make the vectors of a knowledge base, once it has made one; without a connection, there are none.

    Raises:
        NotFound: There is no such knowledge base or connection.
        ConfigError: The connection is to no service of this kind, or no model is named.
        StudioError: The service did not answer as one does.
    """
    if connection_id == LOCAL:
        model = LOCAL_MODEL
    if connection_id:
        if not model:
            raise ConfigError("The embedding model is missing.", fix="Enter its name.", where="/model")
        await _vectors(store, connection_id, model, ["Test."], LIMIT_S)
    await store.vectors.choose_model(base_id, connection_id, model if connection_id else "")


async def make_vectors(store: Store, base_id: str) -> int:
    """Make vectors of passages that have none, up to a bound. Returns how many are still missing.

    Raises:
        NotFound: There is no such knowledge base, or its connection was deleted.
        StudioError: The service did not answer.
    """
    base = await store.knowledge.get(base_id)
    if not base.embedding_model:
        return 0
    for _ in range(MAX_BATCHES):
        missing = await store.vectors.missing(base_id, BATCH)
        if not missing:
            return 0
        texts = [text for _, text in missing]
        made = await _vectors(store, base.embedding_connection, base.embedding_model, texts, LIMIT_S)
        await store.vectors.add(base, [(passage_id, each) for (passage_id, _), each in zip(missing, made, strict=True)])
    return await store.vectors.missing_count(base_id)


async def nearest_passages(store: Store, base: KnowledgeBase, query: str, most: int) -> Sequence[int]:
    """Ids of the passages that mean what a question means, the nearest first.

    Raises:
        StudioError: The service did not answer.
    """
    question = query[:MAX_QUERY_CHARS]
    [asked] = await _vectors(store, base.embedding_connection, base.embedding_model, [question], QUESTION_LIMIT_S)
    compare = _compared_here if base.embedding_connection == LOCAL else _compared
    best: list[tuple[float, int]] = []
    seen = 0
    async for rows in store.vectors.all(base.id):
        best = nlargest(most, [*best, *await asyncio.to_thread(compare, asked, rows)])
        seen += len(rows)
        if seen >= MAX_COMPARED:
            break
    return [passage_id for _, passage_id in best]


async def _vectors(store: Store, connection_id: str, model: str, texts: Sequence[str], limit_s: float) -> list[bytes]:
    if connection_id == LOCAL:
        return list(await asyncio.to_thread(embed_here, texts))
    component = (await store.connections.get(connection_id)).component
    place = place_of(component)
    if place is None or not place.provider.endswith(SPEAKS_OPENAI):
        raise ConfigError(
            "This connection has no OpenAI-compatible embeddings.",
            fix="Choose one to an OpenAI-compatible service, such as OpenAI or Ollama.",
            where="/connection_id",
        )
    resolve = await store.secrets.source()
    key = (resolve(place.key) if place.key else "") or "none"
    try:
        async with asyncio.timeout(limit_s):
            found = await asyncio.to_thread(_asked, key, place.address, model, texts)
            return await asyncio.to_thread(lambda: [_unit(each, place.address) for each in found])
    except TimeoutError as error:
        raise ModelUnavailable(f"The service at {place.address} made no vectors within {limit_s:g} s.") from error


def _asked(key: str, address: str, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    from studio.memory.embeddings import OpenAIEmbedding  # takes a while, and most studios make no vectors

    embed = OpenAIEmbedding(key, address, model)
    try:
        return embed(texts)
    finally:
        embed.close()


def _unit(vector: Sequence[float], address: str) -> bytes:
    """The vector at length 1.

    Raises:
        ModelUnavailable: It is none.
    """
    try:
        length = math.sqrt(sum(map(mul, vector, vector)))
        if not 0 < len(vector) <= MAX_DIMENSIONS or not math.isfinite(length) or length == 0:
            raise ValueError
        return array("f", [each / length for each in vector]).tobytes()
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelUnavailable(f"The service at {address} returned no vector of numbers.") from error


def _compared(asked: bytes, rows: Sequence[tuple[int, bytes]]) -> list[tuple[float, int]]:
    """How near each is: the cosine. Those of another length are of another model."""
    wanted = array("f", asked)
    return [
        (sum(map(mul, wanted, array("f", each))), passage_id) for passage_id, each in rows if len(each) == len(asked)
    ]


def _compared_here(asked: bytes, rows: Sequence[tuple[int, bytes]]) -> list[tuple[float, int]]:
    """The same of the model in this process, which makes several vectors of a passage."""
    return list(zip(nearness(asked, [each for _, each in rows]), [passage_id for passage_id, _ in rows], strict=True))
