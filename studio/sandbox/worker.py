"""Runs one function of a tool's source in its own process. Standard library only; started as a script by `process`.

Reads one JSON line from the file descriptor given as its argument: {imports, source, function, wants_token,
arguments, variables, variables_as, environment, text_limit};
writes one: {"text": ..., "value": ...} or {"error": ..., "cause": ...}, with the "events" that the tool emitted and
what it changed of the "variables", if any. What the tool prints goes elsewhere and spoils nothing.
"""

from __future__ import annotations

import collections.abc
import contextlib
import errno
import importlib
import json
import os
import sys
import types
import typing

if typing.TYPE_CHECKING:
    import io

EXERCISE = """{"imports": "", "source": "def f(a: int) -> int: return a", "function": "f", "arguments": {"a": 1},
"wants_token": false, "variables": {}, "variables_as": [], "text_limit": 100}"""
"""Done once while nobody waits: the first call of anything takes several times as long."""
NO_NETWORK = frozenset((errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.ECONNREFUSED))
"""What the system says to a program that has no network."""
MADE_OF_TEXT = frozenset(("decimal", "uuid", "pathlib"))
"""Modules whose types are made by calling them with text."""


class CancellationToken:
    """Stands in for AutoGen's: the process is simply ended when its run is cancelled."""

    def cancel(self) -> None:
        """Nothing to do."""

    def is_cancelled(self) -> bool:
        return False

    def add_callback(self, callback: object) -> None:
        """Never called: the process ends first."""

    def link_future(self, future: object) -> object:
        return future


def offer_cancellation_token() -> None:
    """Let `from autogen_core import CancellationToken` work where AutoGen is not installed."""
    with contextlib.suppress(ImportError):
        importlib.import_module("autogen_core")
        return
    module = types.ModuleType("autogen_core")
    module.__dict__["CancellationToken"] = CancellationToken
    sys.modules["autogen_core"] = module


class ContextVariables(dict[str, typing.Any]):
    """What a team remembers by name: a dictionary of JSON values, with the methods of AG2's class of this name."""

    def __init__(self, data: typing.Mapping[str, typing.Any] | None = None) -> None:
        super().__init__(data or {})

    def set(self, key: str, value: typing.Any) -> None:
        self[key] = value

    def remove(self, key: str) -> bool:
        """Drop a variable; whether there was one."""
        return self.pop(key, self) is not self

    def contains(self, key: str) -> bool:
        return key in self

    def to_dict(self) -> dict[str, typing.Any]:
        """A copy as a plain dictionary."""
        return dict(self)


