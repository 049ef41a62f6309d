"""Agents whose messages are routed to handlers, by the types that these name."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial, wraps
from inspect import getattr_static
from types import MethodType, NoneType, UnionType
from typing import Any, ClassVar, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints, overload

from typing_extensions import override

from studio.actors.agent import BaseAgent, Handled
from studio.actors.context import MessageContext
from studio.actors.errors import CantHandleException, WrongMessage
from studio.actors.serialization import try_get_known_serializers_for_type

logger = logging.getLogger("autogen_core")
Match = Callable[[Any, MessageContext], bool]
Method = Callable[[Any, Any, MessageContext], Awaitable[Any]]


class AnyType:
    """What a handler gives that names `Any`."""


T = TypeVar("T")


class MessageHandler(Generic[T]):
    """A method that handles messages.

    Args:
        function: The method.
        target_types: Types of the messages that it takes.
        produces_types: Types of what it gives.
        match: Whether it takes this very message.
        is_strict: Whether another type is an error, and not only logged.
    """

    def __init__(
        self, function: Method, target_types: list[Any], produces_types: list[Any], match: Match, *, is_strict: bool
    ) -> None:
        self.function = function
        self.target_types = target_types
        self.produces_types = produces_types
        self.router = match
        self.is_message_handler = True
        self._is_strict = is_strict
        self._gives_anything = AnyType in produces_types
        wraps(function)(self)

    async def __call__(self, agent: Any, message: Any, ctx: MessageContext) -> Any:
        if type(message) not in self.target_types:
            self._complain(
                f"A message of type {type(message).__name__} is not handled by {self._name}.", CantHandleException
            )
        return self.checked(await self.function(agent, message, ctx))

    def checked(self, given: Any) -> Any:
        """What the method gave, if it names its type."""
        if not self._gives_anything and type(given) not in self.produces_types:
            self._complain(f"{self._name} gives a {type(given).__name__}, which it does not name.", WrongMessage)
        return given

    def __get__(self, agent: Any, owner: type[Any] | None = None) -> Any:
        return self if agent is None else MethodType(self, agent)

    @property
    def _name(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))

    def _complain(self, what: str, error: type[CantHandleException | WrongMessage]) -> None:
        if self._is_strict:
            raise error(what, fix="Name its type in the annotation, or use a handler that is not strict.")
        logger.warning(what)


def get_types(annotation: Any) -> Sequence[Any] | None:
    """The types that an annotation names, those of a union apart; None for what is no type."""
    if annotation is Any:
        return (AnyType,)
    if annotation is None:
        return (NoneType,)
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,) if isinstance(annotation, type) else None


def _always(message: object, ctx: MessageContext) -> bool:
    del message, ctx
    return True


@overload
def message_handler(func: Callable[[Any, Any, MessageContext], Awaitable[T]]) -> MessageHandler[T]: ...


@overload
def message_handler(
    func: None = None, *, match: Match | None = None, strict: bool = True
) -> Callable[[Callable[[Any, Any, MessageContext], Awaitable[T]]], MessageHandler[T]]: ...


def message_handler(func: Any = None, *, strict: bool = True, match: Match | None = None) -> Any:
    """Let a method `(self, message, ctx)` handle messages of the types that its annotations name.

    Args:
        func: The method.
        strict: Whether messages and answers of other types are errors, and not only logged.
        match: Whether it takes this very message. Of several handlers the first that does gets it, by name.

    Raises:
        TypeError: The message or what is returned has no annotation.
    """
    return _decorated(func, match or _always, strict=strict, kind="message_handler")


@overload
def event(func: Callable[[Any, Any, MessageContext], Awaitable[None]]) -> MessageHandler[None]: ...


@overload
def event(
    func: None = None, *, match: Match | None = None, strict: bool = True
) -> Callable[[Callable[[Any, Any, MessageContext], Awaitable[None]]], MessageHandler[None]]: ...


def event(func: Any = None, *, strict: bool = True, match: Match | None = None) -> Any:
    """As `message_handler`, for messages that were published. Nothing is returned."""
    return _decorated(
        func,
        lambda message, ctx: not ctx.is_rpc and (match is None or match(message, ctx)),
        strict=strict,
        kind="event",
    )


@overload
def rpc(func: Callable[[Any, Any, MessageContext], Awaitable[T]]) -> MessageHandler[T]: ...


@overload
def rpc(
    func: None = None, *, match: Match | None = None, strict: bool = True
) -> Callable[[Callable[[Any, Any, MessageContext], Awaitable[T]]], MessageHandler[T]]: ...


def rpc(func: Any = None, *, strict: bool = True, match: Match | None = None) -> Any:
    """As `message_handler`, for messages that were sent to this agent, which answers."""
    return _decorated(
        func, lambda message, ctx: ctx.is_rpc and (match is None or match(message, ctx)), strict=strict, kind="rpc"
    )


def _decorated(func: Any, match: Match, *, strict: bool, kind: str) -> Any:
    make = partial(_made, match=match, is_strict=strict, kind=kind)
    return make if func is None else make(func)


def _made(func: Method, *, match: Match, is_strict: bool, kind: str) -> MessageHandler[Any]:
    hints = get_type_hints(func)
    if "message" not in hints or "return" not in hints:
        lacks = "message" if "message" not in hints else "return"
        raise TypeError(
            f"{func.__qualname__}, a {kind}, has no annotation for {lacks!r}: its messages are found by it."
        )
    taken, given = get_types(hints["message"]), get_types(hints["return"])
    if taken is None or given is None:
        raise TypeError(f"The annotations of {func.__qualname__}, a {kind}, must be types.")
    if kind == "event" and list(given) not in ([NoneType], [AnyType]):
        raise TypeError(f"{func.__qualname__} handles what was published, so it must return None.")
    return MessageHandler(func, list(taken), list(given), match, is_strict=is_strict)


class RoutedAgent(BaseAgent):
    """Derive from this, and write a method for each kind of message:

    ```python
    class Greeter(RoutedAgent):
        @message_handler
        async def greet(self, message: Greeting, ctx: MessageContext) -> Greeting: ...
    ```

    Of several handlers of the same type the first gets the message whose `match` takes it, by name.

    Args:
        description: What the agent is for.
    """

    _handlers: ClassVar[Mapping[type[Any], Sequence[MessageHandler[Any]]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found: defaultdict[type[Any], list[MessageHandler[Any]]] = defaultdict(list)
        for each in cls._discover_handlers():
            for kind in each.target_types:
                found[kind].append(each)
        cls._handlers = found

    @override
    async def on_message_impl(self, message: Any, ctx: MessageContext) -> Any:
        for handler in self._handlers.get(cast("type[Any]", type(message)), ()):
            if handler.router(message, ctx):
                return handler.checked(await handler.function(self, message, ctx))
        return await self.on_unhandled_message(message, ctx)

    async def on_unhandled_message(self, message: Any, ctx: MessageContext) -> None:
        """Called where no handler takes a message; logs it."""
        del ctx
        logger.info("Unhandled message: %s", message)

    @classmethod
    def _discover_handlers(cls) -> Sequence[MessageHandler[Any]]:
        """The handlers of the class, by name."""
        members: list[Any] = [getattr_static(cls, name) for name in dir(cls)]
        return [cast("MessageHandler[Any]", each) for each in members if isinstance(each, MessageHandler)]

    @classmethod
    @override
    def _handles_types(cls) -> Sequence[Handled]:
        """Those of its handlers, with what these give: an answer may have to go to another process."""
        handlers = cls._discover_handlers()
        taken = {kind for each in handlers for kind in each.target_types if kind is not AnyType}
        known = {kind: try_get_known_serializers_for_type(kind) for kind in taken}
        for kind in {kind for each in handlers for kind in each.produces_types} - taken:
            with suppress(ValueError):  # it does if it is sent
                known[kind] = try_get_known_serializers_for_type(kind)
        return [*((kind, serializers) for kind, serializers in known.items() if serializers), *super()._handles_types()]
