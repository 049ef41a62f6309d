"""HTTP headers whose values may name secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.components import SecretRef, is_reference


def references_in(headers: Mapping[str, str] | None) -> Iterator[SecretRef]:
    """The secrets that header values name, as `env:NAME` or `secret:name`."""
    return (SecretRef(value) for value in (headers or {}).values() if is_reference(value))


def resolved_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers as they are sent.

    Raises:
        MissingSecret: A secret that a value names is not there.
    """
    return {
        name: SecretRef(value).resolve() if is_reference(value) else value for name, value in (headers or {}).items()
    }
