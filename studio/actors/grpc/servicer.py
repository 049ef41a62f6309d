"""What a host does: it knows which worker has which agents, and passes messages on between them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc

from studio.actors.errors import AgentNotFound, AlreadyRegistered, UndeliverableException
from studio.actors.grpc import wire
from studio.actors.grpc.faults import error_message
from studio.actors.identity import AgentId, TopicId
from studio.actors.subscription_table import SubscriptionTable
from studio.errors import StudioError

logger = logging.getLogger("autogen_core")
Context = grpc.aio.ServicerContext[Any, Any]
MAX_WAITING = 100_000
MAX_WAITING_BYTES = 64 * 1024 * 1024
"""Messages that wait to be written to one worker. More are refused: the worker is too slow."""
MAX_UNANSWERED = 100_000
"""Requests to one worker that it has not answered."""
MAX_REGISTERED = 10_000
"""Agent types of one worker, and its subscriptions."""
OPEN_S = 5.0
"""How long a call waits for the stream to which it belongs."""
WRITE_S = 5.0
"""How long a stream that ends waits for the message that is being written."""


@dataclass(eq=False)
class ConnectedWorker:
    """A worker whose stream is open.

    Args:
        client_id: Of its connection.
        max_bytes: The largest message that it reads; None if it did not say.
    """

    client_id: str
    max_bytes: int | None
    types: set[str] = field(default_factory=set[str])
    subscriptions: set[str] = field(default_factory=set[str])
    unanswered: dict[str, tuple[ConnectedWorker, str]] = field(default_factory=dict[str, "tuple[ConnectedWorker, str]"])
    """By the host's ID of a request: who has sent it, and under which ID."""
    _is_over: bool = False
    _outgoing: deque[tuple[Any, int]] = field(default_factory=deque[tuple[Any, int]])
    _waiting_bytes: int = 0
    _has_more: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waiting(self) -> int:
        """Messages that are not written yet."""
        return len(self._outgoing)

    def put(self, message: Any) -> None:
        """Write a message as soon as the worker reads it.

        Raises:
            UndeliverableException: It reads too slowly, or no messages as large as this.
        """
        size = message.ByteSize()
        if self.max_bytes is not None and size > self.max_bytes:
            raise UndeliverableException(
                f"The message has {size:,} bytes; its recipient's worker reads {self.max_bytes:,} at most.",
                fix="Set `grpc.max_receive_message_length` in `extra_grpc_config` of that worker.",
            )
        is_full = self._outgoing and self._waiting_bytes + size > MAX_WAITING_BYTES
        if is_full or len(self._outgoing) >= MAX_WAITING:
            raise UndeliverableException(
                f"The recipient's worker is too slow: {len(self._outgoing):,} messages wait for it."
            )
        self._outgoing.append((message, size))
        self._waiting_bytes += size
        self._has_more.set()

    async def write_all(self, context: Context) -> None:
        """Write messages as they come; ends when the worker reads no more, or after the message at which `end` came."""
        while not self._is_over:
            if not self._outgoing:
                self._has_more.clear()
                await self._has_more.wait()
                continue
            message, size = self._outgoing[0]
            try:
                await context.write(message)
            except (grpc.aio.InternalError, grpc.aio.UsageError, asyncio.InvalidStateError) as error:
                logger.error("A message to worker %s could not be written. %s", self.client_id, error)
                return
            self._outgoing.popleft()
            self._waiting_bytes -= size

    def end(self) -> None:
        """Write no more than what is being written."""
        self._is_over = True
        self._has_more.set()


