"""The runtime for one process: a queue in order, whose messages are handled side by side."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar
from uuid import uuid4

from typing_extensions import override

from studio.actors.agent_table import AgentTable
from studio.actors.context import MessageContext, handle_in_this_task
from studio.actors.delivery import Delivery, Handling, Item, Publication, Spans
from studio.actors.dispatcher import Dispatcher
from studio.actors.errors import (
    AgentNotFound,
    MessageDroppedException,
    UndeliverableException,
)
from studio.actors.identity import AgentId, AgentMetadata, AgentType, TopicId
from studio.actors.intervention import InterventionHandler, is_drop
from studio.actors.log_events import (
    DeliveryStage,
    MessageKind,
    is_wanted,
    log_dropped,
    log_failed_handler,
    log_message,
)
from studio.actors.message_watch import show_message
from studio.actors.protocols import Agent, AgentRuntime
from studio.actors.serialization import MessageSerializer, SerializationRegistry
from studio.actors.subscription_table import SubscriptionTable
from studio.actors.subscriptions import Subscription
from studio.messages import CancellationToken

logger = logging.getLogger("autogen_core")
T = TypeVar("T", bound=Agent)
_ANY_AGENT: Any = Agent


class SingleThreadedAgentRuntime(AgentRuntime):
    """Runs agents in this process and brings their messages. A handler that waits for something has a task of its own.

    Between `start` and `stop` messages are handled in the order in which they came. An agent may handle several at a
    time, each of them until it waits for something.

    Args:
        intervention_handlers: Look at each message, one after the other.
        tracer_provider: Of OpenTelemetry; without it nothing is traced.
        ignore_unhandled_exceptions: Whether errors of handlers of published messages, which nobody waits for, are only
            logged. Else the first of them ends the runtime, and is raised where its end is waited for.
        on_behalf_of: The runtime that agents see, if this one is a part of it.
    """

    def __init__(
        self,
        *,
        intervention_handlers: Sequence[InterventionHandler] | None = None,
        tracer_provider: Any = None,
        ignore_unhandled_exceptions: bool = True,
        on_behalf_of: AgentRuntime | None = None,
    ) -> None:
        self._interventions = list(intervention_handlers or ())
        self._spans = Spans(tracer_provider) if tracer_provider is not None else None
        self._ignores_errors = ignore_unhandled_exceptions
        self._queue: deque[Delivery | Publication] = deque()
        self._dispatcher = Dispatcher(self._handle, self._look_whether_idle)
        self._agents = AgentTable(on_behalf_of or self)
        # What handles an event in AutoGen's worker is asked for its topics outside of the context of its agent.
        self._topic_source = None if on_behalf_of is None else "default"
        self._subscriptions = SubscriptionTable()
        self._serializers = SerializationRegistry()
        self._loop: asyncio.Task[None] | None = None
        self._running_on: asyncio.AbstractEventLoop
        self._is_ending = False
        self._has_come = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._error: BaseException | None = None
        self._prefix, self._sent = uuid4().hex, 0

    # --- messages ---

    @property
    def unprocessed_messages_count(self) -> int:
        """Messages whose handling has not begun."""
        return len(self._queue) + self._dispatcher.waiting_count

    @property
    def unfinished_messages_count(self) -> int:
        """These, and the handlers that run."""
        return len(self._queue) + self._dispatcher.unfinished_count

    @override
    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        if not self._agents.has_type(recipient.type):
            raise AgentNotFound(f"Recipient not found: no agents of type {recipient.type!r} are registered.")
        token = cancellation_token or CancellationToken()
        answer: asyncio.Future[Any] = self._event_loop().create_future()
        token.link_future(answer)
        context = MessageContext(sender, None, True, token, message_id or self._new_id())
        delivery = Delivery(message, context, recipient, answer, is_logged=is_wanted())
        if delivery.is_logged:
            log_message(message, MessageKind.DIRECT, DeliveryStage.SEND, sender=sender, receiver=recipient)
        if self._spans is None:
            self._enqueue(delivery)
        else:
            with self._spans.span("create", recipient, "A"):
                self._enqueue(delivery)
        try:
            return await answer
        finally:
            token.unlink_future(answer)

    @override
    async def publish_message(
        self,
        message: Any,
        topic_id: TopicId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> None:
        token = cancellation_token or CancellationToken()
        context = MessageContext(sender, topic_id, False, token, message_id or self._new_id())
        publication = Publication(
            message, context, topic_id, can_be_cancelled=cancellation_token is not None, is_logged=is_wanted()
        )
        if publication.is_logged:
            log_message(message, MessageKind.PUBLISH, DeliveryStage.SEND, sender=sender, receiver=topic_id)
        if self._spans is None:
            self._enqueue(publication)
        else:
            with self._spans.span("create", topic_id, "T"):
                self._enqueue(publication)

    # --- the queue ---

    def start(self) -> None:
        """Begin to handle messages.

        Raises:
            RuntimeError: It has begun already, or no event loop runs.
        """
        if self._loop is not None:
            raise RuntimeError("Runtime is already started")
        self._loop = asyncio.get_running_loop().create_task(self._handle_all())
        self._running_on = self._loop.get_loop()

    async def process_next(self) -> None:
        """Begin to handle the next message, and give its task a turn. Waits for a message if there is none.

        Raises:
            Exception: That of an earlier handler, where errors are not ignored.
        """
        while not self._queue:
            self._has_come.clear()
            await self._has_come.wait()
        self._raise_error()
        self._begin(self._queue.popleft())
        await asyncio.sleep(0)
        self._raise_error()

    _process_next = process_next
    """Under the name that AutoGen's own tests know."""

    async def stop(self) -> None:
        """End at once: messages whose handling has not begun are not delivered, and running handlers are cancelled.

        Raises:
            RuntimeError: It has not begun.
            Exception: That of a handler, where errors are not ignored.
        """
        await self._end()

    async def stop_when_idle(self) -> None:
        """End once every message is handled.

        Raises:
            RuntimeError: It has not begun, or this is called by a handler, for which it would wait forever.
            Exception: That of a handler, where errors are not ignored.
        """
        self._refuse_handlers()
        await self._is_idle_or_over()
        await self._end()

    async def stop_when(self, condition: Callable[[], bool]) -> None:
        """End as `stop` does once a condition holds. It is looked at whenever a message was handled.

        Raises:
            RuntimeError, Exception: As `stop_when_idle`.
        """
        self._refuse_handlers()
        while not condition() and self._error is None:
            if handled := self._dispatcher.tasks:
                await asyncio.wait(handled, return_when=asyncio.FIRST_COMPLETED, timeout=CONDITION_S)
            else:
                await asyncio.sleep(CONDITION_S)
        await self._end()

    async def close(self) -> None:
        """End if it has begun, and close all agents.

        Raises:
            ExceptionGroup: Agents that could not be closed; the others are.
        """
        if self._loop is not None:
            await self._end()
        errors: list[Exception] = []
        for _, agent in self._agents.made():
            try:
                await agent.close()
            except Exception as error:  # noqa: BLE001 -- foreign code must not keep the others open
                errors.append(error)
        if errors:
            raise ExceptionGroup("Some agents could not be closed.", errors)

    async def _handle_all(self) -> None:
        while self._error is None:
            while self._queue:
                self._begin(self._queue.popleft())
                while self._queue and self._dispatcher.waiting_count < MAX_AT_ONCE:
                    self._begin(self._queue.popleft())
                await asyncio.sleep(0)  # so that it is handled before more is begun
                if self._error is not None:
                    return
            self._has_come.clear()
            await self._has_come.wait()

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        """The one that runs. To ask asyncio for it costs more than all else here, so it is asked once."""
        return self._running_on if self._loop is not None else asyncio.get_running_loop()

    def _new_id(self) -> str:
        self._sent += 1
        return f"{self._prefix}-{self._sent}"

    def _enqueue(self, item: Delivery | Publication) -> None:
        """What comes while nothing waits is begun at once, unless very much is under way; while it ends, nothing is."""
        if self._is_ending:
            item.refuse(_stopped())
            return
        self._is_idle.clear()
        if self._loop is not None and not self._queue and self._is_free():
            self._begin(item)
        else:
            self._queue.append(item)
            self._has_come.set()

    def _is_free(self) -> bool:
        return self._error is None and self._dispatcher.unfinished_count < MAX_AT_ONCE

    def _begin(self, item: Delivery | Publication) -> None:
        if isinstance(item, Publication) and not self._interventions and self._spans is None:
            self._spread(item.message, item)
        else:
            item.variables = copy_context()
            self._dispatcher.add(item, self._event_loop())

    def _look_whether_idle(self) -> None:
        if not self._queue and not self._dispatcher.unfinished_count:
            self._is_idle.set()

    async def _is_idle_or_over(self) -> None:
        if self._loop is None:
            raise RuntimeError("Runtime is not started")
        idle = asyncio.ensure_future(self._is_idle.wait())
        try:
            await asyncio.wait([idle, self._loop], return_when=asyncio.FIRST_COMPLETED)
        finally:
            idle.cancel()

    def _refuse_handlers(self) -> None:
        if (within := _within.get()) is not None and self._dispatcher.is_handling(within):
            raise RuntimeError("A handler cannot wait until all handlers have ended. Await this outside of agents.")

    async def _end(self) -> None:
        if self._loop is None:
            raise RuntimeError("Runtime is not started")
        loop, self._loop, self._is_ending = self._loop, None, True
        try:
            loop.cancel()
            for item in self._queue:
                item.refuse(_stopped())
            self._queue.clear()
            others = self._dispatcher.cancel(_stopped(), _within.get())
            await asyncio.gather(loop, *others, return_exceptions=True)
        finally:
            self._is_ending = False
        self._look_whether_idle()
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    # --- one message ---

    def _handle(self, item: Item) -> Coroutine[Any, Any, None]:
        if isinstance(item, Handling):
            return self._handle_published(item)
        return self._deliver(item) if isinstance(item, Delivery) else self._publish(item)

    async def _deliver(self, item: Delivery) -> None:
        """Let one agent handle a message, and bring its answer to the sender, or its error."""
        answer, context = item.answer, item.context
        if answer.done():  # cancelled before it came this far
            return
        _within.set(item)
        try:
            message = await self._before(item) if self._interventions else item.message
            agent = self._agents.known(item.recipient) or await self._agents.get(item.recipient)
            handle_in_this_task(item.recipient)
            sender = context.sender
            if item.is_logged:
                log_message(message, MessageKind.DIRECT, DeliveryStage.DELIVER, sender=sender, receiver=item.recipient)
            show_message(message, "sent", sender, (item.recipient,))
            if self._spans is None:
                given = await agent.on_message(message, context)
            else:
                with self._spans.span("process", item.recipient, "A"):
                    given = await agent.on_message(message, context)
            if self._interventions or item.is_logged:
                given = await self._after(given, item)
            show_message(given, "answered", item.recipient, (sender,))
        except asyncio.CancelledError:
            answer.cancel()
            raise
        except BaseException as error:
            show_message(error, "failed", item.recipient, (context.sender,))
            if answer.done():
                logger.error("The handler of %s failed after its sender had left", item.recipient, exc_info=error)
            else:
                answer.set_exception(error)
            if not isinstance(error, Exception):
                raise
        else:
            if not answer.done():
                answer.set_result(given)

    async def _before(self, item: Delivery) -> Any:
        """The message that goes on, once those who may intervene have seen it."""
        message, context = item.message, item.context
        for each in self._interventions:
            message = await each.on_send(message, message_context=context, recipient=item.recipient)
            _warn_of_none(each, message)
            if is_drop(message):
                log_dropped(item.message, MessageKind.DIRECT, sender=context.sender, receiver=item.recipient)
                raise MessageDroppedException(f"A message to {item.recipient} was dropped by {each!r}.")
        return message

    async def _after(self, given: Any, item: Delivery) -> Any:
        """The answer that goes on, written to the event log."""
        sender = item.context.sender
        if item.is_logged:
            log_message(given, MessageKind.RESPOND, DeliveryStage.SEND, sender=item.recipient, receiver=sender)
        for each in self._interventions:
            given = await each.on_response(given, sender=item.recipient, recipient=sender)
            if is_drop(given):
                log_dropped(given, MessageKind.RESPOND, sender=item.recipient, receiver=sender)
                raise MessageDroppedException(f"The answer of {item.recipient} was dropped by {each!r}.")
        if item.is_logged:
            log_message(given, MessageKind.RESPOND, DeliveryStage.DELIVER, sender=item.recipient, receiver=sender)
        return given

    async def _publish(self, item: Publication) -> None:
        """Let all subscribers handle a message, once those who may intervene have seen it."""
        _within.set(item)
        context, message = item.context, item.message
        try:
            for each in self._interventions:
                message = await each.on_publish(message, message_context=context)
                _warn_of_none(each, message)
                if is_drop(message):
                    log_dropped(item.message, MessageKind.PUBLISH, sender=context.sender, receiver=item.topic_id)
                    return
        except Exception as error:  # noqa: BLE001 -- nobody waits for it; it is logged
            self._failed("An intervention handler failed", error)
            return
        if self._spans is None:
            self._spread(message, item)
            return
        with self._spans.span("publish", item.topic_id, "T"):
            await asyncio.gather(*(each.ended for each in self._spread(message, item) if each.ended is not None))

    def _spread(self, message: Any, item: Publication) -> list[Handling]:
        """Let all subscribers but its sender handle a message, beside each other."""
        sender = item.context.sender
        recipients = self._subscriptions.recipients(item.topic_id)
        if item.context.cancellation_token.is_cancelled():
            recipients = ()
        elif sender is not None:
            recipients = [each for each in recipients if each != sender]
        show_message(message, "published", sender, recipients, item.topic_id)
        loop, handled = self._event_loop(), list[Handling]()
        for each in recipients:
            ended = None if self._spans is None else loop.create_future()
            handling = Handling(message, item, each, copy_context(), ended)
            handled.append(handling)
            self._dispatcher.add(handling, loop)
        if not handled:
            self._look_whether_idle()
        return handled

    async def _handle_published(self, item: Handling) -> None:
        _within.set(item)
        message, recipient, context = item.message, item.recipient, item.publication.context
        try:
            agent = self._agents.known(recipient) or await self._agents.get(recipient)
            handle_in_this_task(recipient, self._topic_source)
            if item.publication.is_logged:
                sender = context.sender
                log_message(message, MessageKind.PUBLISH, DeliveryStage.DELIVER, sender=sender, receiver=recipient)
            if self._spans is None:
                await agent.on_message(message, context)
            else:
                with self._spans.span("process", recipient, "A"):
                    await agent.on_message(message, context)
        except asyncio.CancelledError:
            if not context.cancellation_token.is_cancelled():
                raise
        except Exception as error:  # noqa: BLE001 -- nor for this
            log_failed_handler(message, recipient, error)
            show_message(error, "failed", recipient, ())
            self._failed(f"Error processing a published message for {recipient}", error)
        finally:
            item.end()

    def _failed(self, what: str, error: Exception) -> None:
        """Nobody waits for this; the log has it, and whoever waits for the end is told where errors are not ignored."""
        logger.error(what, exc_info=error)
        if not self._ignores_errors and self._error is None:
            self._error = error
            self._has_come.set()

    # --- agents ---

    @override
    async def register_factory(
        self,
        type: str | AgentType,
        agent_factory: Callable[[], T | Awaitable[T]],
        *,
        expected_class: type[T] | None = None,
    ) -> AgentType:
        kind = type if isinstance(type, AgentType) else AgentType(type)
        self._agents.add_factory(kind.type, agent_factory, expected_class)
        return kind

    @override
    async def register_agent_instance(self, agent_instance: Agent, agent_id: AgentId) -> AgentId:
        await self._agents.add_instance(agent_instance, agent_id)
        return agent_id

    @override
    async def try_get_underlying_agent_instance(self, id: AgentId, type: type[T] = _ANY_AGENT) -> T:
        agent = await self._agents.get(id)
        if not isinstance(agent, type):
            raise TypeError(f"Agent {id} is a {agent.__class__.__name__}, not a {type.__name__}.")
        return agent

    @override
    async def get(
        self, id_or_type: AgentId | AgentType | str, /, key: str = "default", *, lazy: bool = True
    ) -> AgentId:
        found = id_or_type if isinstance(id_or_type, AgentId) else AgentId(id_or_type, key)
        if not lazy:
            await self._agents.get(found)
        return found

    # --- state ---

    @override
    async def save_state(self) -> Mapping[str, Any]:
        return {str(agent_id): dict(await agent.save_state()) for agent_id, agent in self._agents.made()}

    @override
    async def load_state(self, state: Mapping[str, Any]) -> None:
        for name, saved in state.items():
            agent_id = AgentId.from_str(name)
            if self._agents.has_type(agent_id.type):
                await (await self._agents.get(agent_id)).load_state(saved)

    @override
    async def agent_metadata(self, agent: AgentId) -> AgentMetadata:
        return (await self._agents.get(agent)).metadata

    @override
    async def agent_save_state(self, agent: AgentId) -> Mapping[str, Any]:
        return await (await self._agents.get(agent)).save_state()

    @override
    async def agent_load_state(self, agent: AgentId, state: Mapping[str, Any]) -> None:
        await (await self._agents.get(agent)).load_state(state)

    # --- subscriptions ---

    @override
    async def add_subscription(self, subscription: Subscription) -> None:
        self._subscriptions.add(subscription)

    @override
    async def remove_subscription(self, id: str) -> None:
        self._subscriptions.remove(id)

    @override
    def add_message_serializer(self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]) -> None:
        self._serializers.add_serializer(serializer)


MAX_AT_ONCE = 200
"""Messages whose handling is begun before those that came first have had a turn."""
CONDITION_S = 0.05
"""How often the condition of `stop_when` is looked at while no handler ends."""
_within: ContextVar[Item | None] = ContextVar("_within", default=None)
"""What is being handled here; a handler must not wait for its own end."""


def _stopped() -> UndeliverableException:
    return UndeliverableException("The runtime was stopped before the message was delivered.")


def _warn_of_none(handler: InterventionHandler, message: object) -> None:
    if message is None:
        logger.warning("%r gave None; it gives the message that follows, or DropMessage.", handler)
