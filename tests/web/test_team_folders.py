"""Folders that a team names, in a running studio: where they lie, and which of them no team gets."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from tests.sandbox.jailed import best_jail
from tests.web.documents import assistant, replay_model, team
from tests.web.doors import TOKEN
from tests.web.following import keeping, told

pytestmark = pytest.mark.timeout(120)  # so many that they do not come last


def surfer(path: str, folder: str | None = None) -> JsonObject:
    """An agent whose model opens that path."""
    call = {"id": "1", "name": "open_path", "arguments": json.dumps({"path": path})}
    model = cast("Any", replay_model())
    model["config"]["chat_completions"] = [
        {
            "content": [call],
            "finish_reason": "function_calls",
            "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            "cached": False,
        }
    ] * 3
    config: JsonObject = {"name": "surfer", "model_client": model, "description": "Looks into files."}
    if folder is not None:
        config["base_path"] = folder
    return {"provider": "autogen_ext.agents.file_surfer.FileSurfer", "component_type": "agent", "config": config}


def coder(folder: str) -> JsonObject:
    """An agent that runs the code of its task."""
    executor = {
        "provider": "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor",
        "component_type": "code_executor",
        "config": {"work_dir": folder, "timeout": 30},
    }
    config: JsonObject = {"name": "coder", "code_executor": cast("JsonObject", executor), "sources": ["user"]}
    return {"provider": "autogen_agentchat.agents.CodeExecutorAgent", "component_type": "agent", "config": config}


def cached(folder: str) -> JsonObject:
    """An agent whose model's answers are kept in a folder."""
    agent = cast("Any", assistant("writer", "Hello."))
    store = {
        "provider": "autogen_ext.cache_store.diskcache.DiskCacheStore",
        "component_type": "cache_store",
        "config": {"directory": folder},
    }
    agent["config"]["model_client"] = {
        "provider": "autogen_ext.models.cache.ChatCompletionCache",
        "component_type": "chat_completion_cache",
        "config": {"client": agent["config"]["model_client"], "store": store},
    }
    return cast("JsonObject", agent)


def test_a_relative_folder_is_the_team_s_own_wherever_the_server_was_started(
    client: TestClient, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "n.txt").write_text("of the server")
    monkeypatch.chdir(tmp_path)
    team_id = keeping(client, surfer("n.txt"))
    own = settings.data_dir / "work" / team_id
    assert "of the server" not in told(client, team_id)
    own.mkdir(parents=True, exist_ok=True)
    (own / "n.txt").write_text("of the team")
    assert "of the team" in told(client, team_id)


def test_two_teams_do_not_share_a_relative_folder(client: TestClient, settings: Settings):
    for name in ("One", "Two"):
        team_id = keeping(client, cached("cache"), name)
        told(client, team_id)
        assert (settings.data_dir / "work" / team_id / "cache").is_dir()


@pytest.mark.parametrize("name", ["..", "../..", "../../cookie.key", "a/../../x", "inner/../../../data"])
def test_a_relative_folder_does_not_lead_out_of_the_team_s_own(client: TestClient, name: str):
    assert "folder_refused" in told(client, keeping(client, surfer("token", name)))


def test_a_link_in_the_team_s_own_folder_does_not_lead_out_of_it(client: TestClient, settings: Settings):
    team_id = keeping(client, surfer("token", "link"))
    own = settings.data_dir / "work" / team_id
    own.mkdir(parents=True)
    (own / "link").symlink_to(settings.data_dir)
    said = told(client, team_id)
    assert "folder_refused" in said
    assert TOKEN not in said


PRIVATE = [
    "{data}",
    "{data}/",
    "{data}/work",
    "{data}/databases",
    "{data}/../data",
    "/",
    "//",
    "{link}",
    "/proc/self/root{data}",
    "~",
]


def test_no_team_reads_what_the_studio_keeps_or_a_home(client: TestClient, settings: Settings, tmp_path: Path):
    (settings.data_dir / "token").write_text("the-access-token")
    (tmp_path / "link").symlink_to(settings.data_dir)
    of_all = ["/etc", "/tmp", "/var/tmp", "/dev/shm", "/proc/self", "~/.ssh", "/root/../etc/ssl"]
    for place in [*PRIVATE, *of_all]:
        folder = place.format(data=settings.data_dir, link=tmp_path / "link")
        said = told(client, keeping(client, surfer(str(settings.data_dir / "token"), folder)))
        assert "folder_refused" in said, place
        assert "the-access-token" not in said, place


MADE_OF = [
    Path(__file__).parents[2] / "studio",
    Path(__file__).parents[2],
    Path(sys.prefix),
    Path(os.__file__).parent / "site-packages",
    Path("/usr/local/bin"),
    Path.home() / ".config",
    Path("/home/other"),
    Path("/var/spool"),
]


@pytest.mark.parametrize("part", [coder, cached])
def test_no_team_writes_where_the_studio_runs_from(client: TestClient, settings: Settings, tmp_path: Path, part: Any):
    (tmp_path / "link").symlink_to(settings.data_dir)
    for place in [*map(str, MADE_OF), *PRIVATE]:
        folder = place.format(data=settings.data_dir, link=tmp_path / "link")
        before = os.path.lexists(os.path.join(folder, "out.txt"))
        said = told(client, keeping(client, part(folder)), "```sh\ntouch out.txt\n```")
        assert "folder_refused" in said, place
        assert os.path.lexists(os.path.join(folder, "out.txt")) == before, place


