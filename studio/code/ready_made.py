"""Calls that make no component by themselves, and whose meaning is known without running them."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Mapping
from textwrap import dedent

from studio.agents import CodeExecutorAgent, FileSurfer, MagenticOneCoderAgent, MultimodalWebSurfer, UserProxyAgent
from studio.code.findings import Position
from studio.code.parsed import ParsedValue, envelope, keyed, listed, not_known, plain
from studio.code.scope import Arguments
from studio.executors import DockerCommandLineCodeExecutor
from studio.memory import ChromaDBVectorMemory, RedisMemory
from studio.teams import MagenticOneGroupChat

MEMORIES = (ChromaDBVectorMemory, RedisMemory)
"""Components that scripts give their fields as an object `config`."""
_CONFIGS: Mapping[str, Mapping[str, str]] = {
    "autogen_ext.memory.chromadb.ChromaDBVectorMemoryConfig": {},
    "autogen_ext.memory.chromadb.PersistentChromaDBVectorMemoryConfig": {},
    "autogen_ext.memory.chromadb.HttpChromaDBVectorMemoryConfig": {"client_type": "http"},
    "autogen_ext.memory.redis.RedisMemoryConfig": {},
}
_LANGCHAIN = "autogen_ext.tools.langchain.LangChainToolAdapter"
_LOADS = "load_component"
_MAGENTIC_ONE = "autogen_ext.teams.magentic_one.MagenticOne"
_TEMPORARY = ("tempfile.TemporaryDirectory", "tempfile.mkdtemp", "tempfile.gettempdir")
"""Folders of their own: what the components have that are given none."""
_OF_TEXT: Mapping[str, Callable[[str], str]] = {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}


def read_call(node: ast.Call, dotted: str, given: Arguments, place: Position) -> ParsedValue | None:
    """What a call gives; None for one that is not known here.

    Args:
        node: The call.
        dotted: Full name of what is called; empty where that is not imported.
        given: What the call gives.
        place: Where it stands.
    """
    if dotted == _MAGENTIC_ONE:
        return _magentic_one(given, place)
    if dotted in _CONFIGS:
        return keyed({**{name: plain(value, place) for name, value in _CONFIGS[dotted].items()}, **given[1]}, place)
    if dotted == _LANGCHAIN:
        why = "A tool of LangChain is an object, which a team cannot hold."
        return not_known(_called(node.args[0] if node.args else node), why, place)
    if dotted.endswith(f".{_LOADS}") and len(given[0]) == 1 and given[0][0].entries is None:
        why = "What is loaded here is not known without running the script."
        return not_known(dotted.split(".")[-2], why, place)
    if dotted in _TEMPORARY:
        return plain(None, place)
    return _text(node, dotted, given, place)


def in_fields(given: Arguments) -> Arguments:
    """The arguments of a memory, with those of its `config` among them."""
    values, named = given
    config = named.get("config") or (values[0] if values else None)
    if config is None or not isinstance(config.entries, Mapping):
        return given
    return [], {**config.entries, **{name: made for name, made in named.items() if name != "config"}}


def _text(node: ast.Call, dotted: str, given: Arguments, place: Position) -> ParsedValue | None:
    """Texts and paths that are put together of known ones."""
    values, named = given
    if named or not all(isinstance(each.value, str) and each.secret_at is None for each in values):
        return None
    texts = [str(each.value) for each in values]
    if dotted == "os.getcwd" and not texts:
        return plain(".", place)
    if dotted in ("os.path.join", "pathlib.Path") and texts:
        return plain(posixpath.join(*texts), place)
    if dotted == "textwrap.dedent" and len(texts) == 1:
        return plain(dedent(texts[0]), place)
    match node.func:
        case ast.Name(id="str") if len(texts) == 1:
            return plain(texts[0], place)
        case ast.Attribute(value=ast.Constant(value=str(text)), attr=name) if name in _OF_TEXT and not texts:
            return plain(_OF_TEXT[name](text), place)
        case _:
            return None


def _magentic_one(given: Arguments, place: Position) -> ParsedValue | None:
    """AutoGen's ready-made team, as its class puts it together."""
    values, named = given
    client = named.get("client") or (values[0] if values else None)
    if client is None:
        return None
    is_with_person = named.get("hil_mode") or (values[1] if len(values) > 1 else plain(value=False, at=place))
    executor = named.get("code_executor") or envelope(DockerCommandLineCodeExecutor, {}, place)
    parts = [
        envelope(cls, {"name": plain(name, place), "model_client": client}, place)
        for cls, name in (
            (FileSurfer, "FileSurfer"),
            (MultimodalWebSurfer, "WebSurfer"),
            (MagenticOneCoderAgent, "Coder"),
        )
    ]
    terminal = {"name": plain("ComputerTerminal", place), "code_executor": executor}
    parts.append(envelope(CodeExecutorAgent, terminal, place))
    if is_with_person.value is True:
        parts.append(envelope(UserProxyAgent, {"name": plain("User", place)}, place))
    return envelope(MagenticOneGroupChat, {"participants": listed(parts, place), "model_client": client}, place)


def _called(node: ast.expr) -> str:
    """A name for what is given: of the variable, or of what is called."""
    while isinstance(node, ast.Call):
        node = node.func
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "tool"
    return re.sub(r"\W", "_", name) or "tool"
