"""The files and folders in Mem0's own config, held to the rule for folders that a team names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import JsonValue

from studio.components import Capability, JsonObject
from studio.components.folders import FolderRefused, folder_rules, resolve_database
from studio.memory.embeddings import require_model_name

IN_MEMORY = ":memory:"
"""What SQLite calls a database without a file."""
DEFAULT_STORE = "qdrant"
STORES_IN_A_FOLDER = frozenset({"qdrant", "faiss", "chroma"})
"""Stores of vectors that lie in `/tmp` when they are told neither a folder nor a server."""
ELSEWHERE = frozenset({"host", "url", "api_key"})
HISTORY = ("history_db_path",)
VECTORS = ("vector_store", "config", "path")
PLACES = frozenset({HISTORY, VECTORS})
FILES = ("_path", "_file", "_folder", "_dir", "_bundle", "_certs", "credentials_json")
"""How the package calls files that it reads, such as keys of a cloud."""
FIX = "Mem0's package stores files only at `history_db_path` and at the `path` of its vector store."


def places_in(config: Mapping[str, JsonValue]) -> dict[tuple[str, ...], str]:
    """Where the package keeps its databases, by the way to it in the config. What is not named lies in `mem0`."""
    history = config.get("history_db_path")
    found: dict[tuple[str, ...], str] = {HISTORY: history if isinstance(history, str) else "mem0/history.db"}
    store = _object(config.get("vector_store"))
    provider, own = str(store.get("provider") or DEFAULT_STORE), _object(store.get("config"))
    path = own.get("path")
    if isinstance(path, str):
        found[VECTORS] = path
    elif provider in STORES_IN_A_FOLDER and not ELSEWHERE & own.keys():
        found[VECTORS] = f"mem0/{provider}"
    return found


def held_to_folders(config: Mapping[str, JsonValue], asked: Iterable[Capability]) -> JsonObject:
    """The config as the package may take it in a run: with the real places of its files. In a script, as it is.

    Args:
        config: Mem0's own.
        asked: What the memory asks for, see `resolve_database`.

    Raises:
        FolderRefused: A file or folder in it is none that the team may have, or one that the studio cannot hold to the
            rule, since the package opens it by itself.
        ConfigError: A folder stands in the place of a model's name.
    """
    if folder_rules.get() is None:
        return dict(config)
    _refuse_others(config)
    asked, held = tuple(asked), dict(config)
    for way, path in places_in(config).items():
        if path == IN_MEMORY:
            continue
        held = _with(held, way, str(resolve_database(path, asked)))
    return held


def texts_in(value: JsonValue, where: str) -> Iterator[tuple[str, str]]:
    """Each text in a value, with the JSON pointer of its place."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts_in(item, f"{where}/{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts_in(item, f"{where}/{index}")


def _refuse_others(config: Mapping[str, JsonValue]) -> None:
    """Refuse what leads the package to other files, or to code beside them."""
    own = {"/" + "/".join(way) for way in PLACES}
    for where, text in texts_in(dict(config), ""):
        name = where.rsplit("/", 1)[-1]
        if name == "model":
            require_model_name(text)
        if where in own:
            continue
        if name.endswith(FILES) or text.endswith(".db") or text.startswith(("/", "~", "./", "../", "file:", "unix:")):
            raise FolderRefused(f"Mem0's package would open {text!r} by itself.", fix=FIX, where=f"/config{where}")
    if any(_trusts_code(item) for item in config.values()):
        raise FolderRefused(
            "With `trust_remote_code`, Mem0's package runs code from the model's author.",
            fix="Remove `trust_remote_code`.",
        )


def _trusts_code(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return bool(value.get("trust_remote_code")) or any(map(_trusts_code, value.values()))
    return isinstance(value, list) and any(map(_trusts_code, value))


def _with(config: JsonObject, way: tuple[str, ...], text: str) -> JsonObject:
    name, *rest = way
    if not rest:
        return {**config, name: text}
    return {**config, name: _with(_object(config.get(name)), tuple(rest), text)}


def _object(value: JsonValue) -> JsonObject:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