def test_code_works_in_the_team_s_own_folder(client: TestClient, settings: Settings):
    best_jail()
    team_id = keeping(client, coder("coding"))
    told(client, team_id, "```sh\necho made > out.txt\n```")
    assert (settings.data_dir / "work" / team_id / "coding" / "out.txt").read_text() == "made\n"


def test_what_was_approved_for_reading_is_not_approved_for_writing(client: TestClient, tmp_path: Path):
    shared = tmp_path / "shared"
    shared.mkdir()
    reads = client.post("/api/teams", json={"component": team(surfer("x", str(shared)), max_messages=2)}).json()["id"]
    missing = client.post("/api/runs", json={"team_id": reads, "task": "Go."}).json()["missing"]
    assert [each["detail"] for each in missing] == [f"read {shared}"]
    assert str(shared) in missing[0]["text"]
    body = {"hashes": [missing[0]["hash"]], "team_id": reads}
    assert client.post("/api/approvals", json={**body, "scope": "anywhere"}).status_code == 201
    writes = client.post("/api/teams", json={"component": team(cached(str(shared)), max_messages=2)}).json()["id"]
    refused = client.post("/api/runs", json={"team_id": writes, "task": "Go."})
    assert refused.status_code == 403
    assert [each["detail"] for each in refused.json()["missing"]] == [f"write {shared}"]
    assert list(shared.iterdir()) == []


def test_a_folder_that_leads_elsewhere_now_is_not_approved(client: TestClient, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "n.txt").write_text(f"of {folder.name}")
    (tmp_path / "link").symlink_to(one)
    team_id = keeping(client, surfer("n.txt", str(tmp_path / "link")))
    assert "of one" in told(client, team_id)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(two)
    assert client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).status_code == 403


PLACES_OF_MEM0: dict[str, Any] = {
    "history in the data folder": {"history_db_path": "{data}/history.db"},
    "history over a link": {"history_db_path": "{link}/history.db"},
    "history outside of the team's folder": {"history_db_path": "../history.db"},
    "vectors where code may leave something": {"vector_store": {"provider": "qdrant", "config": {"path": "{shared}"}}},
    "vectors in a home": {"vector_store": {"provider": "qdrant", "config": {"path": "~/.ssh"}}},
    "vectors in the data folder": {"vector_store": {"provider": "faiss", "config": {"path": "{data}"}}},
    "a file as the address of Milvus": {"vector_store": {"provider": "milvus", "config": {"url": "x.db"}}},
    "a file of keys": {"embedder": {"provider": "gemini", "config": {"vertex_credentials_json": "{data}/token"}}},
    "a folder as a model": {"embedder": {"provider": "huggingface", "config": {"model": "{link}"}}},
    "code of a model": {
        "embedder": {"provider": "huggingface", "config": {"model_kwargs": {"trust_remote_code": True}}}
    },
}


def remembering(memory: JsonObject) -> JsonObject:
    agent = cast("Any", assistant("writer", "Hello."))
    agent["config"]["memory"] = [memory]
    return cast("JsonObject", agent)


@pytest.mark.slow
@pytest.mark.parametrize("what", PLACES_OF_MEM0)
def test_a_memory_of_mem0_keeps_to_the_folders_of_its_team(
    client: TestClient, settings: Settings, tmp_path: Path, what: str
):
    (tmp_path / "link").symlink_to(settings.data_dir)
    text = json.dumps(PLACES_OF_MEM0[what]).replace("{data}", str(settings.data_dir))
    config = json.loads(text.replace("{link}", str(tmp_path / "link")).replace("{shared}", str(tmp_path / "shared")))
    memory: JsonObject = {
        "provider": "autogen_ext.memory.mem0.Mem0Memory",
        "component_type": "memory",
        "config": {"is_cloud": False, "config": config},
    }
    before = sorted(settings.data_dir.glob("*"))
    assert "folder_refused" in told(client, keeping(client, remembering(memory)))
    assert {*settings.data_dir.glob("*")} - {*before} <= {settings.data_dir / "work", settings.data_dir / "databases"}


@pytest.mark.parametrize("model", ["{own}", "/models/x", "./x", "~/x", "../x", "studio"])
def test_an_embedding_model_is_named_and_no_folder(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch, model: str
):
    """A folder of a model may hold code, which would run in the server."""
    monkeypatch.chdir(Path(__file__).parents[2])
    memory: JsonObject = {
        "provider": "autogen_ext.memory.chromadb.ChromaDBVectorMemory",
        "component_type": "memory",
        "config": {
            "client_type": "persistent",
            "collection_name": "words",
            "embedding_function_config": {
                "function_type": "sentence_transformer",
                "model_name": model.format(own=settings.data_dir / "work"),
            },
        },
    }
    assert "folder_refused" in told(client, keeping(client, remembering(memory)))
