"""The runtime of one process among several: its agents live here, and a host brings their messages."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from typing_extensions import override

from studio.actors.errors import (
    AlreadyRegistered,
    CantHandleException,
    HostUnavailable,
    UndeliverableException,
)
from studio.actors.grpc import wire
from studio.actors.grpc.connection import GrpcOptions, HostConnection
from studio.actors.grpc.faults import error_message, error_of_response
from studio.actors.grpc.signals import END, signal_received
from studio.actors.identity import AgentId, AgentMetadata, AgentType, TopicId
from studio.actors.protocols import Agent, AgentRuntime
from studio.actors.runtime import SingleThreadedAgentRuntime
from studio.actors.serialization import (
    JSON_DATA_CONTENT_TYPE,
    PROTOBUF_DATA_CONTENT_TYPE,
    MessageSerializer,
    SerializationRegistry,
)
from studio.actors.subscriptions import Subscription
from studio.messages import CancellationToken

logger = logging.getLogger("autogen_core")
T = TypeVar("T", bound=Agent)
_ANY_AGENT: Any = Agent
_MESSAGE_ID = "message-id"
"""Metadata of a request, since the host gives requests IDs of its own."""
MAX_UNFINISHED = 100_000
"""Messages that wait for agents here, with those that are being handled. More are refused."""
FIRST_RETRY_S, MAX_RETRY_S = 0.1, 5.0
GRACE_S = 1.0
"""How long the end waits for the host to have read everything. A host of AutoGen's never says so."""


