"""What came of a request as a log keeps it: the result, or the error, which a repeated run raises again."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects.request import EffectRequest
from studio.errors import StudioError


def intent_body(request: EffectRequest, scope: str) -> JsonObject:
    """The entry of a request that is about to be carried out."""
    head = _head(request, scope)
    return {"intent": head.pop("effect"), **head}


def received_body(request: EffectRequest, scope: str, result: JsonValue) -> JsonObject:
    """The entry of a request that was carried out, and whose result is looked at before it counts."""
    return {**intent_body(request, scope), "result": result}


def result_body(request: EffectRequest, scope: str, result: JsonValue) -> JsonObject:
    """The entry of a request that was answered."""
    if scope:
        return {**_head(request, scope), "result": result}
    return {"effect": request.kind, "source": request.source, "request": request.hash, "result": result}


def error_body(request: EffectRequest, scope: str, error: Exception) -> JsonObject:
    """The entry of a request that failed."""
    return {**_head(request, scope), "error": recorded_for(error)}


def recorded_for(error: Exception) -> JsonObject:
    """An error as JSON, from which `error_from` makes it again."""
    recorded: JsonObject = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, StudioError):
        recorded = {**recorded, "message": error.what, "code": error.code, "fix": error.fix, "where": error.where}
    elif (base := _builtin_of(type(error))) is not type(error):
        recorded["base"] = base.__name__
    return recorded


def outcome_of(body: JsonObject) -> JsonValue:
    """The result in an entry.

    Raises:
        Exception: The recorded one, as `error_from` makes it.
    """
    error = body.get("error")
    if isinstance(error, dict):
        raise error_from(error)
    return body.get("result")


def _head(request: EffectRequest, scope: str) -> JsonObject:
    head: JsonObject = {"effect": request.kind, "source": request.source, "request": request.hash}
    return {**head, "scope": scope} if scope else head


def _builtin_of(kind: type[Exception]) -> type[Exception]:
    return next(base for base in kind.__mro__ if base.__module__ == "builtins" and issubclass(base, Exception))


def error_from(recorded: JsonObject) -> Exception:
    """The error, as far as it can be made again.

    It is of the same class where that is the studio's own or Python's, and else of one with its name below the nearest
    of Python's.
    """
    name, message = str(recorded.get("type")), str(recorded.get("message"))
    if "code" in recorded:
        own = next((kind for kind in _studio_errors(StudioError) if kind.__name__ == name), StudioError)
        error = own.__new__(own, message)
        StudioError.__init__(error, message, fix=str(recorded.get("fix", "")), where=str(recorded.get("where", "")))
        return error
    python: object = getattr(builtins, str(recorded.get("base") or name), Exception)
    base = python if isinstance(python, type) and issubclass(python, Exception) else Exception
    try:
        return (base if base.__name__ == name else type(name, (base,), {}))(message)
    except TypeError:  # one that wants more than a message, such as a decoding error
        return type(name, (Exception,), {})(message)


def _studio_errors(kind: type[StudioError]) -> Iterator[type[StudioError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _studio_errors(below)
