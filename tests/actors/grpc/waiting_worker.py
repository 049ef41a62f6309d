"""A worker whose agent never answers: `python -m tests.actors.grpc.waiting_worker ADDRESS`, to be killed."""

from __future__ import annotations

import asyncio
import sys

from studio.actors.grpc import GrpcWorkerAgentRuntime
from tests.actors.agents import Waiting


class Announcing(Waiting):
    """Prints a line when it has a message."""

    def __init__(self) -> None:
        super().__init__()
        asyncio.get_running_loop().create_task(self._announce())

    async def _announce(self) -> None:
        await self.has_begun.wait()
        print("waiting", flush=True)


async def main(address: str) -> None:
    worker = GrpcWorkerAgentRuntime(address)
    await worker.start()
    await Announcing.register(worker, "waiting", Announcing)
    print("ready", flush=True)
    await worker.stop_when_signal()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
