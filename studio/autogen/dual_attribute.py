"""Names that both the engine and a script use: each sees its own.

AgentChat's bases have few names, ours have more. A script's agent may well have a `label`, a `summary` or `children`.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from studio.components import Component
from studio.conditions import TerminationCondition
from studio.memory import Memory

ENGINE = str(Path(__file__).resolve().parents[1]) + os.sep
STANDARD_LIBRARY = (sysconfig.get_path("stdlib") + os.sep, "<frozen ")

_EVERYWHERE = frozenset(
    (
        *("absent_in_json", "aliases", "annotate", "capabilities", "children", "current_config", "info", "is_opaque"),
        *("keep_null", "label", "coerce", "positional", "provider", "starts_with", "summary", "upgrades"),
        *("call", "check", "counts", "execute", "describe", "progress", "release", "request_for", "settings", "so_far"),
        *("_fired", "_label", "_note", "_spent", "_unknown"),
    )
)
"""What the engine asks of components and AgentChat's bases lack."""
_OF_A_KIND: Mapping[type[Component], frozenset[str]] = {
    TerminationCondition: frozenset(("start",)),
    Memory: frozenset(("load_state", "save_state", "tools")),
}


def is_dual(cls: type[Component], name: str) -> bool:
    """Whether the engine uses the name for something else than a script that derives from this class."""
    if name in cls.model_fields:
        return False
    return name in _EVERYWHERE or any(name in names for base, names in _OF_A_KIND.items() if issubclass(cls, base))


class DualAttribute:
    """A data descriptor for one such name.

    Args:
        name: The name.
        ours: What the engine's class has under it; for a private attribute anything.
        theirs: What the script's class has under it, if its instances do not set it themselves.
    """

    def __init__(self, name: str, ours: Any, *theirs: Any) -> None:
        self._name = name
        self._ours = ours
        self._theirs = theirs

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self._theirs[0] if self._theirs and not is_called_by_engine(1) else self._ours
        if not is_called_by_engine(1):
            if self._name in vars(instance):
                return cast("object", vars(instance)[self._name])
            if self._theirs:
                return _bound(self._theirs[0], instance, owner)
        if self._is_private(owner):
            return instance.__pydantic_private__[self._name]
        return _bound(self._ours, instance, owner)

    def _is_private(self, component: Any) -> bool:
        return self._name in component.__private_attributes__

    def __set__(self, instance: Any, value: Any) -> None:
        self.set(instance, value, by_engine=is_called_by_engine(1))

    def set(self, instance: Any, value: Any, *, by_engine: bool) -> None:
        """Set the engine's value or the script's."""
        if by_engine and self._is_private(instance):
            instance.__pydantic_private__[self._name] = value
        elif self._theirs and isinstance(self._theirs[0], property):
            self._theirs[0].__set__(instance, value)
        else:
            vars(instance)[self._name] = value


def is_called_by_engine(calls_above: int) -> bool:
    """Whether code of the engine is that many calls above the caller of this function.

    Where the file lies decides, for a script chooses the names of its modules. Frames of the standard library, such as
    those of a pool of threads, speak for whoever called them; a thread that has no others works for the engine.
    """
    frame = sys._getframe(calls_above + 1)  # pyright: ignore[reportPrivateUsage] -- nothing else tells the caller
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(ENGINE):
            return True
        if not file.startswith(STANDARD_LIBRARY) or "site-packages" in file:
            return False
        frame = frame.f_back
    return True


def _bound(member: Any, instance: Any, owner: Any) -> Any:
    return member.__get__(instance, owner) if hasattr(member, "__get__") else member


def dual_attribute_of(cls: type[Component], name: str) -> DualAttribute | None:
    """The descriptor that the class or one of its bases has for the name."""
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return found if isinstance(found, DualAttribute) else None
