"""Arguments of a model client beyond its fields: AutoGen passes them on to the SDK of the service, or ignores them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from inspect import signature
from typing import Any
from warnings import warn

from pydantic import ValidationError

NEVER_SENT = frozenset(("messages", "stream", "functions", "function_call"))
"""Parts of a request that no argument of a client sets."""


@dataclass(frozen=True, slots=True)
class SdkArguments:
    """Which names an SDK takes: in each request, and when its client is made."""

    of_request: frozenset[str]
    of_client: frozenset[str]

    @classmethod
    def from_signatures(cls, request: type[Any], client: type[Any], *more: str) -> SdkArguments:
        """Those of the typed dictionary of a request and of the constructor of a client; `more` go into requests."""
        names = frozenset((*request.__annotations__, *more)) - NEVER_SENT
        made_with = (name for name in signature(client.__init__).parameters if name != "self")
        return cls(names, frozenset(name for name in made_with if not name.startswith("_")))


@dataclass(slots=True)
class Beside:
    """What a script gave beside the fields of a component."""

    request: dict[str, Any] = field(default_factory=dict[str, Any])
    client: dict[str, Any] = field(default_factory=dict[str, Any])


def take_beside(
    name: str, fields: Iterable[str], sdk: SdkArguments, data: Mapping[str, Any], make: Callable[[dict[str, Any]], None]
) -> Beside:
    """Make a client of the arguments that are its fields, and give back those that are for the SDK.

    What the SDK does not take either is ignored, as in AutoGen, with one warning. So is a range: a value that the
    field refuses goes to the SDK as it is.

    Args:
        name: Of the client's class.
        fields: Names that the component takes.
        sdk: Names that the SDK takes.
        data: All that was given.
        make: Makes the client of its fields; may be called twice.
    """
    known = set(fields)
    beside = Beside()
    given = dict(data)
    for each in [each for each in given if each not in known]:
        _pass_on(each, given.pop(each), sdk, beside)
    unknown = [each for each in data if each not in known and each not in sdk.of_request | sdk.of_client]
    if unknown:
        warn(_ignored(name, unknown, known | sdk.of_request | sdk.of_client), UserWarning, stacklevel=4)
    try:
        make(given)
    except ValidationError as error:
        refused = {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
        odd = {each for each in refused & given.keys() if _is_plain(given[each])} & (sdk.of_request | sdk.of_client)
        if not odd or odd != refused:
            raise
        for each in odd:
            _pass_on(each, given.pop(each), sdk, beside)
        make(given)
    return beside


def _pass_on(name: str, value: Any, sdk: SdkArguments, beside: Beside) -> None:
    if name in sdk.of_client:
        beside.client[name] = value
    elif name in sdk.of_request:
        beside.request[name] = value


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ignored(name: str, unknown: list[str], known: Iterable[str]) -> str:
    ignored: list[str] = []
    names = sorted(known)
    for each in unknown:
        meant = get_close_matches(each, names, n=1, cutoff=0.75)
        ignored.append(f"`{each}`" + (f" (did you mean `{meant[0]}`?)" if meant else ""))
    return f"{name} ignores {', '.join(ignored)}, as AutoGen does."
