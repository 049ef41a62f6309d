"""Messages of Protocol Buffers are published, as agents in other languages have them: named by their schema, packed."""

import asyncio
import logging

from autogen_core import (
    PROTOBUF_DATA_CONTENT_TYPE,
    MessageContext,
    RoutedAgent,
    TopicId,
    TypeSubscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import StringValue
from ports import free_port

HEARD = asyncio.Queue[str]()


class Greeter(RoutedAgent):
    @message_handler
    async def on_text(self, message: StringValue, ctx: MessageContext) -> None:
        await self.publish_message(Duration(seconds=len(message.value)), TopicId("greeted", self.id.key))


class Hearing(RoutedAgent):
    @message_handler
    async def on_duration(self, message: Duration, ctx: MessageContext) -> None:
        await HEARD.put(f"{self.id} heard after {message.seconds} s")


async def main() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)
    [serializer] = try_get_known_serializers_for_type(StringValue)
    assert serializer.data_content_type == PROTOBUF_DATA_CONTENT_TYPE
    print(serializer.type_name, serializer.deserialize(serializer.serialize(StringValue(value="x"))).value)
    address = f"localhost:{free_port()}"
    host = GrpcWorkerAgentRuntimeHost(address=address)
    host.start()
    workers = [GrpcWorkerAgentRuntime(address, payload_serialization_format=PROTOBUF_DATA_CONTENT_TYPE) for _ in "ab"]
    for worker in workers:
        for each in (StringValue, Duration):
            worker.add_message_serializer(try_get_known_serializers_for_type(each))
        await worker.start()
    first, second = workers
    try:
        await Greeter.register(first, "greeter", lambda: Greeter("Greets."))
        await Hearing.register(second, "hearing", lambda: Hearing("Hears."))
        await second.add_subscription(TypeSubscription("greeted", "hearing"))
        await first.add_subscription(TypeSubscription("named", "greeter"))
        await second.publish_message(StringValue(value="Ann"), TopicId("named", "default"))
        async with asyncio.timeout(20):
            heard = await HEARD.get()
        print(heard)
        assert heard == "hearing/default heard after 3 s"
    finally:
        for worker in workers:
            await worker.stop()
        await host.stop()


asyncio.run(main())
