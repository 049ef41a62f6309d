"""A worker's connection to its host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Self
from uuid import uuid4

import grpc

from studio.actors.errors import AlreadyRegistered, HostUnavailable, MessageTooLarge
from studio.actors.grpc.wire import CALLS, CLIENT_ID, MAX_RECEIVE_BYTES, SERVICE, Message

logger = logging.getLogger("autogen_core")
GrpcOptions = Sequence[tuple[str, Any]]
DEFAULT_MAX_BYTES = 4 * 1024 * 1024
"""What gRPC reads unless it is configured."""
CONNECT_S = 10.0
CALL_S = 10.0
MAX_SENDING = 100
"""Messages that wait to be written; who sends more waits."""
_EOF: Any = getattr(grpc.aio, "EOF")  # noqa: B009 -- the stubs do not have it
_DEFAULTS: dict[str, Any] = {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.keepalive_time_ms": 310_000,  # a host of AutoGen's ends connections that ask more than once in five minutes
    "grpc.keepalive_timeout_ms": 20_000,
}


def max_send_bytes(options: dict[str, Any]) -> int | None:
    """The largest message that may be sent; None for any."""
    given = int(options.get("grpc.max_send_message_length", DEFAULT_MAX_BYTES))
    return None if given < 0 else given


class HostConnection:
    """Calls, and a stream of messages both ways, until one side ends it. Made by `open`."""

    def __init__(self, address: str, options: dict[str, Any]) -> None:
        self._address = address
        self._max_bytes = max_send_bytes(options)
        self._max_receive = int(options.get("grpc.max_receive_message_length", DEFAULT_MAX_BYTES))
        self._channel = grpc.aio.insecure_channel(address, options=[*options.items()])
        self._client_id = str(uuid4())
        self._stream: Any = None
        self._outgoing: asyncio.Queue[tuple[Any, asyncio.Future[None]] | None] = asyncio.Queue()
        self._slots = asyncio.Semaphore(MAX_SENDING)
        self._why = ""
        """Why the connection is lost."""
        self._is_ending = False

    @classmethod
    async def open(cls, address: str, options: GrpcOptions) -> Self:
        """Connect to a host.

        Raises:
            HostUnavailable: It does not answer within ten seconds.
        """
        made = cls(address, {**_DEFAULTS, **dict(options)})
        try:
            async with asyncio.timeout(CONNECT_S):
                await made._channel.channel_ready()
                call: Any = made._channel.stream_stream(
                    f"/{SERVICE}/OpenChannel",
                    request_serializer=Message.SerializeToString,
                    response_deserializer=Message.FromString,
                )
                metadata = [(CLIENT_ID, made._client_id), (MAX_RECEIVE_BYTES, str(made._max_receive))]
                made._stream = call(metadata=metadata)
                await made._stream.wait_for_connection()
        except TimeoutError:
            await made.close()
            fix = "Start one, or give the worker another address."
            raise HostUnavailable(f"There is no host at {address!r}.", fix=fix) from None
        except grpc.aio.AioRpcError as error:
            await made.close()
            raise made._lost(_reason(error)) from error
        except BaseException:
            await made.close()
            raise
        return made

    async def call(self, name: str, **fields: Any) -> Any:
        """Ask the host, and wait for its answer.

        Raises:
            AlreadyRegistered: What is to be registered is there, or not valid.
            HostUnavailable: It does not answer, or refuses the request for another reason.
        """
        asked, answered = CALLS[name]
        call: Any = self._channel.unary_unary(
            f"/{SERVICE}/{name}", request_serializer=asked.SerializeToString, response_deserializer=answered.FromString
        )
        try:
            return await call(asked(**fields), metadata=[(CLIENT_ID, self._client_id)], timeout=CALL_S)
        except grpc.aio.AioRpcError as error:
            if error.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ALREADY_EXISTS):
                raise AlreadyRegistered(error.details() or "The host refuses this.") from error
            if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise self._lost(_reason(error)) from error
            raise HostUnavailable(f"The host at {self._address!r} refuses {name}. {_reason(error)}") from error
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            raise self._lost("It was closed.") from None  # as gRPC says it

    async def send(self, message: Any) -> None:
        """Send a message, and wait until it is written.

        Raises:
            MessageTooLarge: It has more bytes than allowed.
            HostUnavailable: The connection is lost.
        """
        self.require_size(message)
        async with self._slots:
            if self._why:
                raise self._lost(self._why)
            written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._outgoing.put_nowait((message, written))
            await written

    def require_size(self, message: Any) -> None:
        """Raises: MessageTooLarge."""
        size = message.ByteSize()
        if self._max_bytes is not None and size > self._max_bytes:
            raise MessageTooLarge(
                f"The message has {size:,} bytes; {self._max_bytes:,} are allowed.",
                fix="Send less, or set `grpc.max_send_message_length` in `extra_grpc_config` of this worker and "
                "`grpc.max_receive_message_length` in that of the host and of the workers that receive it.",
            )

    async def run(self, receive: Callable[[Any], None]) -> None:
        """Write what is sent and pass on what comes, until the stream ends.

        Args:
            receive: Gets each message; does not raise.

        Raises:
            HostUnavailable: Neither `finish` nor `close` has ended it.
        """
        try:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(self._write_all())
                try:
                    await self._read_all(receive)
                finally:
                    writing.cancel()
        finally:
            self._why = self._why or "It was closed."
            self._fail_waiting()
        if not self._is_ending:
            raise self._lost(self._why)

    async def _read_all(self, receive: Callable[[Any], None]) -> None:
        """Until the stream ends, and notes why it has."""
        try:
            while (message := await self._stream.read()) is not _EOF:
                receive(message)
        except grpc.aio.AioRpcError as error:
            self._why = _reason(error)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            self._why = "It was closed."  # as gRPC says it
        else:
            self._why = "The host has ended it."

    async def _write_all(self) -> None:
        written: asyncio.Future[None] | None = None
        try:
            while (item := await self._outgoing.get()) is not None:
                message, written = item
                await self._stream.write(message)
                if not written.done():
                    written.set_result(None)
            await self._stream.done_writing()
        except (grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError) as error:
            self._fail(written, _reason(error))
            self._stream.cancel()  # so that the reader ends, too
        except asyncio.CancelledError:
            self._fail(written, "It was closed.")
            if _is_cancelled():
                raise

    def finish(self) -> None:
        """End it once all that was sent is written; the host then ends it, too."""
        self._is_ending = True
        self._outgoing.put_nowait(None)

    async def close(self) -> None:
        """End it at once."""
        self._is_ending = True
        if self._stream is not None:
            self._stream.cancel()
        await self._channel.close()

    def _fail_waiting(self) -> None:
        while not self._outgoing.empty():
            item = self._outgoing.get_nowait()
            self._fail(item and item[1], self._why)

    def _fail(self, written: asyncio.Future[None] | None, why: str) -> None:
        """Let the sender of a message know that it is not written."""
        if written is not None and not written.done():
            written.set_exception(self._lost(why))

    def _lost(self, why: str) -> HostUnavailable:
        return HostUnavailable(f"The connection to the host at {self._address!r} is lost. {why}")


def _reason(error: Exception) -> str:
    if not isinstance(error, grpc.aio.AioRpcError):
        return str(error)
    return f"{error.code().name}: {(error.details() or '').rstrip('.')}."


def _is_cancelled() -> bool:
    """Whether the running task is; else gRPC says by a CancelledError that a call has ended."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
