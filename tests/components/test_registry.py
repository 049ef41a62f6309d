"""Packages of components are imported once, and who needs one meanwhile waits for them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from studio.components.registry import Registry

LIMIT_S = 30


@dataclass(frozen=True)
class Kind:
    provider: str
    aliases: tuple[str, ...] = ()
    __name__: str = "Kind"


@dataclass(frozen=True)
class Slow:
    """An entry point whose package is imported for a while, in which it looks for a class itself."""

    registry: Registry[Kind]
    begun: threading.Event
    may_end: threading.Event
    value: str = "slow"
    module: str = "studio.components"

    def load(self) -> None:
        assert self.registry.find("slow.Kind") is None
        self.begun.set()
        assert self.may_end.wait(LIMIT_S)
        self.registry.register(Kind("slow.Kind"))


@dataclass(frozen=True)
class Broken:
    """An entry point whose package needs something that is not there."""

    value: str
    module: str

    def load(self) -> None:
        raise ModuleNotFoundError("No module named 'gone'")


@dataclass(frozen=True)
class Whole:
    registry: Registry[Kind]
    value: str = "whole"
    module: str = "whole"

    def load(self) -> None:
        self.registry.register(Kind("whole.Kind"))


def install(monkeypatch: pytest.MonkeyPatch, *points: object) -> None:
    def entry_points(group: str) -> tuple[object, ...]:
        del group
        return points

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


def test_a_package_that_cannot_be_imported_takes_no_other_along(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    registry = Registry[Kind]()
    install(monkeypatch, Broken("broken", "broken"), Whole(registry))
    assert [kind.provider for kind in registry.all()] == ["whole.Kind"]
    assert registry.find("broken.Kind") is None
    [said] = caplog.messages
    assert said.startswith(
        "The components of 'broken' cannot be imported (ModuleNotFoundError: No module named 'gone')."
    )


def test_components_of_the_studio_itself_are_never_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Broken("studio.agents", "studio.agents"))
    with pytest.raises(ModuleNotFoundError):
        Registry[Kind]().load_packages()


def test_who_looks_for_a_class_while_its_package_is_imported_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry[Kind]()
    slow = Slow(registry, threading.Event(), threading.Event())

    install(monkeypatch, slow)
    with ThreadPoolExecutor(2) as threads:
        loading = threads.submit(registry.load_packages)
        assert slow.begun.wait(LIMIT_S)
        found = threads.submit(registry.find, "slow.Kind")
        with pytest.raises(TimeoutError):
            found.result(0.1)
        slow.may_end.set()
        assert found.result(LIMIT_S) == Kind("slow.Kind")
        loading.result(LIMIT_S)