class GrpcWorkerAgentRuntime(AgentRuntime):
    """Runs agents in this process, and sends messages to those in others through a host.

    All messages go through the host, also those to agents of this process. If the connection is lost, senders that
    wait for an answer get a `HostUnavailable`; the worker connects again and registers what it has.

    Args:
        host_address: `HOST:PORT`.
        tracer_provider: Of OpenTelemetry; without it nothing is traced.
        extra_grpc_config: Options of the gRPC channel. `grpc.max_send_message_length` and
            `grpc.max_receive_message_length` limit messages, in bytes.
        payload_serialization_format: Media type of messages that have serializers for several.
    """

    def __init__(
        self,
        host_address: str,
        tracer_provider: Any = None,
        extra_grpc_config: GrpcOptions | None = None,
        payload_serialization_format: str = JSON_DATA_CONTENT_TYPE,
    ) -> None:
        formats = (JSON_DATA_CONTENT_TYPE, PROTOBUF_DATA_CONTENT_TYPE)
        if payload_serialization_format not in formats:
            raise ValueError(f"Unsupported format {payload_serialization_format!r}. Use {' or '.join(formats)}.")
        self._address = host_address
        self._options = extra_grpc_config or ()
        self._formats = sorted(formats, key=lambda each: each != payload_serialization_format)
        """By preference."""
        self._local = SingleThreadedAgentRuntime(tracer_provider=tracer_provider, on_behalf_of=self)
        self._serializers = SerializationRegistry()
        self._host_connection: HostConnection | None = None
        self._registering = asyncio.Lock()
        self._types: list[str] = []
        self._subscriptions: dict[str, Subscription] = {}
        """By ID. These and the types are what the host knows of this worker."""
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        """The senders of requests, by the IDs of these."""
        self._answering: set[asyncio.Task[None]] = set()
        self._serving: asyncio.Task[None] | None = None
        self._prefix, self._sent = uuid4().hex, 0

    # --- beginning and end ---

    async def start(self) -> None:
        """Connect to the host, register what was registered here, and begin to handle messages.

        Raises:
            ValueError: It has begun already.
            HostUnavailable: The host does not answer within ten seconds.
            AlreadyRegistered: Another worker has agents of one of the types.
        """
        if self._serving is not None:
            raise ValueError("Runtime is already running.")
        connection = await self._connect()
        self._local.start()
        self._serving = asyncio.get_running_loop().create_task(self._serve(connection))

    async def stop(self) -> None:
        """End: handlers that run are cancelled, whose senders get an error, and what was sent reaches the host.

        Raises:
            RuntimeError: It has not begun.
        """
        if self._serving is None:
            raise RuntimeError("Runtime is not running.")
        serving, self._serving = self._serving, None
        await self._local.stop()
        self._fail_waiting(UndeliverableException("The runtime was stopped before the answer came."))
        if self._answering:
            await asyncio.wait([*self._answering], timeout=GRACE_S)
        if self._host_connection is not None:
            self._host_connection.finish()
            await asyncio.wait([serving], timeout=GRACE_S)
        serving.cancel()
        await asyncio.wait([serving])
        if not serving.cancelled() and (error := serving.exception()) is not None:
            raise error

    async def stop_when_signal(self, signals: Sequence[signal.Signals] = END) -> None:
        """End as `stop` does once the process gets one of the signals."""
        await signal_received(signals)
        await self.stop()

    async def close(self) -> None:
        """End if it has begun, and close all agents that live here.

        Raises:
            ExceptionGroup: Agents that could not be closed; the others are.
        """
        if self._serving is not None:
            await self.stop()
        await self._local.close()

    async def _connect(self) -> HostConnection:
        """Connect, and register all that this worker has."""
        connection = await HostConnection.open(self._address, self._options)
        try:
            async with self._registering:
                for each in self._types:
                    await connection.call("RegisterAgent", type=each)
                for each in self._subscriptions.values():
                    await connection.call("AddSubscription", subscription=wire.subscription_as_message(each))
                self._host_connection = connection
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _serve(self, connection: HostConnection) -> None:
        """Handle what the host sends, and connect again whenever the connection is lost."""
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    try:
                        await connection.run(partial(self._receive, group, connection))
                        return
                    except HostUnavailable as error:
                        logger.error("%s The worker connects again.", error)
                        self._fail_waiting(error)
                    finally:
                        self._host_connection = None
                        await connection.close()
                    connection = await self._connect_again()
        finally:
            self._fail_waiting(self._not_connected())

    async def _connect_again(self) -> HostConnection:
        wait_s = FIRST_RETRY_S
        while True:
            try:
                connection = await self._connect()
            except (HostUnavailable, AlreadyRegistered) as error:  # the host may not know yet that the old one is lost
                logger.warning("%s The worker tries again in %g s.", error, wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, MAX_RETRY_S)
            else:
                logger.info("The worker is connected again to %r.", self._address)
                return connection

    def _fail_waiting(self, error: Exception) -> None:
        for each in self._waiting.values():
            if not each.done():
                each.set_exception(error)
        self._waiting.clear()

    def _connection(self) -> HostConnection:
        if self._host_connection is None:
            raise self._not_connected()
        return self._host_connection

    def _not_connected(self) -> HostUnavailable:
        fix = "Await `start` first." if self._serving is None else "Send it again once the host is back."
        return HostUnavailable(f"The worker is not connected to the host at {self._address!r}.", fix=fix)

    # --- messages that go out ---

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
        """See `AgentRuntime.send_message`. A cancelled one leaves the handler of another process running.

        Raises:
            MessageTooLarge, HostUnavailable: It was not sent, or the connection was lost before the answer.
            ValueError: There is no serializer for it.
            RemoteHandlerError: What the handler raised.
        """
        connection, request_id = self._connection(), self._new_id()
        packed = wire.Message()
        request = packed.request
        request.request_id = request_id
        request.target.type, request.target.key = recipient.type, recipient.key
        if sender is not None:
            request.source.type, request.source.key = sender.type, sender.key
        request.metadata[_MESSAGE_ID] = message_id or request_id
        self._write_payload(request.payload, message)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may be that `send` fails first
        self._waiting[request_id] = answer
        token = cancellation_token or CancellationToken()
        token.link_future(answer)
        try:
            await connection.send(packed)
            return await answer
        finally:
            token.unlink_future(answer)
            self._waiting.pop(request_id, None)

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
        """See `AgentRuntime.publish_message`. It returns when the message is on its way to the host.

        Raises:
            MessageTooLarge, HostUnavailable: It was not sent.
            ValueError: There is no serializer for it.
        """
        if cancellation_token is not None and cancellation_token.is_cancelled():
            return
        type_name, content_type = self._named(message)
        data = self._serializers.serialize(message, type_name=type_name, data_content_type=content_type)
        topic = topic_id.type, topic_id.source
        packed = wire.event_message(message_id or self._new_id(), topic, sender, type_name, content_type, data)
        await self._connection().send(packed)

    def _new_id(self) -> str:
        self._sent += 1
        return f"{self._prefix}-{self._sent}"

    def _named(self, message: Any) -> tuple[str, str]:
        """The type name of a message, and the media type that it is written as."""
        name = self._serializers.type_name(message)
        known = (each for each in self._formats if self._serializers.is_registered(name, each))
        return name, next(known, self._formats[0])

    def _write_payload(self, payload: Any, message: Any) -> None:
        payload.data_type, payload.data_content_type = self._named(message)
        payload.data = self._serializers.serialize(
            message, type_name=payload.data_type, data_content_type=payload.data_content_type
        )

    # --- messages that come in ---

    def _receive(self, group: asyncio.TaskGroup, connection: HostConnection, message: Any) -> None:
        match message.WhichOneof("message"):
            case "request":
                task = group.create_task(self._answer(connection, message.request))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            case "response":
                self._resolve(message.response)
            case "cloudEvent":
                group.create_task(self._handle_event(message.cloudEvent))
            case _:
                logger.warning("The host has sent an empty message.")

    async def _answer(self, connection: HostConnection, request: Any) -> None:
        """Let an agent handle a request, and send its answer or its error."""
        packed = wire.Message()
        try:
            given = await self._handle_request(request)
            packed.response.request_id = request.request_id
            if given is not None:  # None has no payload
                self._write_payload(packed.response.payload, given)
            connection.require_size(packed)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            stopped = UndeliverableException("The worker was stopped before the handler ended.")
            packed = error_message(request.request_id, stopped if self._serving is None else error)
        except Exception as error:  # noqa: BLE001 -- the sender gets it
            packed = error_message(request.request_id, error)
        try:
            await connection.send(packed)
        except UndeliverableException as error:
            logger.error("The answer to a request of %s did not reach the host. %s", request.target.type, error)

    async def _handle_request(self, request: Any) -> Any:
        self._require_room()
        payload = request.payload
        message = self._read(payload.data_type, payload.data_content_type, payload.data)
        return await self._local.send_message(
            message,
            AgentId(request.target.type, request.target.key),
            sender=AgentId(request.source.type, request.source.key) if request.HasField("source") else None,
            message_id=request.metadata.get(_MESSAGE_ID, request.request_id),
        )

    def _resolve(self, response: Any) -> None:
        """Give the sender of a request its answer."""
        answer = self._waiting.pop(response.request_id, None)
        if answer is None or answer.done():
            logger.debug("An answer came whose sender has left.")
            return
        error = error_of_response(response)
        if error is not None:
            answer.set_exception(error)
        elif not response.payload.data_type:
            answer.set_result(None)
        else:
            payload = response.payload
            try:
                answer.set_result(self._read(payload.data_type, payload.data_content_type, payload.data))
            except CantHandleException as unreadable:
                answer.set_exception(unreadable)

    async def _handle_event(self, event: Any) -> None:
        """Let the agents that live here handle what was published."""
        try:
            self._require_room()
            message = self._read(*wire.content_of_event(event))
            topic, sender = TopicId(event.type, event.source), wire.sender_of_event(event)
            await self._local.publish_message(message, topic, sender=sender, message_id=event.id)
        except Exception as error:  # noqa: BLE001 -- there is no sender to raise it to
            logger.error("A message that was published to %s/%s was not handled. %s", event.type, event.source, error)

    def _require_room(self) -> None:
        if self._local.unfinished_messages_count >= MAX_UNFINISHED:
            raise UndeliverableException(f"The worker has {MAX_UNFINISHED:,} messages to handle and accepts no more.")

    def _read(self, type_name: str, content_type: str, data: bytes) -> Any:
        """Raises: CantHandleException: Its type is not known here, or it is not what its type says."""
        if not self._serializers.is_registered(type_name, content_type):
            raise CantHandleException(
                f"The worker cannot read messages of type {type_name!r} as {content_type!r}.",
                fix="Add a serializer with `add_message_serializer`.",
            )
        try:
            return self._serializers.deserialize(data, type_name=type_name, data_content_type=content_type)
        except Exception as error:
            raise CantHandleException(f"The message is not a valid {type_name!r}: {error}") from error

    @override
    def add_message_serializer(self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]) -> None:
        self._serializers.add_serializer(serializer)

    # --- what the host knows ---

    @override
    async def register_factory(
        self,
        type: str | AgentType,
        agent_factory: Callable[[], T | Awaitable[T]],
        *,
        expected_class: type[T] | None = None,
    ) -> AgentType:
        """See `AgentRuntime.register_factory`. A type belongs to one worker.

        Raises:
            AlreadyRegistered: There are such agents, here or at another worker.
            HostUnavailable: The host does not answer.
        """
        made = await self._local.register_factory(type, agent_factory, expected_class=expected_class)
        await self._register_type(made.type)
        return made

    @override
    async def register_agent_instance(self, agent_instance: Agent, agent_id: AgentId) -> AgentId:
        await self._local.register_agent_instance(agent_instance, agent_id)
        if agent_id.type not in self._types:
            await self._register_type(agent_id.type)
        return agent_id

    async def _register_type(self, agent_type: str) -> None:
        async with self._registering:
            if self._host_connection is not None:
                await self._host_connection.call("RegisterAgent", type=agent_type)
            self._types.append(agent_type)

    @override
    async def add_subscription(self, subscription: Subscription) -> None:
        """See `AgentRuntime.add_subscription`.

        Raises:
            AlreadyRegistered: There is an equal one, or another worker has these agents.
            ValueError: It is neither a `TypeSubscription` nor a `TypePrefixSubscription`.
        """
        message = wire.subscription_as_message(subscription)
        await self._local.add_subscription(subscription)
        try:
            async with self._registering:
                if self._host_connection is not None:
                    await self._host_connection.call("AddSubscription", subscription=message)
                self._subscriptions[subscription.id] = subscription
        except BaseException:
            await self._local.remove_subscription(subscription.id)
            raise

    @override
    async def remove_subscription(self, id: str) -> None:
        await self._local.remove_subscription(id)
        async with self._registering:
            del self._subscriptions[id]
            if self._host_connection is not None:
                await self._host_connection.call("RemoveSubscription", id=id)

    # --- agents that live here ---

    @override
    async def try_get_underlying_agent_instance(self, id: AgentId, type: type[T] = _ANY_AGENT) -> T:
        return await self._local.try_get_underlying_agent_instance(id, type)

    @override
    async def get(
        self, id_or_type: AgentId | AgentType | str, /, key: str = "default", *, lazy: bool = True
    ) -> AgentId:
        return await self._local.get(id_or_type, key, lazy=lazy)

    @override
    async def save_state(self) -> Mapping[str, Any]:
        return await self._local.save_state()

    @override
    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._local.load_state(state)

    @override
    async def agent_metadata(self, agent: AgentId) -> AgentMetadata:
        return await self._local.agent_metadata(agent)

    @override
    async def agent_save_state(self, agent: AgentId) -> Mapping[str, Any]:
        return await self._local.agent_save_state(agent)

    @override
    async def agent_load_state(self, agent: AgentId, state: Mapping[str, Any]) -> None:
        await self._local.agent_load_state(agent, state)
