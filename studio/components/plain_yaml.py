"""YAML without its dangers: no aliases, no dates, no Python objects."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar, cast

import yaml
from pydantic import JsonValue

from studio.errors import InvalidDocument, TooLarge

MAX_YAML_BYTES = 2 * 1024 * 1024
"""YAML is read a hundred times slower than JSON; no team that a person wrote is as long."""


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which allow cycles and files that grow a million times when read, and without dates."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in cast("dict[str, list[tuple[str, object]]]", yaml.SafeLoader.yaml_implicit_resolvers).items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: object = self.peek_event()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- no types
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDocument("YAML aliases (`*name`) are not read.", fix="Write the value out where it is used.")
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> JsonValue:
    """Read YAML into plain values.

    Raises:
        TooLarge: More than `MAX_YAML_BYTES`.
        InvalidDocument: Not YAML, with an alias, or nested too deep to be read.
    """
    if len(text) > MAX_YAML_BYTES:
        raise TooLarge(
            f"The document has {len(text) / 1e6:.0f} MB; the limit for YAML is {MAX_YAML_BYTES / 1e6:.0f} MB.",
            fix="Convert it to JSON.",
        )
    try:
        value: object = yaml.load(text, Loader=_PlainLoader)
    except yaml.YAMLError as error:
        raise InvalidDocument(f"Neither JSON nor YAML: {error}".splitlines()[0], fix="Choose another file.") from error
    except RecursionError as error:
        raise InvalidDocument("The document is nested too deeply.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # such as `!!int x`: PyYAML does not check
        raise InvalidDocument(f"Invalid YAML value: {error}.", fix="Correct it.") from error
    if not isinstance(value, dict | list):
        raise InvalidDocument("The text is neither JSON nor YAML of a component.", fix="Paste the whole JSON.")
    return _plain(cast("object", value))


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in cast("dict[object, object]", value).items()}
    if isinstance(value, list):
        return [_plain(child) for child in cast("list[object]", value)]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return cast("JsonValue", value)