def changes(before: dict[str, typing.Any], after: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """What was set and what was removed, as JSON; empty when nothing was.

    Raises:
        TypeError: A value that was set is no JSON.
    """
    now = json.loads(json.dumps(after, allow_nan=False))
    new = {name: value for name, value in now.items() if name not in before or before[name] != value}
    removed = [name for name in before if name not in now]
    return {"set": new, "removed": removed} if new or removed else {}


def event(name: str, content: object = None) -> dict[str, typing.Any]:
    """An event of a tool as JSON."""
    return {"name": str(name), "content": plain(content)}


Emit = typing.Callable[..., None]


def offer_studio(emit: Emit) -> None:
    """Let `from studio.tools import emit, ContextVariables` work without the rest of the studio."""
    with contextlib.suppress(ImportError):
        importlib.import_module("studio")
    sys.modules.setdefault("studio", types.ModuleType("studio"))
    module = types.ModuleType("studio.tools")
    module.__dict__.update(emit=emit, ContextVariables=ContextVariables)
    sys.modules["studio.tools"] = module


def load_function(request: dict[str, typing.Any], emit: Emit) -> typing.Callable[..., typing.Any]:
    """Execute the imports and the source, and find the function."""
    if "autogen_core" in request["imports"]:
        offer_cancellation_token()
    if "studio" in request["imports"] or "studio" in request["source"]:
        offer_studio(emit)
    namespace: dict[str, typing.Any] = {"__name__": "tool", "emit": emit, "ContextVariables": ContextVariables}
    exec(compile(request["imports"], "<imports of the tool>", "exec"), namespace)
    exec(compile(request["source"], "<source of the tool>", "exec"), namespace)
    return namespace[request["function"]]


def fitting(function: typing.Callable[..., typing.Any], arguments: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """The arguments as the function wants them: objects where it names a model or an enumeration."""
    try:
        hints = typing.get_type_hints(function, localns={"ContextVariables": ContextVariables})
    except (NameError, TypeError, AttributeError):
        hints = {}
    return {name: made(hints.get(name), value) for name, value in arguments.items()}


def made(hint: typing.Any, value: typing.Any) -> typing.Any:
    """A value as its annotation wants it; that it fits was checked before it became JSON."""
    kind: typing.Any = hint
    as_it_is: typing.Any = value
    origin, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return made_for_one_of(parts, value)
    if isinstance(value, list):
        return made_list(origin, parts, typing.cast("list[typing.Any]", value))
    if isinstance(value, dict) and len(parts) == 2:
        return made_dict(parts, typing.cast("dict[str, typing.Any]", value))
    if (validate := getattr(hint, "model_validate", None)) is not None:
        return validate(value)
    if isinstance(value, str) and (from_text := getattr(hint, "fromisoformat", None)) is not None:
        return from_text(value)
    if hint is bytes and isinstance(value, str):
        return value.encode()
    if isinstance(hint, type) and (hasattr(hint, "__members__") or hint.__module__ in MADE_OF_TEXT):
        return kind(value)
    return as_it_is


def made_list(origin: typing.Any, parts: tuple[typing.Any, ...], value: list[typing.Any]) -> typing.Any:
    """A list, tuple or set, whichever the annotation names."""
    if origin is tuple and parts and parts[-1] is not Ellipsis:
        return tuple(made(part, item) for part, item in zip(parts, value, strict=False))
    items = [made(parts[0], item) for item in value] if parts else value
    if isinstance(origin, type) and issubclass(origin, tuple | frozenset):
        return tuple(items) if origin is tuple else frozenset(items)
    return set(items) if isinstance(origin, type) and issubclass(origin, collections.abc.Set) else items


def made_dict(parts: tuple[typing.Any, ...], value: dict[str, typing.Any]) -> dict[typing.Any, typing.Any]:
    """A dictionary; JSON has texts alone as keys."""
    key, item = parts
    number = key if key in (int, float) else None
    return {number(name) if number else made(key, name): made(item, each) for name, each in value.items()}


def made_for_one_of(parts: tuple[typing.Any, ...], value: typing.Any) -> typing.Any:
    """A value as it is if one of the types is its own, and else as the first wants it that can make something of it."""
    if value is None or type(value) in parts:
        return value
    for part in parts:
        with contextlib.suppress(ValueError, TypeError, ArithmeticError):
            if (new := made(part, value)) is not value:
                return new
    return value


def text_of(value: object) -> str:
    """A result as the model reads it: JSON for Pydantic models, `str` for all else, as AutoGen does."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        return str(value)
    dumped = dump()
    return json.dumps(dumped) if isinstance(dumped, dict) else str(dumped)


def plain(value: object) -> object:
    """The value as JSON, or its text where it has none."""
    dump = getattr(value, "model_dump", None)
    try:
        return json.loads(json.dumps(dump(mode="json") if dump is not None else value))
    except (TypeError, ValueError, RecursionError):
        return text_of(value)


def limited(text: str, limit: int) -> str:
    """The text, cut with a note when it is longer than a model should read."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{len(text) - limit} more characters were left out]"


def answer(
    request: dict[str, typing.Any], tell: typing.Callable[[dict[str, typing.Any]], None] = lambda _: None
) -> dict[str, typing.Any]:
    """Call the function and describe what came of it; `tell` gets each event as soon as it is emitted."""
    events: list[dict[str, typing.Any]] = []

    def emit(name: str, content: object = None) -> None:
        events.append(event(name, content))
        tell(events[-1])

    reply = called(request, emit)
    return {**reply, "events": events} if events else reply


def called(request: dict[str, typing.Any], emit: Emit) -> dict[str, typing.Any]:
    """Call the function; what it gave, and what it changed of the variables. A call that fails changes nothing."""
    limit = request["text_limit"]
    variables = ContextVariables(json.loads(json.dumps(request["variables"])))
    try:
        function = load_function(request, emit)
        given = {**fitting(function, request["arguments"]), **dict.fromkeys(request["variables_as"], variables)}
        if request["wants_token"]:
            given["cancellation_token"] = CancellationToken()
        value = function(**given)
        if hasattr(value, "__await__"):
            value = awaited(value)
        text = text_of(value)
        changed = changes(request["variables"], variables)
    except BaseException as error:  # noqa: BLE001 -- the tool is foreign code: whatever it raises is its result
        message = str(error) or type(error).__name__
        return {"error": limited(message, limit), **cause_of(error)}
    shown = limited(text, limit)
    found = plain(value) if len(text) <= limit else shown
    reply = {"text": shown} if found == shown else {"text": shown, "value": found}
    return {**reply, "variables": changed} if changed else reply


def cause_of(error: BaseException) -> dict[str, str]:
    """What an error comes from, where the studio has more to say of it: no network, or a module that is missing."""
    seen: list[BaseException] = []
    at: object = error
    while isinstance(at, BaseException) and at not in seen:
        seen.append(at)
        if isinstance(at, ModuleNotFoundError) and at.name:
            return {"cause": "module", "module": at.name.partition(".")[0], "python": sys.executable}
        if isinstance(at, OSError) and (type(at).__name__ == "gaierror" or at.errno in NO_NETWORK):
            return {"cause": "network"}
        at = getattr(at, "reason", None) or at.__cause__ or at.__context__  # URLError keeps its cause as `reason`
    return {}


def awaited(value: typing.Awaitable[typing.Any]) -> typing.Any:
    """The result of an async function; only those pay for the import."""
    import asyncio

    async def wait_for() -> typing.Any:
        return await value

    return asyncio.run(wait_for())


def main() -> None:
    """Serve the one request on the file descriptor that is given."""
    channel = int(sys.argv[1])
    answer(json.loads(EXERCISE))
    with open(channel, "rb") as requests, open(os.dup(channel), "wb") as replies:
        request = json.loads(requests.readline())
        os.environ.update(request["environment"])
        typing.cast("io.TextIOWrapper", sys.stdout).reconfigure(line_buffering=True)  # who waits sees what is printed

        def send(message: dict[str, typing.Any]) -> None:
            # Not in ASCII: the escapes would take twelve bytes for each emoji.
            replies.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            replies.flush()

        reply = answer(request, lambda event: send({"told": event}))
        sys.stdout.flush()
        send(reply)


if __name__ == "__main__":
    main()
