"""Packages that only some components need, and what to say when one is not there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from studio.errors import ConfigError


class MissingExtra(ConfigError):
    """A component needs a package that is not installed."""

    code = "missing_extra"


@contextmanager
def needs_extra(extra: str, who: str) -> Generator[None]:
    """Around the imports of a package that comes with an extra of the studio.

    Args:
        extra: Name of the extra.
        who: The component that needs it.

    Raises:
        MissingExtra: The package, or one that it needs, is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"{who} needs the package {(error.name or extra).split('.')[0]!r}, which is not installed.",
            fix=f'Run `pip install "team-studio[{extra}]"`.',
        ) from error
