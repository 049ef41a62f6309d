"""HTTP headers whose values may name secrets: `env:NAME`, `secret:name`, or inside other text `Bearer {env:NAME}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.components import SecretRef, references_within
from studio.components.secrets import filled_in, placeholders_in


def references_in(headers: Mapping[str, str] | None) -> Iterator[SecretRef]:
    """The secrets that header values name."""
    for value in (headers or {}).values():
        yield from (SecretRef(reference) for reference in references_within(value))


def references_within_braces(*texts: str) -> Iterator[SecretRef]:
    """The secrets that URLs or arguments name."""
    for text in texts:
        yield from (SecretRef(reference) for reference in placeholders_in(text))


def resolved_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers as they are sent.

    Raises:
        MissingSecret: A secret that a value names is not there.
    """
    return {name: filled_in(value) for name, value in (headers or {}).items()}
