"""The memory of Mem0's package in this process: its real code and database, with a model server of ours."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from studio.components import JsonObject
from studio.components.folders import FolderRules, folder_rules
from studio.memory import Mem0Memory, MemoryUnavailable
from studio.messages import MemoryContent
from tests.fakes.embedding_server import EmbeddingServer
from tests.memory.embedding import ALPHABET

pytestmark = pytest.mark.slow  # the package takes a second to import


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        running.key = "sk-right"
        yield running


@pytest.fixture
async def memory(server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Mem0Memory]:
    monkeypatch.setenv("LOCAL_KEY", "sk-right")
    service: JsonObject = {"api_key": "env:LOCAL_KEY", "openai_base_url": server.url}
    size = len(ALPHABET)
    config: JsonObject = {
        "llm": {"provider": "openai", "config": {**service, "model": "writer"}},
        "embedder": {"provider": "openai", "config": {**service, "model": "small", "embedding_dims": size}},
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(tmp_path / "vectors"), "embedding_model_dims": size, "on_disk": True},
        },
        "history_db_path": str(tmp_path / "history.db"),
    }
    made = Mem0Memory(user_id="u1", limit=1, is_cloud=False, config=config)
    yield made
    await made.close()


async def test_what_the_model_makes_of_a_text_is_found_again_and_forgotten(memory: Mem0Memory, server: EmbeddingServer):
    for fact in ("bbbb", "zzzz"):
        server.say(json.dumps({"memory": [{"text": fact}]}), model="writer")
        await memory.add(MemoryContent(content=f"Keep {fact}.", mime_type="text/plain", metadata={"topic": "t"}))
    [found] = (await memory.query("bbba")).results
    assert (found.content, (found.metadata or {})["topic"]) == ("bbbb", "t")
    await memory.clear()
    assert (await memory.query("bbba")).results == []


async def test_it_tells_its_maker_nothing_and_leaves_the_home_folder_alone(
    memory: Mem0Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from mem0.memory import main, telemetry  # pyright: ignore[reportMissingTypeStubs] -- it has none

    monkeypatch.setattr(main, "mem0_dir", str(tmp_path / "home"))
    assert (await memory.query("x")).results == []
    assert not (tmp_path / "home").exists()
    assert telemetry.client_telemetry.posthog is None


async def test_a_model_that_refuses_is_reported(memory: Mem0Memory, server: EmbeddingServer):
    server.key = "sk-other"
    with pytest.raises(MemoryUnavailable, match="its local config gave no answer"):
        await memory.query("x")


async def test_in_a_run_its_files_lie_where_no_code_may_write(memory: Mem0Memory, tmp_path: Path):
    config: JsonObject = {**(memory.config or {}), "vector_store": {"config": {"embedding_model_dims": len(ALPHABET)}}}
    del config["history_db_path"]
    made = Mem0Memory(user_id="u1", is_cloud=False, config=config)
    asked = {each.detail for each in made.capabilities() if each.kind == "file"}
    assert asked == {f"write {name} among the team's databases" for name in ("mem0/history.db", "mem0/qdrant")}
    approved = frozenset(each.hash for each in made.capabilities())
    told = folder_rules.set(FolderRules(tmp_path / "own", tmp_path / "kept", approved=approved))
    try:
        assert (await made.query("bbba")).results == []
    finally:
        folder_rules.reset(told)
        await made.close()
    assert sorted(path.name for path in (tmp_path / "kept/mem0").iterdir()) == ["history.db", "qdrant"]
    assert not (tmp_path / "own").exists()
