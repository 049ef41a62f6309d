"""YAML without its dangers: no aliases, no dates, no Python objects."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, ClassVar, cast

import yaml
from pydantic import JsonValue

from studio.errors import InvalidDocument, TooLarge

MAX_YAML_BYTES = 2 * 1024 * 1024
"""YAML is read tens of times slower than JSON; no team that a person wrote is as long."""
MAX_YAML_VALUES = 100_000
"""Each takes a tenth of a millisecond; a document of 2 MB that a person wrote has fewer."""
_MAX_LEVELS = 500
"""The parser in C calls itself for each level, without a limit of its own."""
# It takes a tenth of the time of the one in Python, which is there where the package was built without it.
_SafeLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _PlainLoader(_SafeLoader):
    """YAML without dates."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in cast("dict[str, list[tuple[str, object]]]", yaml.SafeLoader.yaml_implicit_resolvers).items()
    }


def parse_yaml(text: str) -> JsonValue:
    """Read YAML into plain values.

    Raises:
        TooLarge: More than `MAX_YAML_BYTES` or `MAX_YAML_VALUES`.
        InvalidDocument: Not YAML, with an alias, or nested too deep to be read.
    """
    if len(text) > MAX_YAML_BYTES:
        raise TooLarge(
            f"The document has {len(text) / 1e6:.0f} MB; the limit for YAML is {MAX_YAML_BYTES / 1e6:.0f} MB.",
            fix="Convert it to JSON.",
        )
    try:
        _check_events(text)
        value: object = yaml.load(text, Loader=_PlainLoader)
    except yaml.YAMLError as error:
        said = f"Neither JSON nor YAML: {_reason(error)}."
        raise InvalidDocument(said, fix="Correct it, or choose another file.") from error
    except RecursionError as error:
        raise InvalidDocument("The document is nested too deeply.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # such as `!!int x`: PyYAML does not check
        raise InvalidDocument(f"Invalid YAML value: {error}.", fix="Correct it.") from error
    if not isinstance(value, dict | list):
        raise InvalidDocument("The text is neither JSON nor YAML of a component.", fix="Paste the whole JSON.")
    return _plain(cast("object", value))


def _reason(error: yaml.YAMLError) -> str:
    """What is wrong, and in which line."""
    said = str(error).splitlines()[0]
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem is None or error.problem_mark is None:
        return said
    problem = f"{error.context} {error.problem}" if error.problem.startswith("but ") else error.problem
    return f"{problem} in line {error.problem_mark.line + 1}"


def _check_events(text: str) -> None:
    """Refuse aliases, which allow cycles and files that grow a million times when read, too many levels and values.

    An event is read in a tenth of the time that its value takes.
    """
    level = count = 0
    parsed = yaml.parse(text, Loader=_PlainLoader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    for event in cast("Iterator[object]", parsed):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDocument("YAML aliases (`*name`) are not read.", fix="Write the value out where it is used.")
        count += isinstance(event, yaml.NodeEvent)
        if count > MAX_YAML_VALUES:
            raise TooLarge(f"The YAML has more than {MAX_YAML_VALUES:,} keys and values.", fix="Convert it to JSON.")
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > _MAX_LEVELS:
                raise InvalidDocument("The document is nested too deeply.")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in cast("dict[object, object]", value).items()}
    if isinstance(value, list):
        return [_plain(child) for child in cast("list[object]", value)]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return cast("JsonValue", value)
