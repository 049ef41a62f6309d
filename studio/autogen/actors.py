"""Agents of AutoGen's actor runtime: a script may define them beside its teams; to make one is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from studio.autogen.unsupported import ACTORS

T = TypeVar("T")


class _Actor(type):
    """Says what to do where a script makes an agent, registers it, or asks for anything else of its class."""

    def __call__(cls, *_args: Any, **_data: Any) -> Any:
        raise ImportError(f"Team Studio cannot make a {cls.__name__!r} of AutoGen's 'autogen_core'. {ACTORS}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{cls.__name__!r} has no {name!r}. {ACTORS}", name=name, obj=cls)


class BaseAgent(metaclass=_Actor):
    """What agents of the runtime derive from."""


class RoutedAgent(BaseAgent):
    """What agents with handlers of messages derive from."""


def message_handler(func: Callable[..., T] | None = None, **_options: Any) -> Any:
    """Leave a handler as it is: there is nothing here that would call it."""
    return _as_it_is if func is None else func


event = rpc = message_handler


def default_subscription(cls: type[T] | None = None) -> Any:
    """Leave a class as it is: there is nothing here to subscribe to."""
    return _as_it_is if cls is None else cls


def type_subscription(topic_type: str) -> Any:
    """As `default_subscription`, for one kind of topic."""
    del topic_type
    return _as_it_is


def _as_it_is(decorated: object) -> object:
    return decorated