class GrpcWorkerAgentRuntimeHostServicer:
    """Passes messages on between workers. Add `handler()` to a server of gRPC; `GrpcWorkerAgentRuntimeHost` has one."""

    def __init__(self) -> None:
        self._workers: dict[str, ConnectedWorker] = {}
        self._by_type: dict[str, ConnectedWorker] = {}
        self._subscriptions = SubscriptionTable()
        self._has_opened = asyncio.Condition()
        self._requests = 0

    def handler(self) -> grpc.GenericRpcHandler:
        """What answers the calls of workers."""
        calls: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(
                getattr(self, name),
                request_deserializer=asked.FromString,
                response_serializer=answered.SerializeToString,
            )
            for name, (asked, answered) in wire.CALLS.items()
        }
        calls["OpenChannel"] = grpc.stream_stream_rpc_method_handler(
            self.OpenChannel,  # pyright: ignore[reportArgumentType] -- the stubs know no asynchronous handlers
            request_deserializer=wire.Message.FromString,
            response_serializer=wire.Message.SerializeToString,
        )
        return grpc.method_handlers_generic_handler(wire.SERVICE, calls)

    def end_streams(self) -> None:
        """Let all workers know that the host ends."""
        for each in self._workers.values():
            each.end()

    # --- calls ---

    async def OpenChannel(self, request_iterator: AsyncIterator[Any], context: Context) -> None:
        """The stream of a worker: until it ends, its agents are known."""
        worker = await self._add_worker(context)
        logger.info("Worker %s is connected.", worker.client_id)
        try:
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(self._read_all(worker, request_iterator))
                writing = group.create_task(worker.write_all(context))
                await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
                reading.cancel()
                worker.end()
                await asyncio.wait([writing], timeout=WRITE_S)  # gRPC sends no status while it writes
                writing.cancel()
        finally:
            self._remove_worker(worker)

    async def RegisterAgent(self, request: Any, context: Context) -> Any:
        """Agents of this type are those of the worker."""
        worker = await self._worker(context)
        try:
            AgentId(request.type, "default")  # which says what is wrong with the name
        except StudioError as error:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        if (owner := self._by_type.get(request.type)) is not None:
            reason = f"Agent type {request.type} already registered with client {owner.client_id}."
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, reason)
        await _refuse_more(worker.types, "agent types", context)
        self._by_type[request.type] = worker
        worker.types.add(request.type)
        return wire.CALLS["RegisterAgent"][1]()

    async def AddSubscription(self, request: Any, context: Context) -> Any:
        """Agents of the worker get what is published there."""
        worker = await self._worker(context)
        await _refuse_more(worker.subscriptions, "subscriptions", context)
        try:
            subscription = wire.subscription_from_message(request.subscription)
            owner = self._by_type.get(subscription.agent_type, worker)
            if owner is not worker:
                raise AlreadyRegistered(
                    f"Agents of type {subscription.agent_type!r} belong to another worker.", fix="Subscribe them there."
                )
            self._subscriptions.add(subscription)
        except ValueError as error:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        worker.subscriptions.add(subscription.id)
        return wire.CALLS["AddSubscription"][1]()

    async def RemoveSubscription(self, request: Any, context: Context) -> Any:
        """Agents of the worker no longer get what is published there."""
        worker = await self._worker(context)
        if request.id not in worker.subscriptions:
            await _abort(context, grpc.StatusCode.NOT_FOUND, f"The worker has no subscription {request.id!r}.")
        self._remove_subscription(worker, request.id)
        return wire.CALLS["RemoveSubscription"][1]()

    async def GetSubscriptions(self, request: Any, context: Context) -> Any:
        """All subscriptions, of all workers."""
        del request
        await self._worker(context)
        found = [wire.subscription_as_message(each) for each in self._subscriptions.all()]
        return wire.CALLS["GetSubscriptions"][1](subscriptions=found)

    # --- workers ---

    async def _add_worker(self, context: Context) -> ConnectedWorker:
        metadata = _metadata(context)
        client_id = await _client_id(context)
        if client_id in self._workers:
            await _abort(context, grpc.StatusCode.ALREADY_EXISTS, f"Client {client_id} is connected already.")
        said = metadata.get(wire.MAX_RECEIVE_BYTES, "")
        worker = ConnectedWorker(client_id, int(said) if said.isascii() and said.isdecimal() else None)
        self._workers[client_id] = worker
        async with self._has_opened:
            self._has_opened.notify_all()
        return worker

    async def _worker(self, context: Context) -> ConnectedWorker:
        """The worker that calls. Its stream may open a little later than its first call comes."""
        client_id = await _client_id(context)
        with suppress(TimeoutError):
            async with asyncio.timeout(OPEN_S), self._has_opened:
                await self._has_opened.wait_for(lambda: client_id in self._workers)
        if (found := self._workers.get(client_id)) is None:
            await _abort(context, grpc.StatusCode.FAILED_PRECONDITION, f"Client {client_id} has no open channel.")
        return found

    def _remove_worker(self, worker: ConnectedWorker) -> None:
        del self._workers[worker.client_id]
        for each in worker.types:
            del self._by_type[each]
        for each in [*worker.subscriptions]:
            self._remove_subscription(worker, each)
        gone = UndeliverableException("The recipient's worker has disconnected before it answered.")
        for sender, request_id in worker.unanswered.values():
            self._respond(sender, error_message(request_id, gone))
        logger.info("Worker %s has disconnected.", worker.client_id)
        if worker.waiting:
            logger.error("%d messages did not reach worker %s.", worker.waiting, worker.client_id)

    def _remove_subscription(self, worker: ConnectedWorker, id: str) -> None:
        worker.subscriptions.discard(id)
        self._subscriptions.remove(id)

    # --- messages ---

    async def _read_all(self, worker: ConnectedWorker, messages: AsyncIterator[Any]) -> None:
        async for message in messages:
            match message.WhichOneof("message"):
                case "request":
                    self._pass_request(worker, message)
                case "response":
                    self._pass_response(worker, message)
                case "cloudEvent":
                    self._pass_event(message)
                case _:
                    logger.warning("Worker %s has sent an empty message.", worker.client_id)

    def _pass_request(self, sender: ConnectedWorker, message: Any) -> None:
        """Pass a request on under an ID of the host's own, since several workers may use the same."""
        self._requests += 1
        request, own_id = message.request, str(self._requests)
        its_id, request.request_id = request.request_id, own_id
        try:
            target = self._by_type.get(request.target.type)
            if target is None:
                raise AgentNotFound(_no_worker(request.target.type))
            if len(target.unanswered) >= MAX_UNANSWERED:
                raise UndeliverableException(
                    f"The recipient's worker is too slow: {MAX_UNANSWERED:,} requests have no answer."
                )
            target.put(message)
        except UndeliverableException as error:
            self._respond(sender, error_message(its_id, error))
        else:
            target.unanswered[own_id] = sender, its_id

    def _pass_response(self, worker: ConnectedWorker, message: Any) -> None:
        sender, its_id = worker.unanswered.pop(message.response.request_id, (None, ""))
        if sender is None:
            logger.warning("Worker %s has answered a request that it did not get.", worker.client_id)
            return
        message.response.request_id = its_id
        self._respond(sender, message)

    def _respond(self, sender: ConnectedWorker, message: Any) -> None:
        """Give the sender of a request its answer, or at least the reason why there is none."""
        if self._workers.get(sender.client_id) is not sender:
            logger.debug("An answer came whose sender has left.")
            return
        try:
            sender.put(message)
        except UndeliverableException as error:
            try:
                sender.put(error_message(message.response.request_id, error))
            except UndeliverableException:
                logger.error("An answer did not reach worker %s. %s", sender.client_id, error)

    def _pass_event(self, message: Any) -> None:
        """Pass what was published on to each worker that has subscribers. There is no sender to tell of an error."""
        event = message.cloudEvent
        try:
            recipients = self._subscriptions.recipients(TopicId(event.type, event.source))
        except StudioError as error:
            logger.error("A message was published to no topic. %s", error)
            return
        types = dict.fromkeys(each.type for each in recipients)
        for unknown in types.keys() - self._by_type.keys():
            logger.error("A message to %s/%s was not delivered. %s", event.type, event.source, _no_worker(unknown))
        for worker in dict.fromkeys(self._by_type[each] for each in types if each in self._by_type):
            try:
                worker.put(message)
            except UndeliverableException as error:
                name = worker.client_id
                logger.error("A message to %s/%s did not reach worker %s. %s", event.type, event.source, name, error)


def _no_worker(agent_type: str) -> str:
    return f"No worker has agents of type {agent_type!r}."


async def _refuse_more(known: set[str], what: str, context: Context) -> None:
    if len(known) >= MAX_REGISTERED:
        await _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, f"A worker can have {MAX_REGISTERED:,} {what}.")


async def _client_id(context: Context) -> str:
    if not (found := _metadata(context).get(wire.CLIENT_ID, "")):
        await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, f"{wire.CLIENT_ID} metadata not found.")
    return found


def _metadata(context: Context) -> dict[str, str]:
    given: Any = context.invocation_metadata() or ()
    return {str(key): str(value) for key, value in given}


async def _abort(context: Context, code: grpc.StatusCode, details: str) -> NoReturn:
    await context.abort(code, details)
    raise AssertionError("unreachable")
