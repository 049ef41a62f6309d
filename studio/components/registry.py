"""Which class answers to which provider. Nothing is ever imported because a config names it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from studio.components.lazy_exports import import_all
from studio.errors import SetupError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "studio.components"
OWN = "studio"

logger = logging.getLogger(__name__)


class Provided(Protocol):
    """A class with names; it is the class itself that is kept."""

    @property
    def provider(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def __name__(self) -> str: ...


P = TypeVar("P", bound=Provided)


class Registry(Generic[P]):
    """Classes by provider and alias. The packages that hold them are imported when a name is not known yet."""

    def __init__(self) -> None:
        self._by_name: dict[str, P] = {}
        self._loading = threading.RLock()
        self._has_begun = False
        self._is_loaded = False

    def register(self, cls: P) -> None:
        """Make a class known under its provider and aliases; the same class made anew replaces itself.

        Raises:
            SetupError: Another class has the name already.
        """
        for name in (cls.provider, *cls.aliases):
            known = self._by_name.get(name)
            if known is not None and known.__name__ != cls.__name__:
                raise SetupError(f"{known.__name__} and {cls.__name__} both have the name {name!r}.")
            self._by_name[name] = cls

    def load_packages(self) -> None:
        """Import the packages that installed distributions name as holding components; once.

        Components of a package that cannot be imported stay unknown, and the log says so: the others are there.

        A server does so in a thread beside its first requests: what another thread asks for meanwhile waits.
        """
        if self._is_loaded:
            return
        with self._loading:
            if self._has_begun:  # by this thread, which imports them now, or by one that has ended
                return
            self._has_begun = True
            from importlib.metadata import entry_points  # costs a tenth of a start that looks nothing up

            for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.value):
                _import(point)
            import_all("studio.components")  # whose loading has kinds of advice, too
            self._is_loaded = True

    def find(self, provider: str) -> P | None:
        """The class that answers to a provider or alias, or None."""
        if provider not in self._by_name:
            self.load_packages()
        return self._by_name.get(provider)

    def all(self) -> Iterator[P]:
        """Every registered class once, by provider."""
        self.load_packages()
        seen = {cls.provider: cls for cls in self._by_name.values()}
        for provider in sorted(seen):
            yield seen[provider]

    def suggest(self, provider: str) -> str | None:
        """The registered name most like a misspelt one, if any is close."""
        self.load_packages()
        import difflib  # only for names that are wrong

        close = difflib.get_close_matches(provider, self._by_name, n=1, cutoff=0.85)
        return close[0] if close else None


def _import(point: EntryPoint) -> None:
    try:
        point.load()
        import_all(point.module)
    except Exception as error:
        if point.module.partition(".")[0] == OWN:
            raise
        said = "The components of %r cannot be imported (%s: %s). Repair the package that brings them, or uninstall it."
        logger.error(said, point.value, type(error).__name__, error)
